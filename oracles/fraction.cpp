#include "oracles/fraction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace halfulp::oracles {
namespace {

using Wide = unsigned __int128;

// Above this length a common factor is worth looking for.
constexpr std::int64_t reduce_above_bits = 2048;

std::uint64_t magnitude(std::int64_t x) {
  return x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
}

bool fits(const Integer& x) { return bit_length(x) <= 63; }

Part part_of(const Integer& remainder, const Integer& divisor) {
  if (remainder.is_zero()) return Part::zero;
  const int order = Integer(remainder << 1).compare(divisor);
  return order < 0 ? Part::below_half : order == 0 ? Part::half : Part::above_half;
}

Position divide(Wide numerator, Wide denominator) {
  const Wide quotient = numerator / denominator;
  const Wide remainder = numerator - quotient * denominator;
  const Wide other = denominator - remainder;
  const Part part = remainder == 0       ? Part::zero
                    : remainder < other  ? Part::below_half
                    : remainder == other ? Part::half
                                         : Part::above_half;
  return {static_cast<std::uint64_t>(quotient), part};
}

Integer shifted_left(const Integer& x, std::int64_t by) {
  return by > 0 ? Integer(x << static_cast<unsigned>(by)) : x;
}

}  // namespace

std::int64_t bit_length(const Integer& x) {
  if (x.is_zero()) return 0;
  return static_cast<std::int64_t>(boost::multiprecision::msb(x.sign() < 0 ? Integer(-x) : x)) + 1;
}

// Newton's iteration from above: decreasing until it reaches the floor.
Integer integer_sqrt(const Integer& x) {
  if (x.is_zero()) return x;
  Integer root = Integer(1) << static_cast<unsigned>((bit_length(x) + 1) / 2);
  for (;;) {
    Integer next = (root + x / root) >> 1;
    if (next >= root) return root;
    root = std::move(next);
  }
}

Integer floor_div(const Integer& numerator, const Integer& denominator) {
  Integer quotient;
  Integer remainder;
  boost::multiprecision::divide_qr(numerator, denominator, quotient, remainder);
  return remainder.sign() < 0 ? Integer(quotient - 1) : quotient;
}

Fraction::Fraction(Integer numerator, Integer denominator) {
  if (numerator.is_zero()) return;
  if (denominator.sign() < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const auto twos = std::min(lsb(boost::multiprecision::abs(numerator)), lsb(denominator));
  if (twos > 0) {
    numerator /= Integer(1) << twos;  // a shift would round a negative number down
    denominator >>= twos;
  }
  if (std::min(bit_length(numerator), bit_length(denominator)) > reduce_above_bits) {
    const Integer common = gcd(numerator, denominator);
    numerator /= common;
    denominator /= common;
  }
  if (fits(numerator) && fits(denominator)) {
    numerator_ = static_cast<std::int64_t>(numerator);
    denominator_ = static_cast<std::int64_t>(denominator);
  } else {
    big_ = std::make_shared<const Big>(Big{std::move(numerator), std::move(denominator)});
  }
}

Fraction Fraction::from_double(double value) {
  if (value == 0) return {};
  int exponent = 0;
  auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  const int twos = std::countr_zero(magnitude(significand));
  significand >>= twos;
  exponent += twos;
  const int spare = std::countl_zero(magnitude(significand)) - 1;
  if (exponent >= 0 && exponent <= spare) {
    return Fraction(significand * (std::int64_t{1} << exponent));
  }
  if (exponent < 0 && exponent > -63) return {significand, std::int64_t{1} << -exponent};
  return Fraction(significand) * power_of_two(exponent);
}

Fraction Fraction::power_of_two(std::int64_t exponent) {
  const Integer power = Integer(1) << static_cast<unsigned>(std::abs(exponent));
  return exponent < 0 ? Fraction(Integer(1), power) : Fraction(power, Integer(1));
}

std::pair<Integer, Integer> Fraction::parts() const {
  if (big_) return {big_->numerator, big_->denominator};
  return {Integer(numerator_), Integer(denominator_)};
}

std::pair<Integer, Integer> Fraction::reduced() const {
  auto [n, d] = parts();
  const Integer common = gcd(n, d);
  return {n / common, d / common};
}

std::int64_t Fraction::size_in_bits() const {
  if (big_) return std::max(bit_length(big_->numerator), bit_length(big_->denominator));
  return std::bit_width(magnitude(numerator_) | magnitude(denominator_));
}

std::int64_t Fraction::floor_log2() const {
  if (big_) {
    const Integer n = boost::multiprecision::abs(big_->numerator);
    const std::int64_t e = bit_length(n) - bit_length(big_->denominator);
    return shifted_left(n, -e) < shifted_left(big_->denominator, e) ? e - 1 : e;
  }
  const Wide n = magnitude(numerator_);
  const Wide d = magnitude(denominator_);
  const auto e = static_cast<int>(std::bit_width(magnitude(numerator_))) -
                 static_cast<int>(std::bit_width(magnitude(denominator_)));
  return (e < 0 ? n << -e : n) < (e > 0 ? d << e : d) ? e - 1 : e;
}

Position Fraction::position(std::int64_t q) const {
  if (big_) {
    const Integer n = shifted_left(boost::multiprecision::abs(big_->numerator), -q);
    const Integer d = shifted_left(big_->denominator, q);
    Integer quotient;
    Integer remainder;
    boost::multiprecision::divide_qr(n, d, quotient, remainder);
    return {static_cast<std::uint64_t>(quotient), part_of(remainder, d)};
  }
  // No overflow: numerator / 2^q < 2^64 * denominator < 2^127, and numerator < 2^63.
  const Wide n = magnitude(numerator_);
  const Wide d = magnitude(denominator_);
  if (q <= 0) return n == 0 ? Position{} : divide(n << -q, d);
  if (q >= 64) return {0, n == 0 ? Part::zero : Part::below_half};
  return divide(n, d << q);
}

Integer Fraction::floor() const {
  const auto [n, d] = parts();
  return floor_div(n, d);
}

Fraction Fraction::long_sum(const Fraction& a, const Fraction& b) {
  const auto [p, q] = a.parts();
  const auto [r, s] = b.parts();
  if (q == s) return {Integer(p + r), q};
  return {Integer(p * s + r * q), Integer(q * s)};
}

Fraction Fraction::long_product(const Fraction& a, const Fraction& b) {
  const auto [p, q] = a.parts();
  const auto [r, s] = b.parts();
  return {Integer(p * r), Integer(q * s)};
}

}  // namespace halfulp::oracles
