#include "backends/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backends/elementary.h"
#include "backends/plan_reduction.h"

namespace halfulp::backends {
namespace {

class Planner {
 public:
  Planner(const Program& program, const Backend& backend, const Format& dtype)
      : program_(program),
        backend_(backend),
        model_(backend.model),
        dtype_(dtype),
        shapes_(shapes(program)),
        stages_(stages(program)),
        values_(program.instructions.size()) {}

  Plan run() {
    uniform_steps_ = &plan_.uniform_steps;
    place_uniforms(0);
    const std::uint32_t passes = *std::ranges::max_element(stages_);
    plan_.passes.resize(passes);
    for (std::uint32_t pass = 0; pass < passes; ++pass) plan_pass(pass);
    block_steps_ = &plan_.block_steps;
    if (shapes_[program_.output] == Shape::map) place_maps({program_.output}, is_output);
    finish_output();
    return std::move(plan_);
  }

 private:
  struct Value {
    Location location;
    Carrier carrier = Carrier::f32;
    int uses_left = 0;    ///< in the loop that is being planned
    bool needed = false;  ///< there
    bool kept = false;    ///< its whole vector is wanted there
  };
  enum class Target : std::uint8_t { kept, output };
  static constexpr Target is_kept = Target::kept;
  static constexpr Target is_output = Target::output;

  void place_uniforms(std::uint32_t stage) {
    for (ValueId id = 0; id < program_.instructions.size(); ++id) {
      const bool is_here = shapes_[id] == Shape::uniform && stages_[id] == stage;
      if (is_here && !is_reduction(program_.at(id).op)) place(id);
    }
  }

  void plan_pass(std::uint32_t number) {
    Pass& pass = plan_.passes[number];
    block_steps_ = &pass.block_steps;
    uniform_steps_ = &pass.uniform_steps;
    std::vector<ValueId> reductions;
    std::vector<ValueId> operands;
    for (ValueId id = 0; id < program_.instructions.size(); ++id) {
      const Instruction& i = program_.at(id);
      if (!is_reduction(i.op) || stages_[id] != number + 1) continue;
      reductions.push_back(id);
      operands.push_back(i.operands[0]);
      if (i.op == Op::dot) operands.push_back(i.operands[1]);
    }
    place_maps(operands, is_kept);
    for (const ValueId id : reductions) pass.reductions.push_back(reduce_step(id));
    place_uniforms(number + 1);
  }

  /// Plans one loop over the blocks: what the targets need and no earlier loop kept.
  void place_maps(const std::vector<ValueId>& targets, Target target) {
    for (Value& value : values_) {
      value.uses_left = 0;
      value.needed = value.kept = false;
      if (value.location.kind == Location::Kind::block) value.location = {};
    }
    free_registers_.clear();
    registers_ = 0;
    for (const ValueId id : targets) {
      need(id);
      values_[id].kept = target == is_kept;
    }
    target_ = target;
    for (ValueId id = 0; id < values_.size(); ++id) {
      if (values_[id].needed) place(id);
    }
    plan_.registers = std::max(plan_.registers, registers_);
  }

  void need(ValueId id) {
    Value& value = values_[id];
    ++value.uses_left;
    if (shapes_[id] == Shape::uniform || value.needed) return;
    if (value.location.kind != Location::Kind::none) return;
    value.needed = true;
    const Instruction& i = program_.at(id);
    for (int k = 0; k < arity(i.op); ++k) need(i.operands[static_cast<std::size_t>(k)]);
  }

  /// The format of a type as this model rounds to it; integers are carried in binary64.
  Format format_of(const Type& type) const {
    const Format format = resolve(type, dtype_).value_or(binary64);
    const bool saturates = model_.float8_overflow == Float8Overflow::saturate;
    return format == float8_e4m3fn && saturates ? float8_e4m3fn_saturating : format;
  }
  static Narrowing narrowing_of(const Format& format) {
    return format == binary64 ? Narrowing{} : narrowing_to(format);
  }

  void place(ValueId id) {
    const Instruction& i = program_.at(id);
    switch (i.op) {
      case Op::constant:
        return;  // placed by each use, which decides how it is converted
      case Op::input:
        values_[id].carrier = carrier_of(dtype_);
        values_[id].location = {Location::Kind::input, i.input};
        return;
      case Op::index:
      case Op::arange:
      case Op::linspace:
        return place_source(id, i);
      case Op::rsqrt:
        if (model_.rsqrt == Rsqrt::stepwise) return place_stepwise_rsqrt(id, i);
        return place_operation(id, i);
      case Op::cast_truncate:
      case Op::cast_stochastic:
        return place_rounding(id, i);
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
        return;  // placed by its pass
      case Op::exp:
      case Op::log:
      case Op::log1p:
      case Op::expm1:
      case Op::tanh:
      case Op::sigmoid:
      case Op::erf:
      case Op::equal:
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::div:
      case Op::min:
      case Op::max:
      case Op::fma:
      case Op::div_add:
      case Op::neg:
      case Op::abs:
      case Op::sqrt:
      case Op::reciprocal:
      case Op::floor:
      case Op::cast:
        return place_operation(id, i);
    }
  }

  void place_source(ValueId id, const Instruction& i) {
    Step step;
    step.kind = i.op == Op::index ? Step::Kind::index : Step::Kind::ramp;
    step.op = i.op;
    step.format = i.op == Op::index ? binary64 : format_of(i.type);
    step.carrier = carrier_of(step.format);
    if (i.op != Op::index) {
      for (std::size_t k = 0; k < 2; ++k) {
        const Instruction& operand = program_.at(i.operands[k]);
        if (operand.op != Op::constant) {
          throw Unsupported("a ramp whose start, step or end is not a constant");
        }
        step.constants[k] = operand.constant;
      }
      step.ramp = plan_.ramps++;
    }
    emit(id, step, Shape::map);
  }

  /// A cast that does not round to nearest, from the value before it was rounded to binary32.
  void place_rounding(ValueId id, const Instruction& i) {
    const ValueId source = i.operands[0];
    if (program_.at(source).op == Op::constant || shapes_[id] == Shape::uniform) {
      throw Unsupported(fmt::format("{} of a value that is not per index", name(i.op)));
    }
    Step step;
    step.kind = i.op == Op::cast_truncate ? Step::Kind::truncate : Step::Kind::stochastic;
    step.op = i.op;
    step.format = format_of(i.type);
    step.carrier = carrier_of(step.format);
    step.source = values_[source].carrier;
    step.operands[0] = values_[source].location;
    if (i.op == Op::cast_stochastic) step.constants[0] = constant_operand(i, 1);
    emit(id, step, shapes_[id]);
  }

  const Constant& constant_operand(const Instruction& i, std::size_t k) const {
    const Instruction& operand = program_.at(i.operands[k]);
    if (operand.op != Op::constant) {
      throw Unsupported(fmt::format("operand {} of {} is not a constant", k + 1, name(i.op)));
    }
    return operand.constant;
  }

  ReduceStep reduce_step(ValueId id) {
    const Instruction& i = program_.at(id);
    const Format format = format_of(i.type);
    ReduceStep step;
    step.carrier = carrier_of(format);
    step.accumulator = model_.accumulator;
    step.reduction = plan_reduction(i, backend_, narrowing_of(format));
    for (std::size_t k = 0; k < (i.op == Op::dot ? 2U : 1U); ++k) {
      const Value& operand = values_[i.operands[k]];
      if (shapes_[i.operands[k]] != Shape::map) {
        throw Unsupported(fmt::format("{} of a value that is not per index", name(i.op)));
      }
      if (operand.carrier != step.carrier) {
        throw Unsupported(fmt::format("the operand of {} needs a cast to its type", name(i.op)));
      }
      step.operands[k] = operand.location;
    }
    if (i.op == Op::element) step.index = constant_operand(i, 1);
    step.result = new_result(Shape::uniform);
    values_[id].location = step.result;
    values_[id].carrier = step.carrier;
    return step;
  }

  /// 1 / sqrt(x) with the square root rounded to the type.
  void place_stepwise_rsqrt(ValueId id, const Instruction& i) {
    Step root = operation(i, Op::sqrt);
    const Location middle = new_result(shapes_[id]);
    root.result = middle;
    append(root, shapes_[id]);
    Step reciprocal = root;
    reciprocal.op = Op::reciprocal;
    reciprocal.operands[0] = middle;
    if (middle.kind == Location::Kind::block) free_registers_.push_back(middle.number);
    emit(id, reciprocal, shapes_[id]);
  }

  void place_operation(ValueId id, const Instruction& i) {
    Step step = operation(i, i.op);
    if ((i.op == Op::div || i.op == Op::div_add) && model_.division == Division::approximate &&
        step.carrier == Carrier::f32) {
      step.kind = Step::Kind::approximate_divide;
    } else if (i.op == Op::div_add) {
      throw Unsupported("a quotient contracted with a sum: div.full exists for float32 only");
    }
    emit(id, step, shapes_[id]);
  }

  /// The step of an operation with its operands in the carrier of its type.
  Step operation(const Instruction& i, Op op) {
    Step step;
    step.op = op;
    step.format = format_of(i.type);
    step.carrier = carrier_of(step.format);
    if (i.type.kind != Type::Kind::integer) step.narrowing = narrowing_of(step.format);
    if (is_elementary(op)) check_elementary(step);
    if (op == Op::cast && conversion(i, step)) return step;
    for (int k = 0; k < arity(op); ++k) {
      step.operands[static_cast<std::size_t>(k)] = operand(i, k, step.carrier);
    }
    return step;
  }

  void check_elementary(const Step& step) const {
    if (step.carrier == Carrier::f64) {
      throw Unsupported(fmt::format("{} in binary64 has no model", name(step.op)));
    }
    if (model_.elementary == Elementary::unmodelled) {
      throw Unsupported(fmt::format("its {} is not modelled; +elementary=correct chooses a kernel",
                                    name(step.op)));
    }
    if (model_.elementary == Elementary::within_ulp) {
      throw Unsupported("elementary=within-ulp stands for several results; choose one");
    }
  }

  /// Turns a cast between carriers into a conversion.
  bool conversion(const Instruction& i, Step& step) {
    const ValueId source = i.operands[0];
    if (program_.at(source).op == Op::constant || values_[source].carrier == step.carrier) {
      return false;
    }
    step.kind = step.carrier == Carrier::f64 ? Step::Kind::widen : Step::Kind::narrow;
    // Not `use`: a conversion cannot run in place, so its operand's register is not reused.
    step.operands[0] = values_[source].location;
    return true;
  }

  Location operand(const Instruction& i, int k, Carrier carrier) {
    const ValueId id = i.operands[static_cast<std::size_t>(k)];
    const Instruction& source = program_.at(id);
    if (source.op == Op::constant) return scalar(i, source.constant);
    if (values_[id].carrier != carrier) {
      throw Unsupported(fmt::format("operand {} of {} needs a cast to the type of the operation",
                                    k + 1, name(i.op)));
    }
    return use(id);
  }

  /// ATen rounds the scalar of an addition to the tensor's type first; products and quotients keep
  /// it in the opmath format (seen in PyTorch 2.3 to 2.15).
  Location scalar(const Instruction& i, const Constant& constant) {
    const bool additive = i.op == Op::add || i.op == Op::sub || i.op == Op::min || i.op == Op::max;
    const bool rounds =
        (model_.scalars == Scalars::type || (model_.scalars == Scalars::aten && additive)) &&
        i.type.kind != Type::Kind::integer;
    ScalarSlot slot;
    slot.constant = constant;
    if (rounds) slot.narrowing = narrowing_of(format_of(i.type));
    slot.splat = plan_.splats++;
    plan_.scalars.push_back(slot);
    return {Location::Kind::uniform, slot.splat};
  }

  /// The location of a value, whose register is free again after its last use.
  Location use(ValueId id) {
    Value& value = values_[id];
    if (--value.uses_left == 0 && value.location.kind == Location::Kind::block) {
      free_registers_.push_back(value.location.number);
    }
    return value.location;
  }

  Location new_result(Shape shape) {
    if (shape == Shape::uniform) return {Location::Kind::uniform, plan_.splats++};
    if (free_registers_.empty()) return {Location::Kind::block, registers_++};
    const std::uint32_t number = free_registers_.back();
    free_registers_.pop_back();
    return {Location::Kind::block, number};
  }

  void append(Step step, Shape shape) {
    if (step.kind == Step::Kind::kernel && step.carrier == Carrier::f32) {
      step.kernel_f32 = find_kernel_f32(step);
    } else if (step.kind == Step::Kind::kernel) {
      step.kernel_f64 =
          is_extreme(step.op) ? extreme_kernel_f64(step.op, model_.extremes) : kernel_f64(step.op);
    }
    (shape == Shape::uniform ? *uniform_steps_ : *block_steps_).push_back(step);
  }

  bool is_extreme(Op op) const {
    return (op == Op::min || op == Op::max) && model_.extremes != Extremes::propagate;
  }

  KernelF32 find_kernel_f32(const Step& step) const {
    const Narrowing::Kind kind = step.narrowing.kind;
    if (is_elementary(step.op)) return elementary_kernel(step.op, model_.elementary, kind);
    if (is_extreme(step.op)) return extreme_kernel_f32(step.op, model_.extremes, kind);
    return kernel_f32(step.op, kind);
  }

  void emit(ValueId id, Step& step, Shape shape) {
    if (shape == Shape::uniform) {
      step.result = new_result(shape);
    } else if (values_[id].kept) {
      step.result = {Location::Kind::vector, plan_.vectors++};
    } else {
      const bool is_result =
          target_ == is_output && id == program_.output && values_[id].uses_left == 1;
      step.result = is_result ? Location{Location::Kind::output, 0} : new_result(shape);
    }
    values_[id].location = step.result;
    values_[id].carrier = step.carrier;
    append(step, shape);
  }

  void finish_output() {
    const Instruction& result = program_.at(program_.output);
    if (result.op == Op::constant) throw Unsupported("a program that is a bare constant");
    plan_.output = values_[program_.output].location;
    plan_.output_carrier = values_[program_.output].carrier;
  }

  const Program& program_;
  const Backend& backend_;
  const ExecutionModel& model_;
  Format dtype_;
  std::vector<Shape> shapes_;
  std::vector<std::uint32_t> stages_;
  std::vector<Value> values_;
  std::vector<std::uint32_t> free_registers_;
  std::uint32_t registers_ = 0;  ///< of the loop that is being planned
  Target target_ = is_kept;
  std::vector<Step>* block_steps_ = nullptr;
  std::vector<Step>* uniform_steps_ = nullptr;
  Plan plan_;
};

}  // namespace

Plan make_plan(const Program& lowered_program, const Backend& backend, const Format& dtype) {
  return Planner(lowered_program, backend, dtype).run();
}

}  // namespace halfulp::backends
