// A program as the ball tier runs it: kernels on balls, and reductions of maps.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/program.h"
#include "oracles/ball_kernels.h"

namespace halfulp::oracles {

struct BallNode {
  enum class Kind : std::uint8_t {
    constant,
    count,           ///< the number of elements
    count_less_one,  ///< that - 1; unknown for fewer than two elements
    index,
    input,
    kernel,     ///< op(a, b); b is ignored by unary operations
    centre,     ///< the double at the centre of the ball a, as an exact number
    m2,         ///< a - count * (b - centre of b)^2: a sum of squares about that centre, b the mean
    reduction,  ///< reduction(a): sum, product, smallest, largest, index_of_largest, or the element
                ///< of a at index b
  };
  Kind kind = Kind::constant;
  Shape shape = Shape::uniform;
  BallOp op = BallOp::add;
  Op reduction = Op::sum;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Constant constant{};
  std::uint32_t input = 0;
};

/// Equal to the program over the real numbers, and with the same signs of zeros. Casts are gone;
/// fma, div_add, rsqrt, reciprocal, ramps, dot products and moments are taken apart. Operands come
/// before their uses.
struct BallProgram {
  std::vector<BallNode> nodes;
  std::uint32_t output = 0;
};

/// False if the program reduces something that is not a map.
bool can_lower_to_balls(const Program& program);
/// Only where `can_lower_to_balls`.
BallProgram lower_to_balls(const Program& program);

/// The map nodes that a node needs, itself included if it is one, in the order of evaluation.
std::vector<std::uint32_t> map_nodes_of(const BallProgram& program, std::uint32_t node);

/// Is every real result of the node positive, if those of its operands with a positive sign are?
/// For a node whose ball is known, its ball says more.
KnownSign sign_of(const BallNode& node, const std::vector<KnownSign>& signs);

}  // namespace halfulp::oracles
