#include "oracles/error_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace halfulp::oracles {
namespace {

constexpr double u = 0x1p-53;
/// At least eta, and what is lost where a bound itself underflows.
constexpr double tiny = 0x1p-1060;

/// An upper bound of an expression of a few dozen rounded operations on non-negative numbers whose
/// double result is x.
double up(double x) { return x * (1 + 0x1p-44); }
/// A lower bound in the same sense.
double down(double x) { return x * (1 - 0x1p-44); }

ErrorBound checked(const ErrorBound& bound) {
  return bound.is_finite() ? bound : ErrorBound::unknown();
}

/// An inexact result with these coefficients before widening.
ErrorBound inexact(double relative, double absolute, double high, double low) {
  return checked({.relative = up(relative),
                  .absolute = up(absolute) + tiny,
                  .high = up(high),
                  .low = down(low)});
}

/// Sums and products of multiples of 2^quantum up to `high` are doubles, so they are exact.
bool is_exactly_held(const ErrorBound& a, const ErrorBound& b, double high, int quantum) {
  return a.is_exact() && b.is_exact() && quantum >= -1074 && high <= std::ldexp(1.0, quantum + 53);
}

bool is_power_of_two(const ErrorBound& b) {
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1;
  return b.is_exact() && b.low == b.high && b.high > 0 &&
         (std::bit_cast<std::uint64_t>(b.high) & fraction) == 0;
}

/// Largest error anywhere.
double worst_error(const ErrorBound& a) { return a.relative * a.high + a.absolute; }

/// x * 2^k is exact unless it underflows.
ErrorBound scaled(const ErrorBound& a, double power) {
  ErrorBound out = a;
  out.high = a.high * power;
  out.low = a.low * power;
  int exponent = 0;
  std::frexp(power, &exponent);
  out.quantum = a.quantum + exponent - 1;
  if (out.low < 0x1p-1000) out.low = 0;
  if (!a.is_exact() || out.quantum < -1074) out.absolute = up(a.absolute * power) + tiny;
  return checked(out);
}

}  // namespace

int quantum_of(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  return exponent - 53 + std::countr_zero(significand);
}

ErrorBound bound_of_exact(double low, double high, int quantum, bool nonnegative) {
  return checked({.high = high, .low = low, .quantum = quantum, .nonnegative = nonnegative});
}

ErrorBound bound_of_index(double last) { return bound_of_exact(1, last, 0, true); }

ErrorBound bound_of_number(double value, double radius) {
  const double magnitude = std::fabs(value);
  if (!(magnitude < 0x1p+1000) || !(radius < magnitude * 0x1p-40 || radius == 0)) {
    return ErrorBound::unknown();
  }
  const bool nonnegative = !std::signbit(value);
  if (radius == 0) {
    return bound_of_exact(magnitude, magnitude, value == 0 ? 0 : quantum_of(value), nonnegative);
  }
  ErrorBound out = inexact(radius / magnitude, 0, magnitude, magnitude);
  out.nonnegative = nonnegative;
  return out;
}

// |a^ + b^| differs from |a + b| by the errors of both. Between numbers of one sign neither |a^|
// nor |b^| exceeds |a^ + b^| <= (1 + 2u) |s^|; otherwise they may cancel and only `high` bounds
// them.
ErrorBound bound_of_sum(const ErrorBound& a, const ErrorBound& b) {
  const double high = a.high + b.high;
  const int quantum = std::min(a.quantum, b.quantum);
  const bool nonnegative = a.nonnegative && b.nonnegative;
  if (is_exactly_held(a, b, high, quantum)) {
    const double low = nonnegative ? std::min(a.low, b.low) : std::ldexp(1.0, quantum);
    return bound_of_exact(low, high, quantum, nonnegative);
  }
  ErrorBound out = nonnegative ? inexact(std::max(a.relative, b.relative) * (1 + 2 * u) + u,
                                         a.absolute + b.absolute, high, std::min(a.low, b.low))
                               : inexact(u, worst_error(a) + worst_error(b), high, 0);
  out.nonnegative = nonnegative;
  return out;
}

ErrorBound bound_of_difference(const ErrorBound& a, const ErrorBound& b) {
  return bound_of_sum(a, bound_of_negation(b));
}

// a^ b^ - a b = a^ (b^ - b) + b^ (a^ - a) - (a^ - a)(b^ - b).
ErrorBound bound_of_product(const ErrorBound& a, const ErrorBound& b) {
  const bool nonnegative = a.nonnegative && b.nonnegative;
  const double high = a.high * b.high;
  const int quantum = a.quantum + b.quantum;
  ErrorBound out;
  if (is_power_of_two(a) || is_power_of_two(b)) {
    out = is_power_of_two(b) ? scaled(a, b.high) : scaled(b, a.high);
  } else if (is_exactly_held(a, b, high, quantum)) {
    out = bound_of_exact(a.low * b.low, high, quantum, nonnegative);
  } else {
    const double relative = a.relative + b.relative + a.relative * b.relative;
    const double absolute = b.high * a.absolute * (1 + b.relative) +
                            a.high * b.absolute * (1 + a.relative) + a.absolute * b.absolute;
    const double low = a.low * b.low;
    out = inexact(relative * (1 + 2 * u) + u, absolute, high, low < 0x1p-1000 ? 0 : low);
  }
  out.nonnegative = nonnegative;
  return out;
}

// a/b - a^/b^ = (a - a^) / b + (a^/b^) (b^ - b) / b, and |b| >= |b^| (1 - relative) - absolute.
ErrorBound bound_of_quotient(const ErrorBound& a, const ErrorBound& b) {
  if (b.low < 0x1p-1000) return ErrorBound::unknown();
  const double b_error = b.relative + b.absolute / b.low;
  if (!(b_error < 0.5)) return ErrorBound::unknown();
  const double inverse = 1 / (1 - up(b_error));  // of |b| / |b^|
  const double relative = inverse * (a.relative + b_error);
  const double absolute = inverse * a.absolute / b.low;
  const double low = a.low / b.high;
  ErrorBound out =
      inexact(relative * (1 + 2 * u) + u, absolute, a.high / b.low, low < 0x1p-1000 ? 0 : low);
  out.nonnegative = a.nonnegative && b.nonnegative;
  return out;
}

// Neither moves by more than the farther-moved operand does.
ErrorBound bound_of_extreme(const ErrorBound& a, const ErrorBound& b) {
  const double high = std::max(a.high, b.high);
  const double low = std::min(a.low, b.low);
  const bool nonnegative = a.nonnegative && b.nonnegative;
  if (a.is_exact() && b.is_exact()) {
    return bound_of_exact(low, high, std::min(a.quantum, b.quantum), nonnegative);
  }
  ErrorBound out = inexact(0, std::max(worst_error(a), worst_error(b)), high, low);
  out.nonnegative = nonnegative;
  return out;
}

ErrorBound bound_of_negation(const ErrorBound& a) {
  ErrorBound out = a;
  out.nonnegative = false;
  return out;
}

ErrorBound bound_of_magnitude(const ErrorBound& a) {
  ErrorBound out = a;
  out.nonnegative = true;
  return out;
}

// |sqrt(a^) - sqrt(a)| = |a^ - a| / (sqrt(a^) + sqrt(a)) <= |a^ - a| / sqrt(a^) for a >= 0; where
// a^ is 0 the root of `absolute` bounds it.
ErrorBound bound_of_root(const ErrorBound& a) {
  const bool is_known = a.is_exact() || (a.nonnegative && a.low > 0);
  if (!is_known || !a.is_finite()) return ErrorBound::unknown();
  const double absolute =
      a.is_exact() ? 0 : std::max(a.absolute / std::sqrt(a.low), std::sqrt(a.absolute));
  ErrorBound out =
      inexact(a.relative * (1 + 2 * u) + u, absolute, std::sqrt(a.high), std::sqrt(a.low));
  out.nonnegative = true;
  return out;
}

ErrorBound bound_of_floor(const ErrorBound& a) {
  if (!a.is_finite()) return a;
  return bound_of_exact(1, std::ceil(a.high) + 1, std::max(a.quantum, 0), a.nonnegative);
}

}  // namespace halfulp::oracles
