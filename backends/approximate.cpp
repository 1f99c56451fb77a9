#include "backends/approximate.h"

#include <array>
#include <cmath>
#include <limits>

#include "backends/cuda_division.h"

namespace halfulp::backends {
namespace {

/// Power of two that `div.full` multiplies both operands by.
float prescale(float b) {
  const float magnitude = std::fabs(b);
  if (magnitude > 0x1p126f) return 0x1p-2f;
  if (magnitude < 0x1p-126f) return 0x1p24f;
  return 1;
}

float reciprocal_of_device(float b) {
  const std::array<float, 1> one{1};
  const std::array<float, 1> divisor{b};
  std::array<float, 1> quotient{};
  cuda_divide(CudaDivision::full, one, divisor, quotient);
  return quotient[0];
}

float reciprocal_or_nearest(float b, World world) {
  return approximate_reciprocal(b, world).value_or(1.0f / b);
}

void multiply(Operand<float> a, float r, std::optional<Operand<float>> c,
              const Narrowing& narrowing, std::size_t size, float* out) {
  alignas(splat_bytes) std::array<float, splat_lanes<float>> splat;
  splat.fill(r);
  const Operand<float> reciprocal{splat.data(), 0};
  if (c) {
    run_kernel(Op::fma, a, reciprocal, *c, narrowing, size, out);
  } else {
    run_kernel(Op::mul, a, reciprocal, {}, narrowing, size, out);
  }
}

}  // namespace

std::optional<float> approximate_reciprocal(float b, World world) {
  const float nearest = 1.0f / b;
  if (world == World::all || world == World::nearest) return nearest;
  if (world == World::device) return reciprocal_of_device(b);
  if (!std::isfinite(nearest) || nearest == 0 || b == 0) return std::nullopt;
  // nearest - 1/b has the sign of (nearest * b - 1) * b, and the fma's residual is exact in sign.
  const float residual = std::fma(nearest, b, -1.0f) * (b < 0 ? -1.0f : 1.0f);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (world == World::below) {
    return residual >= 0 ? std::optional(std::nextafter(nearest, -infinity)) : std::nullopt;
  }
  return residual <= 0 ? std::optional(std::nextafter(nearest, infinity)) : std::nullopt;
}

void approximate_divide(Operand<float> a, Operand<float> b, std::optional<Operand<float>> c,
                        World world, const Narrowing& narrowing, std::size_t size, float* out) {
  const float divisor = b.data[0];
  if (b.mask == 0 && prescale(divisor) == 1) {
    return multiply(a, reciprocal_or_nearest(divisor, world), c, narrowing, size, out);
  }
  for (std::size_t i = 0; i < size; ++i) {
    const float scale = prescale(b.data[i & b.mask]);
    const float x = a.data[i & a.mask] * scale;
    const float r = reciprocal_or_nearest(b.data[i & b.mask] * scale, world);
    out[i] = narrow(c ? std::fma(x, r, c->data[i & c->mask]) : x * r, narrowing);
  }
}

}  // namespace halfulp::backends
