// The small calculator: what an encoding or an exact number is in a format.
#pragma once

#include <span>
#include <string>

#include "harness/format.h"

namespace halfulp {

/// One block of `key value` lines for each value, and one for each consecutive pair. A value is an
/// encoding (`0x3f7e`: hexadecimal without an exponent) or an exact expression (harness/oracle.h,
/// `locate`), which is rounded to nearest. Throws UsageError for anything else.
///
/// Keys: input, dtype, exact (the given number), encoding, decimal, hex_float, class, previous,
/// next, ulp (the spacing of the format at the number); if the number is not a value of the format
/// also lower, upper (its neighbours), side (of their midpoint: below, tie, above) and
/// from_midpoint (signed, in ulps). For pairs: from, to, steps, and ulps (their difference in ulps
/// at the larger).
std::string ulp_text(std::span<const std::string> values, const Format& format);

}  // namespace halfulp
