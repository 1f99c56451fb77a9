#include "oracles/rational_sum.h"

#include <algorithm>
#include <cmath>

namespace halfulp::oracles {

void RationalSum::add_special(const ExactValue& term) { special_ = special_ + term; }

void RationalSum::add(double x) {
  if (std::isfinite(x)) return dyadic_.add(x);
  add_special(ExactValue::from_double(x));
}

void RationalSum::add_product(double x, double y) {
  if (std::isfinite(x) && std::isfinite(y)) return dyadic_.add_product(x, y);
  add_special(ExactValue::from_double(x) * ExactValue::from_double(y));
}

bool RationalSum::add(const ExactValue& term) {
  if (!term.is_nonzero()) {
    add_special(term);
    return true;
  }
  const auto [numerator, denominator] = term.rational().parts();
  const auto twos = static_cast<std::int64_t>(lsb(denominator));
  const Integer odd = denominator >> static_cast<unsigned>(twos);
  if (odd == 1) {
    dyadic_.add(numerator, -twos);
    return true;
  }
  auto group = std::ranges::find(groups_, odd, &Group::odd_denominator);
  if (group == groups_.end()) {
    if (groups_.size() == most_groups) return false;
    group = groups_.insert(groups_.end(), Group{odd, {}});
  }
  group->numerators.add(numerator, -twos);
  return true;
}

ExactValue RationalSum::value() const {
  Fraction sum = dyadic_.value();
  for (const Group& group : groups_) {
    sum = sum + group.numerators.value() * Fraction(Integer(1), group.odd_denominator);
  }
  // The special sum is a zero of either sign if there was none; 0 + x has no negative zero.
  return ExactValue(sum) + (special_.is_zero() ? ExactValue() : special_);
}

}  // namespace halfulp::oracles
