#include "backends/elementary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "backends/elementary_double_double.h"

namespace halfulp::backends {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// f(x) within `double_error`, by the mathematical library.
template <Op op>
double in_double(double x) {
  if constexpr (op == Op::exp) return std::exp(x);
  if constexpr (op == Op::log) return std::log(x);
  if constexpr (op == Op::log1p) return std::log1p(x);
  if constexpr (op == Op::expm1) return std::expm1(x);
  if constexpr (op == Op::tanh) return std::tanh(x);
  if constexpr (op == Op::sigmoid) return 1 / (1 + std::exp(-x));
  if constexpr (op == Op::erf) return std::erf(x);
}
constexpr double double_error = 0x1p-45;

/// What the double could not decide. Double-double decides every binary32 argument (tried over all
/// of them): the exact result nearest to a midpoint is sigmoid(-2^-24), 2^-76.6 of it away, since
/// 1/2 + x/4 is a midpoint and -x^3/48 moves it; without sigmoid, log1p at 2^-66.
template <Op op>
[[gnu::noinline]] float in_double_double(float x) {
  if (std::isnan(x)) return x;
  if ((op == Op::log && x < 0) || (op == Op::log1p && x < -1)) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  const auto rounded = nearest_float(elementary_double_double(op, x), double_double_error);
  if (!rounded) throw std::logic_error("an elementary function nearer to a midpoint than 2^-95");
  return *rounded;
}

template <Op op>
float correct(float x) {
  const double value = in_double<op>(static_cast<double>(x));
  const auto low = static_cast<float>(value * (1 - double_error));
  const auto high = static_cast<float>(value * (1 + double_error));
  return low == high ? low : in_double_double<op>(x);
}

struct Range {
  float least = -infinity;
  float greatest = infinity;
};
constexpr Range range_of(Op op) {
  if (op == Op::exp) return {.least = 0};
  if (op == Op::expm1) return {.least = -1};
  if (op == Op::sigmoid) return {0, 1};
  if (op == Op::tanh || op == Op::erf) return {-1, 1};
  return {};
}

template <Op op>
bool is_exact(float x) {
  return std::isinf(x) || x == (op == Op::log ? 1.0f : 0.0f);
}

/// The neighbour towards `direction`, which is an infinity.
template <Op op>
float neighbour(float x, float direction) {
  const float result = correct<op>(x);
  if (!std::isfinite(result) || is_exact<op>(x)) return result;
  constexpr Range range = range_of(op);
  const float next = std::nextafter(result, direction);
  return next < range.least || next > range.greatest ? result : std::copysign(next, result);
}

/// Is |f(x)| above |result|, its nearest binary32 value? f(x) is not exact.
template <Op op>
bool is_beyond(float x, float result) {
  const auto near = static_cast<double>(result);
  const double value = in_double<op>(static_cast<double>(x));
  double difference = value - near;
  if (!(std::fabs(difference) > 2 * double_error * std::fabs(value))) {
    const DoubleDouble better = elementary_double_double(op, x);
    difference = (better.high - near) + better.low;
  }
  return (difference > 0) == (result > 0);
}

/// Rounded to odd in binary32, so that narrowing it to a half type rounds f(x) once (casts.h).
template <Op op>
float odd(float x) {
  const float nearest = correct<op>(x);
  if (!std::isfinite(nearest) || is_exact<op>(x)) return nearest;
  const float chopped = is_beyond<op>(x, nearest) ? nearest : std::nextafter(nearest, 0.0f);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(chopped) | 1U);
}

template <Op op, Elementary elementary>
float result(float x) {
  if constexpr (elementary == Elementary::correct_in_type) return odd<op>(x);
  if constexpr (elementary == Elementary::ulp_below) return neighbour<op>(x, -infinity);
  if constexpr (elementary == Elementary::ulp_above) return neighbour<op>(x, infinity);
  return correct<op>(x);
}

template <Op op, Elementary elementary, Narrowing::Kind kind>
void loop(Operand<float> a, Operand<float>, Operand<float>, const Narrowing& narrowing,
          std::size_t size, float* out) {
  if (a.mask == 0 && size > 0) {
    std::fill_n(out, size, result<op, elementary>(a.data[0]));
  } else {
    for (std::size_t i = 0; i < size; ++i) out[i] = result<op, elementary>(a.data[i]);
  }
  if constexpr (kind != Narrowing::Kind::none) {
    run_kernel(Op::cast, {out, ~std::size_t{0}}, {}, {}, narrowing, size, out);
  }
}

template <Op op, Elementary elementary>
KernelF32 select(Narrowing::Kind kind) {
  switch (kind) {
    case Narrowing::Kind::none:
      break;
    case Narrowing::Kind::significand_only:
      return &loop<op, elementary, Narrowing::Kind::significand_only>;
    case Narrowing::Kind::full:
      return &loop<op, elementary, Narrowing::Kind::full>;
  }
  return &loop<op, elementary, Narrowing::Kind::none>;
}

template <Op op>
KernelF32 select(Elementary elementary, Narrowing::Kind kind) {
  switch (elementary) {
    case Elementary::correct:
      return select<op, Elementary::correct>(kind);
    case Elementary::correct_in_type:
      return kind == Narrowing::Kind::none ? select<op, Elementary::correct>(kind)
                                           : select<op, Elementary::correct_in_type>(kind);
    case Elementary::ulp_below:
      return select<op, Elementary::ulp_below>(kind);
    case Elementary::ulp_above:
      return select<op, Elementary::ulp_above>(kind);
    case Elementary::unmodelled:
    case Elementary::within_ulp:
      break;
  }
  throw std::logic_error("not one result of an elementary function");
}

/// function(integral_constant of op)
template <class Function>
auto with_elementary(Op op, Function function) {
  switch (op) {
    case Op::exp:
      return function(std::integral_constant<Op, Op::exp>());
    case Op::log:
      return function(std::integral_constant<Op, Op::log>());
    case Op::log1p:
      return function(std::integral_constant<Op, Op::log1p>());
    case Op::expm1:
      return function(std::integral_constant<Op, Op::expm1>());
    case Op::tanh:
      return function(std::integral_constant<Op, Op::tanh>());
    case Op::sigmoid:
      return function(std::integral_constant<Op, Op::sigmoid>());
    case Op::erf:
      return function(std::integral_constant<Op, Op::erf>());
    default:
      throw std::logic_error("not an elementary function");
  }
}

}  // namespace

float correctly_rounded(Op op, float x) {
  return with_elementary(op, [x](auto elementary_op) { return correct<elementary_op>(x); });
}

KernelF32 elementary_kernel(Op op, Elementary elementary, Narrowing::Kind kind) {
  return with_elementary(
      op, [=](auto elementary_op) { return select<elementary_op>(elementary, kind); });
}

}  // namespace halfulp::backends
