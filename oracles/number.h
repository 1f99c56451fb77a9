// A real number known exactly or within an interval, or an IEEE special.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "oracles/interval_functions.h"

namespace halfulp::oracles {

/// Longer exact values become intervals: long enough for sums of squares of doubles and their
/// quotients, short enough for arithmetic on them to stay quick.
inline constexpr std::int64_t exact_size_limit = 8192;

/// An exact value without roots, or an interval that encloses a finite real number.
///
/// Operations on exact values are exact where the result is rational and not too long, and follow
/// IEEE arithmetic for zeros, infinities and NaN. With an interval, a special result is returned
/// where the interval decides it (inf * [1, 2] is inf; 0 * [1, 2] is an exact 0), and `Undecided`
/// is thrown where it does not. An exact zero result of an interval of either sign is +0.
template <unsigned P>
class Number {
 public:
  Number() = default;
  Number(Interval<P> interval) : value_(std::move(interval)) {}
  /// A value without a root; a long one becomes an interval.
  Number(ExactValue value) {
    const bool is_long = value.is_nonzero() && value.size_in_bits() > exact_size_limit;
    if (is_long) {
      value_ = enclose<P>(value);
    } else {
      value_ = std::move(value);
    }
  }

  bool is_exact() const { return std::holds_alternative<ExactValue>(value_); }
  const ExactValue& exact() const { return *std::get_if<ExactValue>(&value_); }
  /// Enclosing a finite value.
  Interval<P> interval() const {
    return is_exact() ? enclose<P>(exact()) : *std::get_if<Interval<P>>(&value_);
  }
  /// NaN or an infinity.
  bool is_special() const { return is_exact() && !exact().is_finite(); }
  bool is_nan() const { return is_exact() && exact().is_nan(); }
  bool is_exact_zero() const { return is_exact() && exact().is_zero(); }

 private:
  std::variant<ExactValue, Interval<P>> value_;
};

/// Below 0 (or -0)? Throws Undecided where an interval has both signs.
template <unsigned P>
bool is_negative(const Number<P>& x) {
  if (x.is_exact()) return x.exact().is_negative();
  const Interval<P> interval = x.interval();
  if (interval.low.sign() >= 0) return false;
  if (interval.high.sign() <= 0) return true;
  throw Undecided();
}

/// -1, 0 or 1 as x is below, equal to or above y, neither of them NaN. Throws Undecided.
template <unsigned P>
int compare(const Number<P>& x, const Number<P>& y) {
  if (x.is_special() || y.is_special()) {
    const auto rank = [](const Number<P>& v) {
      return !v.is_special() ? 0 : v.exact().is_negative() ? -1 : 1;
    };
    return rank(x) - rank(y) < 0 ? -1 : rank(x) > rank(y) ? 1 : 0;
  }
  if (x.is_exact() && y.is_exact()) {
    const ExactValue difference = x.exact() - y.exact();
    return difference.is_zero() ? 0 : difference.is_negative() ? -1 : 1;
  }
  const Interval<P> a = x.interval();
  const Interval<P> b = y.interval();
  if (a.high < b.low) return -1;
  if (b.high < a.low) return 1;
  throw Undecided();
}

template <unsigned P>
Number<P> operator-(const Number<P>& x) {
  if (x.is_exact()) return -x.exact();
  return -x.interval();
}

template <unsigned P>
Number<P> operator+(const Number<P>& x, const Number<P>& y) {
  if (x.is_exact() && y.is_exact()) return x.exact() + y.exact();
  if (x.is_special() || y.is_exact_zero()) return x;
  if (y.is_special() || x.is_exact_zero()) return y;
  return x.interval() + y.interval();
}

template <unsigned P>
Number<P> operator-(const Number<P>& x, const Number<P>& y) {
  return x + -y;
}

template <unsigned P>
Number<P> operator*(const Number<P>& x, const Number<P>& y) {
  if (x.is_exact() && y.is_exact()) return x.exact() * y.exact();
  if (!x.is_exact()) {
    if (!y.is_exact()) return x.interval() * y.interval();
    return y * x;
  }
  const Interval<P> interval = y.interval();
  if (x.is_nan()) return x;
  if (x.is_special()) {
    if (!interval.is_positive() && !interval.is_negative()) throw Undecided();
    return ExactValue::infinity(x.exact().is_negative() != interval.is_negative());
  }
  if (x.is_exact_zero()) {
    const bool has_sign = interval.low.sign() >= 0 || interval.high.sign() <= 0;
    return ExactValue::zero(has_sign && x.exact().is_negative() != (interval.low.sign() < 0));
  }
  return x.interval() * interval;
}

template <unsigned P>
Number<P> reciprocal(const Number<P>& x) {
  if (x.is_exact()) return reciprocal(x.exact());
  return inverse(x.interval());
}

template <unsigned P>
Number<P> operator/(const Number<P>& x, const Number<P>& y) {
  if (x.is_exact() && y.is_exact()) return x.exact() / y.exact();
  return x * reciprocal(y);
}

template <unsigned P>
Number<P> abs(const Number<P>& x) {
  if (x.is_exact()) return abs(x.exact());
  return abs(x.interval());
}

/// Where the numbers overlap, what both may be.
template <unsigned P>
Number<P> min(const Number<P>& x, const Number<P>& y) {
  if (x.is_exact() && y.is_exact()) return min(x.exact(), y.exact());
  if (x.is_special()) return x.is_nan() || x.exact().is_negative() ? x : y;
  if (y.is_special()) return min(y, x);
  const Interval<P> a = x.interval();
  const Interval<P> b = y.interval();
  if (a.high <= b.low) return x;
  if (b.high <= a.low) return y;
  return min(a, b);
}

template <unsigned P>
Number<P> max(const Number<P>& x, const Number<P>& y) {
  return -min(-x, -y);
}

/// 1 where the values are equal, else 0.
template <unsigned P>
Number<P> equal(const Number<P>& x, const Number<P>& y) {
  const bool is_equal = !x.is_nan() && !y.is_nan() && compare(x, y) == 0;
  return ExactValue(is_equal ? 1 : 0);
}

template <unsigned P>
Number<P> floor(const Number<P>& x) {
  if (x.is_exact()) return floor(x.exact());
  const Interval<P> interval = x.interval();
  const ExactValue low = floor(to_exact<P>(interval.low));
  const ExactValue high = floor(to_exact<P>(interval.high));
  if (!(low - high).is_zero() || low.size_in_bits() > capped_exponent) throw Undecided();
  return low;
}

/// NaN below 0. Exact for squares of rationals.
template <unsigned P>
Number<P> sqrt(const Number<P>& x) {
  if (x.is_exact()) {
    ExactValue root = sqrt(x.exact());
    if (root.is_rational() || !root.is_finite()) return root;
  }
  const Interval<P> interval = x.interval();
  if (interval.is_negative()) return ExactValue::nan();
  if (interval.low.sign() < 0) throw Undecided();
  return sqrt(interval);
}

template <unsigned P>
Number<P> rsqrt(const Number<P>& x) {
  return reciprocal(sqrt(x));
}

/// What an elementary function gives exactly: at specials, and by the theorem of Lindemann and
/// Weierstrass at no other rational than 0 (1 for log). Nothing: it is irrational there.
std::optional<ExactValue> exact_exp(const ExactValue& x);
std::optional<ExactValue> exact_log(const ExactValue& x);
std::optional<ExactValue> exact_log1p(const ExactValue& x);
std::optional<ExactValue> exact_expm1(const ExactValue& x);
std::optional<ExactValue> exact_tanh(const ExactValue& x);
std::optional<ExactValue> exact_sigmoid(const ExactValue& x);
std::optional<ExactValue> exact_erf(const ExactValue& x);

/// An increasing function on all reals.
template <unsigned P>
Number<P> elementary(const Number<P>& x, std::optional<ExactValue> (*exactly)(const ExactValue&),
                     Interval<P> (*function)(const Float<P>&)) {
  if (x.is_exact()) {
    if (auto result = exactly(x.exact())) return std::move(*result);
  }
  return image<P>(x.interval(), function);
}

template <unsigned P>
Number<P> exp(const Number<P>& x) {
  return elementary<P>(x, exact_exp, Point<P>::exp);
}

template <unsigned P>
Number<P> expm1(const Number<P>& x) {
  return elementary<P>(x, exact_expm1, Point<P>::expm1);
}

template <unsigned P>
Number<P> tanh(const Number<P>& x) {
  return elementary<P>(x, exact_tanh, Point<P>::tanh);
}

template <unsigned P>
Number<P> sigmoid(const Number<P>& x) {
  return elementary<P>(x, exact_sigmoid, Point<P>::sigmoid);
}

template <unsigned P>
Number<P> erf(const Number<P>& x) {
  return elementary<P>(x, exact_erf, Point<P>::erf);
}

/// log(1 + x); of an exact x next to 0 with full relative precision.
template <unsigned P>
Number<P> log1p(const Number<P>& x) {
  if (!x.is_exact()) {
    const Interval<P> interval = x.interval();
    if (interval.high < Float<P>(-1)) return ExactValue::nan();
    if (interval.low < Float<P>(-1)) throw Undecided();
  }
  return elementary<P>(x, exact_log1p, Point<P>::log1p);
}

/// NaN below 0.
template <unsigned P>
Number<P> log(const Number<P>& x) {
  if (x.is_exact()) {
    if (auto result = exact_log(x.exact())) return std::move(*result);
    // Next to 1 an interval around x - 1 keeps the digits that one around x would lose.
    const Number<P> from_one = x.exact() - ExactValue(1);
    const bool is_near = compare(abs(from_one), Number<P>(ExactValue(Fraction(1, 4)))) < 0;
    return is_near ? image<P>(from_one.interval(), Point<P>::log1p)
                   : image<P>(x.interval(), Point<P>::log);
  }
  const Interval<P> interval = x.interval();
  if (interval.is_negative()) return ExactValue::nan();
  if (interval.low.sign() < 0) throw Undecided();
  return image<P>(interval, Point<P>::log);
}

}  // namespace halfulp::oracles
