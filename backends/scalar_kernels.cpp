// The slow, obvious twins of the kernels, and the table of narrowings.
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "backends/kernels.h"

namespace halfulp::backends {

Narrowing narrowing_to(const Format& format) {
  using Kind = Narrowing::Kind;
  Narrowing n;
  if (format == binary32) return n;
  n.kind = format.bias == binary32.bias && format.exponent_bits == binary32.exponent_bits
               ? Kind::significand_only
               : Kind::full;
  n.dropped_bits = binary32.precision - format.precision;
  n.min_normal = std::ldexp(1.0f, format.emin());
  n.magic = std::ldexp(1.0f, format.min_subnormal_exponent() + binary32.fraction_bits());
  const auto top = (std::uint64_t{1} << format.precision) - 1 -
                   (format.specials == Specials::single_nan ? 1 : 0);
  n.max_finite = std::ldexp(static_cast<float>(top), format.emax() - format.fraction_bits());
  switch (format.overflow) {
    case Overflow::infinity:
      n.overflow = std::numeric_limits<float>::infinity();
      break;
    case Overflow::nan:
      n.overflow = std::numeric_limits<float>::quiet_NaN();
      break;
    case Overflow::saturate:
      n.overflow = n.max_finite;
      break;
  }
  return n;
}

float narrow(float value, const Narrowing& to) {
  if (to.kind == Narrowing::Kind::none || std::isnan(value)) return value;
  const float magnitude = std::fabs(value);
  float rounded = magnitude;
  if (to.kind == Narrowing::Kind::full && magnitude < to.min_normal) {
    rounded = (magnitude + to.magic) - to.magic;
  } else {
    const auto bits = std::bit_cast<std::uint32_t>(magnitude);
    const std::uint32_t unit = 1u << to.dropped_bits;
    const std::uint32_t last_kept = (bits >> to.dropped_bits) & 1u;
    rounded = std::bit_cast<float>((bits + (unit / 2 - 1) + last_kept) & ~(unit - 1));
  }
  if (to.kind == Narrowing::Kind::full && rounded > to.max_finite) rounded = to.overflow;
  return std::copysign(rounded, value);
}

namespace {

template <typename T>
T minimum_or_maximum(Op op, Extremes extremes, T a, T b) {
  switch (extremes) {
    case Extremes::propagate:
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
      break;
    case Extremes::number:
      if (std::isnan(a) && std::isnan(b)) return a;
      if (std::isnan(a)) return b;
      if (std::isnan(b)) return a;
      break;
    case Extremes::select:
      break;
  }
  return (op == Op::min ? a < b : a > b) ? a : b;
}

template <typename T>
T scalar_result(Op op, T a, T b, T c) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::min:
    case Op::max:
      return minimum_or_maximum(op, Extremes::propagate, a, b);
    case Op::fma:
      return std::fma(a, b, c);
    case Op::neg:
      return -a;
    case Op::abs:
      return std::fabs(a);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::rsqrt:
      return T{1} / std::sqrt(a);
    case Op::reciprocal:
      return T{1} / a;
    case Op::floor:
      return std::floor(a);
    case Op::cast:
      return a;
    case Op::equal:
      return a == b ? T{1} : T{0};
    case Op::constant:
    case Op::index:
    case Op::input:
    case Op::arange:
    case Op::linspace:
    case Op::div_add:
    case Op::exp:
    case Op::log:
    case Op::log1p:
    case Op::expm1:
    case Op::tanh:
    case Op::sigmoid:
    case Op::erf:
    case Op::cast_truncate:
    case Op::cast_stochastic:
    case Op::sum:
    case Op::product:
    case Op::dot:
    case Op::smallest:
    case Op::largest:
    case Op::index_of_largest:
    case Op::welford_mean:
    case Op::welford_m2:
    case Op::chan_m2:
    case Op::element:
      break;
  }
  throw std::logic_error("not a kernel operation");
}

}  // namespace

float run_scalar(Op op, float a, float b, float c, const Narrowing& to) {
  return narrow(scalar_result(op, a, b, c), to);
}
double run_scalar(Op op, double a, double b, double c) { return scalar_result(op, a, b, c); }

float run_scalar_extreme(Op op, Extremes extremes, float a, float b, const Narrowing& to) {
  return narrow(minimum_or_maximum(op, extremes, a, b), to);
}
double run_scalar_extreme(Op op, Extremes extremes, double a, double b) {
  return minimum_or_maximum(op, extremes, a, b);
}

}  // namespace halfulp::backends
