// What the hybrid evaluator needs to know of a program, whatever its precision.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/program.h"

namespace halfulp::oracles {

/// The values that have to be computed for one value: first the uniform ones, then, for each index,
/// the map values, operands before uses. Reductions are uniform: what they reduce is theirs.
struct Cone {
  std::vector<ValueId> uniforms;
  std::vector<ValueId> maps;
};

/// Stored numbers that a reduction sums: an input, or the products of two.
struct StoredTerms {
  std::uint32_t input = 0;
  std::optional<std::uint32_t> factor;
};

struct ReductionPlan {
  Cone cone;                          ///< of the operands that are maps
  std::optional<StoredTerms> stored;  ///< where casts and a product are all that is done to inputs
};

struct HybridPlan {
  /// Throws `Unsupported` if the output is an integer.
  explicit HybridPlan(const Program& source);

  Program program;  ///< without dead code
  std::vector<Shape> shapes;
  Cone output;
  std::vector<ReductionPlan> reductions;  ///< by value; empty but for reductions
  bool has_reductions = false;
  bool has_elementary = false;
};

/// Does the program need the hybrid evaluator: a reduction, an elementary function, `equal`, more
/// than one square root (which may not combine exactly), or an input with rows?
bool needs_hybrid(const Program& program);

}  // namespace halfulp::oracles
