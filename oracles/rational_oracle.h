// The definitional oracle: every point by exact arithmetic, rounded by comparing distances.
#pragma once

#include <string>

#include "harness/oracle.h"
#include "oracles/exact_evaluator.h"
#include "oracles/exact_value.h"

namespace halfulp::oracles {

/// `OracleKind::exact`, and the exact tier of `OracleKind::checked`.
class RationalOracle : public OracleEvaluator {
 public:
  /// Throws `Unsupported` for a program that cannot be evaluated exactly.
  RationalOracle(const Program& program, const Format& dtype);

  void bind(const Binding& binding) override;
  void evaluate(std::uint64_t first, OracleBlock& out) override;
  Rounded round_once(std::uint64_t index, RoundingMode mode) override;
  ExactErrors exact_errors(std::uint64_t index, double candidate) override;
  std::string exact_text(std::uint64_t index) override;
  const TierCounts& tiers() const override { return tiers_; }

 protected:
  const Format& output() const { return output_; }
  ExactEvaluator& evaluator() { return evaluator_; }
  TierCounts& counts() { return tiers_; }
  /// Decides one lane of a block: its rounded result, approximation and radius.
  void decide_exactly(std::uint64_t index, std::size_t lane, OracleBlock& out);

 private:
  ExactEvaluator evaluator_;
  Format output_;
  TierCounts tiers_;
};

/// The format that the program's results are rounded to. Throws `Unsupported` for integers.
Format output_format(const Program& program, const Format& dtype);

}  // namespace halfulp::oracles
