// The block interpreter: runs a lowered program under an execution model, one kernel an operation.
#pragma once

#include <memory>

#include "harness/backend.h"

namespace halfulp::backends {

/// Applies the backend's rewrites and compiles the result. Throws Unsupported for an operation
/// whose operands need a conversion that no engine model describes.
std::unique_ptr<Evaluator> compile(const Backend& backend, const Program& program,
                                   const Format& dtype);

}  // namespace halfulp::backends
