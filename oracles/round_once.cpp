#include "oracles/round_once.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "harness/encoding.h"

namespace halfulp::oracles {
namespace {

/// Does the mode take a magnitude with this fraction to the neighbour away from zero?
bool rounds_away(RoundingMode mode, bool negative, const Position& position) {
  const bool odd = (position.floor & 1) != 0;
  switch (mode) {
    case RoundingMode::to_nearest_even:
      return position.part == Part::above_half || (position.part == Part::half && odd);
    case RoundingMode::toward_zero:
      return false;
    case RoundingMode::upward:
      return !negative && position.part != Part::zero;
    case RoundingMode::downward:
      return negative && position.part != Part::zero;
    case RoundingMode::to_odd:
      return !odd && position.part != Part::zero;
  }
  return false;
}

bool overflows_to_max_finite(RoundingMode mode, bool negative) {
  switch (mode) {
    case RoundingMode::to_nearest_even:
      return false;
    case RoundingMode::toward_zero:
    case RoundingMode::to_odd:
      return true;
    case RoundingMode::upward:
      return negative;
    case RoundingMode::downward:
      return !negative;
  }
  return false;
}

std::uint64_t overflowed(const Format& f, bool negative) {
  const std::uint64_t sign = negative ? f.sign_mask() : 0;
  switch (f.overflow) {
    case Overflow::infinity:
      return sign | f.infinity();
    case Overflow::nan:
      return f.quiet_nan();
    case Overflow::saturate:
      return sign | f.max_finite();
  }
  return f.quiet_nan();
}

double nearest_double(const ExactValue& value) { return approximate(value).value; }

/// 2^exponent, a double.
double power_of_two(int exponent) {
  const int biased = exponent + binary64.bias;
  return std::bit_cast<double>(biased > 0 ? static_cast<std::uint64_t>(biased) << 52
                                          : std::uint64_t{1} << (51 + biased));
}

}  // namespace

std::int64_t ulp_exponent_at(const ExactValue& value, const Format& f) {
  const std::int64_t lowest = f.min_subnormal_exponent();
  if (value.is_zero()) return lowest;
  return std::max(value.floor_log2() - f.precision + 1, lowest);
}

Rounded round_once(const ExactValue& value, const Format& f, RoundingMode mode) {
  const bool negative = value.is_negative();
  const std::uint64_t sign = negative ? f.sign_mask() : 0;
  if (value.is_nan()) return {.bits = f.quiet_nan(), .exact = true};
  if (value.is_infinite()) return {.bits = overflowed(f, negative), .exact = f.has_infinity()};
  if (value.is_zero()) return {.bits = sign, .exact = true, .zero = true};

  // The neighbours are floor and floor + 1, in ulps.
  const std::int64_t ulp = ulp_exponent_at(value, f);
  const Position position = value.position(ulp);
  Rounded out{.exact = position.part == Part::zero, .tie = position.part == Part::half};
  // A significand of `precision` bits carries its leading bit into the exponent field, and one that
  // was rounded up to 2^precision starts the next binade there.
  const std::uint64_t significand =
      position.floor + (rounds_away(mode, negative, position) ? 1 : 0);
  const auto above_lowest = static_cast<std::uint64_t>(ulp - f.min_subnormal_exponent());
  const std::uint64_t magnitude = (above_lowest << f.fraction_bits()) + significand;
  if (ulp <= f.emax() - f.fraction_bits() && magnitude <= f.max_finite()) {
    out.bits = sign | magnitude;
    return out;
  }
  out.exact = false;
  out.bits =
      overflows_to_max_finite(mode, negative) ? sign | f.max_finite() : overflowed(f, negative);
  return out;
}

Approximation approximate(const ExactValue& value) {
  return approximate(round_once(value, binary64, RoundingMode::to_nearest_even));
}

Approximation approximate(const Rounded& rounded) {
  const auto nearest = std::bit_cast<double>(rounded.bits);
  if (rounded.exact) return {nearest, 0};
  if (std::isinf(nearest)) return {nearest, std::fabs(nearest)};
  // Half the spacing above the result, which is at least that at the exact value; of the subnormal
  // spacing the whole, since half of it is no double.
  constexpr int lowest = binary64.min_subnormal_exponent();
  return {nearest, power_of_two(std::max(ulp_exponent(rounded.bits, binary64) - 1, lowest))};
}

ExactErrors exact_errors(const ExactValue& exact, double candidate, const Format& format) {
  if (!exact.is_finite() || !std::isfinite(candidate)) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none, none};
  }
  const ExactValue error = abs(ExactValue::from_double(candidate) - exact);
  if (error.is_zero()) return {};
  const ExactValue ulp(Fraction::power_of_two(ulp_exponent_at(exact, format)));
  return {.abs = nearest_double(error),
          .ulp_error = nearest_double(error / ulp),
          .rel = nearest_double(error / abs(exact))};
}

}  // namespace halfulp::oracles
