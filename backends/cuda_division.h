// Float32 division as a CUDA device does it, three ways.
#pragma once

#include <span>

namespace halfulp {

enum class CudaDivision : unsigned char {
  rounded,     ///< `div.rn.f32`: correctly rounded
  full,        ///< `div.full.f32`: within 2 ulp of a/b (PTX ISA, "div"), what Triton emits for `/`
  reciprocal,  ///< a * `rcp.rn.f32`(b): two roundings, what ATen does for a scalar divisor
};

/// quotient[i] = a[i] / b[i] on the device, for three spans of one size. Throws std::runtime_error
/// with the CUDA error's text, also where CUDA is unavailable (cuda_device.h).
void cuda_divide(CudaDivision how, std::span<const float> a, std::span<const float> b,
                 std::span<float> quotient);

}  // namespace halfulp
