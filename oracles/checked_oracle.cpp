#include "oracles/checked_oracle.h"

#include <bit>

namespace halfulp::oracles {

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
  seed_ = sample_seed(binding.n);
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
  const Answer certified = answer_at(out, lane);
  decide_exactly(index, lane, out);
  if (contradict(certified, answer_at(out, lane))) ++counts().disagreements;
}

}  // namespace halfulp::oracles
