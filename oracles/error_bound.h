// A priori error bounds of binary64 evaluation, one per value of a program and valid in every lane.
#pragma once

#include <limits>

namespace halfulp::oracles {

/// What is known of the doubles x^ that a block holds for an exact value x.
///
/// In every lane whose operations were all finite: |x^ - x| <= relative * |x^| + absolute,
/// |x^| <= high, and x^ is 0 or |x^| >= low. An exact value (both coefficients 0) is a multiple of
/// 2^quantum.
///
/// Propagation rests on the standard model of IEEE 754 binary64 in to-nearest rounding (Higham,
/// Accuracy and Stability of Numerical Algorithms, 2nd ed., 2.2 and 2.8; in this form Jeannerod and
/// Rump, "On relative errors of floating-point operations", 2018): if fl(z) does not overflow then
/// |fl(z) - z| <= u |fl(z)| + eta with u = 2^-53 and eta = 2^-1075, eta = 0 for sums. The bounds
/// are computed in binary64 themselves, and each is widened by far more than that computation can
/// lose.
struct ErrorBound {
  double relative = 0;
  double absolute = 0;
  double high = 0;
  double low = 0;
  int quantum = 0;
  bool nonnegative = false;  ///< x and x^ are

  bool is_exact() const { return relative == 0 && absolute == 0; }
  /// False when nothing is known: the certified tier then leaves the program to the exact one.
  bool is_finite() const {
    constexpr double limit = 0x1p+1000;
    return relative < 0x1p-10 && absolute < limit && high < limit;
  }
  static ErrorBound unknown() {
    constexpr double inf = std::numeric_limits<double>::infinity();
    return {.relative = inf, .absolute = inf, .high = inf};
  }
};

/// 0, 1, …, count - 1.
ErrorBound bound_of_index(double last);
/// One double within `radius` of the exact number.
ErrorBound bound_of_number(double value, double radius);
/// Exact doubles that are 0 or of magnitude [low, high], multiples of 2^quantum.
ErrorBound bound_of_exact(double low, double high, int quantum, bool nonnegative);

ErrorBound bound_of_sum(const ErrorBound& a, const ErrorBound& b);
ErrorBound bound_of_difference(const ErrorBound& a, const ErrorBound& b);
ErrorBound bound_of_product(const ErrorBound& a, const ErrorBound& b);
/// Lanes with a divisor of 0 are not covered (their quotient is not finite).
ErrorBound bound_of_quotient(const ErrorBound& a, const ErrorBound& b);
/// Of the minimum or the maximum.
ErrorBound bound_of_extreme(const ErrorBound& a, const ErrorBound& b);
ErrorBound bound_of_negation(const ErrorBound& a);
ErrorBound bound_of_magnitude(const ErrorBound& a);
/// Lanes with a negative operand are not covered (their root is NaN).
ErrorBound bound_of_root(const ErrorBound& a);
/// Of the lanes where the floor of the exact operand is certain.
ErrorBound bound_of_floor(const ErrorBound& a);

/// The largest q such that `value` is a multiple of 2^q; value finite and not 0.
int quantum_of(double value);

}  // namespace halfulp::oracles
