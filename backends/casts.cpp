#include "backends/casts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "harness/encoding.h"
#include "harness/splitmix64.h"

namespace halfulp::backends {
namespace {

/// What a loop over values needs to know of a format.
struct Target {
  int precision;
  int min_subnormal_exponent;
  double max_finite;
  double overflow;  ///< what magnitudes beyond max_finite become
  double infinity;

  explicit Target(const Format& f)
      : precision(f.precision),
        min_subnormal_exponent(f.min_subnormal_exponent()),
        max_finite(to_double(f.max_finite(), f)),
        overflow(f.overflow == Overflow::infinity ? std::numeric_limits<double>::infinity()
                 : f.overflow == Overflow::nan    ? std::numeric_limits<double>::quiet_NaN()
                                                  : max_finite),
        infinity(f.has_infinity() ? std::numeric_limits<double>::infinity() : overflow) {}
};

/// A finite magnitude between two multiples of its spacing in the target.
struct Bracket {
  double smaller;
  double larger;           ///< only meaningful where `fraction` is not 0
  std::uint64_t fraction;  ///< of the spacing, above `smaller`, in units of 2^-64, rounded down
};

Bracket bracket(double magnitude, const Target& to) {
  const auto bits = std::bit_cast<std::uint64_t>(magnitude);
  const Decoded d = decode(bits, binary64);
  const int top = d.exponent + static_cast<int>(std::bit_width(d.significand)) - 1;
  const int spacing = std::max(top - (to.precision - 1), to.min_subnormal_exponent);
  const int shift = spacing - d.exponent;
  if (shift <= 0) return {magnitude, magnitude, 0};
  if (shift >= binary64.precision) {
    const int below = shift - 64;
    const std::uint64_t fraction = below < 0    ? d.significand << -below
                                   : below < 64 ? d.significand >> below
                                                : 0;
    return {0, std::ldexp(1.0, spacing), fraction};
  }
  // The spacing is a multiple of the double's own, so both neighbours are doubles of its binade, or
  // the larger one is the power of two above, into which the encoding carries.
  const std::uint64_t unit = std::uint64_t{1} << shift;
  const std::uint64_t kept = bits & ~(unit - 1);
  return {std::bit_cast<double>(kept), std::bit_cast<double>(kept + unit), bits << (64 - shift)};
}

double truncated(double value, const Target& to) {
  if (std::isnan(value)) return value;
  const double magnitude = std::fabs(value);
  const double result =
      std::isinf(value) ? to.infinity : std::min(bracket(magnitude, to).smaller, to.max_finite);
  return std::copysign(result, value);
}

double stochastically_rounded(double value, const Target& to, std::uint64_t random) {
  if (std::isnan(value)) return value;
  double result = to.infinity;
  if (!std::isinf(value)) {
    const Bracket between = bracket(std::fabs(value), to);
    result = random < between.fraction ? between.larger : between.smaller;
    if (result > to.max_finite) result = to.overflow;
  }
  return std::copysign(result, value);
}

std::uint64_t stream_start(std::uint64_t seed) { return splitmix64(seed); }
std::uint64_t stream_element(std::uint64_t start, std::uint64_t index) {
  return splitmix64(start + index * splitmix64_step);
}

}  // namespace

double truncated(double value, const Format& format) { return truncated(value, Target(format)); }

float to_odd(double value) {
  if (std::isnan(value) || std::isinf(value)) return static_cast<float>(value);
  const auto chopped = static_cast<float>(truncated(value, binary32));
  if (static_cast<double>(chopped) == value) return chopped;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(chopped) | 1U);
}

double stochastically_rounded(double value, const Format& format, std::uint64_t random) {
  return stochastically_rounded(value, Target(format), random);
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  return stream_element(stream_start(seed), index);
}

template <typename From, typename To>
void cast_truncate(Operand<From> a, const Format& format, std::size_t size, To* out) {
  const Target to(format);
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = static_cast<To>(truncated(static_cast<double>(a.data[i & a.mask]), to));
  }
}

template <typename From, typename To>
void cast_stochastic(Operand<From> a, const Format& format, std::uint64_t seed, std::uint64_t first,
                     std::size_t size, To* out) {
  const Target to(format);
  const std::uint64_t start = stream_start(seed);
  for (std::size_t i = 0; i < size; ++i) {
    const auto value = static_cast<double>(a.data[i & a.mask]);
    out[i] = static_cast<To>(stochastically_rounded(value, to, stream_element(start, first + i)));
  }
}

template void cast_truncate(Operand<float>, const Format&, std::size_t, float*);
template void cast_truncate(Operand<float>, const Format&, std::size_t, double*);
template void cast_truncate(Operand<double>, const Format&, std::size_t, float*);
template void cast_truncate(Operand<double>, const Format&, std::size_t, double*);
template void cast_stochastic(Operand<float>, const Format&, std::uint64_t, std::uint64_t,
                              std::size_t, float*);
template void cast_stochastic(Operand<float>, const Format&, std::uint64_t, std::uint64_t,
                              std::size_t, double*);
template void cast_stochastic(Operand<double>, const Format&, std::uint64_t, std::uint64_t,
                              std::size_t, float*);
template void cast_stochastic(Operand<double>, const Format&, std::uint64_t, std::uint64_t,
                              std::size_t, double*);

}  // namespace halfulp::backends
