// The certified tier's vector code, compiled once for every instruction set and chosen at run time.
//
// Only additions, subtractions, multiplications, divisions, square roots, comparisons and integer
// operations, each rounded by itself (no multiply-add: it is fused on some targets only), so every
// target returns the same bits.
#include "oracles/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "oracles/kernels.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace halfulp::oracles::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using DU = hn::RebindToUnsigned<D>;
using DF = hn::Rebind<float, D>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

// ---- sets of lanes

/// Adds the lanes of a vector at `lane` that are below `size` and not in `good`.
HWY_NOINLINE void insert_others(M good, std::size_t lane, std::size_t size, LaneSet& set) {
  const D d;
  if (lane >= size) return;
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, hn::Not(good), bytes);
  std::uint64_t bits = bytes[0];
  if (lane + hn::Lanes(d) > size) bits &= (std::uint64_t{1} << (size - lane)) - 1;
  set.words[lane / 64] |= bits << (lane % 64);
}

// ---- one operation

struct Add {
  HWY_INLINE V operator()(V a, V b) const { return hn::Add(a, b); }
};
struct Sub {
  HWY_INLINE V operator()(V a, V b) const { return hn::Sub(a, b); }
};
struct Mul {
  HWY_INLINE V operator()(V a, V b) const { return hn::Mul(a, b); }
};
struct Div {
  HWY_INLINE V operator()(V a, V b) const { return hn::Div(a, b); }
};
// The hardware's minimum and maximum disagree about zeros; equal operands differ only in the sign
// of a zero, which the logical operation picks.
struct Min {
  HWY_INLINE V operator()(V a, V b) const {
    return hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), hn::IfThenElse(hn::Lt(a, b), a, b));
  }
};
struct Max {
  HWY_INLINE V operator()(V a, V b) const {
    return hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::IfThenElse(hn::Lt(a, b), b, a));
  }
};
struct Neg {
  HWY_INLINE V operator()(V a, V) const { return hn::Neg(a); }
};
struct Abs {
  HWY_INLINE V operator()(V a, V) const { return hn::Abs(a); }
};
struct Sqrt {
  HWY_INLINE V operator()(V a, V) const { return hn::Sqrt(a); }
};

/// `marks_nonfinite`: results that are not finite join `undecided`.
template <Source a_source, Source b_source, bool marks_nonfinite, typename Operation>
HWY_NOINLINE void apply(const KernelStep& step, Operation operation, LaneSet& undecided) {
  const D d;
  const std::size_t n = hn::Lanes(d);
  const V a_uniform = hn::Set(d, step.a_uniform);
  const V b_uniform = hn::Set(d, step.b_uniform);
  const double* const a_lanes = step.a;
  const double* const b_lanes = step.b;
  double* const out_lanes = step.out;
  // Counted in steps of four vectors, so that the sums do not wait for one another.
  const V stride = hn::Set(d, static_cast<double>(4 * n));
  V index = hn::Iota(d, step.first);
  for (std::size_t first = 0; first < step.size; first += 4 * n) {
    HWY_UNROLL(4)
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t i = first + k * n;
      V a = a_uniform;
      V b = b_uniform;
      if constexpr (a_source == Source::lanes) a = hn::Load(d, a_lanes + i);
      if constexpr (b_source == Source::lanes) b = hn::Load(d, b_lanes + i);
      if constexpr (a_source == Source::index) {
        a = hn::Add(index, hn::Set(d, static_cast<double>(k * n)));
      }
      const V out = operation(a, b);
      hn::Store(out, d, out_lanes + i);
      if constexpr (marks_nonfinite) {
        const M finite = hn::IsFinite(out);
        if (HWY_UNLIKELY(!hn::AllTrue(d, finite))) insert_others(finite, i, step.size, undecided);
      }
    }
    index = hn::Add(index, stride);
  }
}

template <bool marks_nonfinite, typename Operation>
void apply_binary(const KernelStep& step, Operation operation, LaneSet& undecided) {
  if (step.b_source == Source::uniform) {
    if (step.a_source == Source::index) {
      apply<Source::index, Source::uniform, marks_nonfinite>(step, operation, undecided);
    } else {
      apply<Source::lanes, Source::uniform, marks_nonfinite>(step, operation, undecided);
    }
  } else if (step.a_source == Source::uniform) {
    apply<Source::uniform, Source::lanes, marks_nonfinite>(step, operation, undecided);
  } else {
    apply<Source::lanes, Source::lanes, marks_nonfinite>(step, operation, undecided);
  }
}

template <bool marks_nonfinite, typename Operation>
void apply_unary(const KernelStep& step, Operation operation, LaneSet& undecided) {
  apply<Source::lanes, Source::uniform, marks_nonfinite>(step, operation, undecided);
}

/// The floor is certain if no integer lies in (a - r, a + r]. Distances to the integers around a
/// are rounded (relatively by u at most), hence the comparison with 2r.
HWY_NOINLINE void apply_floor(const KernelStep& step, LaneSet& undecided) {
  const D d;
  const V relative = hn::Set(d, step.relative);
  const V absolute = hn::Set(d, step.absolute);
  const V one = hn::Set(d, 1.0);
  for (std::size_t i = 0; i < step.size; i += hn::Lanes(d)) {
    const V a = hn::Load(d, step.a + i);
    // Some targets lose the sign of a zero.
    const V below = hn::IfThenElse(hn::Eq(a, hn::Zero(d)), a, hn::Floor(a));
    const V radius = hn::Add(hn::Mul(relative, hn::Abs(a)), absolute);
    const V margin = hn::Add(radius, radius);
    const M certain =
        hn::And(hn::Ge(hn::Sub(a, below), margin), hn::Gt(hn::Sub(hn::Add(below, one), a), margin));
    hn::Store(below, d, step.out + i);
    if (step.absolute > 0 && !hn::AllTrue(d, certain)) {
      insert_others(certain, i, step.size, undecided);
    }
  }
}

void run_kernel(const KernelStep& step, LaneSet& undecided) {
  switch (step.op) {
    case KernelOp::add:
      return apply_binary<false>(step, Add(), undecided);
    case KernelOp::sub:
      return apply_binary<false>(step, Sub(), undecided);
    case KernelOp::mul:
      return apply_binary<false>(step, Mul(), undecided);
    case KernelOp::div:
      return apply_binary<true>(step, Div(), undecided);
    case KernelOp::min:
      return apply_binary<false>(step, Min(), undecided);
    case KernelOp::max:
      return apply_binary<false>(step, Max(), undecided);
    case KernelOp::neg:
      return apply_unary<false>(step, Neg(), undecided);
    case KernelOp::abs:
      return apply_unary<false>(step, Abs(), undecided);
    case KernelOp::sqrt:
      return apply_unary<true>(step, Sqrt(), undecided);
    case KernelOp::floor:
      return apply_floor(step, undecided);
  }
}

// ---- rounding

/// Constants of a rounding in every lane.
struct RoundingVectors {
  RoundingVectors(const RoundStep& step, const RoundingConstants& c)
      : relative(hn::Set(D(), step.relative)),
        absolute(hn::Set(D(), step.absolute)),
        kept_mask(hn::Set(DU(), c.kept_mask)),
        half(hn::Set(DU(), c.half)),
        min_normal(hn::Set(D(), c.min_normal)),
        overflow_threshold(hn::Set(D(), c.overflow_threshold)),
        dropped_bits(c.dropped_bits) {}

  V relative;
  V absolute;
  hn::Vec<DU> kept_mask;
  hn::Vec<DU> half;
  V min_normal;
  V overflow_threshold;
  int dropped_bits;
};

struct RoundedVector {
  V rounded;  ///< magnitude
  V radius;
  M decided;
};

/// Rounds magnitudes to nearest-even in the format, as normal values, and says which lanes the
/// interval a +- r decides.
///
/// Let U be the format's spacing at a, [t, t + U) its cell and m = t + U/2 the midpoint there.
/// Every format value is a double and so is m; a - m is exact (same binade, both multiples of a
/// double's ulp). If |a - m| > 2r then 2r < U/2, so r < U/4, and the interval reaches neither m nor
/// another midpoint: those lie at least U/4 below t (half of the halved spacing below a power of
/// two) and U/2 above t + U. So both ends round as a does. Adding half an ulp to the encoding and
/// dropping bits then rounds correctly, since ties are never decided this way. Magnitudes from
/// `overflow_threshold` on, and NaN, are never decided.
///
/// An exact value (`is_exact`: r is 0 in every lane) is rounded with its ties.
template <bool is_exact>
HWY_INLINE RoundedVector round_normal(V a, const RoundingVectors& c) {
  const D d;
  const DU du;
  const auto bits = hn::BitCast(du, a);
  const M in_range = hn::Lt(a, c.overflow_threshold);
  if constexpr (is_exact) {
    const auto one = hn::Set(du, std::uint64_t{1});
    const auto odd = hn::And(hn::ShiftRightSame(bits, c.dropped_bits), one);
    const auto sum = hn::Add(hn::Add(bits, hn::Sub(c.half, one)), odd);
    return {hn::BitCast(d, hn::And(sum, c.kept_mask)), hn::Zero(d), in_range};
  } else {
    const V radius = hn::Add(hn::Mul(c.relative, a), c.absolute);
    const V midpoint = hn::BitCast(d, hn::Or(hn::And(bits, c.kept_mask), c.half));
    const M is_far = hn::Gt(hn::Abs(hn::Sub(a, midpoint)), hn::Add(radius, radius));
    return {hn::BitCast(d, hn::And(hn::Add(bits, c.half), c.kept_mask)), radius,
            hn::And(in_range, is_far)};
  }
}

/// The same below the smallest normal, where the spacing is constant: adding and subtracting 2^52
/// spacings rounds to it exactly once (to nearest-even, by IEEE addition), and the distance to the
/// nearest midpoint is half a spacing less the distance to the result. Here a >= 2r is asked for as
/// well, so that a result that underflows to zero has a known sign.
template <bool is_exact>
HWY_INLINE RoundedVector round_subnormal(V a, V radius, const RoundingConstants& c) {
  const D d;
  const V magic = hn::Set(d, c.subnormal_magic);
  const V near = hn::Sub(hn::Add(a, magic), magic);
  const V distance = hn::Sub(hn::Set(d, c.half_min_subnormal), hn::Abs(hn::Sub(a, near)));
  const V margin = hn::Add(radius, radius);
  const M decided =
      is_exact ? hn::Ge(a, radius) : hn::And(hn::Gt(distance, margin), hn::Ge(a, margin));
  return {near, radius, decided};
}

HWY_INLINE void store(const RoundedVector& out, V value, const RoundStep& step, std::size_t lane) {
  const D d;
  const DF df;
  const V sign = hn::Xor(value, hn::Abs(value));
  const auto carried = hn::DemoteTo(df, hn::Or(out.rounded, sign));
  hn::Store(out.radius, d, step.radius + lane);
  if (lane + hn::Lanes(d) <= step.size) {
    hn::StoreU(carried, df, step.rounded + lane);
    return;
  }
  float last[8];
  hn::StoreU(carried, df, last);
  for (std::size_t k = 0; lane + k < step.size; ++k) step.rounded[lane + k] = last[k];
}

/// Any lanes from `first` to `end`, whatever they hold.
template <bool is_exact>
HWY_NOINLINE void round_carefully(const RoundStep& step, const RoundingConstants& constants,
                                  std::size_t first, std::size_t end, LaneSet& undecided) {
  const D d;
  const RoundingVectors c(step, constants);
  for (std::size_t i = first; i < end; i += hn::Lanes(d)) {
    const V value = hn::Load(d, step.values + i);
    const V a = hn::Abs(value);
    RoundedVector out = round_normal<is_exact>(a, c);
    const M small = hn::Lt(a, c.min_normal);
    const RoundedVector low = round_subnormal<is_exact>(a, out.radius, constants);
    out.rounded = hn::IfThenElse(small, low.rounded, out.rounded);
    out.decided = hn::Or(hn::And(small, low.decided), hn::AndNot(small, out.decided));
    store(out, value, step, i);
    if (!hn::AllTrue(d, out.decided)) insert_others(out.decided, i, step.size, undecided);
  }
}

/// 64 lanes, all decided and normal; if some are not, returns false and the results are not valid.
template <bool is_exact>
HWY_INLINE bool round_quickly(const double* HWY_RESTRICT values, float* HWY_RESTRICT rounded,
                              double* HWY_RESTRICT radius, const RoundingVectors& c) {
  const D d;
  const DF df;
  M good = hn::Eq(c.min_normal, c.min_normal);
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const V value = hn::Load(d, values + i);
    const V a = hn::Abs(value);
    const RoundedVector out = round_normal<is_exact>(a, c);
    hn::Store(out.radius, d, radius + i);
    hn::StoreU(hn::DemoteTo(df, hn::Or(out.rounded, hn::Xor(value, a))), df, rounded + i);
    good = hn::And(good, hn::And(out.decided, hn::Ge(a, c.min_normal)));
  }
  return hn::AllTrue(d, good);
}

template <bool is_exact>
HWY_NOINLINE void round_lanes(const RoundStep& step, const RoundingConstants& constants,
                              LaneSet& undecided) {
  const RoundingVectors c(step, constants);
  for (std::size_t first = 0; first < step.size; first += 64) {
    const bool is_whole = first + 64 <= step.size;
    if (is_whole && round_quickly<is_exact>(step.values + first, step.rounded + first,
                                            step.radius + first, c)) {
      continue;
    }
    const std::size_t end = is_whole ? first + 64 : step.size;
    round_carefully<is_exact>(step, constants, first, end, undecided);
  }
}

void run_rounding(const RoundStep& step, const RoundingConstants& constants, LaneSet& undecided) {
  if (step.relative == 0 && step.absolute == 0) {
    round_lanes<true>(step, constants, undecided);
  } else {
    round_lanes<false>(step, constants, undecided);
  }
}

}  // namespace halfulp::oracles::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfulp::oracles {

HWY_EXPORT(run_kernel);
HWY_EXPORT(run_rounding);

void run_kernel(const KernelStep& step, LaneSet& undecided) {
  HWY_DYNAMIC_DISPATCH(run_kernel)(step, undecided);
}

void run_rounding(const RoundStep& step, const RoundingConstants& constants, LaneSet& undecided) {
  HWY_DYNAMIC_DISPATCH(run_rounding)(step, constants, undecided);
}

}  // namespace halfulp::oracles
#endif  // HWY_ONCE
