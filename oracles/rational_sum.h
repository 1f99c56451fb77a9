// Exact sums of rationals and IEEE specials.
#pragma once

#include <cstdint>
#include <vector>

#include "oracles/dyadic_sum.h"
#include "oracles/exact_value.h"

namespace halfulp::oracles {

/// The exact sum of values without roots; NaN and infinities as in IEEE arithmetic, a zero sum is
/// +0. Terms are collected by the odd part of their denominators, so that the deviations from a
/// mean, which share one, cost no more than integers.
class RationalSum {
 public:
  /// Any double.
  void add(double x);
  /// x * y.
  void add_product(double x, double y);
  /// False, and nothing changes, if the term would need yet another denominator and there are many.
  bool add(const ExactValue& term);

  ExactValue value() const;

 private:
  struct Group {
    Integer odd_denominator;
    DyadicSum numerators;
  };
  static constexpr std::size_t most_groups = 64;

  void add_special(const ExactValue& term);

  DyadicSum dyadic_;
  std::vector<Group> groups_;  ///< of denominators that are no powers of two
  ExactValue special_;         ///< the sum of the infinities and NaNs
};

}  // namespace halfulp::oracles
