// Which points are decided twice: a function of the size and the position alone.
#pragma once

#include <cstdint>

#include "harness/exact_number.h"
#include "harness/oracle.h"

namespace halfulp::oracles {

/// Seed of the sample of an axis.
std::uint64_t sample_seed(const ExactNumber& n);

/// Indices per sampled point.
inline constexpr std::uint64_t sample_stride = 4096;

/// The index that is recomputed among [k * sample_stride, (k + 1) * sample_stride); it depends on
/// the seed (the size) and k alone, not on blocks or threads. Besides these the first and the last
/// index of an axis are.
std::uint64_t sampled_index(std::uint64_t seed, std::uint64_t k);

/// What a tier says of one point.
struct Answer {
  std::uint64_t bits = 0;  ///< of the carried result
  double value = 0;
  double radius = 0;
};

Answer answer_at(const OracleBlock& block, std::size_t lane);

/// Do two answers to one point differ in the result, or do their intervals not meet?
bool contradict(const Answer& a, const Answer& b);

}  // namespace halfulp::oracles
