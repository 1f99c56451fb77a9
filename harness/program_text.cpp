// Programs as text.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/program.h"

namespace halfulp {
namespace {

std::string text(const Type& type) {
  switch (type.kind) {
    case Type::Kind::dtype:
      return "T";
    case Type::Kind::opmath:
      return "opmath";
    case Type::Kind::fixed:
      return std::string(short_name(type.fixed));
    case Type::Kind::integer:
      return "int";
  }
  return {};
}

std::string text(const Constant& c) {
  if (c.scale == 0) return to_string(c.offset);
  std::string out = c.scale == 1 ? "n" : c.scale == -1 ? "-n" : fmt::format("{}n", c.scale);
  if (c.offset != exact(0)) {
    const std::string offset = to_string(c.offset);
    out += (offset.front() == '-' ? "" : "+") + offset;
  }
  return out;
}

std::string_view infix(Op op) {
  switch (op) {
    case Op::add:
      return "+";
    case Op::sub:
      return "-";
    case Op::mul:
      return "*";
    case Op::div:
      return "/";
    default:
      return {};
  }
}

std::string input_text(const Instruction& i) {
  return fmt::format("{}{}", i.rows == Rows::each ? "rows" : "x", i.input);
}

/// The operation, with the algorithm that the source demands.
std::string operation_text(const Instruction& i) {
  std::string text(name(i.op));
  switch (i.algorithm) {
    case Algorithm::engine:
      break;
    case Algorithm::pairwise:
      text += ".pairwise";
      break;
    case Algorithm::kahan:
      text += ".kahan";
      break;
    case Algorithm::neumaier:
      text += ".neumaier";
      break;
  }
  return text;
}

std::string operand_text(const Program& p, ValueId id) {
  const Instruction& i = p.at(id);
  return i.op == Op::constant ? text(i.constant) : fmt::format("%{}", id);
}

std::string expression(const Program& p, ValueId id);

/// An operand beside an infix sign.
std::string infix_operand(const Program& p, ValueId id) {
  const Instruction& i = p.at(id);
  const bool is_sum =
      i.op == Op::constant && i.constant.scale != 0 && i.constant.offset != exact(0);
  return is_sum ? '(' + text(i.constant) + ')' : expression(p, id);
}

std::string expression(const Program& p, ValueId id) {
  const Instruction& i = p.at(id);
  if (i.op == Op::constant) return text(i.constant);
  if (i.op == Op::index) return "i";
  if (i.op == Op::input) return input_text(i);
  std::vector<std::string> parts;
  for (int k = 0; k < arity(i.op); ++k) {
    parts.push_back(expression(p, i.operands[static_cast<std::size_t>(k)]));
  }
  const std::string type = text(i.type);
  if (i.op == Op::cast) return fmt::format("{}({})", type, parts[0]);
  if (const auto sign = infix(i.op); !sign.empty()) {
    return fmt::format("{}({} {} {})", type, infix_operand(p, i.operands[0]), sign,
                       infix_operand(p, i.operands[1]));
  }
  return fmt::format("{}<{}>({})", operation_text(i), type, fmt::join(parts, ", "));
}

}  // namespace

std::string to_string(const Program& program) {
  std::string out;
  for (std::size_t id = 0; id < program.instructions.size(); ++id) {
    const Instruction& i = program.instructions[id];
    if (i.op == Op::constant) continue;
    std::vector<std::string> operands;
    if (i.op == Op::input) operands.push_back(input_text(i));
    for (int k = 0; k < arity(i.op); ++k) {
      operands.push_back(operand_text(program, i.operands[static_cast<std::size_t>(k)]));
    }
    out += fmt::format("%{} = {}<{}> {}\n", id, operation_text(i), text(i.type),
                       fmt::join(operands, ", "));
  }
  return out + fmt::format("return {}\n", operand_text(program, program.output));
}

std::string to_expression(const Program& program) { return expression(program, program.output); }

}  // namespace halfulp
