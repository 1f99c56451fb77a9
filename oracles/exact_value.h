// The exact number domain of the oracles: rationals, square roots of rationals, and IEEE specials.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/exact_number.h"
#include "oracles/fraction.h"

namespace halfulp::oracles {

/// a + b * sqrt(r) with rational a and b, or a signed zero, an infinity or NaN.
///
/// Operations are exact. What they return for zeros, infinities and NaN, and the sign of a zero
/// result, follow IEEE 754-2019 in to-nearest rounding: x - x is +0, sqrt(-0) is -0, finite / 0 is
/// an infinity with the sign of the quotient, 0 * inf is NaN. Two values with roots combine when
/// their radicands differ by a rational square (or as a product of pure roots); otherwise the
/// operation throws `Unsupported`, as does a root of a root.
class ExactValue {
 public:
  /// +0.
  ExactValue() = default;
  /// Zero becomes +0.
  explicit ExactValue(Fraction value);
  explicit ExactValue(std::int64_t integer) : ExactValue(Fraction(integer)) {}
  explicit ExactValue(const ExactNumber& number);
  /// Any double, NaN, infinities and -0 among them.
  static ExactValue from_double(double value);
  static ExactValue nan() { return special(Kind::nan, false); }
  static ExactValue infinity(bool negative) { return special(Kind::infinity, negative); }
  static ExactValue zero(bool negative) { return special(Kind::zero, negative); }

  bool is_nan() const { return kind_ == Kind::nan; }
  bool is_infinite() const { return kind_ == Kind::infinity; }
  bool is_zero() const { return kind_ == Kind::zero; }
  /// Finite and not zero.
  bool is_nonzero() const { return kind_ == Kind::nonzero; }
  bool is_finite() const { return is_zero() || is_nonzero(); }
  bool is_rational() const { return is_finite() && root_ == nullptr; }
  /// Below zero, -inf or -0.
  bool is_negative() const { return negative_; }
  /// The value; only where `is_rational()`.
  const Fraction& rational() const { return rational_; }
  /// Bits of the longest integer in the value.
  std::int64_t size_in_bits() const;

  /// The e of 2^e <= |x| < 2^(e+1); only where `is_nonzero()`.
  std::int64_t floor_log2() const;
  /// |x| / 2^q, which must be below 2^64; only where `is_nonzero()`.
  Position position(std::int64_t q) const;
  /// Sign of x - y for a finite x, by comparing squares where x has a root.
  int compare(const Fraction& y) const;

  ExactValue operator-() const;
  friend ExactValue operator+(const ExactValue& x, const ExactValue& y);
  friend ExactValue operator-(const ExactValue& x, const ExactValue& y) { return x + -y; }
  friend ExactValue operator*(const ExactValue& x, const ExactValue& y);
  friend ExactValue operator/(const ExactValue& x, const ExactValue& y);
  friend ExactValue abs(const ExactValue& x);
  /// IEEE `minimum` and `maximum`: NaN if either is, and -0 is below +0.
  friend ExactValue min(const ExactValue& x, const ExactValue& y);
  friend ExactValue max(const ExactValue& x, const ExactValue& y);
  friend ExactValue floor(const ExactValue& x);
  friend ExactValue sqrt(const ExactValue& x);

  /// `-83/164`, `sqrt(2)`, `1/2 - 3*sqrt(5)/2`, `-0`, `inf`, `nan`; fractions in lowest terms.
  std::string text() const;

 private:
  enum class Kind : std::uint8_t { zero, nonzero, infinity, nan };
  /// factor * sqrt(radicand); the factor is not zero and the radicand a positive non-square.
  struct Root {
    Fraction factor;
    Integer radicand;
  };

  static ExactValue special(Kind kind, bool negative);
  static ExactValue surd(const Fraction& rational, const Fraction& factor, const Integer& radicand);
  /// The factor of `other` on the radicand of this value's root, or of `other`'s if it has none.
  Fraction factor_aligned_to(const Root& root) const;
  bool is_pure_root() const { return root_ != nullptr && rational_.sign() == 0; }
  ExactValue inverse() const;
  int compute_sign() const;

  Kind kind_ = Kind::zero;
  bool negative_ = false;
  Fraction rational_;
  std::shared_ptr<const Root> root_;
};

/// a * b + c.
ExactValue fma(const ExactValue& a, const ExactValue& b, const ExactValue& c);
/// a / b + c.
ExactValue div_add(const ExactValue& a, const ExactValue& b, const ExactValue& c);
ExactValue reciprocal(const ExactValue& x);
ExactValue rsqrt(const ExactValue& x);

}  // namespace halfulp::oracles
