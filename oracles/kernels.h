// Block kernels of the certified tier: binary64 arithmetic, and rounding to a format with a bound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/block.h"
#include "harness/format.h"

namespace halfulp::oracles {

/// A double per lane of a block.
struct alignas(64) Lanes {
  std::array<double, block_lanes> values{};
  double* data() { return values.data(); }
  const double* data() const { return values.data(); }
};

/// A set of lanes of a block.
struct LaneSet {
  std::array<std::uint64_t, block_lanes / 64> words{};

  void clear() { words.fill(0); }
  void insert(std::size_t lane) { words[lane / 64] |= std::uint64_t{1} << (lane % 64); }
  bool contains(std::size_t lane) const { return (words[lane / 64] >> (lane % 64) & 1) != 0; }
  bool operator==(const LaneSet&) const = default;
};

/// What the kernels compute; every other operation is lowered to these.
enum class KernelOp : std::uint8_t { add, sub, mul, div, min, max, neg, abs, sqrt, floor };

/// Where an operand of a kernel comes from.
enum class Source : std::uint8_t {
  index,    ///< first, first + 1, …; only as the first operand
  uniform,  ///< one number
  lanes,    ///< a number per lane
};

/// One operation over the lanes of a block. Kernels work on whole vectors: lanes from `size` to the
/// next multiple of 32 are read and written too.
struct KernelStep {
  KernelOp op = KernelOp::add;
  Source a_source = Source::lanes;
  Source b_source = Source::uniform;  ///< ignored by unary operations
  const double* a = nullptr;
  const double* b = nullptr;
  double first = 0;      ///< the index of lane 0
  double a_uniform = 0;  ///< only for sub and div
  double b_uniform = 0;
  double relative = 0;  ///< for floor: |operand - exact| <= relative * |operand| + absolute
  double absolute = 0;
  double* out = nullptr;
  std::size_t size = 0;
};

/// Rounding of a block to a format narrower than binary64.
struct RoundStep {
  const double* values = nullptr;
  std::size_t size = 0;
  double relative = 0;  ///< |value - exact| <= relative * |value| + absolute
  double absolute = 0;
  float* rounded = nullptr;
  double* radius = nullptr;  ///< receives relative * |value| + absolute
};

/// Constants of a format for rounding doubles to it.
struct RoundingConstants {
  explicit RoundingConstants(const Format& format);

  int dropped_bits;           ///< bits of a double's significand below the format's
  std::uint64_t kept_mask;    ///< all but the dropped bits
  std::uint64_t half;         ///< half an ulp, in units of a double's last bit
  double min_normal;          ///< below it the format has one spacing
  double subnormal_magic;     ///< adding it rounds to that spacing
  double half_min_subnormal;  ///< half of that spacing
  double overflow_threshold;  ///< from here on magnitudes may round beyond max_finite
};

/// Runs one operation. Lanes whose result the bound does not cover join `undecided`: those where a
/// quotient or root is not finite, and those where the floor of the exact operand may differ.
void run_kernel(const KernelStep& step, LaneSet& undecided);

/// Rounds to nearest-even where the interval value +- radius decides the result; other lanes join
/// `undecided` and hold no meaningful result.
void run_rounding(const RoundStep& step, const RoundingConstants& constants, LaneSet& undecided);

/// The same two functions, one lane at a time in the plainest way; for the tests.
void run_kernel_plainly(const KernelStep& step, LaneSet& undecided);
void run_rounding_plainly(const RoundStep& step, const RoundingConstants& constants,
                          LaneSet& undecided);

}  // namespace halfulp::oracles
