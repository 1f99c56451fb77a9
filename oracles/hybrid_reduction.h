// Reductions of numbers, one at a time, as program.h defines them.
#pragma once

#include <cstdint>
#include <optional>

#include "oracles/number.h"
#include "oracles/rational_sum.h"

namespace halfulp::oracles {

/// A sum whose exact terms are summed exactly, apart from the others.
template <unsigned P>
class NumberSum {
 public:
  void add(const Number<P>& term) {
    if (term.is_exact() && exact_.add(term.exact())) return;
    rest_ = rest_ ? *rest_ + term.interval() : term.interval();
  }
  void add(double term) { exact_.add(term); }
  void add_product(double x, double y) { exact_.add_product(x, y); }

  Number<P> value() const {
    const Number<P> exact = exact_.value();
    return rest_ ? exact + Number<P>(*rest_) : exact;
  }

 private:
  RationalSum exact_;
  std::optional<Interval<P>> rest_;
};

/// NaN once an element is.
template <unsigned P>
class NumberExtreme {
 public:
  enum class Kind : std::uint8_t { smallest, largest };
  explicit NumberExtreme(Kind kind)
      : kind_(kind), value_(ExactValue::infinity(kind == Kind::largest)) {}

  void add(const Number<P>& x) {
    value_ = kind_ == Kind::smallest ? min(value_, x) : max(value_, x);
  }
  const Number<P>& value() const { return value_; }

 private:
  Kind kind_;
  Number<P> value_;
};

/// The first NaN, or the first largest element. Throws Undecided where intervals overlap.
template <unsigned P>
class NumberIndexOfLargest {
 public:
  void add(const Number<P>& x) {
    const bool is_new =
        !largest_ || (!largest_->is_nan() && (x.is_nan() || compare(x, *largest_) > 0));
    if (is_new) {
      largest_ = x;
      position_ = next_;
    }
    ++next_;
  }
  Number<P> value() const { return largest_ ? ExactValue(position_) : ExactValue::nan(); }

 private:
  std::optional<Number<P>> largest_;
  std::int64_t position_ = 0;
  std::int64_t next_ = 0;
};

/// x^2, which is not negative.
template <unsigned P>
Number<P> square(const Number<P>& x) {
  if (x.is_exact()) return x.exact() * x.exact();
  const Interval<P> magnitude = abs(x.interval());
  return magnitude * magnitude;
}

}  // namespace halfulp::oracles
