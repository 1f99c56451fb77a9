#include "oracles/enclosure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/encoding.h"

namespace halfulp::oracles {
namespace {

constexpr int shown_digits = 20;

Integer power_of_ten(std::int64_t exponent) {
  return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(exponent));
}

/// floor(|x| * 10^scale).
Integer scaled_down(const ExactValue& x, std::int64_t scale) {
  const auto [n, d] = abs(x).rational().parts();
  return scale >= 0 ? floor_div(n * power_of_ten(scale), d)
                    : floor_div(n, d * power_of_ten(-scale));
}

/// The first digits of a nonzero rational, cut off: `0.6931…`, `-1.25…e-7`.
std::string leading_digits(const ExactValue& x) {
  // log10(2) = 0.30103; one digit too few is possible and then taken back.
  auto exponent = static_cast<std::int64_t>(
      std::floor(static_cast<double>(x.floor_log2()) * 0.30102999566398120));
  std::string digits = scaled_down(x, shown_digits - 1 - exponent).str();
  if (digits.size() > static_cast<std::size_t>(shown_digits)) {
    ++exponent;
    digits.resize(static_cast<std::size_t>(shown_digits));
  }
  const std::string sign = x.is_negative() ? "-" : "";
  const std::string ellipsis = "…";
  if (exponent >= 0 && exponent < shown_digits - 1) {
    const auto point = static_cast<std::size_t>(exponent) + 1;
    return sign + digits.substr(0, point) + "." + digits.substr(point) + ellipsis;
  }
  if (exponent < 0 && exponent > -5) {
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits +
           ellipsis;
  }
  return sign + digits.substr(0, 1) + "." + digits.substr(1) + ellipsis + "e" +
         std::to_string(exponent);
}

/// Is a bound of a number around zero so small that no format tells the number from zero?
bool is_far_below(const ExactValue& bound, const Format& format) {
  return bound.is_zero() || bound.floor_log2() < format.min_subnormal_exponent() - 64;
}

bool same_errors(const ExactErrors& a, const ExactErrors& b) {
  return a.abs == b.abs && a.ulp_error == b.ulp_error && a.rel == b.rel;
}

}  // namespace

std::optional<Rounded> round_once(const Enclosure& result, const Format& format,
                                  RoundingMode mode) {
  Rounded low = round_once(result.low, format, mode);
  if (result.is_exact) return low;
  const Rounded high = round_once(result.high, format, mode);
  low.exact = low.tie = low.zero = false;
  if (result.straddles_zero()) {
    const bool nearest = mode == RoundingMode::to_nearest_even;
    const bool zero = nearest
                          ? ((low.bits | high.bits) & format.magnitude_mask()) == 0
                          : is_far_below(result.low, format) && is_far_below(result.high, format);
    if (!zero) return std::nullopt;
    return Rounded{.bits = 0, .zero = true};
  }
  if (low.bits != high.bits) return std::nullopt;
  return low;
}

Approximation approximate(const Enclosure& result) {
  const Approximation low = approximate(result.low);
  if (result.is_exact) return low;
  const Approximation high = approximate(result.high);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isinf(low.value) || std::isinf(high.value)) return {low.value, infinity};
  if (result.straddles_zero()) {
    const double bound = std::max(low.radius - low.value, high.value + high.radius);
    return {0, bound * (1 + 0x1p-50) + 0x1p-1074};
  }
  // Two roundings, each by less than 2^-53 relative or half the smallest subnormal.
  const double reach = (high.value - low.value) + low.radius + high.radius;
  const double radius = reach * (1 + 0x1p-50) + 0x1p-1074;
  return {low.value, radius};
}

std::optional<ExactErrors> exact_errors(const Enclosure& result, double candidate,
                                        const Format& format) {
  const ExactErrors low = exact_errors(result.low, candidate, format);
  if (result.is_exact || std::isnan(low.abs)) return low;
  // The error falls and rises again where the candidate lies between the bounds.
  const ExactValue value = ExactValue::from_double(candidate);
  const bool inside = !(value - result.low).is_negative() && !(result.high - value).is_negative();
  const ExactErrors high = exact_errors(result.high, candidate, format);
  if (inside || !same_errors(low, high)) return std::nullopt;
  return low;
}

Enclosure middle(const Enclosure& result) {
  const ExactValue half(Fraction(1, 2));
  const ExactValue value = (result.low + result.high) * half;
  return {value, value, true};
}

std::optional<std::string> text(const Enclosure& result) {
  if (result.is_exact) return result.low.text();
  if (result.straddles_zero() || result.low.is_zero() || result.high.is_zero()) return std::nullopt;
  std::string digits = leading_digits(result.low);
  if (digits != leading_digits(result.high)) return std::nullopt;
  return digits;
}

}  // namespace halfulp::oracles
