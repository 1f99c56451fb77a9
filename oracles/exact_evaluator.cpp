#include "oracles/exact_evaluator.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "harness/backend.h"

namespace halfulp::oracles {
namespace {

std::span<const ValueId> operands_of(const Instruction& instruction) {
  return {instruction.operands.data(), static_cast<std::size_t>(arity(instruction.op))};
}

/// What is known of a value's root before anything is evaluated.
struct RootState {
  std::optional<ValueId> source;  ///< the square root in it; none: rational
  bool pure = false;              ///< nothing but a multiple of that root
};

[[noreturn]] void unsupported(const Instruction& instruction, const char* why) {
  throw Unsupported("the exact oracle cannot evaluate " + std::string(name(instruction.op)) + " " +
                    why);
}

/// Products and quotients of pure roots are rational, or pure roots of a new radicand.
RootState product_root(const Instruction& instruction, ValueId id, const RootState& a,
                       const RootState& b) {
  if (!a.source || !b.source) {
    const RootState& rooted = a.source ? a : b;
    return {rooted.source, rooted.pure};
  }
  if (a.pure && b.pure) return a.source == b.source ? RootState{} : RootState{id, true};
  if (a.source != b.source) unsupported(instruction, "of different square roots");
  return {a.source, false};
}

RootState sum_root(const Instruction& instruction, const RootState& a, const RootState& b) {
  if (a.source && b.source && a.source != b.source) {
    unsupported(instruction, "of different square roots");
  }
  const RootState& rooted = a.source ? a : b;
  return {rooted.source, a.source && b.source && a.pure && b.pure};
}

RootState root_of(const Instruction& instruction, ValueId id,
                  const std::vector<RootState>& states) {
  const auto state = [&](std::size_t which) { return states[instruction.operands[which]]; };
  switch (instruction.op) {
    case Op::constant:
    case Op::index:
    case Op::input:
    case Op::floor:
      return {};
    case Op::add:
    case Op::sub:
    case Op::min:
    case Op::max:
    case Op::arange:
    case Op::linspace:
      return sum_root(instruction, state(0), state(1));
    case Op::mul:
    case Op::div:
      return product_root(instruction, id, state(0), state(1));
    case Op::fma:
    case Op::div_add:
      return sum_root(instruction, product_root(instruction, id, state(0), state(1)), state(2));
    case Op::neg:
    case Op::abs:
    case Op::cast:
    case Op::cast_truncate:
    case Op::cast_stochastic:
    case Op::reciprocal:
      return state(0);
    case Op::sqrt:
    case Op::rsqrt:
      if (state(0).source) unsupported(instruction, "of a value with a square root");
      return {id, true};
    case Op::exp:
    case Op::log:
    case Op::log1p:
    case Op::expm1:
    case Op::tanh:
    case Op::sigmoid:
    case Op::erf:
    case Op::equal:
    case Op::sum:
    case Op::product:
    case Op::dot:
    case Op::smallest:
    case Op::largest:
    case Op::index_of_largest:
    case Op::welford_mean:
    case Op::welford_m2:
    case Op::chan_m2:
    case Op::element:
      break;
  }
  unsupported(instruction, "with rational arithmetic");
}

}  // namespace

void check_exactly_evaluable(const Program& program) {
  if (program.output_type().kind == Type::Kind::integer) {
    throw Unsupported("the oracle rounds to a floating-point format, and the output is an integer");
  }
  std::vector<RootState> states;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    states.push_back(root_of(program.at(id), id, states));
  }
}

ExactEvaluator::ExactEvaluator(const Program& program)
    : program_(without_dead_code(program)), shapes_(shapes(program_)) {
  check_exactly_evaluable(program_);
  const std::size_t size = program_.instructions.size();
  steps_.resize(size);
  for (ValueId id = 0; id < size; ++id) {
    const Instruction& instruction = program_.at(id);
    const bool literal =
        shapes_[id] == Shape::uniform && instruction.constant.scale == 0 &&
        std::ranges::all_of(operands_of(instruction), [&](ValueId o) { return literal_[o]; });
    literal_.push_back(literal);
    values_.emplace_back();
    if (literal) {
      values_[id] = compute(id, 0);
    } else {
      (shapes_[id] == Shape::uniform ? per_axis_ : per_index_).push_back(id);
    }
  }
}

void ExactEvaluator::bind(const Binding& binding) {
  binding_ = binding;
  n_ = ExactValue(binding.n);
  for (const ValueId id : per_axis_) values_[id] = compute(id, 0);
  for (const ValueId id : per_index_) {
    const Instruction& instruction = program_.at(id);
    if (instruction.op == Op::linspace) {
      steps_[id] = linspace_step(instruction.operands[0], instruction.operands[1]);
    }
  }
}

const ExactValue& ExactEvaluator::evaluate(std::uint64_t index) {
  for (const ValueId id : per_index_) values_[id] = compute(id, index);
  return values_[program_.output];
}

ExactValue ExactEvaluator::linspace_step(ValueId start, ValueId end) const {
  if (binding_.count <= 1) return {};
  return (values_[end] - values_[start]) /
         ExactValue(static_cast<std::int64_t>(binding_.count - 1));
}

ExactValue ExactEvaluator::bound_constant(const Constant& constant) const {
  if (constant.scale == 0) return ExactValue(constant.offset);
  return ExactValue(constant.scale) * n_ + ExactValue(constant.offset);
}

ExactValue ExactEvaluator::compute(ValueId id, std::uint64_t index) const {
  const Instruction& instruction = program_.at(id);
  const auto value = [&](std::size_t which) -> const ExactValue& {
    return values_[instruction.operands[which]];
  };
  const auto position = [&] { return ExactValue(static_cast<std::int64_t>(index)); };
  switch (instruction.op) {
    case Op::constant:
      return bound_constant(instruction.constant);
    case Op::index:
      return position();
    case Op::input:
      return ExactValue::from_double(binding_.inputs[instruction.input].value(index));
    case Op::arange:
      return fma(position(), value(1), value(0));
    case Op::linspace:
      return fma(position(), steps_[id], value(0));
    case Op::add:
      return value(0) + value(1);
    case Op::sub:
      return value(0) - value(1);
    case Op::mul:
      return value(0) * value(1);
    case Op::div:
      return value(0) / value(1);
    case Op::min:
      return min(value(0), value(1));
    case Op::max:
      return max(value(0), value(1));
    case Op::fma:
      return fma(value(0), value(1), value(2));
    case Op::div_add:
      return div_add(value(0), value(1), value(2));
    case Op::neg:
      return -value(0);
    case Op::abs:
      return abs(value(0));
    case Op::sqrt:
      return sqrt(value(0));
    case Op::rsqrt:
      return rsqrt(value(0));
    case Op::reciprocal:
      return reciprocal(value(0));
    case Op::floor:
      return floor(value(0));
    case Op::cast:
    case Op::cast_truncate:
    case Op::cast_stochastic:
      return value(0);
    default:
      throw Unsupported("unknown operation");  // check_exactly_evaluable knows them all
  }
}

}  // namespace halfulp::oracles
