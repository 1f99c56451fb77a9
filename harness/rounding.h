// Rounding an exact binary value once, by guard and sticky bits: integer arithmetic only, sharing
// no code with oracles/ (which compares distances) or backends/ (which uses the hardware).
#pragma once

#include <cstdint>

#include "harness/format.h"

namespace halfulp {

enum class RoundingMode : std::uint8_t {
  to_nearest_even,
  toward_zero,
  upward,
  downward,
  to_odd,  ///< truncate, then set the last bit if inexact ("jamming")
};

/// (-1)^negative * (significand + r) * 2^exponent, with r = 0, or 0 < r < 1 if `sticky`.
struct Dyadic {
  bool negative = false;
  unsigned __int128 significand = 0;
  int exponent = 0;
  bool sticky = false;
};

/// The encoding of `value` rounded once: subnormals are rounded at their own spacing, and a result
/// that underflows keeps the sign.
///
/// Overflow, decided as if the exponent range had no end: a magnitude that rounds beyond the
/// largest finite one gives what `Format::overflow` says (infinity, the positive quiet NaN, or the
/// largest finite value). Where the mode rounds it towards zero (toward_zero, to_odd, upward for
/// negative values, downward for positive ones) it gives the largest finite value in every format.
///
/// A sticky value needs its guard bit: precision + 1 significant bits, or an exponent below
/// `min_subnormal_exponent()`.
std::uint64_t round_dyadic(const Dyadic& value, const Format& format, RoundingMode mode);

/// a * b exactly, both finite.
Dyadic exact_product(std::uint64_t a, std::uint64_t b, const Format& format);

/// a + b, both finite: exact, or with a sticky bit when the operands lie more than 70 binades apart
/// (then with enough bits for any mode and format). An exact cancellation is +0; -0 + -0 is -0.
Dyadic exact_sum(std::uint64_t a, std::uint64_t b, const Format& format);

}  // namespace halfulp
