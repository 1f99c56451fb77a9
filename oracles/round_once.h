// Rounding by definition: find the two neighbours in the format and compare the exact distances.
#pragma once

#include "harness/format.h"
#include "harness/oracle.h"
#include "oracles/exact_value.h"

namespace halfulp::oracles {

/// The encoding of `value` in the format, rounded once; no intermediate format is involved.
///
/// Subnormal results are rounded at their own spacing and a result that underflows keeps its sign.
/// Overflow is decided as if the exponent range had no end: a magnitude that rounds beyond the
/// largest finite one gives what `Format::overflow` says (infinity, the positive quiet NaN, or the
/// largest finite value); where the mode rounds towards zero, and in to_odd, it gives the largest
/// finite value. An infinity in a format without one is an overflow in every mode. `exact` is true
/// for NaN, and for an infinity that the format has.
Rounded round_once(const ExactValue& value, const Format& format, RoundingMode mode);

/// A double near an exact value.
struct Approximation {
  double value = 0;
  double radius = 0;  ///< |value - exact| is at most this; infinite on overflow, 0 for NaN
};

/// `value` rounded to nearest in binary64, with its error bound: half an ulp, or 0 if exact.
Approximation approximate(const ExactValue& value);
/// The same where `value` rounded to binary64 is known.
Approximation approximate(const Rounded& rounded);

/// Exponent of the ulp of the format at a finite value: floor(log2|x|) - precision + 1, at least
/// the exponent of the smallest subnormal, which is also that of zero (harness/oracle.h).
std::int64_t ulp_exponent_at(const ExactValue& value, const Format& format);

/// Errors of `candidate` against `exact`, each rounded once to binary64.
ExactErrors exact_errors(const ExactValue& exact, double candidate, const Format& format);

}  // namespace halfulp::oracles
