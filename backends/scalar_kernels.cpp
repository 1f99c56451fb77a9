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
T minimum_or_maximum(Op op, T a, T b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
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
      return minimum_or_maximum(op, a, b);
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
    case Op::constant:
    case Op::index:
    case Op::input:
    case Op::arange:
    case Op::linspace:
    case Op::div_add:
      break;
  }
  throw std::logic_error("not a kernel operation");
}

}  // namespace

float run_scalar(Op op, float a, float b, float c, const Narrowing& to) {
  return narrow(scalar_result(op, a, b, c), to);
}
double run_scalar(Op op, double a, double b, double c) { return scalar_result(op, a, b, c); }

}  // namespace halfulp::backends
