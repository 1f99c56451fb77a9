#include "oracles/staged_oracle.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "harness/encoding.h"
#include "harness/error.h"
#include "harness/splitmix64.h"
#include "oracles/rational_oracle.h"
#include "oracles/sample.h"

namespace halfulp::oracles {
namespace {

/// Elements that checking a row may cost on average: of microseconds each where there are
/// elementary functions, else of nanoseconds.
constexpr std::uint64_t elementary_check_budget = 16;
constexpr std::uint64_t check_budget = 4096;

void copy_lanes(const OracleBlock& from, std::size_t size, OracleBlock& to, std::size_t offset) {
  std::copy_n(from.value, size, to.value + offset);
  std::copy_n(from.radius, size, to.radius + offset);
  if (to.rounded.carrier == Carrier::f32) {
    std::copy_n(from.rounded.f32, size, to.rounded.f32 + offset);
  } else {
    std::copy_n(from.rounded.f64, size, to.rounded.f64 + offset);
  }
}

void store(const Rounded& rounded, const Approximation& near, const Format& format,
           std::size_t lane, OracleBlock& out) {
  const double carried = to_double(rounded.bits, format);
  if (out.rounded.carrier == Carrier::f32) {
    out.rounded.f32[lane] = static_cast<float>(carried);
  } else {
    out.rounded.f64[lane] = carried;
  }
  // A result that is exact in the format is a double: no second rounding.
  out.value[lane] = rounded.exact ? carried : near.value;
  out.radius[lane] = rounded.exact ? 0 : near.radius;
}

}  // namespace

StagedOracle::StagedOracle(const Program& program, const Format& dtype,
                           std::unique_ptr<RowTier> quick)
    : plan_(std::make_shared<const HybridPlan>(program)),
      output_(output_format(program, dtype)),
      quick_(std::move(quick)),
      part_(std::make_unique<OracleBlock>()),
      slicer_(plan_->program) {}

void StagedOracle::bind(const Binding& binding) {
  slicer_.bind(binding);
  selected_row_.reset();
  quick_row_.reset();
  for (Level& level : levels_) level.bound_row.reset();
  rows_ = binding.rows;
  count_ = binding.count;
  row_size_ = result_count(plan_->program, binding.count, 1);
  seed_ = sample_seed(binding.n);
}

void StagedOracle::select_row(std::uint64_t row) {
  if (selected_row_ == row) return;
  row_binding_ = slicer_.row(row);
  selected_row_ = row;
}

HybridEvaluator& StagedOracle::level(std::size_t which) {
  Level& level = levels_[which];
  if (!level.evaluator) level.evaluator = make_hybrid_evaluator(plan_, which);
  if (level.bound_row != selected_row_) {
    level.evaluator->bind(row_binding_);
    level.bound_row = selected_row_;
  }
  return *level.evaluator;
}

template <typename Decide>
auto StagedOracle::decided(std::uint64_t index, Decide decide) {
  select_row(index / row_size_);
  for (std::size_t which = 0; which < levels_.size(); ++which) {
    try {
      const Enclosure result = level(which).evaluate(index % row_size_);
      if (auto out = decide(result, which + 1 == levels_.size())) return *std::move(out);
    } catch (const Undecided&) {
      continue;
    }
  }
  throw Failure(ExitCode::oracle_failure,
                "the oracle is undecided at " + std::to_string(hybrid_precisions.back()) +
                    " bits: index " + std::to_string(index) + " of size " + std::to_string(count_));
}

bool StagedOracle::decide(std::uint64_t index, std::size_t lane, OracleBlock& out) {
  return decided(index, [&](const Enclosure& result, bool) -> std::optional<bool> {
    const auto rounded = oracles::round_once(result, output_, RoundingMode::to_nearest_even);
    if (!rounded) return std::nullopt;
    store(*rounded, approximate(result), output_, lane, out);
    return result.is_exact;
  });
}

void StagedOracle::evaluate(std::uint64_t first, OracleBlock& out) {
  out.rounded.carrier = carrier_of(output_);
  for (std::size_t offset = 0; offset < out.rounded.size;) {
    const std::uint64_t index = first + offset;
    const std::uint64_t left_in_row = row_size_ - index % row_size_;
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.rounded.size - offset, left_in_row));
    evaluate_row(index, offset, size, out);
    offset += size;
  }
}

void StagedOracle::evaluate_row(std::uint64_t first, std::size_t offset, std::size_t size,
                                OracleBlock& out) {
  select_row(first / row_size_);
  if (!quick_) {
    for (std::size_t lane = 0; lane < size; ++lane) count(decide(first + lane, offset + lane, out));
    return;
  }
  LaneSet undecided;
  evaluate_quickly(first, offset, size, out, undecided);
  std::uint64_t left = 0;
  for (std::size_t word = 0; word < undecided.words.size(); ++word) {
    for (std::uint64_t rest = undecided.words[word]; rest != 0; rest &= rest - 1) {
      const std::size_t lane = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
      count(decide(first + lane, offset + lane, out));
      ++left;
    }
  }
  tiers_.certified += size - left;
  check_sample(first, offset, size, undecided, out);
}

void StagedOracle::evaluate_quickly(std::uint64_t first, std::size_t offset, std::size_t size,
                                    OracleBlock& out, LaneSet& undecided) {
  if (quick_row_ != selected_row_) quick_->bind(row_binding_);
  quick_row_ = selected_row_;
  const std::uint64_t index = first % row_size_;
  if (size == out.rounded.size) return quick_->evaluate(index, out, undecided);
  part_->rounded.size = size;
  part_->rounded.carrier = out.rounded.carrier;
  quick_->evaluate(index, *part_, undecided);
  copy_lanes(*part_, size, out, offset);
}

// Where results depend on whole rows, rows are sampled too, so that checking them costs about as
// much for long ones as for short ones.
bool StagedOracle::is_checked_row(std::uint64_t row) const {
  if (!plan_->has_reductions) return true;
  const std::uint64_t budget = plan_->has_elementary ? elementary_check_budget : check_budget;
  return count_ <= budget || splitmix64(seed_ ^ splitmix64(row)) % (count_ / budget) == 0;
}

void StagedOracle::check_sample(std::uint64_t first, std::size_t offset, std::size_t size,
                                const LaneSet& undecided, OracleBlock& out) {
  if (!is_checked_row(first / row_size_)) return;
  // The positions to sample from: those of the row, or of the whole result where rows are alike.
  const std::uint64_t origin = plan_->has_reductions ? first - first % row_size_ : 0;
  const std::uint64_t total = plan_->has_reductions ? row_size_ : rows_ * row_size_;
  const std::uint64_t begin = first - origin;
  const std::uint64_t end = begin + size;
  const auto check_at = [&](std::uint64_t position) {
    const std::size_t lane = position - begin;
    if (!undecided.contains(lane)) check(first + lane, offset + lane, out);
  };
  for (std::uint64_t k = begin / sample_stride; k * sample_stride < end; ++k) {
    const std::uint64_t position = sampled_index(seed_, k);
    const bool is_an_end = position == 0 || position + 1 == total;
    if (position >= begin && position < end && !is_an_end) check_at(position);
  }
  if (begin == 0) check_at(0);
  if (end == total && total > 1) check_at(total - 1);
}

void StagedOracle::check(std::uint64_t index, std::size_t lane, OracleBlock& out) {
  ++tiers_.checked;
  const Answer certified = answer_at(out, lane);
  decide(index, lane, out);
  if (contradict(certified, answer_at(out, lane))) ++tiers_.disagreements;
}

Rounded StagedOracle::round_once(std::uint64_t index, RoundingMode mode) {
  return decided(index, [&](const Enclosure& result, bool) {
    return oracles::round_once(result, output_, mode);
  });
}

ExactErrors StagedOracle::exact_errors(std::uint64_t index, double candidate) {
  return decided(index, [&](const Enclosure& result, bool is_last) {
    return oracles::exact_errors(is_last ? middle(result) : result, candidate, output_);
  });
}

std::string StagedOracle::exact_text(std::uint64_t index) {
  return decided(index, [&](const Enclosure& result, bool is_last) -> std::optional<std::string> {
    if (auto out = text(result)) return out;
    if (!is_last) return std::nullopt;
    return result.straddles_zero() ? "0…" : middle(result).low.text();
  });
}

}  // namespace halfulp::oracles
