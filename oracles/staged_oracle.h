// The oracle of programs with reductions and elementary functions: a quick tier in binary64, then
// exact arithmetic and intervals of growing precision (Ziv's strategy).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "harness/oracle.h"
#include "harness/row_slicer.h"
#include "oracles/hybrid_evaluator.h"
#include "oracles/kernels.h"

namespace halfulp::oracles {

/// A quick tier over one vector: decides results, or leaves them to the hybrid evaluator.
class RowTier {
 public:
  virtual ~RowTier() = default;
  virtual void bind(const Binding& one_row) = 0;
  /// Fills rounded, value and radius of the lanes that it decides; all others join `undecided`.
  virtual void evaluate(std::uint64_t first, OracleBlock& out, LaneSet& undecided) = 0;
};

/// The quick tier for a program and output format, or null where there is none.
std::unique_ptr<RowTier> make_row_tier(const Program& program, const Format& output);

/// Results are correctly rounded end to end. Throws Failure (oracle_failure) for a result that the
/// last precision leaves undecided: a midpoint, or in directed modes a value of the format, that
/// only intervals meet.
class StagedOracle : public OracleEvaluator {
 public:
  /// `quick` may be null: the hybrid evaluator then decides everything. Throws `Unsupported` for
  /// integer results.
  StagedOracle(const Program& program, const Format& dtype, std::unique_ptr<RowTier> quick);

  void bind(const Binding& binding) override;
  void evaluate(std::uint64_t first, OracleBlock& out) override;
  Rounded round_once(std::uint64_t index, RoundingMode mode) override;
  ExactErrors exact_errors(std::uint64_t index, double candidate) override;
  std::string exact_text(std::uint64_t index) override;
  const TierCounts& tiers() const override { return tiers_; }

 private:
  /// Evaluators of one precision, made when first needed.
  struct Level {
    std::unique_ptr<HybridEvaluator> evaluator;
    std::optional<std::uint64_t> bound_row;
  };

  void select_row(std::uint64_t row);
  HybridEvaluator& level(std::size_t which);
  /// Tries the precisions in turn until `decide`, which takes an Enclosure and whether it is the
  /// last, returns something.
  template <typename Decide>
  auto decided(std::uint64_t index, Decide decide);
  /// Decides one lane of a block; returns whether the result is exact.
  bool decide(std::uint64_t index, std::size_t lane, OracleBlock& out);
  void count(bool is_exact) { ++(is_exact ? tiers_.exact : tiers_.ziv); }
  void evaluate_row(std::uint64_t first, std::size_t offset, std::size_t size, OracleBlock& out);
  void evaluate_quickly(std::uint64_t first, std::size_t offset, std::size_t size, OracleBlock& out,
                        LaneSet& undecided);
  bool is_checked_row(std::uint64_t row) const;
  /// Decides again the sampled ones of the lanes that the quick tier decided; the second answers
  /// stay.
  void check_sample(std::uint64_t first, std::size_t offset, std::size_t size,
                    const LaneSet& undecided, OracleBlock& out);
  void check(std::uint64_t index, std::size_t lane, OracleBlock& out);

  std::shared_ptr<const HybridPlan> plan_;
  Format output_;
  std::unique_ptr<RowTier> quick_;
  std::optional<std::uint64_t> quick_row_;
  std::unique_ptr<OracleBlock> part_;  ///< a row's share of a block
  std::array<Level, hybrid_precisions.size()> levels_;
  RowSlicer slicer_;
  std::optional<std::uint64_t> selected_row_;
  Binding row_binding_{};
  std::uint64_t rows_ = 0;
  std::uint64_t row_size_ = 0;  ///< results a row
  std::uint64_t count_ = 0;     ///< elements a row
  std::uint64_t seed_ = 0;      ///< of the sample
  TierCounts tiers_;
};

}  // namespace halfulp::oracles
