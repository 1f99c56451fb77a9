#include "oracles/hybrid_plan.h"

#include <algorithm>
#include <span>

#include "harness/backend.h"

namespace halfulp::oracles {
namespace {

std::span<const ValueId> operands_of(const Instruction& instruction) {
  return {instruction.operands.data(), static_cast<std::size_t>(arity(instruction.op))};
}

/// Everything that some values need, by walking the program backwards.
Cone cone_of(const HybridPlan& plan, std::span<const ValueId> roots) {
  std::vector<bool> needed(plan.program.instructions.size(), false);
  for (const ValueId root : roots) needed[root] = true;
  Cone out;
  for (auto id = static_cast<ValueId>(needed.size()); id-- > 0;) {
    if (!needed[id]) continue;
    if (plan.shapes[id] == Shape::uniform) {
      out.uniforms.push_back(id);
      continue;
    }
    out.maps.push_back(id);
    for (const ValueId operand : operands_of(plan.program.at(id))) needed[operand] = true;
  }
  std::ranges::reverse(out.uniforms);
  std::ranges::reverse(out.maps);
  return out;
}

ValueId without_casts(const Program& program, ValueId id) {
  for (;;) {
    const Instruction& i = program.at(id);
    const bool is_cast =
        i.op == Op::cast || i.op == Op::cast_truncate || i.op == Op::cast_stochastic;
    if (!is_cast) return id;
    id = i.operands[0];
  }
}

std::optional<std::uint32_t> stored_input(const Program& program, ValueId id) {
  const Instruction& i = program.at(without_casts(program, id));
  return i.op == Op::input ? std::optional(i.input) : std::nullopt;
}

std::optional<StoredTerms> stored_products(const Program& program, const Instruction& product) {
  const auto a = stored_input(program, product.operands[0]);
  const auto b = stored_input(program, product.operands[1]);
  return a && b ? std::optional(StoredTerms{*a, b}) : std::nullopt;
}

std::optional<StoredTerms> stored_terms(const Program& program, const Instruction& reduction) {
  if (reduction.op == Op::dot) return stored_products(program, reduction);
  if (const auto input = stored_input(program, reduction.operands[0])) {
    return StoredTerms{*input, std::nullopt};
  }
  const Instruction& operand = program.at(without_casts(program, reduction.operands[0]));
  if (reduction.op != Op::sum || operand.op != Op::mul) return std::nullopt;
  return stored_products(program, operand);
}

}  // namespace

HybridPlan::HybridPlan(const Program& source)
    : program(without_dead_code(source)), shapes(halfulp::shapes(program)) {
  if (program.output_type().kind == Type::Kind::integer) {
    throw Unsupported("the oracle rounds to a floating-point format, and the output is an integer");
  }
  output = cone_of(*this, {&program.output, 1});
  for (const Instruction& instruction : program.instructions) {
    ReductionPlan& plan = reductions.emplace_back();
    has_elementary = has_elementary || is_elementary(instruction.op);
    if (!is_reduction(instruction.op)) continue;
    has_reductions = true;
    plan.cone = cone_of(*this, operands_of(instruction));
    plan.stored = stored_terms(program, instruction);
    if (instruction.op == Op::element && shapes[instruction.operands[1]] == Shape::map) {
      throw Unsupported("the oracle takes the element at one index, not at many");
    }
  }
}

bool needs_hybrid(const Program& program) {
  const auto& all = program.instructions;
  const auto is_root = [](const Instruction& i) { return i.op == Op::sqrt || i.op == Op::rsqrt; };
  const auto is_new = [](const Instruction& i) {
    return is_reduction(i.op) || is_elementary(i.op) || i.op == Op::equal;
  };
  return has_rows(program) || std::ranges::any_of(all, is_new) ||
         std::ranges::count_if(all, is_root) > 1;
}

}  // namespace halfulp::oracles
