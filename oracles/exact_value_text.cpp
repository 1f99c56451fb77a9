// How exact values are written.
#include <string>
#include <utility>

#include "oracles/exact_value.h"

namespace halfulp::oracles {
namespace {

// Longer integers are abbreviated: nobody reads them, and a report should not hold them.
constexpr std::size_t longest_integer = 400;
constexpr std::size_t kept_digits = 40;

std::string text(const Integer& x) {
  std::string digits = x.str();
  if (digits.size() <= longest_integer) return digits;
  return digits.substr(0, kept_digits) + "...(" + std::to_string(digits.size()) + " digits)";
}

std::string text(const Fraction& x) {
  const auto [n, d] = x.reduced();
  return d == 1 ? text(n) : text(n) + "/" + text(d);
}

/// Moves small square factors of the radicand in front of the root.
std::pair<Fraction, Integer> simplified(Fraction factor, Integer radicand) {
  for (int p = 2; p < 1000; ++p) {
    const Integer square = Integer(p) * p;
    if (square > radicand) break;
    while (radicand % square == 0) {
      radicand /= square;
      factor = factor * Fraction(p);
    }
  }
  return {factor, radicand};
}

/// `3*sqrt(5)/2` for a positive factor.
std::string root_text(const Fraction& factor, const Integer& radicand) {
  const auto [n, d] = factor.reduced();
  std::string out = n == 1 ? "" : text(n) + "*";
  out += "sqrt(" + text(radicand) + ")";
  return d == 1 ? out : out + "/" + text(d);
}

}  // namespace

std::string ExactValue::text() const {
  const std::string minus = negative_ ? "-" : "";
  if (is_nan()) return "nan";
  if (is_infinite()) return minus + "inf";
  if (is_zero()) return minus + "0";
  if (root_ == nullptr) return oracles::text(rational_);
  const auto [factor, radicand] = simplified(root_->factor, root_->radicand);
  const std::string root = root_text(factor.abs(), radicand);
  if (rational_.sign() == 0) return minus + root;
  return oracles::text(rational_) + (factor.sign() < 0 ? " - " : " + ") + root;
}

}  // namespace halfulp::oracles
