#include "oracles/round_once.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/encoding.h"

namespace halfulp::oracles {
namespace {

constexpr std::array modes{RoundingMode::to_nearest_even, RoundingMode::toward_zero,
                           RoundingMode::upward, RoundingMode::downward, RoundingMode::to_odd};

ExactValue exact(double x) { return ExactValue::from_double(x); }

/// The value of an encoding, infinity standing for the next power of two (where rounding in the
/// format's precision would put it).
double extended_value(std::uint64_t bits, const Format& f) {
  if (is_finite(bits, f)) return to_double(bits, f);
  const double top = std::ldexp(1.0, f.emax() + 1);
  return is_negative(bits, f) ? -top : top;
}

/// "List all values, pick the nearest": the answer of an IEEE format by brute force.
std::uint64_t brute_force(double x, const Format& f, RoundingMode mode) {
  std::uint64_t below = 0;  // largest magnitude <= |x|
  const double magnitude = std::fabs(x);
  while (below < f.infinity() && extended_value(below + 1, f) <= magnitude) ++below;
  const std::uint64_t sign = std::signbit(x) ? f.sign_mask() : 0;
  const double low = extended_value(below, f);
  if (below < f.infinity() && low == magnitude) return sign | below;
  const std::uint64_t above = std::min(below + 1, f.infinity());
  const std::uint64_t inner = std::min(below, f.max_finite());
  const bool negative = sign != 0;
  switch (mode) {
    case RoundingMode::toward_zero:
      return sign | inner;
    case RoundingMode::upward:
      return sign | (negative ? inner : above);
    case RoundingMode::downward:
      return sign | (negative ? above : inner);
    case RoundingMode::to_odd:
      return sign | ((inner & 1) != 0 ? inner : above);
    case RoundingMode::to_nearest_even:
      break;
  }
  const double to_low = magnitude - low;
  const double to_high = extended_value(above, f) - magnitude;
  if (to_low != to_high) return sign | (to_low < to_high ? below : above);
  return sign | ((below & 1) == 0 ? below : above);
}

std::uint64_t nearest(double x, const Format& f) {
  return round_once(exact(x), f, RoundingMode::to_nearest_even).bits;
}
std::uint64_t nearest(const ExactValue& x, const Format& f) {
  return round_once(x, f, RoundingMode::to_nearest_even).bits;
}
ExactValue value_of(std::uint64_t bits, const Format& f) { return exact(to_double(bits, f)); }

TEST_CASE("toy format: every value, every midpoint and the points beside them, all modes",
          "[oracle]") {
  const Format f = toy_e4m3;
  std::vector<double> points;
  for (std::uint64_t bits = 0; bits <= f.infinity(); ++bits) {
    const double here = extended_value(bits, f);
    const double middle = (here + extended_value(std::min(bits + 1, f.infinity()), f)) / 2;
    for (const double x : {here, middle}) {
      for (const double y : {x, std::nextafter(x, 1e9), std::nextafter(x, 0.0)}) {
        points.push_back(y);
        points.push_back(-y);
      }
    }
  }
  for (const double far : {300.0, 1e30}) points.push_back(far);
  for (const RoundingMode mode : modes) {
    for (const double x : points) {
      INFO(x << " mode " << static_cast<int>(mode));
      REQUIRE(round_once(exact(x), f, mode).bits == brute_force(x, f, mode));
    }
  }
}

TEST_CASE("toy format: the quotient of every pair of values", "[oracle]") {
  const Format f = toy_e4m3;
  for (std::uint64_t a = 0; a <= f.max_finite(); ++a) {
    for (std::uint64_t b = 1; b <= f.max_finite(); ++b) {
      // Midpoints and values have at most 5 significant bits, so a double quotient that is not one
      // of them cannot be mistaken for one.
      const double x = to_double(a, f);
      const double y = to_double(b, f);
      for (const RoundingMode mode : modes) {
        REQUIRE(round_once(exact(x) / exact(y), f, mode).bits == brute_force(x / y, f, mode));
      }
    }
  }
}

TEST_CASE("every encoding rounds to itself", "[oracle]") {
  for (const NamedFormat& row : all_formats()) {
    const Format& f = row.format;
    if (f.width() > 19) continue;
    for (std::uint64_t bits = 0; bits <= f.encoding_mask(); ++bits) {
      const Rounded rounded =
          round_once(value_of(bits, f), f, modes[static_cast<std::size_t>(bits) % modes.size()]);
      REQUIRE(rounded.exact);
      REQUIRE_FALSE(rounded.tie);
      REQUIRE(rounded.zero == (classify(bits, f) == Class::zero));
      REQUIRE(rounded.bits == (is_nan(bits, f) ? f.quiet_nan() : bits));
    }
  }
}

TEST_CASE("float16: every midpoint goes to the even neighbour, and points beside it do not",
          "[oracle]") {
  const Format f = binary16;
  for (std::uint64_t bits = 0; bits <= f.max_finite(); ++bits) {
    const double low = extended_value(bits, f);
    const double middle = (low + extended_value(bits + 1, f)) / 2;
    for (const std::uint64_t sign : {std::uint64_t{0}, f.sign_mask()}) {
      const double s = sign == 0 ? 1 : -1;
      const Rounded tie = round_once(exact(s * middle), f, RoundingMode::to_nearest_even);
      REQUIRE(tie.tie);
      REQUIRE_FALSE(tie.exact);
      REQUIRE(tie.bits == (sign | ((bits & 1) == 0 ? bits : bits + 1)));
      REQUIRE(nearest(s * std::nextafter(middle, 0.0), f) == (sign | bits));
      REQUIRE(nearest(s * std::nextafter(middle, 1e9), f) == (sign | (bits + 1)));
    }
  }
}

TEST_CASE("float16: every square root, by comparing squares", "[oracle]") {
  const Format f = binary16;
  for (std::uint64_t bits = 1; bits <= f.max_finite(); ++bits) {
    const ExactValue x = value_of(bits, f);
    const std::uint64_t root = nearest(sqrt(x), f);
    // Midpoints below and above the result have 12 bits, so their squares are exact doubles.
    const double value = to_double(root, f);
    const double low = (value + to_double(root - 1, f)) / 2;
    const double high = (value + to_double(root + 1, f)) / 2;
    REQUIRE(low * low < to_double(bits, f));
    REQUIRE(high * high > to_double(bits, f));
  }
}

TEST_CASE("traps for an oracle", "[oracle]") {
  CHECK(nearest(1 + 0x1p-11 + 0x1p-40, binary16) == 0x3c01);
  CHECK(nearest(1 + 0x1p-8 + 0x1p-40, bfloat16) == 0x3f81);
  CHECK(nearest(fma(ExactValue(4097), ExactValue(4097), exact(0x1p-30)), binary32) == 0x4b801001);
  CHECK(to_double(nearest(fma(ExactValue(7), ExactValue(37), exact(-0x1p-100)), bfloat16),
                  bfloat16) == 258);
  CHECK(nearest(exact(0x1p-14) - exact(0x1p-25) - exact(0x1p-65), binary16) == 0x03ff);
  CHECK(nearest(value_of(0x090a, binary16) / value_of(0xd780, binary16), binary16) == 0x8016);
  CHECK(nearest(16973823, bfloat16) == 0x4b81);
}

TEST_CASE("overflow follows the format", "[oracle]") {
  const double above_464 = std::nextafter(464.0F, 1e9F);
  CHECK(nearest(464, float8_e4m3fn) == 0x7e);
  CHECK(nearest(above_464, float8_e4m3fn) == 0x7f);
  CHECK(nearest(-above_464, float8_e4m3fn) == 0x7f);
  CHECK(nearest(above_464, float8_e4m3fn_saturating) == 0x7e);
  CHECK(nearest(-above_464, float8_e4m3fn_saturating) == 0xfe);
  CHECK(nearest(ExactValue::infinity(true), float8_e4m3fn_saturating) == 0xfe);
  CHECK(nearest(ExactValue::infinity(false), float8_e4m3fn) == 0x7f);
  CHECK(nearest(ExactValue::nan(), float8_e4m3fn_saturating) == 0x7f);
  CHECK(to_double(nearest(61439, float8_e5m2), float8_e5m2) == 57344);
  CHECK(nearest(61440, float8_e5m2) == float8_e5m2.infinity());
  CHECK(nearest(65519.99, binary16) == 0x7bff);
  CHECK(nearest(65520, binary16) == 0x7c00);
  CHECK(nearest(ExactValue(Fraction::power_of_two(20000)), binary64) == binary64.infinity());
  CHECK(nearest(ExactValue(-Fraction::power_of_two(-20000)), binary64) == binary64.sign_mask());
  CHECK(round_once(ExactValue(1000), float8_e4m3fn, RoundingMode::toward_zero).bits == 0x7e);
  CHECK(round_once(ExactValue(1000), float8_e4m3fn, RoundingMode::to_odd).bits == 0x7e);
  CHECK(round_once(ExactValue(1000), float8_e4m3fn, RoundingMode::upward).bits == 0x7f);
  CHECK(round_once(ExactValue(-1000), float8_e4m3fn, RoundingMode::upward).bits == 0xfe);
}

TEST_CASE("errors are measured against the unrounded value", "[oracle]") {
  const ExactValue third(Fraction(1, 3));
  const std::uint64_t bits = nearest(third, binary16);
  const ExactErrors errors = exact_errors(third, to_double(bits, binary16), binary16);
  CHECK(errors.abs == 1.0 / 12288);  // 1365/4096 - 1/3
  CHECK(errors.ulp_error == 1.0 / 3);
  CHECK(errors.rel == 1.0 / 4096);
  const ExactErrors lost = exact_errors(ExactValue(), 0x1p-24, binary16);
  CHECK(lost.ulp_error == 1);
  CHECK(std::isinf(lost.rel));
  CHECK(exact_errors(ExactValue(), -0.0, binary16).rel == 0);
  CHECK(std::isnan(exact_errors(ExactValue::infinity(false), 1, binary16).abs));
  CHECK(std::isnan(exact_errors(third, std::numeric_limits<double>::infinity(), binary16).abs));
}

TEST_CASE("approximations lie within their radius", "[oracle]") {
  for (const ExactValue& x :
       {ExactValue(Fraction(1, 3)), sqrt(ExactValue(2)), ExactValue(Fraction::power_of_two(-1075)),
        ExactValue(5), ExactValue::zero(true),
        ExactValue(Fraction(1, 3) * Fraction::power_of_two(-1070))}) {
    const Approximation near = approximate(x);
    CHECK(abs(x - exact(near.value)).compare(Fraction::from_double(near.radius)) <= 0);
  }
  CHECK(approximate(ExactValue(5)).radius == 0);
}

}  // namespace
}  // namespace halfulp::oracles
