// Encodings of a format: classes, ordinals, neighbours, exact values. All constexpr, all exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "harness/format.h"

namespace halfulp {

enum class Class : std::uint8_t { zero, subnormal, normal, infinity, nan };

constexpr Class classify(std::uint64_t bits, const Format& f) {
  const std::uint64_t magnitude = bits & f.magnitude_mask();
  if (magnitude == 0) return Class::zero;
  if (magnitude < f.min_normal()) return Class::subnormal;
  if (magnitude <= f.max_finite()) return Class::normal;
  return f.has_infinity() && magnitude == f.infinity() ? Class::infinity : Class::nan;
}
constexpr bool is_nan(std::uint64_t bits, const Format& f) {
  return classify(bits, f) == Class::nan;
}
constexpr bool is_finite(std::uint64_t bits, const Format& f) {
  return (bits & f.magnitude_mask()) <= f.max_finite();
}
constexpr bool is_negative(std::uint64_t bits, const Format& f) {
  return (bits & f.sign_mask()) != 0;
}

/// Position on the signed number line: both zeros are 0, the smallest subnormals are +1 and -1,
/// infinity is one past the largest finite value. Not meaningful for NaN.
/// Laws: ordinal(-x) == -ordinal(x); x < y implies ordinal(x) < ordinal(y).
constexpr std::int64_t ordinal(std::uint64_t bits, const Format& f) {
  const auto magnitude = static_cast<std::int64_t>(bits & f.magnitude_mask());
  return is_negative(bits, f) ? -magnitude : magnitude;
}

/// Inverse of `ordinal`; 0 gives +0.
constexpr std::uint64_t from_ordinal(std::int64_t position, const Format& f) {
  return position < 0 ? f.sign_mask() | static_cast<std::uint64_t>(-position)
                      : static_cast<std::uint64_t>(position);
}

/// Integer distance of two encodings on the number line, neither of them NaN.
/// Laws: symmetric; 0 exactly for equal values (so also for the two zeros); additive along the
/// line. The largest is -max to +max of binary64, 18437736874454810622, or that plus 2 for the
/// infinities.
constexpr std::uint64_t steps_between(std::uint64_t a, std::uint64_t b, const Format& f) {
  const auto x = static_cast<std::uint64_t>(ordinal(a, f));
  const auto y = static_cast<std::uint64_t>(ordinal(b, f));
  return ordinal(a, f) < ordinal(b, f) ? y - x : x - y;
}

/// The next encoding towards +infinity. The largest finite value goes to infinity, or stays where
/// the format has none; +infinity stays; NaN stays.
constexpr std::uint64_t next_up(std::uint64_t bits, const Format& f) {
  if (is_nan(bits, f)) return bits;
  const auto top = static_cast<std::int64_t>(f.has_infinity() ? f.infinity() : f.max_finite());
  const std::int64_t position = ordinal(bits, f);
  return position == top ? bits : from_ordinal(position + 1, f);
}
/// The mirror image of `next_up`.
constexpr std::uint64_t next_down(std::uint64_t bits, const Format& f) {
  if (is_nan(bits, f)) return bits;
  return next_up(bits ^ f.sign_mask(), f) ^ f.sign_mask();
}

/// A finite value as (-1)^negative * significand * 2^exponent, significand below 2^precision.
/// Subnormals and zero have exponent `min_subnormal_exponent()`.
struct Decoded {
  bool negative;
  std::uint64_t significand;
  int exponent;
};
constexpr Decoded decode(std::uint64_t bits, const Format& f) {
  const std::uint64_t biased = (bits & f.exponent_mask()) >> f.fraction_bits();
  const std::uint64_t fraction = bits & f.fraction_mask();
  if (biased == 0) return {is_negative(bits, f), fraction, f.min_subnormal_exponent()};
  return {is_negative(bits, f), fraction | f.min_normal(),
          static_cast<int>(biased) - f.bias - f.fraction_bits()};
}

/// Exponent of the ulp at a finite encoding: the spacing of the format in its binade. At a power of
/// two this is the spacing above it; below the smallest normal, and at zero, the smallest
/// subnormal.
constexpr int ulp_exponent(std::uint64_t bits, const Format& f) { return decode(bits, f).exponent; }

/// Exact value as a double (every format here is a subset of binary64). NaN loses its payload.
inline double to_double(std::uint64_t bits, const Format& f) {
  switch (classify(bits, f)) {
    case Class::nan:
      return std::numeric_limits<double>::quiet_NaN();
    case Class::infinity:
      return is_negative(bits, f) ? -std::numeric_limits<double>::infinity()
                                  : std::numeric_limits<double>::infinity();
    case Class::zero:
    case Class::subnormal:
    case Class::normal:
      break;
  }
  const Decoded d = decode(bits, f);
  const double magnitude = std::ldexp(static_cast<double>(d.significand), d.exponent);
  return d.negative ? -magnitude : magnitude;
}

/// The encoding of a double that is a value of the format (or NaN or infinity). Not a rounding: the
/// result is meaningless for a value that the format does not have.
inline std::uint64_t encode_exact(double value, const Format& f) {
  if (std::isnan(value)) return f.quiet_nan();
  const std::uint64_t sign = std::signbit(value) ? f.sign_mask() : 0;
  if (std::isinf(value)) return sign | (f.has_infinity() ? f.infinity() : f.quiet_nan());
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int ulp = std::max(exponent - f.precision, f.min_subnormal_exponent());
  const auto significand = static_cast<std::uint64_t>(std::ldexp(std::fabs(value), -ulp));
  if (significand < f.min_normal()) return sign | significand;
  const auto biased = static_cast<std::uint64_t>(ulp + f.fraction_bits() + f.bias);
  return sign | (biased << f.fraction_bits()) | (significand & f.fraction_mask());
}

}  // namespace halfulp
