// Exact sums of stored numbers: a fixed-point accumulator as wide as binary64's products.
#pragma once

#include <array>
#include <cstdint>

#include "oracles/fraction.h"

namespace halfulp::oracles {

/// The exact sum of any number (below 2^60) of finite doubles and products of two, after Kulisch:
/// fixed-point numbers whose last bit is worth the square of the smallest subnormal, one for the
/// positive and one for the negative terms so that no term borrows. Terms of no fixed range are
/// taken too, slowly.
class DyadicSum {
 public:
  /// x finite.
  void add(double x);
  /// x * y, both finite.
  void add_product(double x, double y);
  /// n * 2^exponent.
  void add(const Integer& n, std::int64_t exponent);

  Fraction value() const;

 private:
  /// Exponent of the last bit: twice that of the smallest subnormal double.
  static constexpr int lowest_exponent = -2 * 1074;
  /// Products end below 2^2048; 128 bits more hold a carry from 2^60 terms and the top of an
  /// addend.
  static constexpr std::size_t limb_count = (2048 - lowest_exponent) / 64 + 3;
  using Limbs = std::array<std::uint64_t, limb_count>;

  void add_bits(bool negative, unsigned __int128 significand, int exponent);

  std::array<Limbs, 2> sums_{};  ///< of the positive and of the negative terms
  Fraction beyond_;              ///< terms that the limbs do not hold
};

}  // namespace halfulp::oracles
