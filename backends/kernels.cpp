#include "backends/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cmath>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace halfulp::backends::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway's MulAdd rounds twice where the target has no fused instruction.
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2
template <class D, class V = hn::Vec<D>>
V fused(D d, V a, V b, V c) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T x[hn::MaxLanes(d)], y[hn::MaxLanes(d)], z[hn::MaxLanes(d)];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) x[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(d, x);
}
#else
template <class D, class V = hn::Vec<D>>
V fused(D, V a, V b, V c) {
  return hn::MulAdd(a, b, c);
}
#endif

struct NoNarrowing {
  explicit NoNarrowing(const Narrowing&) {}
  template <class D, class V = hn::Vec<D>>
  V operator()(D, V v) const {
    return v;
  }
};

template <class DU, class VU = hn::Vec<DU>>
VU round_significand(DU du, VU bits, int dropped) {
  const auto one = hn::Set(du, 1u);
  const auto last_kept = hn::And(hn::ShiftRightSame(bits, dropped), one);
  const auto below_half = hn::Set(du, (1u << (dropped - 1)) - 1);
  const auto kept = hn::Set(du, ~((1u << dropped) - 1));
  return hn::And(hn::Add(hn::Add(bits, below_half), last_kept), kept);
}

struct SignificandOnly {
  explicit SignificandOnly(const Narrowing& n) : dropped(n.dropped_bits) {}
  template <class D, class V = hn::Vec<D>>
  V operator()(D d, V v) const {
    const hn::RebindToUnsigned<D> du;
    const auto rounded = hn::BitCast(d, round_significand(du, hn::BitCast(du, v), dropped));
    return hn::IfThenElse(hn::IsNaN(v), v, rounded);
  }
  int dropped;
};

struct FullNarrowing {
  explicit FullNarrowing(const Narrowing& n) : to(n) {}
  template <class D, class V = hn::Vec<D>>
  V operator()(D d, V v) const {
    const hn::RebindToUnsigned<D> du;
    const auto magnitude = hn::Abs(v);
    const auto sign = hn::Xor(v, magnitude);
    const auto normal =
        hn::BitCast(d, round_significand(du, hn::BitCast(du, magnitude), to.dropped_bits));
    const auto magic = hn::Set(d, to.magic);
    const auto subnormal = hn::Sub(hn::Add(magnitude, magic), magic);
    auto rounded = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, to.min_normal)), subnormal, normal);
    rounded = hn::IfThenElse(hn::Gt(rounded, hn::Set(d, to.max_finite)), hn::Set(d, to.overflow),
                             rounded);
    return hn::IfThenElse(hn::IsNaN(v), v, hn::Or(rounded, sign));
  }
  Narrowing to;
};

/// One vector of an operation, without narrowing. `extremes` is read by min and max only.
template <Op op, Extremes extremes, class D, class V = hn::Vec<D>>
HWY_INLINE V apply(D d, V a, [[maybe_unused]] V b, [[maybe_unused]] V c) {
  if constexpr (op == Op::add) return hn::Add(a, b);
  if constexpr (op == Op::sub) return hn::Sub(a, b);
  if constexpr (op == Op::mul) return hn::Mul(a, b);
  if constexpr (op == Op::div) return hn::Div(a, b);
  if constexpr (op == Op::fma) return fused(d, a, b, c);
  if constexpr (op == Op::neg) return hn::Neg(a);
  if constexpr (op == Op::abs) return hn::Abs(a);
  if constexpr (op == Op::sqrt) return hn::Sqrt(a);
  if constexpr (op == Op::reciprocal) return hn::Div(hn::Set(d, 1), a);
  if constexpr (op == Op::rsqrt) return hn::Div(hn::Set(d, 1), hn::Sqrt(a));
  // Highway's emulated Floor loses the sign of -0 on targets without the instruction.
  if constexpr (op == Op::floor) return hn::CopySign(hn::Floor(a), a);
  if constexpr (op == Op::cast) return a;
  if constexpr (op == Op::equal) return hn::IfThenElseZero(hn::Eq(a, b), hn::Set(d, 1));
  if constexpr (op == Op::min || op == Op::max) {
    // The second operand where neither is smaller, as x86's min and max: decides between zeros.
    const auto first = op == Op::min ? hn::Lt(a, b) : hn::Gt(a, b);
    const auto chosen = hn::IfThenElse(first, a, b);
    if constexpr (extremes == Extremes::select) return chosen;
    // A comparison with NaN is false and chooses b.
    return hn::IfThenElse(hn::IsNaN(extremes == Extremes::propagate ? a : b), a, chosen);
  }
}

template <Op op, Extremes extremes, class Narrow, typename T>
HWY_NOINLINE void loop(Operand<T> a, Operand<T> b, Operand<T> c, const Narrowing& narrowing,
                       std::size_t size, T* out) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const Narrow narrow_to(narrowing);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto x = hn::LoadU(d, a.data + (i & a.mask));
    auto y = x;
    auto z = x;
    if constexpr (op == Op::add || op == Op::sub || op == Op::mul || op == Op::div ||
                  op == Op::min || op == Op::max || op == Op::fma || op == Op::equal) {
      y = hn::LoadU(d, b.data + (i & b.mask));
    }
    if constexpr (op == Op::fma) z = hn::LoadU(d, c.data + (i & c.mask));
    hn::StoreU(narrow_to(d, apply<op, extremes>(d, x, y, z)), d, out + i);
  }
  if (i == size) return;
  HWY_ALIGN T rest[3][hn::MaxLanes(d)] = {};
  for (std::size_t k = 0; i + k < size; ++k) {
    rest[0][k] = a.data[(i + k) & a.mask];
    if (b.data != nullptr) rest[1][k] = b.data[(i + k) & b.mask];
    if (c.data != nullptr) rest[2][k] = c.data[(i + k) & c.mask];
  }
  const auto last =
      apply<op, extremes>(d, hn::Load(d, rest[0]), hn::Load(d, rest[1]), hn::Load(d, rest[2]));
  hn::Store(narrow_to(d, last), d, rest[0]);
  for (std::size_t k = 0; i + k < size; ++k) out[i + k] = rest[0][k];
}

template <Op op, typename T>
auto select(Narrowing::Kind kind) {
  if constexpr (std::is_same_v<T, float>) {
    switch (kind) {
      case Narrowing::Kind::none:
        break;
      case Narrowing::Kind::significand_only:
        return &loop<op, Extremes::propagate, SignificandOnly, T>;
      case Narrowing::Kind::full:
        return &loop<op, Extremes::propagate, FullNarrowing, T>;
    }
  }
  return &loop<op, Extremes::propagate, NoNarrowing, T>;
}

template <typename T>
auto kernel(Op op, Narrowing::Kind kind) {
  switch (op) {
    case Op::add:
      return select<Op::add, T>(kind);
    case Op::sub:
      return select<Op::sub, T>(kind);
    case Op::mul:
      return select<Op::mul, T>(kind);
    case Op::div:
      return select<Op::div, T>(kind);
    case Op::min:
      return select<Op::min, T>(kind);
    case Op::max:
      return select<Op::max, T>(kind);
    case Op::fma:
      return select<Op::fma, T>(kind);
    case Op::neg:
      return select<Op::neg, T>(kind);
    case Op::abs:
      return select<Op::abs, T>(kind);
    case Op::sqrt:
      return select<Op::sqrt, T>(kind);
    case Op::rsqrt:
      return select<Op::rsqrt, T>(kind);
    case Op::reciprocal:
      return select<Op::reciprocal, T>(kind);
    case Op::floor:
      return select<Op::floor, T>(kind);
    case Op::cast:
      return select<Op::cast, T>(kind);
    case Op::equal:
      return &loop<Op::equal, Extremes::propagate, NoNarrowing, T>;  // every format has 0 and 1
    case Op::constant:
    case Op::index:
    case Op::input:
    case Op::arange:
    case Op::linspace:
    case Op::div_add:
    case Op::exp:
    case Op::log:
    case Op::log1p:
    case Op::expm1:
    case Op::tanh:
    case Op::sigmoid:
    case Op::erf:
    case Op::cast_truncate:
    case Op::cast_stochastic:
    case Op::sum:
    case Op::product:
    case Op::dot:
    case Op::smallest:
    case Op::largest:
    case Op::index_of_largest:
    case Op::welford_mean:
    case Op::welford_m2:
    case Op::chan_m2:
    case Op::element:
      break;
  }
  HWY_ABORT("not a kernel operation");
}

/// Narrowing by a second pass, so that rarely used rules do not add a loop for each kind of it.
template <Op op, Extremes extremes>
void extreme_then_narrow(Operand<float> a, Operand<float> b, Operand<float> c,
                         const Narrowing& narrowing, std::size_t size, float* out) {
  loop<op, extremes, NoNarrowing>(a, b, c, narrowing, size, out);
  kernel<float>(Op::cast, narrowing.kind)({out, ~std::size_t{0}}, {}, {}, narrowing, size, out);
}

template <Op op, Extremes extremes, typename T>
auto select_extreme(Narrowing::Kind kind) {
  if constexpr (std::is_same_v<T, float>) {
    if (kind != Narrowing::Kind::none) return &extreme_then_narrow<op, extremes>;
  }
  return &loop<op, extremes, NoNarrowing, T>;
}

template <typename T>
auto extreme_kernel(Op op, Extremes extremes, Narrowing::Kind kind) {
  if (op != Op::min && op != Op::max) HWY_ABORT("neither min nor max");
  const bool is_min = op == Op::min;
  switch (extremes) {
    case Extremes::propagate:
      break;
    case Extremes::number:
      return is_min ? select_extreme<Op::min, Extremes::number, T>(kind)
                    : select_extreme<Op::max, Extremes::number, T>(kind);
    case Extremes::select:
      return is_min ? select_extreme<Op::min, Extremes::select, T>(kind)
                    : select_extreme<Op::max, Extremes::select, T>(kind);
  }
  return kernel<T>(op, kind);
}

KernelF32 find_f32(Op op, Narrowing::Kind kind) { return kernel<float>(op, kind); }
KernelF64 find_f64(Op op) { return kernel<double>(op, Narrowing::Kind::none); }
KernelF32 find_extreme_f32(Op op, Extremes extremes, Narrowing::Kind kind) {
  return extreme_kernel<float>(op, extremes, kind);
}
KernelF64 find_extreme_f64(Op op, Extremes extremes) {
  return extreme_kernel<double>(op, extremes, Narrowing::Kind::none);
}

template <typename T>
void fill_iota(std::uint64_t first, std::size_t size, T* out) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  auto index = hn::Iota(d, static_cast<T>(first));  // exact to 2^24, and so is the sum
  const auto step = hn::Set(d, static_cast<T>(lanes));
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(index, d, out + i);
    index = hn::Add(index, step);
  }
  for (; i < size; ++i) out[i] = static_cast<T>(first + i);
}

void iota_f32(std::uint64_t first, std::size_t size, float* out) { fill_iota(first, size, out); }
void iota_f64(std::uint64_t first, std::size_t size, double* out) { fill_iota(first, size, out); }

}  // namespace halfulp::backends::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfulp::backends {

HWY_EXPORT(find_f32);
HWY_EXPORT(find_f64);
HWY_EXPORT(find_extreme_f32);
HWY_EXPORT(find_extreme_f64);
HWY_EXPORT(iota_f32);
HWY_EXPORT(iota_f64);

KernelF32 kernel_f32(Op op, Narrowing::Kind kind) {
  return HWY_DYNAMIC_DISPATCH(find_f32)(op, kind);
}
KernelF64 kernel_f64(Op op) { return HWY_DYNAMIC_DISPATCH(find_f64)(op); }

KernelF32 extreme_kernel_f32(Op op, Extremes extremes, Narrowing::Kind kind) {
  return HWY_DYNAMIC_DISPATCH(find_extreme_f32)(op, extremes, kind);
}
KernelF64 extreme_kernel_f64(Op op, Extremes extremes) {
  return HWY_DYNAMIC_DISPATCH(find_extreme_f64)(op, extremes);
}

void run_kernel(Op op, Operand<float> a, Operand<float> b, Operand<float> c,
                const Narrowing& narrowing, std::size_t size, float* out) {
  kernel_f32(op, narrowing.kind)(a, b, c, narrowing, size, out);
}
void run_kernel(Op op, Operand<double> a, Operand<double> b, Operand<double> c, std::size_t size,
                double* out) {
  kernel_f64(op)(a, b, c, {}, size, out);
}

void fill_indices(std::uint64_t first, std::size_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(iota_f32)(first, size, out);
}
void fill_indices(std::uint64_t first, std::size_t size, double* out) {
  HWY_DYNAMIC_DISPATCH(iota_f64)(first, size, out);
}

}  // namespace halfulp::backends
#endif  // HWY_ONCE
