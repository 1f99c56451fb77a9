#include "harness/oracle.h"
#include "oracles/ball_tier.h"
#include "oracles/checked_oracle.h"
#include "oracles/staged_oracle.h"

namespace halfulp {
namespace oracles {
namespace {

/// The tier of balls in binary64.
class BallRowTier : public RowTier {
 public:
  BallRowTier(const Program& program, const Format& output) : tier_(program, output) {}
  void bind(const Binding& one_row) override { tier_.bind(one_row); }
  void evaluate(std::uint64_t first, OracleBlock& out, LaneSet& undecided) override {
    tier_.evaluate(first, out, undecided);
  }

 private:
  BallTier tier_;
};

}  // namespace

std::unique_ptr<RowTier> make_row_tier(const Program& program, const Format& output) {
  if (output == binary64 || !BallTier::supports(program, output)) return nullptr;
  return std::make_unique<BallRowTier>(program, output);
}

}  // namespace oracles

std::unique_ptr<OracleEvaluator> make_oracle(OracleKind kind, const Program& program,
                                             const Format& dtype) {
  const bool is_exact = kind == OracleKind::exact;
  if (oracles::needs_hybrid(program)) {
    auto quick = is_exact ? nullptr
                          : oracles::make_row_tier(program, oracles::output_format(program, dtype));
    return std::make_unique<oracles::StagedOracle>(program, dtype, std::move(quick));
  }
  if (is_exact) return std::make_unique<oracles::RationalOracle>(program, dtype);
  return std::make_unique<oracles::CheckedOracle>(program, dtype);
}

}  // namespace halfulp
