#include "oracles/checked_oracle.h"

#include <bit>
#include <cmath>

#include "harness/oracle.h"

namespace halfulp {
namespace oracles {
namespace {

/// The finalizer of splitmix64 (Steele, Lea and Flood, 2014): a bijection that scatters its input.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t seed_of(const ExactNumber& n) {
  return mixed(static_cast<std::uint64_t>(n.numerator) ^
               mixed(static_cast<std::uint64_t>(n.denominator)));
}

std::uint64_t carried_bits(const Block& block, std::size_t lane) {
  return block.carrier == Carrier::f32 ? std::bit_cast<std::uint32_t>(block.f32[lane])
                                       : std::bit_cast<std::uint64_t>(block.f64[lane]);
}

/// Do two intervals meet? With a margin for the rounding of the sum and the difference.
bool overlap(double value, double radius, double other, double other_radius) {
  return std::fabs(value - other) <= (radius + other_radius) * (1 + 0x1p-50);
}

}  // namespace

std::uint64_t sampled_index(std::uint64_t seed, std::uint64_t k) {
  return k * sample_stride + mixed(seed ^ mixed(k)) % sample_stride;
}

CheckedOracle::CheckedOracle(const Program& program, const Format& dtype,
                             std::unique_ptr<FastTier> fast)
    : RationalOracle(program, dtype), fast_(std::move(fast)) {}

CheckedOracle::CheckedOracle(const Program& program, const Format& dtype)
    : RationalOracle(program, dtype) {
  if (output() != binary64) fast_ = std::make_unique<CertifiedTier>(evaluator(), output());
}

void CheckedOracle::bind(const Binding& binding) {
  RationalOracle::bind(binding);
  count_ = binding.count;
  seed_ = seed_of(binding.n);
  if (fast_) fast_->bind(binding, evaluator());
}

void CheckedOracle::evaluate(std::uint64_t first, OracleBlock& out) {
  if (!fast_) return RationalOracle::evaluate(first, out);
  const std::size_t size = out.rounded.size;
  out.rounded.carrier = carrier_of(output());
  LaneSet undecided;
  fast_->evaluate(first, out, undecided);
  std::uint64_t exact = 0;
  for (std::size_t word = 0; word < undecided.words.size(); ++word) {
    for (std::uint64_t rest = undecided.words[word]; rest != 0; rest &= rest - 1) {
      const std::size_t lane = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
      decide_exactly(first + lane, lane, out);
      ++exact;
    }
  }
  counts().exact += exact;
  counts().certified += size - exact;
  const std::uint64_t end = first + size;
  for (std::uint64_t k = first / sample_stride; k * sample_stride < end; ++k) {
    const std::uint64_t index = sampled_index(seed_, k);
    const bool is_an_end = index == 0 || index + 1 == count_;
    if (index >= first && index < end && !is_an_end) check(index, index - first, undecided, out);
  }
  if (first == 0 && size > 0) check(0, 0, undecided, out);
  if (end == count_ && count_ > 1 && size > 0) check(end - 1, size - 1, undecided, out);
}

void CheckedOracle::check(std::uint64_t index, std::size_t lane, const LaneSet& undecided,
                          OracleBlock& out) {
  if (undecided.contains(lane)) return;
  ++counts().checked;
  const double value = out.value[lane];
  const double radius = out.radius[lane];
  const std::uint64_t bits = carried_bits(out.rounded, lane);
  decide_exactly(index, lane, out);
  if (bits != carried_bits(out.rounded, lane) ||
      !overlap(value, radius, out.value[lane], out.radius[lane])) {
    ++counts().disagreements;
  }
}

}  // namespace oracles

std::unique_ptr<OracleEvaluator> make_oracle(OracleKind kind, const Program& program,
                                             const Format& dtype) {
  switch (kind) {
    case OracleKind::exact:
      return std::make_unique<oracles::RationalOracle>(program, dtype);
    case OracleKind::checked:
      return std::make_unique<oracles::CheckedOracle>(program, dtype);
  }
  return nullptr;
}

}  // namespace halfulp
