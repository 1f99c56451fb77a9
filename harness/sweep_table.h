// A sweep's result as a readable table.
#pragma once

#include <string>

#include "harness/sweep.h"

namespace halfulp {

/// What was swept, one line a row, columns that tell rows apart or found something, notes, and a
/// legend that explains the columns shown. Ends in a newline.
std::string sweep_table(const SweepResult& result, const SweepSpec& spec);

/// `value` rounded up to three significant digits, as text that reads back as at least `value`: the
/// tolerance to write into a test. `value` is not negative; 0 gives `0`, infinity and NaN `none`.
std::string rounded_up(double value);

}  // namespace halfulp
