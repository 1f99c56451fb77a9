#include "backends/plan_reduction.h"

namespace halfulp::backends {
namespace {

using Kind = ReductionOrder::Kind;

/// The order that the source demands, or else the engine's.
ReductionOrder order_of(const Instruction& reduction, const ReductionOrder& engine) {
  switch (reduction.algorithm) {
    case Algorithm::engine:
      break;
    case Algorithm::pairwise:
      return parse_order("pairwise");
    case Algorithm::kahan:
      return {.kind = Kind::kahan};
    case Algorithm::neumaier:
      return {.kind = Kind::neumaier};
  }
  if (!depends_on_order(reduction)) return {.kind = Kind::sequential};
  if (engine.kind == Kind::unmodelled) {
    throw Unsupported("its order of reductions is not modelled; +order=sequential chooses one");
  }
  if (engine.kind == Kind::any) {
    throw Unsupported("order=any stands for several orders; choose one, +order=sequential");
  }
  return engine;
}

}  // namespace

bool depends_on_order(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::sum:
      return instruction.algorithm == Algorithm::engine;
    case Op::product:
    case Op::dot:
    case Op::welford_mean:
    case Op::welford_m2:
    case Op::chan_m2:
      return true;
    default:
      return false;
  }
}

Reduction plan_reduction(const Instruction& reduction, const Backend& backend,
                         const Narrowing& result) {
  const bool is_fused = backend.lowering.contraction == Contraction::on;
  const bool rounds_each = backend.model.accumulator == Accumulator::type;
  return {.op = reduction.op,
          .order = order_of(reduction, backend.model.order),
          .step = rounds_each ? result : Narrowing{},
          .result = result,
          .products = is_fused ? Products::fused : Products::rounded,
          .extremes = backend.model.extremes};
}

}  // namespace halfulp::backends
