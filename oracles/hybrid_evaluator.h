// A Program evaluated over the real numbers: exactly where that is possible, else within intervals.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "harness/block.h"
#include "oracles/enclosure.h"
#include "oracles/hybrid_plan.h"
#include "oracles/undecided.h"

namespace halfulp::oracles {

/// Evaluates a program's results over one vector at one precision. Nothing is computed before a
/// result needs it; uniform values, reductions among them, are computed once for a vector.
class HybridEvaluator {
 public:
  virtual ~HybridEvaluator() = default;
  /// One row: an input holds `count` values. The binding's inputs outlive the evaluation.
  virtual void bind(const Binding& one_row) = 0;
  /// The result at an index. Throws `Undecided` where an interval is too wide for an operation.
  virtual Enclosure evaluate(std::uint64_t index) = 0;
};

/// Bits of the intervals, in the order in which they are tried.
inline constexpr std::array<unsigned, 3> hybrid_precisions{192, 640, 2048};

/// The evaluator of a precision, by its position among `hybrid_precisions`.
std::unique_ptr<HybridEvaluator> make_hybrid_evaluator(std::shared_ptr<const HybridPlan> plan,
                                                       std::size_t level);

}  // namespace halfulp::oracles
