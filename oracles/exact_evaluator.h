// A Program evaluated over the real numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/block.h"
#include "harness/program.h"
#include "oracles/exact_value.h"

namespace halfulp::oracles {

/// Throws `Unsupported` if the output is an integer, or if some operation might leave the domain of
/// `ExactValue`: a root of a root, or a sum, minimum or fma of different roots.
void check_exactly_evaluable(const Program& program);

/// Evaluates the output of a program exactly, index by index. Casts are the identity.
class ExactEvaluator {
 public:
  /// Throws as `check_exactly_evaluable`.
  explicit ExactEvaluator(const Program& program);

  void bind(const Binding& binding);
  /// The result at an index; valid until the next call.
  const ExactValue& evaluate(std::uint64_t index);

  /// The program without dead code; the values below are its values.
  const Program& program() const { return program_; }
  const std::vector<Shape>& value_shapes() const { return shapes_; }
  /// A uniform value for the bound axis.
  const ExactValue& uniform(ValueId id) const { return values_[id]; }
  /// What a step of a `linspace` from `start` to `end` adds: (end - start) / (count - 1), or 0 for
  /// a single point.
  ExactValue linspace_step(ValueId start, ValueId end) const;
  /// True for a uniform value computed from literals alone: it is the same for every axis.
  bool is_literal(ValueId id) const { return literal_[id]; }

 private:
  ExactValue compute(ValueId id, std::uint64_t index) const;
  ExactValue bound_constant(const Constant& constant) const;

  Program program_;
  std::vector<Shape> shapes_;
  std::vector<bool> literal_;
  std::vector<ValueId> per_axis_;   ///< uniform values that depend on the axis
  std::vector<ValueId> per_index_;  ///< map values
  std::vector<ExactValue> steps_;   ///< of each linspace
  std::vector<ExactValue> values_;
  Binding binding_{};
  ExactValue n_;
};

}  // namespace halfulp::oracles
