#include "oracles/ball_program.h"

#include <algorithm>

namespace halfulp::oracles {
namespace {

using Kind = BallNode::Kind;
using Id = std::uint32_t;

class Lowering {
 public:
  explicit Lowering(const Program& program) : source_(without_dead_code(program)) {}

  BallProgram run() {
    for (const Instruction& instruction : source_.instructions) {
      node_of_.push_back(lowered(instruction));
    }
    out_.output = node_of_[source_.output];
    return std::move(out_);
  }

 private:
  Id append(BallNode node) {
    const auto shape = [&](Id id) { return out_.nodes[id].shape; };
    if (node.kind == Kind::index || node.kind == Kind::input) node.shape = Shape::map;
    if (node.kind == Kind::kernel && (shape(node.a) == Shape::map || shape(node.b) == Shape::map)) {
      node.shape = Shape::map;
    }
    out_.nodes.push_back(node);
    return static_cast<Id>(out_.nodes.size() - 1);
  }
  Id kernel(BallOp op, Id a, Id b) {
    return append({.kind = Kind::kernel, .op = op, .a = a, .b = b});
  }
  Id kernel(BallOp op, Id a) { return kernel(op, a, a); }
  Id reduction(Op op, Id a, Id b = 0) {
    return append({.kind = Kind::reduction, .reduction = op, .a = a, .b = b});
  }
  Id one() { return append({.kind = Kind::constant, .constant = {.offset = exact(1)}}); }
  Id count() { return append({.kind = Kind::count}); }
  Id mean(Id a) { return kernel(BallOp::div, reduction(Op::sum, a), count()); }

  /// start + i * step.
  Id ramp(Id start, Id step) {
    return kernel(BallOp::add, kernel(BallOp::mul, append({.kind = Kind::index}), step), start);
  }
  Id linspace(Id start, Id end) {
    const Id intervals = append({.kind = Kind::count_less_one});
    return ramp(start, kernel(BallOp::div, kernel(BallOp::sub, end, start), intervals));
  }
  /// sum of (x - mean)^2 = sum of (x - c)^2 - count * (mean - c)^2, with c the mean's centre.
  Id m2(Id a) {
    const Id average = mean(a);
    const Id distance = kernel(BallOp::sub, a, append({.kind = Kind::centre, .a = average}));
    const Id squares = reduction(Op::sum, kernel(BallOp::mul, distance, distance));
    return append({.kind = Kind::m2, .a = squares, .b = average});
  }

  Id lowered(const Instruction& instruction);
  Id lowered_kernel(const Instruction& instruction);

  Program source_;
  BallProgram out_;
  std::vector<Id> node_of_;
};

Id Lowering::lowered(const Instruction& i) {
  const auto a = [&](std::size_t which) { return node_of_[i.operands[which]]; };
  switch (i.op) {
    case Op::constant:
      return append({.kind = Kind::constant, .constant = i.constant});
    case Op::index:
      return append({.kind = Kind::index});
    case Op::input:
      return append({.kind = Kind::input, .input = i.input});
    case Op::arange:
      return ramp(a(0), a(1));
    case Op::linspace:
      return linspace(a(0), a(1));
    case Op::cast:
    case Op::cast_truncate:
    case Op::cast_stochastic:
      return a(0);
    case Op::fma:
      return kernel(BallOp::add, kernel(BallOp::mul, a(0), a(1)), a(2));
    case Op::div_add:
      return kernel(BallOp::add, kernel(BallOp::div, a(0), a(1)), a(2));
    case Op::rsqrt:
      return kernel(BallOp::div, one(), kernel(BallOp::sqrt, a(0)));
    case Op::reciprocal:
      return kernel(BallOp::div, one(), a(0));
    case Op::sum:
    case Op::product:
    case Op::smallest:
    case Op::largest:
    case Op::index_of_largest:
      return reduction(i.op, a(0));
    case Op::dot:
      return reduction(Op::sum, kernel(BallOp::mul, a(0), a(1)));
    case Op::welford_mean:
      return mean(a(0));
    case Op::welford_m2:
    case Op::chan_m2:
      return m2(a(0));
    case Op::element:
      return reduction(i.op, a(0), a(1));
    default:
      return lowered_kernel(i);
  }
}

BallOp kernel_of(Op op) {
  switch (op) {
    case Op::add:
      return BallOp::add;
    case Op::sub:
      return BallOp::sub;
    case Op::mul:
      return BallOp::mul;
    case Op::div:
      return BallOp::div;
    case Op::min:
      return BallOp::min;
    case Op::max:
      return BallOp::max;
    case Op::equal:
      return BallOp::equal;
    case Op::neg:
      return BallOp::neg;
    case Op::abs:
      return BallOp::abs;
    case Op::sqrt:
      return BallOp::sqrt;
    case Op::floor:
      return BallOp::floor;
    case Op::exp:
      return BallOp::exp;
    case Op::log:
      return BallOp::log;
    case Op::log1p:
      return BallOp::log1p;
    case Op::expm1:
      return BallOp::expm1;
    case Op::tanh:
      return BallOp::tanh;
    case Op::sigmoid:
      return BallOp::sigmoid;
    default:
      return BallOp::erf;
  }
}

Id Lowering::lowered_kernel(const Instruction& i) {
  const Id a = node_of_[i.operands[0]];
  return kernel(kernel_of(i.op), a, arity(i.op) == 2 ? node_of_[i.operands[1]] : a);
}

bool is_positive_kernel(BallOp op, bool a, bool b) {
  switch (op) {
    case BallOp::exp:
    case BallOp::sigmoid:
      return true;
    case BallOp::add:
    case BallOp::mul:
    case BallOp::div:
    case BallOp::min:
      return a && b;
    case BallOp::max:
      return a || b;
    case BallOp::abs:
    case BallOp::sqrt:
    case BallOp::log1p:
    case BallOp::expm1:
    case BallOp::tanh:
    case BallOp::erf:
      return a;
    case BallOp::sub:
    case BallOp::equal:
    case BallOp::neg:
    case BallOp::floor:
    case BallOp::log:
      return false;
  }
  return false;
}

}  // namespace

bool can_lower_to_balls(const Program& program) {
  const Program live = without_dead_code(program);
  const std::vector<Shape> shape = shapes(live);
  return std::ranges::all_of(live.instructions, [&](const Instruction& i) {
    if (!is_reduction(i.op)) return true;
    if (i.op == Op::element && shape[i.operands[1]] != Shape::uniform) return false;
    const bool is_second_map = i.op == Op::dot && shape[i.operands[1]] == Shape::map;
    return shape[i.operands[0]] == Shape::map || is_second_map;
  });
}

BallProgram lower_to_balls(const Program& program) { return Lowering(program).run(); }

std::vector<std::uint32_t> map_nodes_of(const BallProgram& program, std::uint32_t node) {
  std::vector<bool> is_needed(program.nodes.size(), false);
  is_needed[node] = true;
  std::vector<Id> out;
  for (Id id = node + 1; id-- > 0;) {
    const BallNode& n = program.nodes[id];
    if (!is_needed[id] || n.shape != Shape::map) continue;
    out.push_back(id);
    if (n.kind == Kind::kernel) is_needed[n.a] = is_needed[n.b] = true;
  }
  std::ranges::reverse(out);
  return out;
}

KnownSign sign_of(const BallNode& node, const std::vector<KnownSign>& signs) {
  const auto is_positive = [&](Id id) { return signs[id] == KnownSign::positive; };
  bool positive = false;
  if (node.kind == Kind::kernel) {
    positive = is_positive_kernel(node.op, is_positive(node.a), is_positive(node.b));
  } else if (node.kind == Kind::centre || node.kind == Kind::reduction) {
    // A sum of nothing is 0, but exactly; an index may be 0.
    positive = node.reduction != Op::index_of_largest && is_positive(node.a);
  }
  return positive ? KnownSign::positive : KnownSign::unknown;
}

}  // namespace halfulp::oracles
