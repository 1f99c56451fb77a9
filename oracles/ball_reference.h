// For tests: the operations of the ball tier in 600 bits, by Boost, and what a ball must hold.
#pragma once

#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>

#include "oracles/ball_kernels.h"

namespace halfulp::oracles {

using Big = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<600, boost::multiprecision::digit_base_2>>;

/// erf by its alternating Taylor series, for |x| <= 8: 100 bits cancel at most.
inline Big reference_erf(const Big& x) {
  const Big square = x * x;
  Big power = x;
  Big sum = x;
  for (int k = 1; k < 2000; ++k) {
    power *= -square / k;
    const Big term = power / (2 * k + 1);
    sum += term;
    if (abs(term) < ldexp(abs(x), -620)) break;
  }
  return 2 * sum / sqrt(boost::math::constants::pi<Big>());
}

/// The operation of a real number; b is ignored by unary ones. Only where it is defined.
inline Big reference(BallOp op, const Big& a, const Big& b) {
  switch (op) {
    case BallOp::add:
      return a + b;
    case BallOp::sub:
      return a - b;
    case BallOp::mul:
      return a * b;
    case BallOp::div:
      return a / b;
    case BallOp::min:
      return a < b ? a : b;
    case BallOp::max:
      return a < b ? b : a;
    case BallOp::equal:
      return a == b ? 1 : 0;
    case BallOp::neg:
      return -a;
    case BallOp::abs:
      return abs(a);
    case BallOp::sqrt:
      return sqrt(a);
    case BallOp::floor:
      return floor(a);
    case BallOp::exp:
      return exp(a);
    case BallOp::log:
      return log(a);
    case BallOp::log1p:  // 600 bits less those that a small a loses beside 1
      return abs(a) < Big(0x1p-300) ? a - a * a / 2 : Big(log(1 + a));
    case BallOp::expm1:
      return abs(a) < Big(0x1p-300) ? a + a * a / 2 : Big(exp(a) - 1);
    case BallOp::tanh: {
      if (abs(a) < Big(0x1p-200)) return a - a * a * a / 3;
      const Big e = exp(2 * a);
      return (e - 1) / (e + 1);
    }
    case BallOp::sigmoid:
      return 1 / (1 + exp(-a));
    case BallOp::erf:
      return reference_erf(a);
  }
  return 0;
}

/// The same double, the zero's sign included; NaNs are all alike.
inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// Is x in the ball?
inline bool holds(const Ball& ball, const Big& x) {
  return abs(Big(ball.value) - x) <= Big(ball.radius);
}

}  // namespace halfulp::oracles
