// Norms of a vector as formulas; every operation is typed in the case's dtype.
#pragma once

#include "harness/program.h"

namespace halfulp::cases {

/// sqrt(sum(x^2)): the squares overflow or underflow long before the norm does.
ValueId naive_norm2(ProgramBuilder& b, ValueId x);

/// m sqrt(sum((x / m)^2)) with m the largest magnitude, or 0 where that is 0. A vector with an
/// infinity gives NaN.
ValueId scaled_norm2(ProgramBuilder& b, ValueId x);

/// The largest magnitude; 0 for an empty vector.
ValueId norm_inf(ProgramBuilder& b, ValueId x);

}  // namespace halfulp::cases
