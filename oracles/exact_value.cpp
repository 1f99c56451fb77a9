#include "oracles/exact_value.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/backend.h"

namespace halfulp::oracles {
namespace {

std::optional<Integer> exact_sqrt(const Integer& x) {
  Integer root = integer_sqrt(x);
  if (root * root != x) return std::nullopt;
  return root;
}

int sign_of(const Integer& x) { return x.sign(); }

Fraction square(const Fraction& x) { return x * x; }

Fraction power_of_ten(int exponent) {
  const Integer power =
      boost::multiprecision::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
  return exponent < 0 ? Fraction(Integer(1), power) : Fraction(power, Integer(1));
}

}  // namespace

ExactValue::ExactValue(Fraction value) {
  const int sign = value.sign();
  if (sign == 0) return;
  kind_ = Kind::nonzero;
  negative_ = sign < 0;
  rational_ = std::move(value);
}

ExactValue::ExactValue(const ExactNumber& number)
    : ExactValue([&number] {
        Fraction out(number.numerator, number.denominator);
        if (number.binary_exponent != 0) {
          out = out * Fraction::power_of_two(number.binary_exponent);
        }
        if (number.decimal_exponent != 0) out = out * power_of_ten(number.decimal_exponent);
        return out;
      }()) {}

ExactValue ExactValue::from_double(double value) {
  const bool negative = std::signbit(value);
  if (std::isnan(value)) return nan();
  if (std::isinf(value)) return infinity(negative);
  if (value == 0) return zero(negative);
  return ExactValue(Fraction::from_double(value));
}

ExactValue ExactValue::special(Kind kind, bool negative) {
  ExactValue out;
  out.kind_ = kind;
  out.negative_ = negative;
  return out;
}

ExactValue ExactValue::surd(const Fraction& rational, const Fraction& factor,
                            const Integer& radicand) {
  if (factor.sign() == 0) return ExactValue(rational);
  ExactValue out;
  out.kind_ = Kind::nonzero;  // the root is irrational, so nothing cancels it
  out.rational_ = rational;
  out.root_ = std::make_shared<const Root>(Root{factor, radicand});
  out.negative_ = out.compute_sign() < 0;
  return out;
}

// Where a and b*sqrt(r) have unlike signs, the one with the larger square decides.
int ExactValue::compute_sign() const {
  const int a = rational_.sign();
  if (root_ == nullptr) return a;
  const int b = root_->factor.sign();
  if (a == 0 || a == b) return b;
  const Fraction difference =
      square(rational_) - square(root_->factor) * Fraction(root_->radicand, Integer(1));
  return difference.sign() > 0 ? a : b;
}

std::int64_t ExactValue::size_in_bits() const {
  std::int64_t bits = rational_.size_in_bits();
  if (root_) {
    bits = std::max({bits, root_->factor.size_in_bits(), bit_length(root_->radicand)});
  }
  return bits;
}

// With a root: |x| = |a^2 - b^2 r| / |a - b sqrt(r)|, whose logarithm an estimate meets within a
// few units even where a and b sqrt(r) cancel; comparisons with powers of two settle it.
std::int64_t ExactValue::floor_log2() const {
  if (root_ == nullptr) return rational_.floor_log2();
  const ExactValue magnitude = abs(*this);
  const auto root_log2 = root_->factor.floor_log2() + bit_length(root_->radicand) / 2;
  std::int64_t e = root_log2;
  if (rational_.sign() != 0) {
    const Fraction norm =
        square(rational_) - square(root_->factor) * Fraction(root_->radicand, Integer(1));
    const std::int64_t sum_log2 = std::max(rational_.floor_log2(), root_log2) + 1;
    const bool cancels = rational_.sign() != root_->factor.sign();
    e = cancels ? norm.floor_log2() - sum_log2 : sum_log2;
  }
  while (magnitude.compare(Fraction::power_of_two(e)) < 0) --e;
  while (magnitude.compare(Fraction::power_of_two(e + 1)) >= 0) ++e;
  return e;
}

Position ExactValue::position(std::int64_t q) const {
  if (root_ == nullptr) return rational_.position(q);
  const ExactValue scaled = abs(*this) * ExactValue(Fraction::power_of_two(-q));
  const Integer whole = floor(scaled).rational_.floor();
  const int side = scaled.compare(Fraction(whole, Integer(1)) + Fraction(1, 2));
  // Irrational, so neither an integer nor half way between two.
  return {static_cast<std::uint64_t>(whole), side < 0 ? Part::below_half : Part::above_half};
}

int ExactValue::compare(const Fraction& y) const {
  if (root_ == nullptr) return (rational_ - y).sign();
  return surd(rational_ - y, root_->factor, root_->radicand).compute_sign();
}

Fraction ExactValue::factor_aligned_to(const Root& root) const {
  if (root_ == nullptr) return {};
  if (root_->radicand == root.radicand) return root_->factor;
  // sqrt(s) = sqrt(r s) / r * sqrt(r).
  const auto common = exact_sqrt(root_->radicand * root.radicand);
  if (!common)
    throw Unsupported("the exact oracle cannot combine square roots of unlike radicands");
  return root_->factor * Fraction(*common, root.radicand);
}

ExactValue ExactValue::operator-() const {
  if (is_nan()) return *this;
  ExactValue out = *this;
  out.negative_ = !negative_;
  if (!is_nonzero()) return out;
  out.rational_ = -rational_;
  if (root_) out.root_ = std::make_shared<const Root>(Root{-root_->factor, root_->radicand});
  return out;
}

ExactValue operator+(const ExactValue& x, const ExactValue& y) {
  if (x.is_nan() || y.is_nan()) return ExactValue::nan();
  if (x.is_infinite() || y.is_infinite()) {
    if (x.is_infinite() && y.is_infinite() && x.negative_ != y.negative_) return ExactValue::nan();
    return x.is_infinite() ? x : y;
  }
  if (x.is_zero() && y.is_zero()) return ExactValue::zero(x.negative_ && y.negative_);
  if (x.is_zero()) return y;
  if (y.is_zero()) return x;
  const Fraction rational = x.rational_ + y.rational_;
  if (!x.root_ && !y.root_) return ExactValue(rational);
  const ExactValue::Root& root = x.root_ ? *x.root_ : *y.root_;
  return ExactValue::surd(rational, x.factor_aligned_to(root) + y.factor_aligned_to(root),
                          root.radicand);
}

ExactValue operator*(const ExactValue& x, const ExactValue& y) {
  if (x.is_nan() || y.is_nan()) return ExactValue::nan();
  const bool negative = x.negative_ != y.negative_;
  if (x.is_infinite() || y.is_infinite()) {
    return x.is_zero() || y.is_zero() ? ExactValue::nan() : ExactValue::infinity(negative);
  }
  if (x.is_zero() || y.is_zero()) return ExactValue::zero(negative);
  if (!x.root_ && !y.root_) return ExactValue(x.rational_ * y.rational_);
  if (x.is_pure_root() && y.is_pure_root()) {
    const Integer product = x.root_->radicand * y.root_->radicand;
    const Fraction factor = x.root_->factor * y.root_->factor;
    const auto root = exact_sqrt(product);
    return root ? ExactValue(factor * Fraction(*root, Integer(1)))
                : ExactValue::surd({}, factor, product);
  }
  const ExactValue::Root& root = x.root_ ? *x.root_ : *y.root_;
  const Fraction b = x.factor_aligned_to(root);
  const Fraction d = y.factor_aligned_to(root);
  const Fraction rational = x.rational_ * y.rational_ + b * d * Fraction(root.radicand, Integer(1));
  return ExactValue::surd(rational, x.rational_ * d + b * y.rational_, root.radicand);
}

// 1 / (a + b sqrt(r)) = (a - b sqrt(r)) / (a^2 - b^2 r); the denominator is not zero because r is
// not a square.
ExactValue ExactValue::inverse() const {
  if (is_zero()) return infinity(negative_);
  if (is_infinite()) return zero(negative_);
  if (is_nan() || root_ == nullptr) return is_nan() ? *this : ExactValue(rational_.inverse());
  const Fraction norm =
      square(rational_) - square(root_->factor) * Fraction(root_->radicand, Integer(1));
  return surd(rational_ / norm, -root_->factor / norm, root_->radicand);
}

// As a product with 1/y: 0/0 is 0 * inf and inf/inf is inf * 0, both NaN.
ExactValue operator/(const ExactValue& x, const ExactValue& y) { return x * y.inverse(); }

ExactValue abs(const ExactValue& x) { return x.is_negative() ? -x : x; }

ExactValue min(const ExactValue& x, const ExactValue& y) {
  if (x.is_nan() || y.is_nan()) return ExactValue::nan();
  if (x.negative_ != y.negative_) return x.negative_ ? x : y;
  if (x.is_infinite()) return x.negative_ ? x : y;
  if (y.is_infinite()) return y.negative_ ? y : x;
  return (y - x).negative_ ? y : x;
}

ExactValue max(const ExactValue& x, const ExactValue& y) { return -min(-x, -y); }

// floor((A + B sqrt(r)) / D) = floor(floor(A + B sqrt(r)) / D) for integers A, B and D > 0, and
// B sqrt(r) lies strictly between two integers next to +-floor(sqrt(B^2 r)).
ExactValue floor(const ExactValue& x) {
  if (!x.is_nonzero()) return x;
  if (!x.root_) return ExactValue(Fraction(x.rational_.floor(), Integer(1)));
  const auto [a, p] = x.rational_.parts();
  const auto [b, q] = x.root_->factor.parts();
  const Integer scaled = b * p;
  Integer root = integer_sqrt(scaled * scaled * x.root_->radicand);
  if (sign_of(scaled) < 0) root = -root - 1;
  return ExactValue(Fraction(floor_div(a * q + root, p * q), Integer(1)));
}

ExactValue sqrt(const ExactValue& x) {
  if (x.is_nan() || x.is_zero()) return x;
  if (x.is_negative()) return ExactValue::nan();
  if (x.is_infinite()) return x;
  if (x.root_) throw Unsupported("the exact oracle cannot take the square root of a root");
  // sqrt(p / q) = sqrt(p q) / q.
  const auto [p, q] = x.rational_.parts();
  const Integer radicand = p * q;
  if (const auto root = exact_sqrt(radicand)) return ExactValue(Fraction(*root, q));
  return ExactValue::surd({}, Fraction(Integer(1), q), radicand);
}

ExactValue fma(const ExactValue& a, const ExactValue& b, const ExactValue& c) { return a * b + c; }

ExactValue div_add(const ExactValue& a, const ExactValue& b, const ExactValue& c) {
  return a / b + c;
}

ExactValue reciprocal(const ExactValue& x) { return ExactValue(1) / x; }

ExactValue rsqrt(const ExactValue& x) { return reciprocal(sqrt(x)); }

}  // namespace halfulp::oracles
