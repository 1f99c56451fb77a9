#include "harness/program.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "harness/error.h"

namespace halfulp {

std::string_view name(Op op) {
  switch (op) {
    case Op::constant:
      return "constant";
    case Op::index:
      return "index";
    case Op::input:
      return "input";
    case Op::arange:
      return "arange";
    case Op::linspace:
      return "linspace";
    case Op::add:
      return "add";
    case Op::sub:
      return "sub";
    case Op::mul:
      return "mul";
    case Op::div:
      return "div";
    case Op::min:
      return "min";
    case Op::max:
      return "max";
    case Op::fma:
      return "fma";
    case Op::div_add:
      return "div_add";
    case Op::neg:
      return "neg";
    case Op::abs:
      return "abs";
    case Op::sqrt:
      return "sqrt";
    case Op::rsqrt:
      return "rsqrt";
    case Op::reciprocal:
      return "reciprocal";
    case Op::floor:
      return "floor";
    case Op::exp:
      return "exp";
    case Op::log:
      return "log";
    case Op::log1p:
      return "log1p";
    case Op::expm1:
      return "expm1";
    case Op::tanh:
      return "tanh";
    case Op::sigmoid:
      return "sigmoid";
    case Op::erf:
      return "erf";
    case Op::equal:
      return "equal";
    case Op::cast:
      return "cast";
    case Op::cast_truncate:
      return "cast_truncate";
    case Op::cast_stochastic:
      return "cast_stochastic";
    case Op::sum:
      return "sum";
    case Op::product:
      return "product";
    case Op::dot:
      return "dot";
    case Op::smallest:
      return "smallest";
    case Op::largest:
      return "largest";
    case Op::index_of_largest:
      return "index_of_largest";
    case Op::welford_mean:
      return "welford_mean";
    case Op::welford_m2:
      return "welford_m2";
    case Op::chan_m2:
      return "chan_m2";
    case Op::element:
      return "element";
  }
  return {};
}

bool is_reduction(Op op) { return op >= Op::sum; }

bool is_elementary(Op op) { return op >= Op::exp && op <= Op::erf; }

int arity(Op op) {
  switch (op) {
    case Op::constant:
    case Op::index:
    case Op::input:
      return 0;
    case Op::neg:
    case Op::abs:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::reciprocal:
    case Op::floor:
    case Op::exp:
    case Op::log:
    case Op::log1p:
    case Op::expm1:
    case Op::tanh:
    case Op::sigmoid:
    case Op::erf:
    case Op::cast:
    case Op::cast_truncate:
    case Op::sum:
    case Op::product:
    case Op::smallest:
    case Op::largest:
    case Op::index_of_largest:
    case Op::welford_mean:
    case Op::welford_m2:
    case Op::chan_m2:
      return 1;
    case Op::arange:
    case Op::linspace:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::min:
    case Op::max:
    case Op::equal:
    case Op::cast_stochastic:
    case Op::dot:
    case Op::element:
      return 2;
    case Op::fma:
    case Op::div_add:
      return 3;
  }
  return 0;
}

ExactNumber bind(const Constant& constant, const ExactNumber& n) {
  if (constant.scale == 0) return constant.offset;
  if (constant.scale == 1 && constant.offset == exact(0)) return n;
  if (!n.is_integer() || !constant.offset.is_integer()) {
    throw UsageError(fmt::format("a size expression needs an integer, not {}", to_string(n)));
  }
  return exact(constant.scale * n.numerator + constant.offset.numerator);
}

std::optional<Format> resolve(const Type& type, const Format& dtype) {
  switch (type.kind) {
    case Type::Kind::dtype:
      return dtype;
    case Type::Kind::opmath:
      return opmath_format(dtype);
    case Type::Kind::fixed:
      return type.fixed;
    case Type::Kind::integer:
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<Shape> shapes(const Program& program) {
  std::vector<Shape> out;
  for (const Instruction& i : program.instructions) {
    const bool source =
        i.op == Op::index || i.op == Op::input || i.op == Op::arange || i.op == Op::linspace;
    Shape shape = source ? Shape::map : Shape::uniform;
    for (int k = 0; k < arity(i.op); ++k) {
      if (out[i.operands[static_cast<std::size_t>(k)]] == Shape::map) shape = Shape::map;
    }
    if (is_reduction(i.op)) shape = Shape::uniform;
    out.push_back(shape);
  }
  return out;
}

std::vector<std::uint32_t> stages(const Program& program) {
  std::vector<std::uint32_t> out;
  for (const Instruction& i : program.instructions) {
    std::uint32_t stage = 0;
    for (int k = 0; k < arity(i.op); ++k) {
      stage = std::max(stage, out[i.operands[static_cast<std::size_t>(k)]]);
    }
    out.push_back(is_reduction(i.op) ? stage + 1 : stage);
  }
  return out;
}

std::uint64_t result_count(const Program& program, std::uint64_t count, std::uint64_t rows) {
  return rows * (shapes(program)[program.output] == Shape::map ? count : 1);
}

bool has_rows(const Program& program) {
  return std::ranges::any_of(program.instructions, [](const Instruction& i) {
    return i.op == Op::input && i.rows == Rows::each;
  });
}

std::vector<int> use_counts(const Program& program) {
  std::vector<int> counts(program.instructions.size(), 0);
  for (const Instruction& i : program.instructions) {
    for (int k = 0; k < arity(i.op); ++k) ++counts[i.operands[static_cast<std::size_t>(k)]];
  }
  ++counts[program.output];
  return counts;
}

namespace {

/// Appends a value and, first, the operands that it needs, in their order.
class Canonicaliser {
 public:
  explicit Canonicaliser(const Program& program)
      : program_(program), renumbered_(program.instructions.size()) {}

  ValueId append(ValueId id) {
    if (renumbered_[id]) return *renumbered_[id];
    Instruction i = program_.at(id);
    for (int k = 0; k < arity(i.op); ++k) {
      auto& operand = i.operands[static_cast<std::size_t>(k)];
      operand = append(operand);
    }
    renumbered_[id] = builder_.append(i);
    return *renumbered_[id];
  }
  Program finish(ValueId output) const { return builder_.finish(output); }

 private:
  const Program& program_;
  std::vector<std::optional<ValueId>> renumbered_;
  ProgramBuilder builder_;
};

}  // namespace

Program without_dead_code(const Program& program) {
  Canonicaliser canonical(program);
  const ValueId output = canonical.append(program.output);
  return canonical.finish(output);
}

std::uint64_t stable_hash(const Program& program) {
  const std::string printed = to_string(without_dead_code(program));
  return XXH64(printed.data(), printed.size(), 0);
}

ValueId ProgramBuilder::append(const Instruction& instruction) {
  instructions_.push_back(instruction);
  return static_cast<ValueId>(instructions_.size() - 1);
}
ValueId ProgramBuilder::literal(const ExactNumber& value) {
  return append({.op = Op::constant, .type = {}, .constant = {.offset = value}});
}
ValueId ProgramBuilder::size(std::int64_t scale, std::int64_t offset) {
  return append({.op = Op::constant,
                 .type = {},
                 .constant = {.scale = scale, .offset = exact(offset), .origin = Origin::size}});
}
ValueId ProgramBuilder::index() { return append({.op = Op::index, .type = integer_type}); }
ValueId ProgramBuilder::input(std::uint32_t which, Rows rows) {
  return append({.op = Op::input, .type = dtype_type, .input = which, .rows = rows});
}
ValueId ProgramBuilder::sum(Type type, ValueId a, Algorithm algorithm) {
  return append({.op = Op::sum, .type = type, .operands = {a, 0, 0}, .algorithm = algorithm});
}
ValueId ProgramBuilder::arange(Type type, ValueId start, ValueId step) {
  return binary(Op::arange, type, start, step);
}
ValueId ProgramBuilder::linspace(Type type, ValueId start, ValueId end) {
  return binary(Op::linspace, type, start, end);
}
ValueId ProgramBuilder::unary(Op op, Type type, ValueId a) {
  return append({.op = op, .type = type, .operands = {a, 0, 0}});
}
ValueId ProgramBuilder::binary(Op op, Type type, ValueId a, ValueId b) {
  return append({.op = op, .type = type, .operands = {a, b, 0}});
}
ValueId ProgramBuilder::ternary(Op op, Type type, ValueId a, ValueId b, ValueId c) {
  return append({.op = op, .type = type, .operands = {a, b, c}});
}

}  // namespace halfulp
