#include "harness/diff_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "harness/diff_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace halfulp::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class DU = hn::RebindToUnsigned<D>>
hn::Vec<DU> magnitude_ordinal(D d, hn::Vec<D> magnitude, const CarrierOrdinal& to) {
  const DU du;
  const auto bits = hn::BitCast(du, magnitude);
  const auto normal = hn::Sub(hn::ShiftRightSame(bits, to.dropped_bits), hn::Set(du, to.offset));
  if (!to.has_subnormal_range) return normal;
  const hn::RebindToSigned<D> di;
  const auto scaled = hn::Mul(magnitude, hn::Set(d, to.subnormal_scale));
  const auto subnormal = hn::BitCast(du, hn::ConvertTo(di, scaled));
  const auto is_subnormal = hn::Lt(magnitude, hn::Set(d, to.min_normal));
  return hn::IfThenElse(hn::RebindMask(du, is_subnormal), subnormal, normal);
}

/// One vector of lanes that are not all equal and finite.
template <class D>
HWY_NOINLINE hn::Vec<hn::RebindToUnsigned<D>> unequal_lanes(D d, hn::Vec<D> a, hn::Vec<D> e,
                                                            const CarrierOrdinal& to,
                                                            BlockDistances& out) {
  const hn::RebindToUnsigned<D> du;
  const auto infinity = hn::Set(du, 0x7f800000u);
  const auto abs_a = hn::Abs(a);
  const auto abs_e = hn::Abs(e);
  const auto bits_a = hn::BitCast(du, a);
  const auto bits_e = hn::BitCast(du, e);
  const auto finite_a = hn::Lt(hn::BitCast(du, abs_a), infinity);
  const auto finite_e = hn::Lt(hn::BitCast(du, abs_e), infinity);
  const auto finite = hn::And(finite_a, finite_e);
  const auto both_nan = hn::And(hn::RebindMask(du, hn::IsNaN(a)), hn::RebindMask(du, hn::IsNaN(e)));
  const auto same = hn::Eq(bits_a, bits_e);
  const auto equal_nonfinite = hn::Or(both_nan, hn::AndNot(finite, same));
  const auto unlike = hn::Not(hn::Or(finite, equal_nonfinite));

  const auto m = magnitude_ordinal(d, abs_a, to);
  const auto n = magnitude_ordinal(d, abs_e, to);
  const auto opposite = hn::Ne(hn::ShiftRight<31>(hn::Xor(bits_a, bits_e)), hn::Zero(du));
  auto steps = hn::IfThenElse(opposite, hn::Add(m, n), hn::Sub(hn::Max(m, n), hn::Min(m, n)));
  steps = hn::IfThenElse(finite, steps, hn::Zero(du));
  out.max_steps = std::max(out.max_steps, hn::GetLane(hn::MaxOfLanes(du, steps)));

  const auto zero_e = hn::RebindMask(du, hn::Eq(e, hn::Zero(d)));
  const auto moved = hn::Ne(steps, hn::Zero(du));
  const auto count = [&](auto mask) { return static_cast<std::uint32_t>(hn::CountTrue(du, mask)); };
  out.differing += count(hn::Or(moved, unlike));
  out.unlike += count(unlike);
  out.both_nonfinite += count(equal_nonfinite);
  out.zero_sign += count(hn::AndNot(hn::Or(moved, same), hn::And(finite, zero_e)));
  out.lost_zero_candidates += count(hn::And(hn::Or(moved, unlike), zero_e));
  out.unwritten += count(hn::Eq(bits_a, hn::Set(du, poison_f32)));
  return hn::IfThenElse(unlike, hn::Set(du, unlike_lane), steps);
}

void distances(const float* actual, const float* expected, const CarrierOrdinal& to,
               std::size_t size, BlockDistances& out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const std::size_t lanes = hn::Lanes(d);
  const auto infinity = hn::Set(du, 0x7f800000u);
  const auto one = [&](hn::Vec<decltype(d)> a, hn::Vec<decltype(d)> e) {
    const auto same = hn::Eq(hn::BitCast(du, a), hn::BitCast(du, e));
    const auto finite = hn::Lt(hn::BitCast(du, hn::Abs(e)), infinity);
    if (HWY_LIKELY(hn::AllTrue(du, hn::And(same, finite)))) return hn::Zero(du);
    return unequal_lanes(d, a, e, to, out);
  };
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(one(hn::LoadU(d, actual + i), hn::LoadU(d, expected + i)), du, out.steps.data() + i);
  }
  if (i == size) return;
  HWY_ALIGN float a[hn::MaxLanes(d)] = {};
  HWY_ALIGN float e[hn::MaxLanes(d)] = {};
  HWY_ALIGN std::uint32_t steps[hn::MaxLanes(d)];
  for (std::size_t k = 0; i + k < size; ++k) {
    a[k] = actual[i + k];
    e[k] = expected[i + k];
  }
  hn::Store(one(hn::Load(d, a), hn::Load(d, e)), du, steps);
  for (std::size_t k = 0; i + k < size; ++k) out.steps[i + k] = steps[k];
}

/// The thresholds, ready to compare a vector of doubles with.
template <class D>
struct Limits {
  using V = hn::Vec<D>;
  Limits(D d, const ErrorThresholds& t)
      : abs(hn::Set(d, t.abs)),
        ulp_error(hn::Set(d, t.ulp_error * t.ulp_per_binade)),
        min_ulp_error(hn::Set(d, t.ulp_error * t.min_ulp)),
        // The largest quotient so far was rounded; so is the product with it.
        rel(hn::Set(d, t.rel * (1 - 0x1p-50))) {}

  /// Which lanes may exceed one of them.
  hn::Mask<D> exceeded(D d, V actual, V value, V radius) const {
    const auto magnitude = hn::Abs(value);
    const auto error = hn::Add(hn::Abs(hn::Sub(actual, value)), hn::Add(radius, radius));
    // The low end of |value| has the smallest ulp and the largest relative error.
    const auto low = hn::Max(hn::Sub(magnitude, radius), hn::Zero(d));
    const auto binade = hn::And(
        low, hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), std::uint64_t{0x7ff0000000000000})));
    const auto by_ulp = hn::Max(hn::Mul(binade, ulp_error), min_ulp_error);
    // A zero has no relative error.
    const auto by_rel = hn::IfThenElse(hn::Gt(magnitude, hn::Zero(d)), hn::Mul(low, rel), abs);
    return hn::Gt(error, hn::Min(abs, hn::Min(by_ulp, by_rel)));
  }

  V abs, ulp_error, min_ulp_error, rel;
};

template <class D>
std::size_t list_lanes(D d, hn::Mask<D> mask, std::size_t base, std::size_t size,
                       std::uint16_t* out) {
  HWY_ALIGN double flags[hn::MaxLanes(d)];
  hn::Store(hn::IfThenElseZero(mask, hn::Set(d, 1.0)), d, flags);
  std::size_t found = 0;
  for (std::size_t k = 0; k < hn::Lanes(d) && base + k < size; ++k) {
    if (flags[k] != 0) out[found++] = static_cast<std::uint16_t>(base + k);
  }
  return found;
}

/// `value` and `radius` are null where the expected values are exact.
template <bool is_approximate>
std::size_t find_candidates(const float* actual, const float* expected, const double* value,
                            const double* radius, const ErrorThresholds& thresholds,
                            std::size_t size, std::uint16_t* out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  const Limits limits(d, thresholds);
  const auto widen = [&](const float* from) { return hn::PromoteTo(d, hn::LoadU(df, from)); };
  std::size_t found = 0;
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    auto v = hn::Zero(d);
    auto r = hn::Zero(d);
    if constexpr (is_approximate) {
      v = hn::LoadU(d, value + i);
      r = hn::LoadU(d, radius + i);
    } else {
      v = widen(expected + i);
    }
    const auto mask = limits.exceeded(d, widen(actual + i), v, r);
    if (HWY_UNLIKELY(!hn::AllFalse(d, mask))) found += list_lanes(d, mask, i, size, out + found);
  }
  if (i == size) return found;
  HWY_ALIGN float a[hn::MaxLanes(d)] = {};
  HWY_ALIGN double v[hn::MaxLanes(d)] = {};
  HWY_ALIGN double r[hn::MaxLanes(d)] = {};
  for (std::size_t k = 0; i + k < size; ++k) {
    a[k] = actual[i + k];
    v[k] = is_approximate ? value[i + k] : static_cast<double>(expected[i + k]);
    if (is_approximate) r[k] = radius[i + k];
  }
  const auto mask = limits.exceeded(d, widen(a), hn::Load(d, v), hn::Load(d, r));
  return found + list_lanes(d, mask, i, size, out + found);
}

std::size_t candidates(const float* actual, const float* expected, const double* value,
                       const double* radius, const ErrorThresholds& thresholds, std::size_t size,
                       std::uint16_t* out) {
  return value != nullptr
             ? find_candidates<true>(actual, expected, value, radius, thresholds, size, out)
             : find_candidates<false>(actual, expected, value, radius, thresholds, size, out);
}

}  // namespace halfulp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfulp {

HWY_EXPORT(distances);
HWY_EXPORT(candidates);

CarrierOrdinal carrier_ordinal(const Format& format) {
  CarrierOrdinal out;
  out.dropped_bits = binary32.precision - format.precision;
  out.has_subnormal_range = format.emin() != binary32.emin();
  if (!out.has_subnormal_range) return out;
  const int carrier_biased = format.emin() + binary32.bias;
  out.offset = static_cast<std::uint32_t>(carrier_biased - 1) << format.fraction_bits();
  out.min_normal = std::ldexp(1.0f, format.emin());
  out.subnormal_scale = std::ldexp(1.0f, -format.min_subnormal_exponent());
  return out;
}

void measure_distances(const float* actual, const float* expected, const CarrierOrdinal& ordinal,
                       std::size_t size, BlockDistances& out) {
  HWY_DYNAMIC_DISPATCH(distances)(actual, expected, ordinal, size, out);
}

std::size_t error_candidates(const float* actual, const float* expected, const double* value,
                             const double* radius, const ErrorThresholds& thresholds,
                             std::size_t size, std::uint16_t* lanes) {
  return HWY_DYNAMIC_DISPATCH(candidates)(actual, expected, value, radius, thresholds, size, lanes);
}

}  // namespace halfulp
#endif  // HWY_ONCE
