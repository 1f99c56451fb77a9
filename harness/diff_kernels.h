// The vector loops of diff.cpp: distances in steps, and which lanes may hold a new largest error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/block.h"
#include "harness/format.h"

namespace halfulp {

/// How the magnitude of a binary32 carrier maps to an ordinal of a narrower format.
struct CarrierOrdinal {
  int dropped_bits = 0;      ///< 24 - precision
  std::uint32_t offset = 0;  ///< subtracted after dropping, for normal values
  float min_normal = 0;      ///< below: magnitude * subnormal_scale
  float subnormal_scale = 0;
  bool has_subnormal_range = false;  ///< the format's exponent range is smaller than the carrier's
};
CarrierOrdinal carrier_ordinal(const Format& format);

/// Marks a lane with NaN or infinity on one side only, or unlike infinities.
inline constexpr std::uint32_t unlike_lane = ~std::uint32_t{0};

struct BlockDistances {
  alignas(64) std::array<std::uint32_t, block_lanes> steps;  ///< or unlike_lane
  std::uint32_t differing = 0;
  std::uint32_t unlike = 0;          ///< lanes marked unlike_lane
  std::uint32_t both_nonfinite = 0;  ///< equal NaN or infinity: no distance
  std::uint32_t zero_sign = 0;
  std::uint32_t unwritten = 0;
  std::uint32_t lost_zero_candidates = 0;  ///< expected encodes zero, actual does not
  std::uint32_t max_steps = 0;
};
void measure_distances(const float* actual, const float* expected, const CarrierOrdinal& ordinal,
                       std::size_t size, BlockDistances& out);

/// The largest errors so far; a lane that may exceed one of them is a candidate.
struct ErrorThresholds {
  double abs = 0;  ///< the smaller of the largest abs and of range_ulp times its unit
  double ulp_error = 0;
  double rel = 0;
  double ulp_per_binade = 0;  ///< 2^(1 - precision)
  double min_ulp = 0;         ///< smallest subnormal
};

/// Lanes whose error may be a new maximum, in ascending order; returns how many. `value` is the
/// exact result within `radius`; both null: the expected values are exact.
std::size_t error_candidates(const float* actual, const float* expected, const double* value,
                             const double* radius, const ErrorThresholds& thresholds,
                             std::size_t size, std::uint16_t* lanes);

}  // namespace halfulp
