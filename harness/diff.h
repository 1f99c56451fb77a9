// Compares blocks of results: what feeds the metrics.
#pragma once

#include <cstdint>

#include "harness/block.h"
#include "harness/diff_kernels.h"
#include "harness/format.h"
#include "harness/metrics.h"
#include "harness/oracle.h"

namespace halfulp {

/// What the comparison of results of a format needs, computed once.
struct DiffConstants {
  explicit DiffConstants(const Format& format);
  Format format;
  CarrierOrdinal ordinal;     ///< for binary32 carriers
  double ulp_per_binade = 0;  ///< 2^(1 - precision)
  double min_ulp = 0;         ///< the smallest subnormal
};

/// Two blocks of the same indices. With the oracle as reference, `expected` is its rounded block
/// and errors are measured against the unrounded exact results; otherwise against `expected`
/// itself.
struct Comparison {
  const Block* actual = nullptr;
  const Block* expected = nullptr;
  const OracleBlock* exact = nullptr;  ///< null when the reference is a backend
  OracleEvaluator* oracle = nullptr;   ///< settles which error is largest; set with `exact`
  const DiffConstants* constants = nullptr;
  double range_ulp = 1;     ///< spacing of the format at the top of the output range
  std::uint64_t width = 0;  ///< Point::width of these results
  std::uint64_t first = 0;  ///< index of lane 0
};

/// Distance of a lane with NaN or infinity on one side only, or unlike infinities.
inline constexpr std::uint64_t unlike_nonfinite = ~std::uint64_t{0};

/// Adds the comparison to the metrics (all but `widths_affected`) and returns the number of
/// differing points. Blocks of one Metrics come in ascending order. Errors are decided exactly:
/// where binary64 approximations leave open which of two points is worse, the oracle settles it.
std::uint64_t accumulate(const Comparison& comparison, Metrics& metrics);

/// The slow, obvious twin of `accumulate`: lane by lane on encodings, every error from the oracle.
std::uint64_t accumulate_slowly(const Comparison& comparison, Metrics& metrics);

/// Distance of a lane in steps, or `unlike_nonfinite`. The lane differs if it is not 0.
std::uint64_t lane_steps(const Comparison& comparison, std::size_t lane);

/// The ulp of the format at a value: 2^(e - p + 1) for 2^e <= |value| < 2^(e+1), never below the
/// smallest subnormal.
double ulp_at(double value, const Format& format);

/// The spacing of the format just above `magnitude`: what one unit of `range_ulp` is.
double range_ulp_at(double magnitude, const Format& format);

}  // namespace halfulp
