// Unevaluated sums of two doubles: about 106 bits of significand. The algorithms and their bounds
// are those of Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building
// blocks of double-word arithmetic" (ACM TOMS 44, 2017), with u = 2^-53; they hold while nothing
// overflows or underflows.
#pragma once

#include <cmath>

namespace halfulp::backends {

/// high + low, with high the double nearest to the sum.
struct DoubleDouble {
  double high = 0;
  double low = 0;
};

/// a + b exactly.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double from_a = sum - b;
  return {sum, (a - from_a) + (b - (sum - from_a))};
}
/// The same where a is 0 or |a| >= |b|.
inline DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
/// a * b exactly.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

/// Relative error at most 3 u^2 + 13 u^3, whatever the signs (AccurateDWPlusDW).
inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.high, b.high);
  const DoubleDouble low = two_sum(a.low, b.low);
  const DoubleDouble sum = fast_two_sum(high.high, high.low + low.high);
  return fast_two_sum(sum.high, low.low + sum.low);
}
inline DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }

/// Relative error at most 2 u^2 (DWTimesFP3).
inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble high = two_product(a.high, b);
  return fast_two_sum(high.high, std::fma(a.low, b, high.low));
}
/// Relative error at most 5 u^2 (DWTimesDW2).
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_product(a.high, b.high);
  const double cross = std::fma(a.high, b.low, a.low * b.high);
  return fast_two_sum(high.high, high.low + cross);
}
/// Relative error at most 15 u^2 + 56 u^3 (DWDivDW2).
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const DoubleDouble product = b * quotient;
  const double rest = (a.high - product.high) + (a.low - product.low);
  return fast_two_sum(quotient, rest / b.high);
}

}  // namespace halfulp::backends
