#include "oracles/lowering.h"

#include <algorithm>
#include <utility>

namespace halfulp::oracles {
namespace {

using Kind = UniformNode::Kind;

class Lowering {
 public:
  explicit Lowering(const ExactEvaluator& values) : values_(values) {}

  LoweredProgram run() {
    const Program& program = values_.program();
    for (ValueId id = 0; id < program.instructions.size(); ++id) {
      const bool is_uniform = values_.value_shapes()[id] == Shape::uniform;
      lowered_.push_back(is_uniform ? uniform({Kind::value, id, 0, values_.is_literal(id)})
                                    : lower_map(program.at(id)));
    }
    out_.output = lowered_[program.output];
    if (out_.output.source == Source::index) out_.output = lanes(out_.output);
    return std::move(out_);
  }

 private:
  NodeOperand uniform(const UniformNode& node) {
    const auto found = std::ranges::find(out_.uniforms, node);
    const auto id = static_cast<std::uint32_t>(found - out_.uniforms.begin());
    if (found == out_.uniforms.end()) out_.uniforms.push_back(node);
    return {Source::uniform, id};
  }
  NodeOperand uniform(Kind kind, NodeOperand a, NodeOperand b) {
    const bool literal = out_.uniforms[a.id].is_literal && out_.uniforms[b.id].is_literal;
    return uniform({kind, a.id, b.id, literal});
  }
  NodeOperand uniform(Kind kind, NodeOperand a) { return uniform(kind, a, a); }
  NodeOperand one() { return uniform({Kind::one, 0, 0, true}); }

  NodeOperand node(const LaneNode& node) {
    out_.nodes.push_back(node);
    return {Source::lanes, static_cast<std::uint32_t>(out_.nodes.size() - 1)};
  }
  /// The index as a number per lane.
  NodeOperand lanes(NodeOperand operand) {
    if (operand.source != Source::index) return operand;
    return node({.op = KernelOp::mul, .a = operand, .b = one()});
  }

  NodeOperand unary(KernelOp op, NodeOperand a) { return node({.op = op, .a = lanes(a)}); }

  NodeOperand commutative(KernelOp op, NodeOperand a, NodeOperand b) {
    if (a.source == Source::uniform) std::swap(a, b);
    if (b.source != Source::uniform) {
      a = lanes(a);
      b = lanes(b);
    }
    return node({.op = op, .a = a, .b = b});
  }
  /// sub or div where the second operand is not uniform.
  NodeOperand ordered(KernelOp op, NodeOperand a, NodeOperand b) {
    if (a.source != Source::uniform) a = lanes(a);
    return node({.op = op, .a = a, .b = lanes(b)});
  }

  NodeOperand product(NodeOperand a, NodeOperand b) {
    if (a.source == Source::uniform && b.source == Source::uniform) {
      return uniform(Kind::product, a, b);
    }
    return commutative(KernelOp::mul, a, b);
  }
  NodeOperand quotient(NodeOperand a, NodeOperand b) {
    if (b.source != Source::uniform) return ordered(KernelOp::div, a, b);
    if (a.source == Source::uniform) return uniform(Kind::quotient, a, b);
    return product(a, uniform(Kind::reciprocal, b));
  }
  // x - c and x + (-c) agree, in their zeros too.
  NodeOperand difference(NodeOperand a, NodeOperand b) {
    if (b.source != Source::uniform) return ordered(KernelOp::sub, a, b);
    return commutative(KernelOp::add, a, uniform(Kind::negation, b));
  }

  bool is_literally(ValueId id, std::int64_t number) const {
    return values_.is_literal(id) && (values_.uniform(id) - ExactValue(number)).is_zero();
  }
  NodeOperand ramp(ValueId start, NodeOperand scaled_index) {
    // Adding 0 changes an index in nothing, but a product's -0 to 0.
    if (scaled_index.source == Source::index && is_literally(start, 0)) return scaled_index;
    return commutative(KernelOp::add, scaled_index, lowered_[start]);
  }

  NodeOperand lower_map(const Instruction& instruction) {
    const auto operand = [&](std::size_t which) { return lowered_[instruction.operands[which]]; };
    const auto [start, second, third] = instruction.operands;
    const NodeOperand index{Source::index, 0};
    switch (instruction.op) {
      case Op::constant:
        break;  // uniform
      case Op::index:
        return index;
      case Op::input:
        return node({.is_input = true, .input = instruction.input});
      case Op::arange:
        return ramp(start, is_literally(second, 1) ? index : product(index, operand(1)));
      case Op::linspace:
        return ramp(start, product(index, uniform({Kind::linspace_step, start, second, false})));
      case Op::add:
        return commutative(KernelOp::add, operand(0), operand(1));
      case Op::sub:
        return difference(operand(0), operand(1));
      case Op::mul:
        return product(operand(0), operand(1));
      case Op::div:
        return quotient(operand(0), operand(1));
      case Op::min:
        return commutative(KernelOp::min, operand(0), operand(1));
      case Op::max:
        return commutative(KernelOp::max, operand(0), operand(1));
      case Op::fma:
        return commutative(KernelOp::add, product(operand(0), operand(1)), operand(2));
      case Op::div_add:
        return commutative(KernelOp::add, quotient(operand(0), operand(1)), operand(2));
      case Op::neg:
        return unary(KernelOp::neg, operand(0));
      case Op::abs:
        return unary(KernelOp::abs, operand(0));
      case Op::sqrt:
        return unary(KernelOp::sqrt, operand(0));
      case Op::rsqrt:
        return quotient(one(), unary(KernelOp::sqrt, operand(0)));
      case Op::reciprocal:
        return quotient(one(), operand(0));
      case Op::floor:
        return unary(KernelOp::floor, operand(0));
      case Op::cast:
      case Op::cast_truncate:
      case Op::cast_stochastic:
        return operand(0);
      default:
        break;  // check_exactly_evaluable refuses it
    }
    return index;
  }

  const ExactEvaluator& values_;
  std::vector<NodeOperand> lowered_;
  LoweredProgram out_;
};

}  // namespace

LoweredProgram lower(const ExactEvaluator& values) { return Lowering(values).run(); }

}  // namespace halfulp::oracles
