#include "harness/rounding.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "harness/encoding.h"

namespace halfulp {
namespace {

using Wide = unsigned __int128;
constexpr int wide_bits = 128;

int bit_width(Wide x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 128 - std::countl_zero(high)
                   : 64 - std::countl_zero(static_cast<std::uint64_t>(x));
}

/// A significand cut at the spacing of the format.
struct Cut {
  std::uint64_t kept;  ///< whole multiples of the spacing
  bool guard;          ///< the next bit: half a spacing
  bool sticky;         ///< anything below it

  bool inexact() const { return guard || sticky; }
};

Cut cut(const Dyadic& value, int shift) {
  if (shift <= 0) {
    assert(!value.sticky);
    return {static_cast<std::uint64_t>(value.significand << -shift), false, false};
  }
  if (shift > wide_bits) return {0, false, value.significand != 0 || value.sticky};
  const Wide below = value.significand & ((Wide{1} << (shift - 1)) - 1);
  const Wide kept = shift == wide_bits ? 0 : value.significand >> shift;
  return {static_cast<std::uint64_t>(kept), ((value.significand >> (shift - 1)) & 1) != 0,
          below != 0 || value.sticky};
}

/// Does the mode send an inexact magnitude of this sign to its smaller neighbour, always?
bool truncates(bool negative, RoundingMode mode) {
  return mode == RoundingMode::toward_zero || (mode == RoundingMode::upward && negative) ||
         (mode == RoundingMode::downward && !negative);
}

bool rounds_away(const Cut& c, bool negative, RoundingMode mode) {
  if (mode == RoundingMode::to_nearest_even) return c.guard && (c.sticky || (c.kept & 1) != 0);
  if (mode == RoundingMode::to_odd) return c.inexact() && (c.kept & 1) == 0;
  return c.inexact() && !truncates(negative, mode);
}

std::uint64_t overflowed(bool negative, const Format& f, RoundingMode mode) {
  const std::uint64_t sign = negative ? f.sign_mask() : 0;
  const bool saturates =
      f.overflow == Overflow::saturate || mode == RoundingMode::to_odd || truncates(negative, mode);
  if (saturates) return sign | f.max_finite();
  return f.overflow == Overflow::nan ? f.quiet_nan() : sign | f.infinity();
}

Wide shift_right_jam(Wide x, int shift, bool& lost) {
  if (shift >= wide_bits) {
    lost = x != 0;
    return 0;
  }
  lost = (x & ((Wide{1} << shift) - 1)) != 0;
  return x >> shift;
}

}  // namespace

std::uint64_t round_dyadic(const Dyadic& value, const Format& format, RoundingMode mode) {
  const std::uint64_t sign = value.negative ? format.sign_mask() : 0;
  if (value.significand == 0 && !value.sticky) return sign;
  const int top = value.exponent + bit_width(value.significand) - 1;
  if (top > format.emax()) return overflowed(value.negative, format, mode);
  const int spacing = std::max(top - format.fraction_bits(), format.min_subnormal_exponent());
  const Cut c = cut(value, spacing - value.exponent);
  // The implicit bit of `kept` adds one to the biased exponent, and so does a carry out of it.
  const auto binade = static_cast<std::uint64_t>(spacing - format.min_subnormal_exponent());
  const std::uint64_t magnitude =
      (binade << format.fraction_bits()) + c.kept + (rounds_away(c, value.negative, mode) ? 1 : 0);
  if (magnitude > format.max_finite()) return overflowed(value.negative, format, mode);
  return sign | magnitude;
}

Dyadic exact_product(std::uint64_t a, std::uint64_t b, const Format& format) {
  const Decoded x = decode(a, format);
  const Decoded y = decode(b, format);
  return {.negative = x.negative != y.negative,
          .significand = Wide{x.significand} * y.significand,
          .exponent = x.exponent + y.exponent};
}

Dyadic exact_sum(std::uint64_t a, std::uint64_t b, const Format& format) {
  Decoded large = decode(a, format);
  Decoded small = decode(b, format);
  if ((a & format.magnitude_mask()) < (b & format.magnitude_mask())) std::swap(large, small);
  if (small.significand == 0 && large.significand != 0) {
    return {
        .negative = large.negative, .significand = large.significand, .exponent = large.exponent};
  }
  // Room below the larger operand: as far as the smaller reaches, at most up to 2^126.
  const int gap = large.exponent - small.exponent;
  const int lift = std::min(gap, 126 - format.precision);
  Dyadic sum{.negative = large.negative,
             .significand = Wide{large.significand} << lift,
             .exponent = large.exponent - lift};
  const Wide addend = shift_right_jam(small.significand, gap - lift, sum.sticky);
  if (large.negative == small.negative) {
    sum.significand += addend;
  } else {
    sum.significand -= addend + (sum.sticky ? 1 : 0);  // what was lost is given back as `sticky`
    if (sum.significand == 0 && !sum.sticky) sum.negative = false;
  }
  return sum;
}

}  // namespace halfulp
