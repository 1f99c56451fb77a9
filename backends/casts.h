// Casts that do not round to nearest: towards zero, and to a neighbour at random. Exact, by integer
// arithmetic on encodings.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/kernels.h"
#include "harness/format.h"

namespace halfulp::backends {

/// The value of `format` nearest to `value` that is not larger in magnitude, with its sign (also
/// where that is a zero). Beyond the largest finite value that is the largest finite value. NaN
/// stays; an infinity stays, or becomes what `Format::overflow` says where the format has none.
double truncated(double value, const Format& format);

/// `value` rounded to odd in binary32: what is not exact gets an odd last bit, so that rounding the
/// result to a format of at most 22 bits rounds `value` once (Boldo and Melquiond, 2008). NaN and
/// infinities stay; beyond the largest finite value it gives that value.
float to_odd(double value);

/// One of the two values of `format` between which `value` lies; a value of the format stays, also
/// a zero with its sign. With d the distance from the neighbour smaller in magnitude and s that
/// between the two (below the smallest normal, the smallest subnormal), it is the larger one where
/// random < 2^64 * d / s rounded down: with probability d / s less at most 2^-64, and exactly d / s
/// where that is a multiple of 2^-64.
///
/// As if the exponent range had no end, and a result beyond the largest finite value then becomes
/// what `Format::overflow` says: a value between the largest finite one and the next one up may
/// overflow, one beyond both always does. NaN and infinities as in `truncated`.
double stochastically_rounded(double value, const Format& format, std::uint64_t random);

/// Element `index`, from 0, of the SplitMix64 stream (Steele, Lea and Flood, 2014) whose state
/// starts at s = the first output of SplitMix64(seed): mix(s + (index + 1) * g) with s = mix(seed +
/// g), g = 0x9e3779b97f4a7c15, all modulo 2^64, and mix the published finaliser.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);

/// out[i] = truncated(a[i]), for i < size; float or double on both sides. `format` is a subset of
/// what `out` holds; any alignment; out may be the operand.
template <typename From, typename To>
void cast_truncate(Operand<From> a, const Format& format, std::size_t size, To* out);

/// out[i] = stochastically_rounded(a[i], random_bits(seed, first + i)): lane i is element first + i
/// of whatever is being cast, so that the result does not depend on how it is cut into blocks.
template <typename From, typename To>
void cast_stochastic(Operand<From> a, const Format& format, std::uint64_t seed, std::uint64_t first,
                     std::size_t size, To* out);

}  // namespace halfulp::backends
