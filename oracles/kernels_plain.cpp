// The slow, obvious twins of the vector kernels: one lane at a time, with the C library.
#include <algorithm>
#include <cmath>

#include "harness/encoding.h"
#include "oracles/kernels.h"

namespace halfulp::oracles {
namespace {

double operand(Source source, const double* lanes, double uniform, double first, std::size_t lane) {
  switch (source) {
    case Source::index:
      return first + static_cast<double>(lane);
    case Source::uniform:
      return uniform;
    case Source::lanes:
      return lanes[lane];
  }
  return 0;
}

double minimum(double a, double b) { return a < b || (a == b && std::signbit(a)) ? a : b; }

double computed(KernelOp op, double a, double b) {
  switch (op) {
    case KernelOp::add:
      return a + b;
    case KernelOp::sub:
      return a - b;
    case KernelOp::mul:
      return a * b;
    case KernelOp::div:
      return a / b;
    case KernelOp::min:
      return minimum(a, b);
    case KernelOp::max:
      return -minimum(-a, -b);
    case KernelOp::neg:
      return -a;
    case KernelOp::abs:
      return std::fabs(a);
    case KernelOp::sqrt:
      return std::sqrt(a);
    case KernelOp::floor:
      return std::floor(a);
  }
  return 0;
}

/// Is the result of the operation covered by the error bound?
bool is_covered(const KernelStep& step, double a, double out) {
  if (step.op == KernelOp::div || step.op == KernelOp::sqrt) return std::isfinite(out);
  if (step.op != KernelOp::floor || step.absolute == 0) return true;
  const double margin = 2 * (step.relative * std::fabs(a) + step.absolute);
  return a - out >= margin && (out + 1) - a > margin;
}

struct PlainlyRounded {
  double magnitude;
  bool decided;
};

PlainlyRounded round_plainly(double a, double radius, const RoundingConstants& c) {
  if (!(a < c.overflow_threshold)) return {a, false};
  int exponent = 0;
  std::frexp(a, &exponent);
  const double ulp =
      std::max(std::ldexp(1.0, exponent - 53 + c.dropped_bits), 2 * c.half_min_subnormal);
  const double below = std::floor(a / ulp) * ulp;
  const double to_midpoint = a - (below + ulp / 2);
  const bool odd = std::fmod(below / ulp, 2) != 0;
  const bool up = to_midpoint > 0 || (to_midpoint == 0 && odd);
  const bool decided = radius == 0 || (std::fabs(to_midpoint) > 2 * radius && a >= 2 * radius);
  return {up ? below + ulp : below, decided};
}

}  // namespace

RoundingConstants::RoundingConstants(const Format& f)
    : dropped_bits(binary64.precision - f.precision),
      kept_mask(~((std::uint64_t{1} << dropped_bits) - 1)),
      half(std::uint64_t{1} << (dropped_bits - 1)),
      min_normal(std::ldexp(1.0, f.emin())),
      subnormal_magic(std::ldexp(1.0, f.min_subnormal_exponent() + 52)),
      half_min_subnormal(std::ldexp(0.5, f.min_subnormal_exponent())),
      overflow_threshold(to_double(f.max_finite(), f) +
                         std::ldexp(0.5, f.emax() - f.fraction_bits())) {}

void run_kernel_plainly(const KernelStep& step, LaneSet& undecided) {
  for (std::size_t lane = 0; lane < step.size; ++lane) {
    const double a = operand(step.a_source, step.a, step.a_uniform, step.first, lane);
    const double b = operand(step.b_source, step.b, step.b_uniform, step.first, lane);
    const double out = computed(step.op, a, b);
    if (!is_covered(step, a, out)) undecided.insert(lane);
    step.out[lane] = out;
  }
}

void run_rounding_plainly(const RoundStep& step, const RoundingConstants& constants,
                          LaneSet& undecided) {
  const bool is_exact = step.relative == 0 && step.absolute == 0;
  for (std::size_t lane = 0; lane < step.size; ++lane) {
    const double value = step.values[lane];
    const double magnitude = std::fabs(value);
    const double radius = is_exact ? 0 : step.relative * magnitude + step.absolute;
    const PlainlyRounded out = round_plainly(magnitude, radius, constants);
    step.radius[lane] = radius;
    step.rounded[lane] = static_cast<float>(std::copysign(out.magnitude, value));
    if (!out.decided) undecided.insert(lane);
  }
}

}  // namespace halfulp::oracles
