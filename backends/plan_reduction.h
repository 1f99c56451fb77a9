// What a backend's model says of one reduction.
#pragma once

#include "backends/reduce.h"
#include "harness/backend.h"
#include "harness/program.h"

namespace halfulp::backends {

/// Does the result of an operation depend on the engine's order of reductions?
bool depends_on_order(const Instruction& instruction);

/// The reduction as the backend runs it; `result` narrows to its type. Throws Unsupported where the
/// order is not modelled or stands for several.
Reduction plan_reduction(const Instruction& reduction, const Backend& backend,
                         const Narrowing& result);

}  // namespace halfulp::backends
