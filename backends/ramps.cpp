#include "backends/ramps.h"

#include <algorithm>
#include <cmath>

namespace halfulp::backends {
namespace {

void kernel(Op op, Operand<float> a, Operand<float> b, Operand<float> c, const Narrowing& to,
            std::size_t size, float* out) {
  run_kernel(op, a, b, c, to, size, out);
}
void kernel(Op op, Operand<double> a, Operand<double> b, Operand<double> c, const Narrowing&,
            std::size_t size, double* out) {
  run_kernel(op, a, b, c, size, out);
}

template <typename T>
struct Splat {
  explicit Splat(T value) { lanes.fill(value); }
  Operand<T> operand() const { return {lanes.data(), 0}; }
  alignas(splat_bytes) std::array<T, splat_lanes<T>> lanes;
};

template <typename T>
Operand<T> block(const T* data) {
  return {data, ~std::size_t{0}};
}

Narrowing narrowing_of(const Format& format) {
  return format == binary64 ? Narrowing{} : narrowing_to(format);
}

/// start + step * i in binary64, rounded to the carrier and then to the format.
template <typename T>
void fill_scalar_arange(const Ramp& r, std::uint64_t first, std::size_t size, T* out) {
  const Narrowing to = narrowing_of(r.format);
  if (r.start == 0 && r.second == 1) {
    fill_indices(first, size, out);
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      out[i] = static_cast<T>(r.start + r.second * static_cast<double>(first + i));
    }
  }
  if (to.kind != Narrowing::Kind::none) kernel(Op::cast, block(out), {}, {}, to, size, out);
}

/// Blocks of `lanes` elements: the base is rounded to the format, then base + k * step is.
void fill_vector_arange(const Ramp& r, std::uint64_t first, std::size_t size, float* out) {
  const Narrowing to = narrowing_of(r.format);
  const auto lanes = static_cast<std::uint64_t>(r.model.arange_lanes);
  const auto step = static_cast<float>(r.second);
  for (std::uint64_t i = first; i < first + size;) {
    const std::uint64_t begin = i - i % lanes;
    const std::uint64_t end = std::min(begin + lanes, first + size);
    const double exact_base = r.start + r.second * static_cast<double>(begin);
    const float base = narrow(static_cast<float>(exact_base), to);
    for (std::uint64_t k = i - begin; i < end; ++i, ++k) {
      out[i - first] = base + static_cast<float>(k) * step;
    }
  }
  kernel(Op::cast, block(out), {}, {}, to, size, out);
}

bool uses_vector_blocks(const Ramp& r) {
  return r.model.arange_lanes > 0 && r.format.precision < binary32.precision;
}

/// First index of the elements that take the scalar code.
std::uint64_t scalar_tail_begin(const Ramp& r) {
  if (!uses_vector_blocks(r)) return 0;
  if (r.model.arange_tail == RampTail::vector) return r.count;
  return r.count - r.count % (2 * static_cast<std::uint64_t>(r.model.arange_lanes));
}

void fill_arange(const Ramp& r, std::uint64_t first, std::size_t size, double* out) {
  fill_scalar_arange(r, first, size, out);
}
void fill_arange(const Ramp& r, std::uint64_t first, std::size_t size, float* out) {
  const std::uint64_t tail = std::clamp(scalar_tail_begin(r), first, first + size);
  const auto vector_size = static_cast<std::size_t>(tail - first);
  if (vector_size > 0) fill_vector_arange(r, first, vector_size, out);
  if (vector_size < size) fill_scalar_arange(r, tail, size - vector_size, out + vector_size);
}

/// The numbers of a linspace in its carrier, and how it rounds.
template <typename T>
struct LinspaceRule {
  T start{}, end{}, step{};
  Narrowing each{};  ///< every intermediate
  Narrowing last{};  ///< the result
  bool fused = false;
  std::uint64_t half = 0;  ///< first index counted from the end
};

template <typename T>
LinspaceRule<T> linspace_rule(const Ramp& r) {
  const Narrowing to = narrowing_of(r.format);
  const auto rounded = [&](double value) {
    if constexpr (std::is_same_v<T, double>)
      return value;
    else
      return narrow(static_cast<float>(value), to);
  };
  const bool is_half = r.format.precision < binary32.precision;
  const double intervals = static_cast<double>(r.count) - 1;
  LinspaceRule<T> rule;
  rule.last = to;
  rule.fused = r.contraction != Contraction::off;
  rule.half = r.count / 2;
  if (r.model.linspace == Linspace::compiled) {
    rule.start = static_cast<T>(r.start);
    rule.end = static_cast<T>(r.second);
    rule.step = static_cast<T>((r.second - r.start) / intervals);
    rule.fused = r.contraction == Contraction::on;
    rule.half = (r.count + 1) / 2;
    return rule;
  }
  rule.start = rounded(r.start);
  rule.end = rounded(r.second);
  const T span = rule.end - rule.start;
  if (is_half && r.model.linspace == Linspace::stepwise) {
    rule.step = rounded(rounded(span) / rounded(intervals));
    rule.each = to;
    rule.fused = false;
  } else {
    rule.step = span / static_cast<T>(intervals);
    rule.fused = rule.fused && r.format != binary16;
  }
  return rule;
}

/// Indices of [first, first + size) counted from the near end, in ascending index order.
template <typename T>
void fill_offsets(std::uint64_t first, std::size_t size, std::uint64_t count, bool from_end,
                  T* out) {
  if (!from_end) return fill_indices(first, size, out);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<T>(count - 1 - first - i);
}

/// One half: start + step * i, or end - step * (n - 1 - i).
template <typename T>
void fill_linspace_half(const LinspaceRule<T>& rule, std::uint64_t first, std::size_t size,
                        std::uint64_t count, bool from_end, T* out) {
  fill_offsets(first, size, count, from_end, out);
  const Splat<T> step(from_end && rule.fused ? -rule.step : rule.step);
  const Splat<T> base(from_end ? rule.end : rule.start);
  if (rule.fused) {
    kernel(Op::fma, block(out), step.operand(), base.operand(), rule.last, size, out);
    return;
  }
  if (rule.each.kind != Narrowing::Kind::none) {
    kernel(Op::cast, block(out), {}, {}, rule.each, size, out);
  }
  kernel(Op::mul, block(out), step.operand(), {}, rule.each, size, out);
  kernel(from_end ? Op::sub : Op::add, base.operand(), block(out), {}, rule.last, size, out);
}

template <typename T>
void fill_linspace(const Ramp& r, std::uint64_t first, std::size_t size, T* out) {
  const LinspaceRule<T> rule = linspace_rule<T>(r);
  if (r.count == 1) {
    std::fill_n(out, size, rule.start);
    return;
  }
  const std::uint64_t half = std::clamp(rule.half, first, first + size);
  const auto head = static_cast<std::size_t>(half - first);
  if (head > 0) fill_linspace_half(rule, first, head, r.count, false, out);
  if (head < size) fill_linspace_half(rule, half, size - head, r.count, true, out + head);
}

template <typename T>
void fill(const Ramp& ramp, std::uint64_t first, std::size_t size, T* out) {
  if (ramp.op == Op::arange) {
    fill_arange(ramp, first, size, out);
  } else {
    fill_linspace(ramp, first, size, out);
  }
}

}  // namespace

void fill_ramp(const Ramp& ramp, std::uint64_t first, std::size_t size, float* out) {
  fill(ramp, first, size, out);
}
void fill_ramp(const Ramp& ramp, std::uint64_t first, std::size_t size, double* out) {
  fill(ramp, first, size, out);
}

}  // namespace halfulp::backends
