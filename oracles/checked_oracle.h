// The checked oracle: a quick tier, exact arithmetic where it cannot decide, and a sample of both.
#pragma once

#include <cstdint>
#include <memory>

#include "oracles/certified.h"
#include "oracles/rational_oracle.h"
#include "oracles/sample.h"

namespace halfulp::oracles {

/// `OracleKind::checked`.
class CheckedOracle : public RationalOracle {
 public:
  /// `fast` may be null: every point is then decided exactly.
  CheckedOracle(const Program& program, const Format& dtype, std::unique_ptr<FastTier> fast);
  /// With the certified tier where there is one for the output format.
  CheckedOracle(const Program& program, const Format& dtype);

  void bind(const Binding& binding) override;
  void evaluate(std::uint64_t first, OracleBlock& out) override;

 private:
  /// Decides a lane again if the quick tier had decided it; the exact answer stays.
  void check(std::uint64_t index, std::size_t lane, const LaneSet& undecided, OracleBlock& out);

  std::unique_ptr<FastTier> fast_;
  std::uint64_t count_ = 0;
  std::uint64_t seed_ = 0;  ///< of the sample, from the size
};

}  // namespace halfulp::oracles
