// A program as the certified tier runs it: few kinds of kernels, uniform parts computed exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "oracles/exact_evaluator.h"
#include "oracles/kernels.h"

namespace halfulp::oracles {

/// A uniform number, from values of the program and earlier uniform numbers (by position).
struct UniformNode {
  enum class Kind : std::uint8_t {
    value,          ///< program value a
    linspace_step,  ///< step of a linspace from program value a to b
    one,
    negation,    ///< -a
    reciprocal,  ///< 1 / a
    product,     ///< a * b
    quotient,    ///< a / b
  };
  Kind kind = Kind::value;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  bool is_literal = false;  ///< the same for every axis

  bool operator==(const UniformNode&) const = default;
};

/// An operand: the index, or the position of a uniform number or of a lane node.
struct NodeOperand {
  Source source = Source::index;
  std::uint32_t id = 0;
  bool operator==(const NodeOperand&) const = default;
};

/// A number per lane: an input, or one kernel's result.
struct LaneNode {
  bool is_input = false;
  std::uint32_t input = 0;
  KernelOp op = KernelOp::add;
  NodeOperand a{};
  NodeOperand b{};
};

/// Exactly equal to the program over the real numbers, and with the same signs of zeros. A division
/// by a uniform number is a product with its exact reciprocal; fma, div_add, rsqrt and reciprocal
/// are taken apart; ramps are a product and a sum; casts are gone.
struct LoweredProgram {
  std::vector<UniformNode> uniforms;
  std::vector<LaneNode> nodes;
  NodeOperand output;  ///< uniform only if the whole program is
};

LoweredProgram lower(const ExactEvaluator& values);

}  // namespace halfulp::oracles
