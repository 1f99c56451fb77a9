// Intervals of binary floating-point numbers of a chosen precision.
//
// An interval encloses one unknown real number. Boost's cpp_bin_float rounds +, -, *, / and sqrt to
// nearest; every end is then moved outwards by two units in its last place, which is more than that
// rounding and the one of the move. Ends may be infinite: the number is still finite, only larger
// than anything of interest. Exponents are kept within +-2^61, where no product over- or
// underflows: beyond, the interval grows to infinity or to zero. (Exponents are that wide so that
// exp(1e8) is a number like others, whose logarithm is 1e8 again.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "oracles/exact_value.h"
#include "oracles/undecided.h"
// Boost includes its mathematical functions, which are not used.
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace halfulp::oracles {

template <unsigned P>
using Float = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<P, boost::multiprecision::backends::digit_base_2, void,
                                         std::int64_t>,
    boost::multiprecision::et_off>;

inline constexpr std::int64_t exponent_limit = std::int64_t{1} << 61;

/// x * 2^exponent.
template <unsigned P>
Float<P> scaled(const Float<P>& x, std::int64_t exponent) {
  Float<P> out;
  eval_ldexp(out.backend(), x.backend(), exponent);
  return out;
}

template <unsigned P>
Float<P> power_of_two(std::int64_t exponent) {
  return scaled<P>(Float<P>(1), exponent);
}

/// The e of 2^e <= |x| < 2^(e+1), x finite and not zero.
template <unsigned P>
std::int64_t exponent_of(const Float<P>& x) {
  return x.backend().exponent();
}

template <unsigned P>
bool is_infinite(const Float<P>& x) {
  return (boost::multiprecision::isinf)(x);
}

/// Below every number that rounds to x; x itself for 0, to which nothing else rounds.
template <unsigned P>
Float<P> below(const Float<P>& x) {
  if (x.is_zero()) return x;
  const bool negative = x.sign() < 0;
  if (is_infinite(x) || exponent_of(x) > exponent_limit) {
    if (!negative) return power_of_two<P>(exponent_limit);
    return -std::numeric_limits<Float<P>>::infinity();
  }
  if (exponent_of(x) < -exponent_limit) {
    return negative ? -power_of_two<P>(-exponent_limit) : Float<P>(0);
  }
  return x - power_of_two<P>(exponent_of(x) + 2 - static_cast<int>(P));
}

template <unsigned P>
Float<P> above(const Float<P>& x) {
  return -below<P>(-x);
}

/// low <= the number <= high; low is not +inf and high is not -inf.
template <unsigned P>
struct Interval {
  Float<P> low;
  Float<P> high;

  bool is_positive() const { return low.sign() > 0; }
  bool is_negative() const { return high.sign() < 0; }
};

/// [x - e, x + e] with e = |x| * 2^(bits - P) at least, and at most twice that.
template <unsigned P>
Interval<P> around(const Float<P>& x, int bits) {
  if (x.is_zero()) return {x, x};
  const Float<P> margin = power_of_two<P>(exponent_of(x) + 1 + bits - static_cast<int>(P));
  return {below<P>(x - margin), above<P>(x + margin)};
}

template <unsigned P>
Interval<P> operator-(const Interval<P>& x) {
  return {-x.high, -x.low};
}

template <unsigned P>
Interval<P> operator+(const Interval<P>& x, const Interval<P>& y) {
  return {below<P>(x.low + y.low), above<P>(x.high + y.high)};
}

template <unsigned P>
Interval<P> operator-(const Interval<P>& x, const Interval<P>& y) {
  return x + -y;
}

/// Product of ends, where an infinite end is a bound and so times 0 is 0.
template <unsigned P>
Float<P> product_of_ends(const Float<P>& x, const Float<P>& y) {
  return x.is_zero() || y.is_zero() ? Float<P>(0) : Float<P>(x * y);
}

template <unsigned P>
Interval<P> operator*(const Interval<P>& x, const Interval<P>& y) {
  if (x.low.sign() >= 0 && y.low.sign() >= 0) {
    return {below<P>(product_of_ends<P>(x.low, y.low)),
            above<P>(product_of_ends<P>(x.high, y.high))};
  }
  const auto [low, high] =
      std::minmax({product_of_ends<P>(x.low, y.low), product_of_ends<P>(x.low, y.high),
                   product_of_ends<P>(x.high, y.low), product_of_ends<P>(x.high, y.high)});
  return {below<P>(low), above<P>(high)};
}

/// 1 / x. Throws Undecided if x may have either sign. An end of 0 gives an infinite one.
template <unsigned P>
Interval<P> inverse(const Interval<P>& x) {
  if (x.low.sign() < 0 && x.high.sign() <= 0) return -inverse(-x);
  if (x.low.sign() < 0 || x.high.is_zero()) throw Undecided();
  const Float<P> low = is_infinite(x.high) ? Float<P>(0) : below<P>(1 / x.high);
  if (x.low.is_zero()) return {low, std::numeric_limits<Float<P>>::infinity()};
  return {low, above<P>(1 / x.low)};
}

template <unsigned P>
Interval<P> operator/(const Interval<P>& x, const Interval<P>& y) {
  return x * inverse(y);
}

template <unsigned P>
Interval<P> min(const Interval<P>& x, const Interval<P>& y) {
  return {std::min(x.low, y.low), std::min(x.high, y.high)};
}

template <unsigned P>
Interval<P> max(const Interval<P>& x, const Interval<P>& y) {
  return {std::max(x.low, y.low), std::max(x.high, y.high)};
}

template <unsigned P>
Interval<P> abs(const Interval<P>& x) {
  if (x.low.sign() >= 0) return x;
  if (x.high.sign() <= 0) return -x;
  return {Float<P>(0), std::max(Float<P>(-x.low), x.high)};
}

/// x.low >= 0.
template <unsigned P>
Interval<P> sqrt(const Interval<P>& x) {
  const auto root = [](const Float<P>& end) {
    return is_infinite(end) || end.is_zero() ? end : Float<P>(sqrt(end));
  };
  return {std::max(Float<P>(0), below<P>(root(x.low))), above<P>(root(x.high))};
}

/// x, which must fit in P bits.
template <unsigned P>
Float<P> exact_float(const Integer& x) {
  return static_cast<Float<P>>(x);
}

/// A rational number: exactly if it is dyadic and short, else between two neighbours.
template <unsigned P>
Interval<P> enclose(const ExactValue& x) {
  if (x.is_zero()) return {Float<P>(0), Float<P>(0)};
  const std::int64_t e = x.floor_log2();
  if (e > exponent_limit || e < -exponent_limit) throw Undecided();
  const auto [numerator, denominator] = abs(x).rational().parts();
  // The quotient of the scaled number has P - 1 bits.
  const std::int64_t scale = static_cast<std::int64_t>(P) - 2 - e;
  const Integer n = scale > 0 ? Integer(numerator << static_cast<unsigned>(scale)) : numerator;
  const Integer d = scale < 0 ? Integer(denominator << static_cast<unsigned>(-scale)) : denominator;
  Integer quotient;
  Integer remainder;
  boost::multiprecision::divide_qr(n, d, quotient, remainder);
  const Float<P> low = scaled<P>(exact_float<P>(quotient), -scale);
  const Interval<P> out{
      low, remainder.is_zero() ? low : scaled<P>(exact_float<P>(quotient + 1), -scale)};
  return x.is_negative() ? -out : out;
}

/// The value of an end. Beyond 2^+-capped_exponent, where no format has numbers, a power of two of
/// that size and the same sign stands for it: it rounds alike and stays on its side of 0.
inline constexpr int capped_exponent = 5000;
template <unsigned P>
ExactValue to_exact(const Float<P>& x) {
  if (x.is_zero()) return {};
  const bool large = is_infinite(x) || exponent_of(x) > capped_exponent;
  Fraction magnitude;
  if (large || exponent_of(x) < -capped_exponent) {
    magnitude = Fraction::power_of_two(large ? capped_exponent : -capped_exponent);
  } else {
    const Integer significand(x.backend().bits());
    magnitude = Fraction(significand, Integer(1)) *
                Fraction::power_of_two(exponent_of(x) - static_cast<int>(P) + 1);
  }
  return ExactValue(x.sign() < 0 ? -magnitude : magnitude);
}

}  // namespace halfulp::oracles
