// Exact rational numbers, quick while they are small.
#pragma once

// GCC with sanitizers sees limbs of a small cpp_int that are never read as uninitialised.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <boost/multiprecision/cpp_int.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#include <cstdint>
#include <memory>

namespace halfulp::oracles {

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;

/// Bits of |x|; 0 for 0.
std::int64_t bit_length(const Integer& x);
/// floor(sqrt(x)), x >= 0.
Integer integer_sqrt(const Integer& x);
/// floor(numerator / denominator), denominator > 0.
Integer floor_div(const Integer& numerator, const Integer& denominator);

/// Where a number lies between two consecutive integers.
enum class Part : std::uint8_t { zero, below_half, half, above_half };

/// floor(x / 2^q) for some x and q, and what is left of x / 2^q.
struct Position {
  std::uint64_t floor = 0;
  Part part = Part::zero;
};

/// A rational number. Numerator and denominator live in 64-bit integers while they fit, and are
/// never reduced there (a few operations on indices and sizes do not outgrow them); beyond that in
/// Boost integers, where common powers of two are always taken out and other common factors only
/// from long numbers. This is why it is not `cpp_rational`, which computes greatest common divisors
/// in every operation and is more than ten times slower on the numbers of a sweep.
class Fraction {
 public:
  Fraction() = default;
  explicit Fraction(std::int64_t integer) : Fraction(integer, 1) {}
  /// denominator != 0.
  Fraction(std::int64_t numerator, std::int64_t denominator) {
    if (numerator == INT64_MIN || denominator == INT64_MIN) {
      *this = Fraction(Integer(numerator), Integer(denominator));
    } else {
      numerator_ = denominator < 0 ? -numerator : numerator;
      denominator_ = denominator < 0 ? -denominator : denominator;
    }
  }
  /// denominator != 0.
  Fraction(Integer numerator, Integer denominator);
  /// The exact value of a finite double.
  static Fraction from_double(double value);
  /// 2^exponent.
  static Fraction power_of_two(std::int64_t exponent);

  int sign() const { return big_ ? big_->numerator.sign() : (numerator_ > 0) - (numerator_ < 0); }
  /// In lowest terms, `denominator` positive.
  Integer numerator() const { return reduced().first; }
  Integer denominator() const { return reduced().second; }
  std::pair<Integer, Integer> reduced() const;
  /// Numerator and positive denominator as they are, not in lowest terms.
  std::pair<Integer, Integer> parts() const;
  /// Bits of the longer of numerator and denominator, as they are.
  std::int64_t size_in_bits() const;
  /// True if numerator and denominator are held in 64-bit integers.
  bool is_small() const { return big_ == nullptr; }

  /// The e of 2^e <= |x| < 2^(e+1), x not zero.
  std::int64_t floor_log2() const;
  /// |x| / 2^q, which must be below 2^64.
  Position position(std::int64_t q) const;
  Integer floor() const;

  Fraction operator-() const {
    return big_ ? Fraction(Integer(-big_->numerator), big_->denominator)
                : Fraction(-numerator_, denominator_);
  }
  /// 1 / x, x != 0.
  Fraction inverse() const {
    return big_ ? Fraction(big_->denominator, big_->numerator) : Fraction(denominator_, numerator_);
  }
  Fraction abs() const { return sign() < 0 ? -*this : *this; }
  friend Fraction operator+(const Fraction& a, const Fraction& b);
  friend Fraction operator-(const Fraction& a, const Fraction& b) { return a + -b; }
  friend Fraction operator*(const Fraction& a, const Fraction& b);
  /// b != 0.
  friend Fraction operator/(const Fraction& a, const Fraction& b) { return a * b.inverse(); }

 private:
  struct Big {
    Integer numerator;
    Integer denominator;
  };

  static Fraction long_sum(const Fraction& a, const Fraction& b);
  static Fraction long_product(const Fraction& a, const Fraction& b);

  std::int64_t numerator_ = 0;  ///< never INT64_MIN
  std::int64_t denominator_ = 1;
  std::shared_ptr<const Big> big_;  ///< takes the place of the 64-bit integers
};

inline Fraction operator+(const Fraction& a, const Fraction& b) {
  if (!a.is_small() || !b.is_small()) return Fraction::long_sum(a, b);
  std::int64_t x = a.numerator_;
  std::int64_t y = b.numerator_;
  std::int64_t sum = 0;
  std::int64_t denominator = a.denominator_;
  bool overflow = false;
  if (a.denominator_ != b.denominator_) {
    overflow = __builtin_mul_overflow(x, b.denominator_, &x) ||
               __builtin_mul_overflow(y, a.denominator_, &y) ||
               __builtin_mul_overflow(denominator, b.denominator_, &denominator);
  }
  overflow = overflow || __builtin_add_overflow(x, y, &sum);
  return overflow ? Fraction::long_sum(a, b) : Fraction(sum, denominator);
}

inline Fraction operator*(const Fraction& a, const Fraction& b) {
  std::int64_t numerator = 0;
  std::int64_t denominator = 0;
  if (!a.is_small() || !b.is_small() ||
      __builtin_mul_overflow(a.numerator_, b.numerator_, &numerator) ||
      __builtin_mul_overflow(a.denominator_, b.denominator_, &denominator)) {
    return Fraction::long_product(a, b);
  }
  return {numerator, denominator};
}

}  // namespace halfulp::oracles
