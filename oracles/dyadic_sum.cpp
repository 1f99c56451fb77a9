#include "oracles/dyadic_sum.h"

#include <cmath>
#include <utility>

#include "harness/encoding.h"

namespace halfulp::oracles {
namespace {

Decoded decoded(double x) { return decode(std::bit_cast<std::uint64_t>(x), binary64); }

template <typename Limbs>
Integer integer_of(const Limbs& limbs) {
  Integer out;
  boost::multiprecision::import_bits(out, limbs.begin(), limbs.end(), 64, false);
  return out;
}

}  // namespace

void DyadicSum::add_bits(bool negative, unsigned __int128 significand, int exponent) {
  const auto position = static_cast<unsigned>(exponent - lowest_exponent);
  const unsigned shift = position % 64;
  const auto low = static_cast<std::uint64_t>(significand);
  const auto high = static_cast<std::uint64_t>(significand >> 64);
  const std::array<std::uint64_t, 3> words{
      low << shift,
      shift == 0 ? high : high << shift | low >> (64 - shift),
      shift == 0 ? 0 : high >> (64 - shift),
  };
  Limbs& limbs = sums_[negative ? 1 : 0];
  std::size_t at = position / 64;
  std::uint64_t carry = 0;
  for (const std::uint64_t word : words) {
    const unsigned __int128 sum = static_cast<unsigned __int128>(limbs[at]) + word + carry;
    limbs[at++] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
  while (carry != 0) carry = ++limbs[at++] == 0 ? 1 : 0;
}

void DyadicSum::add(double x) {
  const Decoded d = decoded(x);
  add_bits(d.negative, d.significand, d.exponent);
}

void DyadicSum::add_product(double x, double y) {
  const Decoded a = decoded(x);
  const Decoded b = decoded(y);
  add_bits(a.negative != b.negative, static_cast<unsigned __int128>(a.significand) * b.significand,
           a.exponent + b.exponent);
}

void DyadicSum::add(const Integer& n, std::int64_t exponent) {
  const bool negative = n.sign() < 0;
  const Integer magnitude = negative ? Integer(-n) : n;
  const bool fits =
      bit_length(magnitude) <= 106 && exponent >= lowest_exponent && exponent + 106 <= 2048;
  if (fits) {
    add_bits(negative, static_cast<unsigned __int128>(magnitude), static_cast<int>(exponent));
  } else {
    beyond_ = beyond_ + Fraction(n, Integer(1)) * Fraction::power_of_two(exponent);
  }
}

Fraction DyadicSum::value() const {
  const Integer difference = integer_of(sums_[0]) - integer_of(sums_[1]);
  return Fraction(difference, Integer(1)) * Fraction::power_of_two(lowest_exponent) + beyond_;
}

}  // namespace halfulp::oracles
