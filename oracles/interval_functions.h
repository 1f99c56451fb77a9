// Elementary functions of intervals: power series on cpp_bin_float, nothing but + - * / under them.
//
// Error budget, in units of the last place (ulp, 2^(1-P) relative). The series have terms of one
// sign, or alternate with a first term that dwarfs the rest, so that a sum of k terms is within
// about 3k ulps; k stays below 2^13, and what is done with sums multiplies that by less than 8.
// Everything is below 2^18 ulps, and results get margins of 2^20. Only exp has more to lose: its
// argument is wrong by 2|n| ulps of 1 after the subtraction of n * ln 2, so it gets a margin of
// 4|n| * 2^20.
//
// Every function here is increasing, so an interval's image lies between those of its ends.
#pragma once

#include <bit>
#include <cstdlib>

#include "oracles/interval.h"
#include "oracles/interval_constants.h"

namespace halfulp::oracles {

inline constexpr int function_margin_bits = 20;
/// exp of larger magnitudes is only known to be beyond 2^+-largest_exp_argument.
inline constexpr std::int64_t largest_exp_argument = std::int64_t{1} << 60;

/// ln 2 within an ulp.
template <unsigned P>
const Float<P>& ln2() {
  static const Float<P> value =
      scaled<P>(exact_float<P>(scaled_ln2(P)), -static_cast<std::int64_t>(P));
  return value;
}

/// pi within an ulp.
template <unsigned P>
const Float<P>& pi() {
  static const Float<P> value =
      scaled<P>(exact_float<P>(scaled_pi(P - 2)), 2 - static_cast<std::int64_t>(P));
  return value;
}

/// Is a term too small to change the sum's last bits?
template <unsigned P>
bool is_negligible(const Float<P>& term, const Float<P>& sum) {
  return term.is_zero() || exponent_of(term) < exponent_of(sum) - static_cast<int>(P) - 4;
}

/// exp(x) - 1 for |x| <= 1/2: the series at x / 2^k, then k times (1 + y)^2 - 1 = y (2 + y), in
/// which nothing cancels.
template <unsigned P>
Float<P> expm1_series(const Float<P>& x) {
  if (x.is_zero()) return x;
  constexpr int halvings = P < 400 ? 8 : P < 1000 ? 16 : 30;
  const Float<P> t = scaled<P>(x, -halvings);
  Float<P> term = t;
  Float<P> y = t;
  for (unsigned k = 2; !is_negligible<P>(term, y); ++k) {
    term = term * t / k;
    y += term;
  }
  for (int k = 0; k < halvings; ++k) y *= 2 + y;
  return y;
}

/// 2 atanh(s) = log((1 + s) / (1 - s)) for |s| < 1/5, or so.
template <unsigned P>
Float<P> twice_artanh(const Float<P>& s) {
  if (s.is_zero()) return s;
  const Float<P> square = s * s;
  Float<P> power = s;
  Float<P> sum = s;
  for (unsigned k = 3;; k += 2) {
    power *= square;
    const Float<P> term = power / k;
    sum += term;
    if (is_negligible<P>(term, sum)) return 2 * sum;
  }
}

/// Functions of a number.
template <unsigned P>
struct Point {
  using Number = Float<P>;
  using Enclosure = Interval<P>;

  static Enclosure exp(const Number& x) {
    if (x > largest_exp_argument) {
      return {power_of_two<P>(largest_exp_argument), std::numeric_limits<Number>::infinity()};
    }
    if (x < -largest_exp_argument) return {Number(0), power_of_two<P>(-largest_exp_argument)};
    if (x.is_zero()) return {Number(1), Number(1)};
    // Any integer next to x / ln 2 will do; the second step is for those beyond 2^52.
    std::int64_t n = 0;
    Number r = x;
    for (int step = 0; step < 2; ++step) {
      const std::int64_t part = rounded_quotient(r);
      r -= part * ln2<P>();
      n += part;
    }
    const auto size = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::abs(n))));
    const int bits = function_margin_bits + 2 + size;
    return around<P>(scaled<P>(1 + expm1_series<P>(r), n), bits);
  }

  static Enclosure expm1(const Number& x) {
    if (abs(x) <= Number(0.5)) return around<P>(expm1_series<P>(x), function_margin_bits);
    const Enclosure y = exp(x) - one();
    return {std::max(y.low, Number(-1)), y.high};
  }

  /// x > 0, or 0 as a lower end.
  static Enclosure log(const Number& x) {
    if (x.is_zero()) return {-std::numeric_limits<Number>::infinity(), smallest_log()};
    if (is_infinite(x)) return {-smallest_log(), std::numeric_limits<Number>::infinity()};
    // x = 2^e * f with f around 1, where f - 1 is exact and the sum does not cancel.
    std::int64_t e = exponent_of(x);
    Number f = scaled<P>(x, -e);
    if (f > Number(1.4375)) {
      f /= 2;
      ++e;
    }
    const Number sum = e * ln2<P>() + twice_artanh<P>((f - 1) / (f + 1));
    return around<P>(sum, function_margin_bits);
  }

  /// x > -1, or -1 as a lower end.
  static Enclosure log1p(const Number& x) {
    if (abs(x) <= Number(0.25)) {
      return around<P>(twice_artanh<P>(x / (2 + x)), function_margin_bits);
    }
    if (is_infinite(x)) return log(x);
    const Enclosure shifted = Enclosure{x, x} + one();
    return {log(std::max(shifted.low, Number(0))).low, log(shifted.high).high};
  }

  /// As (exp(2x) - 1) / (exp(2x) + 1); beyond |x| = P it is within 2^-P of 1.
  static Enclosure tanh(const Number& x) {
    if (x.sign() < 0) return -tanh(-x);
    if (x > static_cast<int>(P)) return {below<P>(Number(1)), Number(1)};
    const Enclosure y = expm1(2 * x);
    const Enclosure quotient = y / (y + one() + one());
    return {quotient.low, std::min(quotient.high, Number(1))};
  }

  static Enclosure sigmoid(const Number& x) {
    if (x.sign() < 0) {
      const Enclosure y = exp(x);
      return y / (one() + y);
    }
    const Enclosure y = inverse(one() + exp(-x));
    return {y.low, std::min(y.high, Number(1))};
  }

  /// 2 / sqrt(pi) * exp(-x^2) * sum of 2^k x^(2k+1) / (2k+1)!! (Abramowitz and Stegun 7.1.6), whose
  /// terms are positive. 1 - erf(x) < exp(-x^2) for x > 1.
  static Enclosure erf(const Number& x) {
    if (x.sign() < 0) return -erf(-x);
    if (is_infinite(x) || x * x > static_cast<int>(P)) return {below<P>(Number(1)), Number(1)};
    const Number twice_square = 2 * x * x;
    Number term = x;
    Number sum = x;
    for (unsigned k = 3; !is_negligible<P>(term, sum) || k < twice_square; k += 2) {
      term = term * twice_square / k;
      sum += term;
    }
    const Number factor = 2 * sum / sqrt(pi<P>());
    const Enclosure y = exp(-(x * x)) * around<P>(factor, function_margin_bits);
    return {y.low, std::min(y.high, Number(1))};
  }

 private:
  /// x / ln 2 rounded to an integer, more or less.
  static std::int64_t rounded_quotient(const Number& x) {
    if (x.is_zero() || exponent_of(x) < -2) return 0;
    const double quotient = x.template convert_to<double>() * 1.4426950408889634;
    return static_cast<std::int64_t>(quotient + (quotient < 0 ? -0.5 : 0.5));
  }
  static Enclosure one() { return {Number(1), Number(1)}; }
  /// Above log of anything that an end of 0 may stand for.
  static Number smallest_log() { return Number(-(exponent_limit / 2)); }
};

/// The image of an interval under an increasing function of `Point`.
template <unsigned P>
Interval<P> image(const Interval<P>& x, Interval<P> (*function)(const Float<P>&)) {
  const Interval<P> low = function(x.low);
  return x.low == x.high ? low : Interval<P>{low.low, function(x.high).high};
}

}  // namespace halfulp::oracles
