// Division by an approximate reciprocal, as a GPU's `div.full.f32` does it.
#pragma once

#include <optional>

#include "backends/kernels.h"
#include "harness/backend.h"

namespace halfulp::backends {

/// The float32 that RCP(b) returns in a world: RN32(1/b), or its neighbour below or above. The
/// documented bound (1 ulp of 1/b) admits the two float32 that bracket 1/b, three when 1/b is
/// itself a float32; nothing is returned for a world that it rules out. `all` means `nearest`;
/// `device` asks the CUDA device for RCP(b) (`div.full` of 1 and b) and throws as `cuda_divide`
/// where there is none. b is finite and non-zero, else only `nearest` exists.
std::optional<float> approximate_reciprocal(float b, World world);

/// out[i] = narrow(a[i] * RCP(b[i])), or with c: narrow(fma(a[i], RCP(b[i]), c[i])), the quotient
/// not rounded. |b| > 2^126 scales a and b by 2^-2, |b| < 2^-126 by 2^24 first. A world that a
/// lane's divisor rules out gives `nearest` there.
void approximate_divide(Operand<float> a, Operand<float> b, std::optional<Operand<float>> c,
                        World world, const Narrowing& narrowing, std::size_t size, float* out);

}  // namespace halfulp::backends
