// Ball arithmetic on one vector of lanes; included once for each instruction set.
//
// Every operation is a single IEEE 754 operation rounded by itself (no multiply-add: it is fused on
// some targets only), so every target returns the same bits.
//
// Notation: u = 2^-53; x^ is the double that is computed for x. Where fl(z) does not overflow,
// |fl(z) - z| <= u |fl(z)| + eta, eta = 2^-1075 and 0 for sums (Jeannerod and Rump, "On relative
// errors of floating-point operations", 2018). A radius is an expression of fewer than 50 such
// operations on non-negative numbers: `widened` makes up for their rounding, `tiny` for what
// underflows in them.
#if defined(HALFULP_ORACLES_BALL_VECTOR_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFULP_ORACLES_BALL_VECTOR_H_
#undef HALFULP_ORACLES_BALL_VECTOR_H_
#else
#define HALFULP_ORACLES_BALL_VECTOR_H_
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace halfulp::oracles::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using DU = hn::RebindToUnsigned<D>;
using DF = hn::Rebind<float, D>;
using V = hn::Vec<D>;
using VU = hn::Vec<DU>;
using M = hn::Mask<D>;

struct BallVector {
  V value;
  V radius;
};

constexpr double unit_roundoff = 0x1p-53;
constexpr double tiny = 0x1p-1060;

HWY_INLINE V number(double x) { return hn::Set(D(), x); }
HWY_INLINE V none() { return hn::Zero(D()); }
HWY_INLINE V unbounded() { return number(std::numeric_limits<double>::infinity()); }
HWY_INLINE M is_zero(V x) { return hn::Eq(x, none()); }
HWY_INLINE BallVector exact_ball(double x) { return {number(x), none()}; }

/// Upper bound of what the rounded expression `radius` stands for.
HWY_INLINE V widened(V radius) { return hn::Mul(radius, number(1 + 0x1p-46)); }

/// No NaN among radii, and none that is not comfortably finite.
HWY_INLINE BallVector sealed(V value, V radius) {
  return {value, hn::IfThenElse(hn::Le(radius, number(0x1p+1000)), radius, unbounded())};
}

/// What one rounding of a product, quotient or root can have lost.
HWY_INLINE V rounding_error(V value) {
  return hn::Add(hn::Mul(hn::Abs(value), number(unit_roundoff)), number(tiny));
}

/// Have both at most 26 significant bits? Their product then has at most 52.
HWY_INLINE M are_short(V a, V b) {
  const DU du;
  const auto low_bits = hn::Set(du, (std::uint64_t{1} << 27) - 1);
  const auto bits = hn::And(hn::Or(hn::BitCast(du, a), hn::BitCast(du, b)), low_bits);
  return hn::RebindMask(D(), hn::Eq(bits, hn::Zero(du)));
}

/// Far enough from overflow and underflow for a product of short numbers to be exact.
HWY_INLINE M is_comfortable(V x) {
  const V magnitude = hn::Abs(x);
  return hn::And(hn::Ge(magnitude, number(0x1p-900)), hn::Le(magnitude, number(0x1p+900)));
}

/// The ball of a result that was rounded once and to which the operands' radii add `spread`; where
/// `is_exact` there is neither.
HWY_INLINE BallVector rounded_ball(V value, V spread, M is_exact) {
  const V radius = widened(hn::Add(spread, rounding_error(value)));
  return sealed(value, hn::IfThenZeroElse(is_exact, radius));
}

HWY_INLINE BallVector neg(BallVector a) { return {hn::Neg(a.value), a.radius}; }

/// The magnitude is 1-Lipschitz.
HWY_INLINE BallVector abs(BallVector a) { return {hn::Abs(a.value), a.radius}; }

/// The rounding error of the sum itself is a double and is computed exactly (Knuth's TwoSum; Muller
/// et al., Handbook of Floating-Point Arithmetic, 2nd ed., 4.3.2).
HWY_INLINE V error_of_sum(V a, V b, V sum) {
  const V b_part = hn::Sub(sum, a);
  return hn::Add(hn::Sub(a, hn::Sub(sum, b_part)), hn::Sub(b, b_part));
}

HWY_INLINE BallVector add(BallVector a, BallVector b) {
  const V sum = hn::Add(a.value, b.value);
  const V error = hn::Abs(error_of_sum(a.value, b.value, sum));
  return sealed(sum, widened(hn::Add(hn::Add(a.radius, b.radius), error)));
}

HWY_INLINE BallVector sub(BallVector a, BallVector b) { return add(a, neg(b)); }

/// a b - a^ b^ = a^ (b - b^) + b^ (a - a^) + (a - a^)(b - b^).
HWY_INLINE BallVector mul(BallVector a, BallVector b) {
  const V product = hn::Mul(a.value, b.value);
  const V spread =
      hn::Add(hn::Add(hn::Mul(hn::Abs(a.value), b.radius), hn::Mul(hn::Abs(b.value), a.radius)),
              hn::Mul(a.radius, b.radius));
  const M has_zero = hn::Or(is_zero(a.value), is_zero(b.value));
  const M is_held = hn::Or(has_zero, hn::And(are_short(a.value, b.value), is_comfortable(product)));
  return rounded_ball(product, spread, hn::And(is_held, is_zero(hn::Add(a.radius, b.radius))));
}

/// a/b - a^/b^ = (a - a^) / b + (a^/b^) (b^ - b) / b, with |b| >= |b^| - radius > 0. A quotient q
/// of exact numbers is exact if the product q b is and gives a. What underflows in the numerator is
/// divided too, hence `tiny` there.
HWY_INLINE BallVector div(BallVector a, BallVector b) {
  const V quotient = hn::Div(a.value, b.value);
  const V least = hn::Sub(hn::Abs(b.value), b.radius);
  const M is_known = hn::Gt(least, number(0x1p-1000));
  const V numerator =
      hn::Add(hn::Add(a.radius, hn::Mul(hn::Abs(quotient), b.radius)), number(tiny));
  const V spread = hn::IfThenElse(is_known, hn::Div(numerator, least), unbounded());
  const M divides = hn::And(hn::Eq(hn::Mul(quotient, b.value), a.value),
                            hn::And(are_short(quotient, b.value), is_comfortable(a.value)));
  const M is_held = hn::And(is_known, hn::Or(is_zero(a.value), divides));
  return rounded_ball(quotient, spread, hn::And(is_held, is_zero(hn::Add(a.radius, b.radius))));
}

/// |sqrt(a) - sqrt(a^)| = |a - a^| / (sqrt(a) + sqrt(a^)) <= |a - a^| / sqrt(a^) where a >= 0.
HWY_INLINE BallVector sqrt(BallVector a) {
  const V root = hn::Sqrt(a.value);
  const M is_exact_zero = hn::And(is_zero(a.value), is_zero(a.radius));
  const M is_square = hn::And(hn::Eq(hn::Mul(root, root), a.value),
                              hn::And(are_short(root, root), is_comfortable(a.value)));
  const V spread = hn::IfThenElse(
      is_exact_zero, none(),
      hn::IfThenElse(hn::Ge(a.value, a.radius), hn::Div(a.radius, root), unbounded()));
  return rounded_ball(root, spread, hn::Or(is_exact_zero, hn::And(is_square, is_zero(a.radius))));
}

/// Do the balls lie clearly apart? The margin covers the rounding of the distance.
HWY_INLINE M are_apart(BallVector a, BallVector b) {
  const V distance = hn::Abs(hn::Sub(a.value, b.value));
  return hn::Gt(distance, hn::Mul(number(2), hn::Add(a.radius, b.radius)));
}

/// One of the two values. If the balls lie apart it is the right one's; otherwise the extreme of
/// two numbers moves by no more than the farther-moved one does.
HWY_INLINE BallVector extreme(BallVector a, BallVector b, M is_a, V value) {
  const V own = hn::IfThenElse(is_a, a.radius, b.radius);
  const V wider = hn::IfThenElse(hn::Gt(a.radius, b.radius), a.radius, b.radius);
  return {value, hn::IfThenElse(are_apart(a, b), own, wider)};
}

// The hardware's minimum and maximum disagree about zeros; equal operands differ only in the sign
// of a zero, which the logical operation picks.
HWY_INLINE BallVector min(BallVector a, BallVector b) {
  const M is_a = hn::Lt(a.value, b.value);
  const V value = hn::IfThenElse(is_a, a.value, b.value);
  return extreme(a, b, is_a,
                 hn::IfThenElse(hn::Eq(a.value, b.value), hn::Or(a.value, b.value), value));
}

HWY_INLINE BallVector max(BallVector a, BallVector b) {
  const M is_a = hn::Gt(a.value, b.value);
  const V value = hn::IfThenElse(is_a, a.value, b.value);
  return extreme(a, b, is_a,
                 hn::IfThenElse(hn::Eq(a.value, b.value), hn::And(a.value, b.value), value));
}

/// Different doubles have a difference other than 0, so two exact balls are apart or equal.
HWY_INLINE BallVector equal(BallVector a, BallVector b) {
  const M is_exact = is_zero(hn::Add(a.radius, b.radius));
  const M is_known = hn::Or(are_apart(a, b), is_exact);
  return {hn::IfThenElse(hn::Eq(a.value, b.value), number(1), none()),
          hn::IfThenElse(is_known, none(), unbounded())};
}

/// The floor is certain if no integer lies in (a^ - r, a^ + r]. Distances to the integers around a^
/// are rounded (relatively by u at most), hence the comparison with 2r.
HWY_INLINE BallVector floor(BallVector a) {
  const V below = hn::IfThenElse(is_zero(a.value), a.value, hn::Floor(a.value));
  const V margin = hn::Add(a.radius, a.radius);
  const M is_certain = hn::And(hn::Ge(hn::Sub(a.value, below), margin),
                               hn::Gt(hn::Sub(hn::Add(below, number(1)), a.value), margin));
  return {below, hn::IfThenElse(hn::Or(is_certain, is_zero(a.radius)), none(), unbounded())};
}

}  // namespace halfulp::oracles::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HALFULP_ORACLES_BALL_VECTOR_H_
