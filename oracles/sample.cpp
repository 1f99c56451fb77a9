#include "oracles/sample.h"

#include <bit>
#include <cmath>

#include "harness/splitmix64.h"

namespace halfulp::oracles {
namespace {

std::uint64_t carried_bits(const Block& block, std::size_t lane) {
  return block.carrier == Carrier::f32 ? std::bit_cast<std::uint32_t>(block.f32[lane])
                                       : std::bit_cast<std::uint64_t>(block.f64[lane]);
}

}  // namespace

std::uint64_t sample_seed(const ExactNumber& n) {
  return splitmix64(static_cast<std::uint64_t>(n.numerator) ^
                    splitmix64(static_cast<std::uint64_t>(n.denominator)));
}

std::uint64_t sampled_index(std::uint64_t seed, std::uint64_t k) {
  return k * sample_stride + splitmix64(seed ^ splitmix64(k)) % sample_stride;
}

Answer answer_at(const OracleBlock& block, std::size_t lane) {
  return {carried_bits(block.rounded, lane), block.value[lane], block.radius[lane]};
}

bool contradict(const Answer& a, const Answer& b) {
  if (a.bits != b.bits) return true;
  if (std::isinf(a.radius) || std::isinf(b.radius)) return false;
  // Do the intervals meet? With a margin for the rounding of the sum and the difference.
  return !(std::fabs(a.value - b.value) <= (a.radius + b.radius) * (1 + 0x1p-50));
}

}  // namespace halfulp::oracles
