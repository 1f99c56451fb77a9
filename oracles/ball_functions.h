// Elementary functions of balls, one vector of lanes at a time; included once for each instruction
// set. Notation as in ball_vector.h; bounds of an error are written in units of u = 2^-53, with
// terms of the order of u^2 left out and a claim that is larger by far more than those.
#if defined(HALFULP_ORACLES_BALL_FUNCTIONS_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFULP_ORACLES_BALL_FUNCTIONS_H_
#undef HALFULP_ORACLES_BALL_FUNCTIONS_H_
#else
#define HALFULP_ORACLES_BALL_FUNCTIONS_H_
#endif

#include <array>
#include <cstddef>
#include <cstdint>

#include "oracles/ball_vector.h"

HWY_BEFORE_NAMESPACE();
namespace halfulp::oracles::HWY_NAMESPACE {

// ln 2 = ln2_high + ln2_low + 2^-102: the first has 42 bits, so k * ln2_high is exact for
// |k| <= 2^11; the second lies below 2^-44.
constexpr double ln2_high = 0x1.62e42fefa3800p-1;
constexpr double ln2_low = 0x1.ef35793c76730p-45;

/// The arguments whose exponential and its reciprocal are normal doubles.
constexpr double lowest_exponent = -708;
constexpr double highest_exponent = 709;

/// a0 + x (a1 + x (a2 + ...)).
template <std::size_t size>
HWY_INLINE V polynomial(V x, const std::array<double, size>& coefficients) {
  V out = number(coefficients[size - 1]);
  for (std::size_t k = size - 1; k-- > 0;) out = hn::Add(hn::Mul(out, x), number(coefficients[k]));
  return out;
}

// ---- exponentials

/// exp(x) = 2^k (1 + p), for x from lowest_exponent to highest_exponent.
struct Exponential {
  V p;        ///< within 3u |p| of expm1(r^), and within that + 0.6u of expm1(r)
  V k;        ///< an integer; where it is 0 then r^ = r = x
  VU scaler;  ///< k in the exponent field of a double: added to the bits of a y, it makes 2^k y
};

/// k is the integer nearest to x / ln 2 (or next to it by a rounding error: |r| < 0.3467).
///
/// r = x - k ln 2: k * ln2_high is exact, and so is x less it: both are multiples of 2^-54 where
/// k is not 0, and the difference is below 1/2. Then |r^ - r| <= 0.3467u (last subtraction)
/// + 2^-86 (k * ln2_low) + 2^-91 (rest of ln 2) < 0.35u, which exp multiplies by at most 1.42:
/// 0.5u.
///
/// p = r + r^2 q(r), the Taylor polynomial of expm1 of degree 13. The rest of the series is below
/// 1.03 |r|^14 / 14! <= 0.13u |p|, since |p| >= 0.845 |r| (smallest at r = -0.3467). Horner's rule
/// multiplies term j of q by at most 2j + 1 roundings, and the coefficient has one: in all
/// 0.5u + sum over j >= 1 of (2j + 2)u |r|^j / (j + 2)! <= 0.77u, q <= 0.57. The product r^2 q adds
/// 2u q: 1.91u r^2 <= 0.79u |p|. The last sum adds u |p|. Together 1.92u |p|.
HWY_INLINE Exponential exponential(V x) {
  constexpr std::array<double, 12> inverse_factorials = {
      0x1.0000000000000p-1,  0x1.5555555555555p-3,  0x1.5555555555555p-5,  0x1.1111111111111p-7,
      0x1.6c16c16c16c17p-10, 0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-16, 0x1.71de3a556c734p-19,
      0x1.27e4fb7789f5cp-22, 0x1.ae64567f544e4p-26, 0x1.1eed8eff8d898p-29, 0x1.6124613a86d09p-33};
  const V to_integer = number(0x1.8p52);  // the sum has the integer in its last bits
  const V shifted = hn::Add(hn::Mul(x, number(0x1.71547652b82fep+0)), to_integer);
  const V k = hn::Sub(shifted, to_integer);
  const V r = hn::Sub(hn::Sub(x, hn::Mul(k, number(ln2_high))), hn::Mul(k, number(ln2_low)));
  const V p = hn::Add(r, hn::Mul(hn::Mul(r, r), polynomial(r, inverse_factorials)));
  return {p, k, hn::ShiftLeft<52>(hn::BitCast(DU(), shifted))};
}

/// 2^k y, exactly: y and the result are normal.
HWY_INLINE V scaled(V y, const Exponential& e) {
  return hn::BitCast(D(), hn::Add(hn::BitCast(DU(), y), e.scaler));
}

/// Bound of e^radius - 1: r + r^2 for r <= 1.
HWY_INLINE V growth(V radius) {
  return hn::IfThenElse(hn::Le(radius, number(1)), hn::Add(radius, hn::Mul(radius, radius)),
                        unbounded());
}

HWY_INLINE M has_exponential(V x) {
  return hn::And(hn::Ge(x, number(lowest_exponent)), hn::Le(x, number(highest_exponent)));
}

/// Do all numbers of the ball lie below lowest_exponent? Their exponentials are below 2^-1021.
HWY_INLINE M has_no_exponential(BallVector a) {
  return hn::Lt(hn::Add(a.value, a.radius), number(lowest_exponent));
}

HWY_INLINE M is_exact_zero(BallVector a) { return hn::And(is_zero(a.value), is_zero(a.radius)); }

/// 1 + p: the sum's rounding is u; 3u |p| <= 1.25u e^r since |expm1(r)| <= 0.4145 e^r; 0.35u from
/// r: 2.6u < 4u relative to the result. exp(y) <= exp(a^) e^radius for every y of the ball.
HWY_INLINE BallVector exp(BallVector a) {
  const Exponential e = exponential(a.value);
  const V value = scaled(hn::Add(number(1), e.p), e);
  const V relative = hn::Add(growth(a.radius), number(4 * unit_roundoff));
  const V radius = widened(hn::Add(hn::Mul(value, relative), number(tiny)));
  const V known = hn::IfThenElse(has_exponential(a.value), radius, unbounded());
  const M vanishes = has_no_exponential(a);
  return sealed(
      hn::IfThenElse(vanishes, number(0x1p-1022), value),
      hn::IfThenElse(vanishes, number(0x1p-1022), hn::IfThenZeroElse(is_exact_zero(a), known)));
}

/// 2^k p + (2^k - 1), the second exact but for what its sum's error says; where k is 0 it is 0. The
/// derivative over the ball is at most 2^k * 1.42 * e^radius.
HWY_INLINE BallVector expm1(BallVector a) {
  const Exponential e = exponential(a.value);
  const V power = scaled(number(1), e);
  const V reduction = hn::IfThenZeroElse(is_zero(e.k), number(0.6 * unit_roundoff));
  const V p_error = hn::Add(hn::Mul(hn::Abs(e.p), number(3 * unit_roundoff)), reduction);
  const V spread = hn::Mul(number(1.5), growth(a.radius));
  const V radius = hn::Add(hn::Mul(power, hn::Add(p_error, spread)), number(tiny));
  const BallVector offset = add({power, none()}, exact_ball(-1));
  const BallVector sum = add(offset, {hn::Mul(power, e.p), widened(radius)});
  const V known = hn::IfThenElse(has_exponential(a.value), sum.radius, unbounded());
  const M vanishes = has_no_exponential(a);
  const V value = hn::IfThenElse(is_zero(a.value), a.value, sum.value);
  return sealed(
      hn::IfThenElse(vanishes, number(-1), value),
      hn::IfThenElse(vanishes, number(0x1p-1021), hn::IfThenZeroElse(is_exact_zero(a), known)));
}

/// (e^2t - 1) / (e^2t + 1) for t = -|a^|; an odd function, so the sign of a^ may be taken out of
/// all numbers of the ball.
HWY_INLINE BallVector tanh(BallVector a) {
  const V twice = hn::Neg(hn::Add(hn::Abs(a.value), hn::Abs(a.value)));
  const BallVector m = expm1({twice, hn::Add(a.radius, a.radius)});
  const BallVector ratio = div(m, add(m, exact_ball(2)));
  return {hn::CopySignToAbs(hn::Abs(ratio.value), a.value), ratio.radius};
}

/// With e = exp(-|a^|): 1 / (1 + e) where a^ >= 0, otherwise e / (1 + e).
HWY_INLINE BallVector sigmoid(BallVector a) {
  const BallVector e = exp({hn::Neg(hn::Abs(a.value)), a.radius});
  const M is_negative = hn::Lt(a.value, none());
  const BallVector one = exact_ball(1);
  const BallVector numerator = {hn::IfThenElse(is_negative, e.value, one.value),
                                hn::IfThenElse(is_negative, e.radius, one.radius)};
  return div(numerator, add(one, e));
}

// ---- logarithms

/// log(x) within 4u |log(x)|, for normal x > 0; exactly 0 for 1.
///
/// x = 2^k m with m from sqrt(1/2) to sqrt(2), f = m - 1 (exact), s = f / (2 + f), |s| <= 0.1716:
///   log(m) = 2 atanh(s) = f - (h - s (h + R)),  h = f^2 / 2,  R = sum of 2 s^2j / (2j + 1), j >= 1
/// (2s = f - s f, and s f = h - s h). The sum stops at j = 10; the rest is below 0.01u log(m).
/// Worst at f = 0.4143, where h = 0.0858, R = 0.02, s (h + R) = 0.0182, log(m) = 0.3466; errors:
/// s 2u and R 9u of themselves; h + R 0.38u; s (h + R) 0.12u; h less it 0.29u in all; and the last
/// subtraction u log(m), so 1.84u |log(m)|. They are O(f^2) but for the last: smaller f are better.
/// Where k is not 0: k * ln2_high is exact, k * ln2_low loses 2^-86 and its sum with s (h + R)
/// 0.02u, ln 2 itself 2^-91; f less the rest rounds 0.35u; in all 0.66u <= 1.91u |log(x)| since
/// |log(x)| >= 0.3465, and u for the last sum: 2.91u.
HWY_INLINE V logarithm(V x) {
  constexpr std::array<double, 10> odd_reciprocals = {
      0x1.5555555555555p-1, 0x1.999999999999ap-2, 0x1.2492492492492p-2, 0x1.c71c71c71c71cp-3,
      0x1.745d1745d1746p-3, 0x1.3b13b13b13b14p-3, 0x1.1111111111111p-3, 0x1.e1e1e1e1e1e1ep-4,
      0x1.af286bca1af28p-4, 0x1.8618618618618p-4};
  const DU du;
  const D d;
  // The exponent field steps at sqrt(1/2) instead of at 1.
  const auto one = hn::Set(du, std::uint64_t{0x3ff0000000000000});
  const auto root_half = hn::Set(du, std::uint64_t{0x3fe6a09e667f3bcd});
  const auto shifted = hn::Add(hn::BitCast(du, x), hn::Sub(one, root_half));
  const auto fraction = hn::And(shifted, hn::Set(du, std::uint64_t{0x000fffffffffffff}));
  const V f = hn::Sub(hn::BitCast(d, hn::Add(fraction, root_half)), number(1));
  // The biased exponent becomes a double by way of the last bits of 2^52.
  const auto biased = hn::Or(hn::ShiftRight<52>(shifted), hn::BitCast(du, number(0x1p52)));
  const V k = hn::Sub(hn::BitCast(d, biased), number(0x1p52 + 1023));
  const V s = hn::Div(f, hn::Add(number(2), f));
  const V square = hn::Mul(s, s);
  const V series = hn::Mul(square, polynomial(square, odd_reciprocals));
  const V half_square = hn::Mul(number(0.5), hn::Mul(f, f));
  const V correction =
      hn::Add(hn::Mul(s, hn::Add(half_square, series)), hn::Mul(k, number(ln2_low)));
  return hn::Add(hn::Mul(k, number(ln2_high)), hn::Sub(f, hn::Sub(half_square, correction)));
}

/// |log(y) - log(a^)| <= |y - a^| / min(y, a^).
HWY_INLINE BallVector log(BallVector a) {
  const V value = logarithm(a.value);
  const V least = hn::Sub(a.value, a.radius);
  const V spread =
      hn::Add(hn::Div(a.radius, least), hn::IfThenZeroElse(is_zero(a.radius), number(tiny)));
  const V error = hn::Mul(hn::Abs(value), number(4 * unit_roundoff));
  const V radius = widened(hn::Add(spread, error));
  return sealed(value, hn::IfThenElse(hn::Ge(least, number(0x1p-1022)), radius, unbounded()));
}

/// log(w) + log(1 + c / w), where w + c = 1 + a^ exactly and |t| = |c / w| <= u, so that
/// |log(1 + t) - t| <= t^2. The ball spreads the argument of the logarithm as in `log`; where its
/// radius is at most w / 2, c is negligible beside w - radius.
HWY_INLINE BallVector log1p(BallVector a) {
  const V w = hn::Add(number(1), a.value);
  const V c = error_of_sum(number(1), a.value, w);
  const V t = hn::Div(c, w);
  const V main = logarithm(w);
  const V main_error = hn::Mul(hn::Abs(main), number(4 * unit_roundoff));
  const V t_error = hn::Add(rounding_error(t), hn::Mul(t, t));
  const V spread = hn::Div(a.radius, hn::Sub(w, a.radius));
  const BallVector sum = add({main, none()}, {t, widened(hn::Add(main_error, t_error))});
  const V radius = widened(hn::Add(sum.radius, spread));
  const M is_known =
      hn::And(hn::Ge(w, number(0x1p-1000)), hn::Le(a.radius, hn::Mul(number(0.5), w)));
  return sealed(
      hn::IfThenElse(is_zero(a.value), a.value, sum.value),
      hn::IfThenZeroElse(is_exact_zero(a), hn::IfThenElse(is_known, radius, unbounded())));
}

// ---- the error function

struct SeriesSum {
  V value;
  V relative;  ///< bound of the relative error; infinite where the series was not summed
};

/// Sum of t_k = 2^k x^(2k+1) / (2k+1)!!, for 0 <= x < 6. Every term is positive. A step to the next
/// term rounds five times (q, 2k + 3 inverted, two products, and the sum): 6u a term. A term that
/// is below 2^-60 of the sum comes after the largest one, and its ratio to the term before is then
/// below 3/4 (ratios fall slowly: at most x^2 / 3 <= 12 of them lie between 3/4 and 1, and their
/// product is far above 2^-60), so all that follow add less than 2^-58.
HWY_INLINE SeriesSum erf_series(V x) {
  const V q = hn::Mul(number(2), hn::Mul(x, x));
  V term = x;
  V sum = x;
  V count = number(1);
  for (int k = 0; k < 200 && !hn::AllTrue(D(), is_zero(term)); ++k) {
    term = hn::Mul(hn::Mul(term, q), number(1.0 / (2 * k + 3)));
    term = hn::IfThenZeroElse(hn::Lt(term, hn::Mul(sum, number(0x1p-60))), term);
    sum = hn::Add(sum, term);
    count = hn::Add(count, hn::IfThenZeroElse(is_zero(term), number(1)));
  }
  const V relative = hn::Add(hn::Mul(count, number(6 * unit_roundoff)), number(0x1p-58));
  return {sum, hn::IfThenElse(is_zero(term), relative, unbounded())};
}

/// erf(x) = 2 / sqrt(pi) e^(-x^2) times the series (Abramowitz and Stegun 7.1.6); 1 - erf(6) is
/// below 2^-55. The derivative is at most 2 / sqrt(pi) < 1.13.
HWY_INLINE BallVector erf(BallVector a) {
  const V x = hn::Abs(a.value);
  const M is_small = hn::Lt(x, number(6));
  const V within = hn::IfThenElseZero(is_small, x);
  const SeriesSum series = erf_series(within);
  const BallVector decay = exp(neg(mul({within, none()}, {within, none()})));
  const BallVector factor = mul(decay, {number(0x1.20dd750429b6dp+0), number(0x1p-53)});
  const BallVector sum = {series.value,
                          hn::Add(hn::Mul(series.value, series.relative), number(tiny))};
  const BallVector small = mul(factor, sealed(sum.value, widened(sum.radius)));
  const V magnitude = hn::IfThenElse(is_small, small.value, number(1));
  const V error = hn::IfThenElse(is_small, small.radius, number(0x1p-55));
  const V radius = widened(hn::Add(error, hn::Mul(a.radius, number(1.13))));
  return sealed(hn::CopySignToAbs(magnitude, a.value),
                hn::IfThenZeroElse(is_exact_zero(a), radius));
}

}  // namespace halfulp::oracles::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HALFULP_ORACLES_BALL_FUNCTIONS_H_
