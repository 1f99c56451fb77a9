// One operation over a block: the hot loops of every engine model.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/backend.h"
#include "harness/format.h"
#include "harness/program.h"

namespace halfulp::backends {

/// A block operand. A uniform value is a splat of `splat_bytes` read again and again: lane i is
/// data[i & mask] with mask 0 for a splat and all ones for a block.
template <typename T>
struct Operand {
  const T* data = nullptr;
  std::size_t mask = 0;
};
inline constexpr std::size_t splat_bytes = 64;
template <typename T>
inline constexpr std::size_t splat_lanes = splat_bytes / sizeof(T);

/// How a binary32 result is narrowed to a format, nearest-even, by arithmetic on binary32:
/// the significand by adding half an ulp less one plus the last kept bit; below `min_normal` by
/// adding and subtracting 2^(23 + exponent of the smallest subnormal), whose spacing is that
/// subnormal.
struct Narrowing {
  enum class Kind : std::uint8_t {
    none,              ///< binary32 itself
    significand_only,  ///< bfloat16, tf32: binary32's exponent range
    full,              ///< a smaller exponent range
  };
  Kind kind = Kind::none;
  int dropped_bits = 0;
  float min_normal = 0;
  float magic = 0;
  float max_finite = 0;
  float overflow = 0;  ///< what magnitudes beyond max_finite become (infinity, NaN or max_finite)
};

/// The narrowing to `format`, which must not be binary64.
Narrowing narrowing_to(const Format& format);

/// out[i] = narrow(op(a[i], b[i], c[i])) for i < size: one IEEE operation in the carrier's format,
/// then one narrowing. Operands that the operation does not have are ignored. Any alignment; out
/// may be an operand. The same bits on every instruction set.
using KernelF32 = void (*)(Operand<float> a, Operand<float> b, Operand<float> c,
                           const Narrowing& narrowing, std::size_t size, float* out);
/// The same in binary64, which is never narrowed.
using KernelF64 = void (*)(Operand<double> a, Operand<double> b, Operand<double> c,
                           const Narrowing&, std::size_t size, double* out);

/// The kernel of an arithmetic operation, `equal` or `cast`, for the best instruction set in use.
/// min and max return a NaN if either operand is, the first one's if both are.
KernelF32 kernel_f32(Op op, Narrowing::Kind kind);
KernelF64 kernel_f64(Op op);

/// min or max where NaN may be treated otherwise; `number` of two NaNs is the first. Of two equal
/// operands, and so of the two zeros, all return the second.
KernelF32 extreme_kernel_f32(Op op, Extremes extremes, Narrowing::Kind kind);
KernelF64 extreme_kernel_f64(Op op, Extremes extremes);

/// Looks the kernel up and runs it.
void run_kernel(Op op, Operand<float> a, Operand<float> b, Operand<float> c,
                const Narrowing& narrowing, std::size_t size, float* out);
void run_kernel(Op op, Operand<double> a, Operand<double> b, Operand<double> c, std::size_t size,
                double* out);

/// The slow, obvious twin of `run_kernel` for one lane.
float run_scalar(Op op, float a, float b, float c, const Narrowing& to);
double run_scalar(Op op, double a, double b, double c);
/// The same of `extreme_kernel_f32` and `extreme_kernel_f64`.
float run_scalar_extreme(Op op, Extremes extremes, float a, float b, const Narrowing& to);
double run_scalar_extreme(Op op, Extremes extremes, double a, double b);

/// Narrowing of one value.
float narrow(float value, const Narrowing& to);

/// out[i] = first + i; indices up to 2^24, exact.
void fill_indices(std::uint64_t first, std::size_t size, float* out);
void fill_indices(std::uint64_t first, std::size_t size, double* out);

}  // namespace halfulp::backends
