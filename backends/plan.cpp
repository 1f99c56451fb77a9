#include "backends/plan.h"

#include <fmt/format.h>

#include <optional>

namespace halfulp::backends {
namespace {

class Planner {
 public:
  Planner(const Program& program, const ExecutionModel& model, const Format& dtype)
      : program_(program), model_(model), dtype_(dtype), shapes_(shapes(program)) {}

  Plan run() {
    count_uses();
    for (ValueId id = 0; id < program_.instructions.size(); ++id) place(id);
    finish_output();
    return std::move(plan_);
  }

 private:
  struct Value {
    Location location;
    Carrier carrier = Carrier::f32;
    int uses_left = 0;
  };

  void count_uses() {
    const auto counts = use_counts(program_);
    values_.resize(counts.size());
    for (std::size_t id = 0; id < counts.size(); ++id) values_[id].uses_left = counts[id];
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
        step.ramp[k] = operand.constant;
      }
    }
    emit(id, step, Shape::map);
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
    if (op == Op::cast && conversion(i, step)) return step;
    for (int k = 0; k < arity(op); ++k) {
      step.operands[static_cast<std::size_t>(k)] = operand(i, k, step.carrier);
    }
    return step;
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
        model_.scalars == Scalars::aten && additive && i.type.kind != Type::Kind::integer;
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
    if (free_registers_.empty()) return {Location::Kind::block, plan_.registers++};
    const std::uint32_t number = free_registers_.back();
    free_registers_.pop_back();
    return {Location::Kind::block, number};
  }

  void append(Step step, Shape shape) {
    if (step.kind == Step::Kind::kernel && step.carrier == Carrier::f32) {
      step.kernel_f32 = kernel_f32(step.op, step.narrowing.kind);
    } else if (step.kind == Step::Kind::kernel) {
      step.kernel_f64 = kernel_f64(step.op);
    }
    (shape == Shape::uniform ? plan_.uniform_steps : plan_.block_steps).push_back(step);
  }

  void emit(ValueId id, Step& step, Shape shape) {
    const bool is_output =
        id == program_.output && shape == Shape::map && values_[id].uses_left == 1;
    step.result = is_output ? Location{Location::Kind::output, 0} : new_result(shape);
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
  const ExecutionModel& model_;
  Format dtype_;
  std::vector<Shape> shapes_;
  std::vector<Value> values_;
  std::vector<std::uint32_t> free_registers_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const Program& program, const ExecutionModel& model, const Format& dtype) {
  return Planner(program, model, dtype).run();
}

}  // namespace halfulp::backends
