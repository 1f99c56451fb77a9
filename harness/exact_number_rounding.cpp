// An exact number as a binary64 value: one long division, one rounding.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "harness/encoding.h"
#include "harness/exact_number.h"
#include "harness/format.h"
#include "harness/rounding.h"

namespace halfulp {
namespace {

/// A natural number of any length, little-endian, without leading zero words.
class Natural {
 public:
  explicit Natural(std::uint64_t value) {
    for (; value != 0; value >>= 32) words_.push_back(static_cast<std::uint32_t>(value));
  }

  int bit_length() const {
    return words_.empty() ? 0 : 32 * size() - std::countl_zero(words_.back());
  }
  bool is_zero() const { return words_.empty(); }

  void multiply(std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (std::uint32_t& word : words_) {
      carry += std::uint64_t{word} * factor;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_.push_back(static_cast<std::uint32_t>(carry));
  }

  void multiply_by_power_of_five(int exponent) {
    for (; exponent >= 13; exponent -= 13) multiply(1'220'703'125);  // 5^13
    for (; exponent > 0; --exponent) multiply(5);
  }

  void shift_left(int bits) {
    multiply(std::uint32_t{1} << (bits % 32));
    if (!is_zero()) words_.insert(words_.begin(), static_cast<std::size_t>(bits / 32), 0);
  }

  bool operator>=(const Natural& other) const {
    if (words_.size() != other.words_.size()) return words_.size() > other.words_.size();
    return !std::lexicographical_compare(words_.rbegin(), words_.rend(), other.words_.rbegin(),
                                         other.words_.rend());
  }

  /// other <= *this.
  void subtract(const Natural& other) {
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      borrow += words_[i];
      if (i < other.words_.size()) borrow -= other.words_[i];
      words_[i] = static_cast<std::uint32_t>(borrow);
      borrow >>= 32;
    }
    while (!words_.empty() && words_.back() == 0) words_.pop_back();
  }

 private:
  int size() const { return static_cast<int>(words_.size()); }

  std::vector<std::uint32_t> words_;
};

/// numerator / denominator to 67 or 68 bits by long division; what is left sets the sticky bit.
/// More bits than binary64 and its guard bit need.
Dyadic quotient(Natural numerator, Natural denominator) {
  constexpr int fraction = 67;
  const int shift = numerator.bit_length() - denominator.bit_length();
  (shift < 0 ? numerator : denominator).shift_left(std::abs(shift));
  Dyadic result{.exponent = shift - fraction};
  for (int bit = 0; bit <= fraction; ++bit) {
    result.significand <<= 1;
    if (numerator >= denominator) {
      numerator.subtract(denominator);
      result.significand |= 1;
    }
    numerator.shift_left(1);
  }
  result.sticky = !numerator.is_zero();
  return result;
}

/// |numerator / denominator * 2^b * 10^d| of a number that is not zero.
struct Magnitude {
  std::uint64_t numerator;
  std::uint64_t denominator;
  int binary;
  int decimal;

  /// log2 of it, within 1.
  double log2_estimate() const {
    return std::log2(static_cast<double>(numerator)) - std::log2(static_cast<double>(denominator)) +
           binary + decimal * std::log2(10.0);
  }
};

Dyadic to_dyadic(const Magnitude& m) {
  constexpr int out_of_range = 2 * binary64.bias;
  const double log2 = m.log2_estimate();
  if (std::fabs(log2) > out_of_range) {  // spares the powers of five
    return {.significand = 1, .exponent = log2 > 0 ? out_of_range : -out_of_range};
  }
  Natural numerator(m.numerator);
  Natural denominator(m.denominator);
  numerator.multiply_by_power_of_five(m.decimal);
  denominator.multiply_by_power_of_five(-m.decimal);
  Dyadic value = quotient(std::move(numerator), std::move(denominator));
  value.exponent += m.binary + m.decimal;
  return value;
}

}  // namespace

double to_double(const ExactNumber& number) {
  constexpr std::int64_t exact_limit = std::int64_t{1} << binary64.precision;
  if (number.is_integer() && -exact_limit <= number.numerator && number.numerator <= exact_limit) {
    return static_cast<double>(number.numerator);
  }
  if (number.is_integer()) return static_cast<double>(number.numerator);
  if (number.numerator == 0) return 0;
  const auto numerator = static_cast<std::uint64_t>(number.numerator);
  const bool negative = number.numerator < 0;
  Dyadic value = to_dyadic({.numerator = negative ? 0 - numerator : numerator,
                            .denominator = static_cast<std::uint64_t>(number.denominator),
                            .binary = number.binary_exponent,
                            .decimal = number.decimal_exponent});
  value.negative = negative;
  return to_double(round_dyadic(value, binary64, RoundingMode::to_nearest_even), binary64);
}

}  // namespace halfulp
