// The ball tier's block loops, compiled once for every instruction set and chosen at run time.
#include "oracles/ball_kernels.h"

#include <cmath>
#include <limits>

#include "harness/encoding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/ball_kernels.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "oracles/ball_functions.h"
#include "oracles/ball_vector.h"

HWY_BEFORE_NAMESPACE();
namespace halfulp::oracles::HWY_NAMESPACE {

HWY_INLINE BallVector loaded(const BallOperand& operand, std::size_t lane) {
  const std::size_t i = lane & operand.lane_mask;
  return {hn::Load(D(), operand.value + i), hn::Load(D(), operand.radius + i)};
}

HWY_INLINE void store(BallVector ball, const BallTarget& out, std::size_t lane) {
  hn::Store(ball.value, D(), out.value + lane);
  hn::Store(ball.radius, D(), out.radius + lane);
}

constexpr std::size_t whole_groups(std::size_t size) {
  return (size + ball_group - 1) / ball_group * ball_group;
}

// ---- operations

using Unary = BallVector (*)(BallVector);
using Binary = BallVector (*)(BallVector, BallVector);

template <Unary operation>
HWY_NOINLINE void each(const BallOperand& a, const BallTarget& out, std::size_t size) {
  const std::size_t end = whole_groups(size);
  for (std::size_t i = 0; i < end; i += hn::Lanes(D())) store(operation(loaded(a, i)), out, i);
}

template <Binary operation>
HWY_NOINLINE void each(const BallOperand& a, const BallOperand& b, const BallTarget& out,
                       std::size_t size) {
  const std::size_t end = whole_groups(size);
  for (std::size_t i = 0; i < end; i += hn::Lanes(D())) {
    store(operation(loaded(a, i), loaded(b, i)), out, i);
  }
}

void run_ball_op(BallOp op, const BallOperand& a, const BallOperand& b, const BallTarget& out,
                 std::size_t size) {
  switch (op) {
    case BallOp::add:
      return each<add>(a, b, out, size);
    case BallOp::sub:
      return each<sub>(a, b, out, size);
    case BallOp::mul:
      return each<mul>(a, b, out, size);
    case BallOp::div:
      return each<div>(a, b, out, size);
    case BallOp::min:
      return each<min>(a, b, out, size);
    case BallOp::max:
      return each<max>(a, b, out, size);
    case BallOp::equal:
      return each<equal>(a, b, out, size);
    case BallOp::neg:
      return each<neg>(a, out, size);
    case BallOp::abs:
      return each<abs>(a, out, size);
    case BallOp::sqrt:
      return each<sqrt>(a, out, size);
    case BallOp::floor:
      return each<floor>(a, out, size);
    case BallOp::exp:
      return each<exp>(a, out, size);
    case BallOp::log:
      return each<log>(a, out, size);
    case BallOp::log1p:
      return each<log1p>(a, out, size);
    case BallOp::expm1:
      return each<expm1>(a, out, size);
    case BallOp::tanh:
      return each<tanh>(a, out, size);
    case BallOp::sigmoid:
      return each<sigmoid>(a, out, size);
    case BallOp::erf:
      return each<erf>(a, out, size);
  }
}

// ---- inputs

HWY_INLINE void store_exact(V value, const BallTarget& out, std::size_t lane) {
  const V radius = hn::IfThenElse(hn::IsFinite(value), none(), unbounded());
  store({value, radius}, out, lane);
}

HWY_INLINE V widened_from(const float* stored) {
  return hn::PromoteTo(D(), hn::LoadU(DF(), stored));
}
HWY_INLINE V widened_from(const double* stored) { return hn::LoadU(D(), stored); }

template <typename Stored>
HWY_INLINE void load_stored(const Stored* stored, std::size_t size, const BallTarget& out) {
  const std::size_t n = hn::Lanes(D());
  std::size_t i = 0;
  for (; i + ball_group <= size; i += ball_group) {
    for (std::size_t k = 0; k < ball_group; k += n) {
      store_exact(widened_from(stored + i + k), out, i + k);
    }
  }
  if (i == size) return;
  Stored last[ball_group] = {};
  for (std::size_t k = 0; i + k < size; ++k) last[k] = stored[i + k];
  for (std::size_t k = 0; k < ball_group; k += n) store_exact(widened_from(last + k), out, i + k);
}

void load_floats(const float* stored, std::size_t size, const BallTarget& out) {
  load_stored(stored, size, out);
}

void load_doubles(const double* stored, std::size_t size, const BallTarget& out) {
  load_stored(stored, size, out);
}

void load_indices(double first, std::size_t size, const BallTarget& out) {
  const std::size_t end = whole_groups(size);
  for (std::size_t i = 0; i < end; i += hn::Lanes(D())) {
    store({hn::Iota(D(), first + static_cast<double>(i)), none()}, out, i);
  }
}

// ---- sums

/// The streams of one vector. high and low hold on to the rounding errors (of low into `lost`).
void accumulate(const BallOperand& balls, std::size_t size, BallSum& sum) {
  const D d;
  for (std::size_t stream = 0; stream < ball_group; stream += hn::Lanes(d)) {
    V high = hn::Load(d, sum.high.data() + stream);
    V low = hn::Load(d, sum.low.data() + stream);
    V lost = hn::Load(d, sum.lost.data() + stream);
    V radius = hn::Load(d, sum.radius.data() + stream);
    for (std::size_t i = stream; i < size; i += ball_group) {
      const BallVector ball = loaded(balls, i);
      const V next = hn::Add(high, ball.value);
      const V error = error_of_sum(high, ball.value, next);
      const V next_low = hn::Add(low, error);
      lost = hn::Add(lost, hn::Abs(error_of_sum(low, error, next_low)));
      radius = hn::Add(radius, ball.radius);
      high = next;
      low = next_low;
    }
    hn::Store(high, d, sum.high.data() + stream);
    hn::Store(low, d, sum.low.data() + stream);
    hn::Store(lost, d, sum.lost.data() + stream);
    hn::Store(radius, d, sum.radius.data() + stream);
  }
}

// ---- rounding

/// Constants of a rounding in every lane.
struct BallRoundingVectors {
  explicit BallRoundingVectors(const BallRounding& rounding)
      : kept_mask(hn::Set(DU(), rounding.constants.kept_mask)),
        half(hn::Set(DU(), rounding.constants.half)),
        min_normal(number(rounding.constants.min_normal)),
        overflow_threshold(number(rounding.constants.overflow_threshold)),
        subnormal_magic(number(rounding.constants.subnormal_magic)),
        half_min_subnormal(number(rounding.constants.half_min_subnormal)),
        dropped_bits(rounding.constants.dropped_bits) {}

  VU kept_mask;
  VU half;
  V min_normal;
  V overflow_threshold;
  V subnormal_magic;
  V half_min_subnormal;
  int dropped_bits;
};

struct RoundedMagnitude {
  V rounded;
  M decided;
};

/// Normal magnitudes, to nearest-even by adding half an ulp less one, plus the last kept bit.
///
/// Let U be the format's spacing at a and m the midpoint in a's cell; a - m is exact. If
/// |a - m| > 2r then r < U/4 and the ball reaches neither m nor another midpoint, which lie at
/// least U/4 below the cell (half of the halved spacing below a power of two) and U/2 above it: so
/// all of it rounds as a does. An exact value rounds with its ties.
HWY_INLINE RoundedMagnitude round_normal(V a, V margin, const BallRoundingVectors& c) {
  const DU du;
  const auto bits = hn::BitCast(du, a);
  const auto one = hn::Set(du, std::uint64_t{1});
  const auto odd = hn::And(hn::ShiftRightSame(bits, c.dropped_bits), one);
  const auto sum = hn::Add(hn::Add(bits, hn::Sub(c.half, one)), odd);
  const V midpoint = hn::BitCast(D(), hn::Or(hn::And(bits, c.kept_mask), c.half));
  const M is_far = hn::Gt(hn::Abs(hn::Sub(a, midpoint)), margin);
  return {hn::BitCast(D(), hn::And(sum, c.kept_mask)),
          hn::And(hn::Lt(a, c.overflow_threshold), hn::Or(is_far, is_zero(margin)))};
}

/// Magnitudes below the smallest normal: adding and subtracting 2^52 spacings rounds to the
/// spacing, to nearest-even; the nearest midpoint is half a spacing less the distance to the result
/// away. A result that underflows has a known sign if the ball does not reach 0 or is `positive`.
HWY_INLINE RoundedMagnitude round_subnormal(V a, V margin, M is_positive,
                                            const BallRoundingVectors& c) {
  const V near = hn::Sub(hn::Add(a, c.subnormal_magic), c.subnormal_magic);
  const V distance = hn::Sub(c.half_min_subnormal, hn::Abs(hn::Sub(a, near)));
  const M has_sign = hn::Or(is_positive, hn::Ge(a, margin));
  const M is_far = hn::And(hn::Gt(distance, margin), has_sign);
  return {near, hn::Or(is_far, is_zero(margin))};
}

/// Any magnitude that does not overflow.
HWY_INLINE RoundedMagnitude round_any(V a, V margin, M is_positive, const BallRoundingVectors& c) {
  const RoundedMagnitude normal = round_normal(a, margin, c);
  const RoundedMagnitude low = round_subnormal(a, margin, is_positive, c);
  const M is_small = hn::Lt(a, c.min_normal);
  return {hn::IfThenElse(is_small, low.rounded, normal.rounded),
          hn::Or(hn::And(is_small, low.decided), hn::AndNot(is_small, normal.decided))};
}

/// The lanes of a vector at `lane` that are set and below the step's size, as bits.
HWY_INLINE std::uint64_t bits_of(M mask, std::size_t lane, const BallRoundStep& step) {
  const D d;
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  const std::uint64_t bits = bytes[0];
  const bool is_whole = lane + hn::Lanes(d) <= step.size;
  return is_whole ? bits : bits & ((std::uint64_t{1} << (step.size - lane)) - 1);
}

HWY_INLINE void store_carried(hn::Vec<DF> carried, const BallRoundStep& step, std::size_t lane) {
  const DF df;
  if (lane + hn::Lanes(df) <= step.size) {
    hn::StoreU(carried, df, step.rounded + lane);
    return;
  }
  float last[8];
  hn::StoreU(carried, df, last);
  for (std::size_t k = 0; lane + k < step.size; ++k) step.rounded[lane + k] = last[k];
}

/// Lanes whose whole ball overflows. The overflow threshold is a midpoint too, which a ball above
/// it must not reach.
HWY_INLINE M overflows(V a, V margin, const BallRounding& rounding) {
  const M is_beyond = hn::Ge(a, number(rounding.overflow_from));
  const V distance = hn::Sub(a, number(rounding.constants.overflow_threshold));
  return hn::And(is_beyond, hn::And(hn::Ge(distance, margin), hn::Lt(margin, unbounded())));
}

/// Puts what overflows to where `overflown` is set. By selection among floats: some targets demote
/// an infinity to a finite number.
HWY_INLINE hn::Vec<DF> with_overflows(hn::Vec<DF> carried, M overflown,
                                      const BallRounding& rounding) {
  const DF df;
  const auto flags = hn::DemoteTo(df, hn::IfThenElseZero(overflown, number(1)));
  const auto magnitude = hn::Set(df, rounding.overflowed_magnitude);
  const auto overflowed =
      std::isnan(rounding.overflowed_magnitude) ? magnitude : hn::CopySign(magnitude, carried);
  return hn::IfThenElse(hn::Ne(flags, hn::Zero(df)), overflowed, carried);
}

/// A vector in which not every lane is normal and decided.
HWY_INLINE void round_carefully(const BallRoundStep& step, const BallRounding& rounding,
                                const BallRoundingVectors& c, std::size_t lane,
                                LaneSet& undecided) {
  const V value = hn::Load(D(), step.value + lane);
  const V radius = hn::Load(D(), step.radius + lane);
  const V a = hn::Abs(value);
  const V margin = hn::Add(radius, radius);
  const M is_positive = hn::Eq(none(), number(step.sign == KnownSign::positive ? 0 : 1));
  const RoundedMagnitude out = round_any(a, margin, is_positive, c);
  const V sign = hn::IfThenZeroElse(is_positive, hn::Xor(value, a));
  const M overflown = overflows(a, margin, rounding);
  const auto carried = hn::DemoteTo(DF(), hn::Or(out.rounded, sign));
  store_carried(with_overflows(carried, overflown, rounding), step, lane);
  const M decided = hn::Or(out.decided, overflown);
  if (hn::AllTrue(D(), decided)) return;
  const std::size_t first = step.first_lane + lane;
  undecided.words[first / 64] |= bits_of(hn::Not(decided), lane, step) << (first % 64);
}

void round_balls(const BallRoundStep& step, const BallRounding& rounding, LaneSet& undecided) {
  const D d;
  const BallRoundingVectors c(rounding);
  for (std::size_t i = 0; i < step.size; i += hn::Lanes(d)) {
    const V value = hn::Load(d, step.value + i);
    const V radius = hn::Load(d, step.radius + i);
    const V a = hn::Abs(value);
    const RoundedMagnitude out = round_normal(a, hn::Add(radius, radius), c);
    const M is_plain = hn::And(out.decided, hn::Ge(a, c.min_normal));
    if (HWY_LIKELY(hn::AllTrue(d, is_plain))) {
      store_carried(hn::DemoteTo(DF(), hn::Or(out.rounded, hn::Xor(value, a))), step, i);
    } else {
      round_carefully(step, rounding, c, i, undecided);
    }
  }
}

}  // namespace halfulp::oracles::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfulp::oracles {

HWY_EXPORT(run_ball_op);
HWY_EXPORT(load_floats);
HWY_EXPORT(load_doubles);
HWY_EXPORT(load_indices);
HWY_EXPORT(accumulate);
HWY_EXPORT(round_balls);

void run_ball_op(BallOp op, const BallOperand& a, const BallOperand& b, const BallTarget& out,
                 std::size_t size) {
  HWY_DYNAMIC_DISPATCH(run_ball_op)(op, a, b, out, size);
}

void load_balls(const float* stored, std::size_t size, const BallTarget& out) {
  HWY_DYNAMIC_DISPATCH(load_floats)(stored, size, out);
}

void load_balls(const double* stored, std::size_t size, const BallTarget& out) {
  HWY_DYNAMIC_DISPATCH(load_doubles)(stored, size, out);
}

void load_indices(double first, std::size_t size, const BallTarget& out) {
  HWY_DYNAMIC_DISPATCH(load_indices)(first, size, out);
}

void accumulate(const BallOperand& balls, std::size_t size, BallSum& sum) {
  HWY_DYNAMIC_DISPATCH(accumulate)(balls, size, sum);
}

void round_balls(const BallRoundStep& step, const BallRounding& rounding, LaneSet& undecided) {
  HWY_DYNAMIC_DISPATCH(round_balls)(step, rounding, undecided);
}

namespace {

/// Adds x to high and returns what its rounding lost (Knuth's TwoSum).
double add_to(double& high, double x) {
  const double sum = high + x;
  const double x_part = sum - high;
  const double error = (high - (sum - x_part)) + (x - x_part);
  high = sum;
  return error;
}

float magnitude_of_overflow(const Format& format) {
  switch (format.overflow) {
    case Overflow::infinity:
      return std::numeric_limits<float>::infinity();
    case Overflow::saturate:
      return static_cast<float>(to_double(format.max_finite(), format));
    case Overflow::nan:
      break;
  }
  return std::numeric_limits<float>::quiet_NaN();
}

/// The last value's significand is odd where there is an infinity, so that the tie above it
/// overflows.
double lowest_overflow(double threshold, const Format& format) {
  const bool ties_to_last = (format.max_finite() & 1) == 0;
  return ties_to_last ? std::nextafter(threshold, 2 * threshold) : threshold;
}

}  // namespace

Ball total(const BallSum& sum) {
  double high = 0;
  double low = 0;
  double radius = 0;
  for (std::size_t k = 0; k < ball_group; ++k) {
    radius += sum.lost[k] + sum.radius[k];
    radius += std::fabs(add_to(low, add_to(high, sum.high[k])));
    radius += std::fabs(add_to(low, sum.low[k]));
  }
  radius += std::fabs(add_to(high, low));
  const bool is_known = std::isfinite(high) && radius < 0x1p+1000;
  return {high, is_known ? radius * (1 + 0x1p-19) : std::numeric_limits<double>::infinity()};
}

BallRounding::BallRounding(const Format& format)
    : constants(format),
      overflow_from(lowest_overflow(constants.overflow_threshold, format)),
      overflowed_magnitude(magnitude_of_overflow(format)) {}

float BallRounding::overflowed(double value) const {
  return value < 0 && !std::isnan(overflowed_magnitude) ? -overflowed_magnitude
                                                        : overflowed_magnitude;
}

}  // namespace halfulp::oracles
#endif  // HWY_ONCE
