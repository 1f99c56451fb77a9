// Bounds below are in units of u^2 = 2^-106, relative; double_double.h has those of + - * /.
#include "backends/elementary_double_double.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace halfulp::backends {
namespace {

// ln 2 and 2 / sqrt(pi) to 107 bits; ln 2 also as 42 bits, whose multiples by integers below 2^11
// are exact, and 106 bits of the rest.
constexpr DoubleDouble ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr double ln2_head = 0x1.62e42fefa3800p-1;
constexpr DoubleDouble ln2_tail{0x1.ef35793c76730p-45, 0x1.f97b57a079a19p-103};
constexpr DoubleDouble two_over_sqrt_pi{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
constexpr DoubleDouble one{1, 0};

DoubleDouble scaled(DoubleDouble a, int exponent) {
  return {std::ldexp(a.high, exponent), std::ldexp(a.low, exponent)};
}
DoubleDouble quotient(DoubleDouble a, double b) { return a / DoubleDouble{b, 0}; }

/// x = multiple * ln 2 + rest, |rest| < 0.35: an absolute error of 2 units.
struct Reduced {
  int multiple;
  DoubleDouble rest;
};
Reduced reduce(double x) {
  const double multiple = std::floor(x / ln2.high + 0.5);
  const DoubleDouble head = two_sum(x, -multiple * ln2_head);
  return {static_cast<int>(multiple), head + -(ln2_tail * multiple)};
}

/// 1 + r/2 (1 + r/3 (1 + …)), |r| < 0.35. Each step adds 3 units, and 20 for its product and
/// quotient are damped by r/n: under 10. The rest, r^26 / 27!, is below 2^-132.
DoubleDouble exponential_tail(DoubleDouble r) {
  DoubleDouble sum = one;
  for (int n = 27; n >= 2; --n) sum = one + quotient(r * sum, n);
  return sum;
}

/// Under 20 units, also relative to a small exp(x) - 1.
DoubleDouble exponential(double x) {
  const Reduced reduced = reduce(x);
  return scaled(one + reduced.rest * exponential_tail(reduced.rest), reduced.multiple);
}
/// Under 100 units: with a multiple of ln 2, the difference is at least 0.29 times the larger term.
DoubleDouble exponential_less_one(double x) {
  const Reduced reduced = reduce(x);
  if (reduced.multiple == 0) return reduced.rest * exponential_tail(reduced.rest);
  return exponential(x) + DoubleDouble{-1, 0};
}

/// log(1 + u) = 2 atanh(s), s = u / (2 + u), for u in [-0.3, 0.42], so |s| < 0.18: under 50 units.
/// The rest, s^46 / 47, is below 2^-118.
DoubleDouble logarithm_near_one(DoubleDouble u) {
  const DoubleDouble s = u / (DoubleDouble{2, 0} + u);
  const DoubleDouble square = s * s;
  DoubleDouble sum{0, 0};
  for (int n = 45; n >= 1; n -= 2) sum = square * sum + quotient(one, n);
  return s * sum * 2;
}

/// log(y) for y > 0. Under 150 units: with a multiple of ln 2, the sum is at least half as large as
/// the larger term.
DoubleDouble logarithm(DoubleDouble y) {
  int exponent = 0;
  if (std::frexp(y.high, &exponent) < 0x1.6a09ep-1) --exponent;
  const DoubleDouble scaled_down = scaled(y, -exponent);
  const DoubleDouble near_one = logarithm_near_one(scaled_down + DoubleDouble{-1, 0});
  return exponent == 0 ? near_one : ln2 * exponent + near_one;
}
DoubleDouble logarithm_of_one_plus(double x) {
  if (x > -0.25 && x < 0.25) return logarithm_near_one({x, 0});
  return logarithm(two_sum(1, x));
}

/// (exp(2x) - 1) / (exp(2x) + 1): under 250 units.
DoubleDouble hyperbolic_tangent(double x) {
  const DoubleDouble e = exponential_less_one(2 * x);
  return e / (e + DoubleDouble{2, 0});
}
/// Under 60 units.
DoubleDouble logistic(double x) { return one / (one + exponential(-x)); }

/// 2/sqrt(pi) x exp(-x^2) (1 + c/3 (1 + c/5 (1 + …))), c = 2 x^2 <= 32 exact in a double: all terms
/// are positive (Abramowitz and Stegun, 7.1.6). Not more than 20 units a step in the 20 steps in
/// which the factor is not small, so under 500. The rest, c^96 / (3 * 5 * … * 193), is below 2^-110
/// of the sum.
DoubleDouble error_function(double x) {
  const double c = 2 * x * x;
  DoubleDouble sum = one;
  for (int n = 193; n >= 3; n -= 2) sum = one + quotient(sum * c, n);
  return two_over_sqrt_pi * x * exponential(-c / 2) * sum;
}

/// hi + lo rounded to the double whose last bit is odd unless the sum is a double: rounding that to
/// fewer bits is rounding the sum once.
double round_to_odd(DoubleDouble value) {
  const auto bits = std::bit_cast<std::uint64_t>(value.high);
  if (value.low == 0 || (bits & 1) != 0) return value.high;
  const bool outward = (value.low > 0) == (value.high > 0);
  return std::bit_cast<double>(outward ? bits + 1 : bits - 1);
}

}  // namespace

DoubleDouble elementary_double_double(Op op, float x) {
  const auto within = [x](double limit) {
    return std::clamp(static_cast<double>(x), -limit, limit);
  };
  switch (op) {
    case Op::exp:
      return exponential(within(128));
    case Op::log:
      return logarithm({static_cast<double>(x), 0});
    case Op::log1p:
      return logarithm_of_one_plus(static_cast<double>(x));
    case Op::expm1:
      return exponential_less_one(within(128));
    case Op::tanh:
      return hyperbolic_tangent(within(16));
    case Op::sigmoid:
      return logistic(within(128));
    case Op::erf:
      return error_function(within(4));
    default:
      throw std::logic_error("not an elementary function");
  }
}

std::optional<float> nearest_float(DoubleDouble value, double relative_error) {
  const double slack = std::fabs(value.high) * relative_error;
  const auto rounded = [&](double shift) {
    const DoubleDouble low = two_sum(value.low, shift);
    const DoubleDouble sum = two_sum(value.high, low.high);
    return static_cast<float>(round_to_odd(two_sum(sum.high, sum.low + low.low)));
  };
  const float below = rounded(-slack);
  if (below != rounded(slack)) return std::nullopt;
  return below;
}

}  // namespace halfulp::backends
