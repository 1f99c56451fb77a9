#include "oracles/hybrid_evaluator.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "harness/backend.h"
#include "oracles/hybrid_reduction.h"

namespace halfulp::oracles {
namespace {

ExactValue integer(std::uint64_t x) { return ExactValue(static_cast<std::int64_t>(x)); }

template <unsigned P>
class Evaluation : public HybridEvaluator {
 public:
  explicit Evaluation(std::shared_ptr<const HybridPlan> plan)
      : plan_(std::move(plan)),
        program_(plan_->program),
        values_(program_.instructions.size()),
        states_(program_.instructions.size(), State::unknown) {}

  void bind(const Binding& one_row) override {
    binding_ = one_row;
    states_.assign(states_.size(), State::unknown);
  }

  Enclosure evaluate(std::uint64_t index) override {
    prepare(plan_->output);
    const Number<P>& result = at(plan_->output, program_.output, index);
    if (result.is_exact()) return {result.exact(), result.exact(), true};
    const Interval<P> interval = result.interval();
    const bool is_below_zero = interval.low.sign() < 0 && interval.high.is_zero();
    return {to_exact<P>(interval.low),
            is_below_zero ? ExactValue::zero(true) : to_exact<P>(interval.high), false};
  }

 private:
  enum class State : std::uint8_t { unknown, known, undecided };

  const Number<P>& operand(const Instruction& instruction, std::size_t which) const {
    return values_[instruction.operands[which]];
  }

  /// Computes the uniform values of a cone. It comes before any map value: reductions among them
  /// compute map values of their own.
  void prepare(const Cone& cone) {
    for (const ValueId id : cone.uniforms) prepare(id);
  }

  void prepare(ValueId id) {
    if (states_[id] == State::known) return;
    if (states_[id] == State::undecided) throw Undecided();
    states_[id] = State::undecided;
    const Instruction& instruction = program_.at(id);
    if (is_reduction(instruction.op)) {
      prepare(plan_->reductions[id].cone);
      values_[id] = reduce(instruction, plan_->reductions[id]);
    } else {
      for (int k = 0; k < arity(instruction.op); ++k) {
        prepare(instruction.operands[static_cast<std::size_t>(k)]);
      }
      values_[id] = compute(instruction, 0);
    }
    states_[id] = State::known;
  }

  /// A value at an index, once its cone is prepared.
  const Number<P>& at(const Cone& cone, ValueId id, std::uint64_t index) {
    for (const ValueId map : cone.maps) values_[map] = compute(program_.at(map), index);
    return values_[id];
  }

  template <typename Use>
  void for_each(const Instruction& reduction, const ReductionPlan& plan, Use use) {
    for (std::uint64_t i = 0; i < binding_.count; ++i) {
      use(at(plan.cone, reduction.operands[0], i));
    }
  }

  double stored(std::uint32_t input, std::uint64_t index) const {
    return binding_.inputs[input].value(index);
  }

  Number<P> reduce(const Instruction& reduction, const ReductionPlan& plan) {
    switch (reduction.op) {
      case Op::sum:
        return sum(reduction, plan);
      case Op::dot:
        return dot(reduction, plan);
      case Op::product:
        return product(reduction, plan);
      case Op::smallest:
        return extreme(reduction, plan, NumberExtreme<P>::Kind::smallest);
      case Op::largest:
        return extreme(reduction, plan, NumberExtreme<P>::Kind::largest);
      case Op::index_of_largest: {
        NumberIndexOfLargest<P> out;
        for_each(reduction, plan, [&](const Number<P>& x) { out.add(x); });
        return out.value();
      }
      case Op::welford_mean:
        return mean(reduction, plan);
      case Op::welford_m2:
      case Op::chan_m2:
        return plan.stored ? stored_squared_deviations(plan.stored->input)
                           : squared_deviations(reduction, plan);
      case Op::element:
        return element(reduction, plan);
      default:
        throw Unsupported("unknown reduction");
    }
  }

  Number<P> sum(const Instruction& reduction, const ReductionPlan& plan) {
    NumberSum<P> out;
    if (!plan.stored) {
      for_each(reduction, plan, [&](const Number<P>& x) { out.add(x); });
    } else if (plan.stored->factor) {
      add_stored_products(*plan.stored, out);
    } else {
      for (std::uint64_t i = 0; i < binding_.count; ++i) out.add(stored(plan.stored->input, i));
    }
    return out.value();
  }

  void add_stored_products(const StoredTerms& terms, NumberSum<P>& out) const {
    for (std::uint64_t i = 0; i < binding_.count; ++i) {
      out.add_product(stored(terms.input, i), stored(*terms.factor, i));
    }
  }

  Number<P> dot(const Instruction& reduction, const ReductionPlan& plan) {
    NumberSum<P> out;
    if (plan.stored) {
      add_stored_products(*plan.stored, out);
    } else {
      for_each(reduction, plan, [&](const Number<P>& x) { out.add(x * operand(reduction, 1)); });
    }
    return out.value();
  }

  Number<P> product(const Instruction& reduction, const ReductionPlan& plan) {
    Number<P> out = ExactValue(1);
    for_each(reduction, plan, [&](const Number<P>& x) { out = out * x; });
    return out;
  }

  Number<P> extreme(const Instruction& reduction, const ReductionPlan& plan,
                    typename NumberExtreme<P>::Kind kind) {
    NumberExtreme<P> out(kind);
    if (plan.stored) {
      out.add(stored_extreme(plan.stored->input, kind));
      return out.value();
    }
    for_each(reduction, plan, [&](const Number<P>& x) { out.add(x); });
    return out.value();
  }

  /// NaN if any element is, and -0 below +0; an infinity for no elements.
  ExactValue stored_extreme(std::uint32_t input, typename NumberExtreme<P>::Kind kind) const {
    const double sign = kind == NumberExtreme<P>::Kind::largest ? 1 : -1;
    double largest = -std::numeric_limits<double>::infinity();  // of sign * x
    for (std::uint64_t i = 0; i < binding_.count; ++i) {
      const double x = sign * stored(input, i);
      if (std::isnan(x)) return ExactValue::nan();
      if (x > largest || (x == largest && !std::signbit(x))) largest = x;
    }
    return ExactValue::from_double(sign * largest);
  }

  Number<P> mean(const Instruction& reduction, const ReductionPlan& plan) {
    return sum(reduction, plan) / Number<P>(integer(binding_.count));
  }

  /// sum (x - mean)^2 = (n * sum x^2 - (sum x)^2) / n.
  Number<P> stored_squared_deviations(std::uint32_t input) const {
    if (binding_.count == 0) return ExactValue();
    RationalSum sum;
    RationalSum sum_of_squares;
    for (std::uint64_t i = 0; i < binding_.count; ++i) {
      const double x = stored(input, i);
      if (!std::isfinite(x)) return ExactValue::nan();
      sum.add(x);
      sum_of_squares.add_product(x, x);
    }
    const ExactValue n = integer(binding_.count);
    const ExactValue total = sum.value();
    return (n * sum_of_squares.value() - total * total) / n;
  }

  Number<P> squared_deviations(const Instruction& reduction, const ReductionPlan& plan) {
    if (binding_.count == 0) return ExactValue();
    const Number<P> center = mean(reduction, plan);
    NumberSum<P> out;
    for_each(reduction, plan, [&](const Number<P>& x) { out.add(square(x - center)); });
    // An infinity is infinitely far from the mean that it makes infinite: inf - inf.
    return out.value();
  }

  Number<P> element(const Instruction& reduction, const ReductionPlan& plan) {
    const Number<P>& position = operand(reduction, 1);
    if (!position.is_exact() || !position.exact().is_rational()) return ExactValue::nan();
    const Integer index =
        position.exact().is_zero() ? Integer(0) : position.exact().rational().floor();
    if (index < 0 || index >= binding_.count) return ExactValue::nan();
    return at(plan.cone, reduction.operands[0], static_cast<std::uint64_t>(index));
  }

  Number<P> constant(const Constant& constant) const {
    if (constant.scale == 0) return ExactValue(constant.offset);
    return ExactValue(constant.scale) * ExactValue(binding_.n) + ExactValue(constant.offset);
  }

  Number<P> linspace(const Number<P>& start, const Number<P>& end, std::uint64_t index) const {
    Number<P> step;
    if (binding_.count > 1) step = (end - start) / Number<P>(integer(binding_.count - 1));
    return Number<P>(integer(index)) * step + start;
  }

  Number<P> compute(const Instruction& instruction, std::uint64_t index) const {
    const auto x = [&]() -> const Number<P>& { return operand(instruction, 0); };
    const auto y = [&]() -> const Number<P>& { return operand(instruction, 1); };
    const auto z = [&]() -> const Number<P>& { return operand(instruction, 2); };
    switch (instruction.op) {
      case Op::constant:
        return constant(instruction.constant);
      case Op::index:
        return integer(index);
      case Op::input:
        return ExactValue::from_double(stored(instruction.input, index));
      case Op::arange:
        return Number<P>(integer(index)) * y() + x();
      case Op::linspace:
        return linspace(x(), y(), index);
      case Op::add:
        return x() + y();
      case Op::sub:
        return x() - y();
      case Op::mul:
        return instruction.operands[0] == instruction.operands[1] ? square(x()) : x() * y();
      case Op::div:
        return x() / y();
      case Op::min:
        return min(x(), y());
      case Op::max:
        return max(x(), y());
      case Op::fma:
        return x() * y() + z();
      case Op::div_add:
        return x() / y() + z();
      case Op::neg:
        return -x();
      case Op::abs:
        return abs(x());
      case Op::sqrt:
        return sqrt(x());
      case Op::rsqrt:
        return rsqrt(x());
      case Op::reciprocal:
        return reciprocal(x());
      case Op::floor:
        return floor(x());
      case Op::exp:
        return exp(x());
      case Op::log:
        return log(x());
      case Op::log1p:
        return log1p(x());
      case Op::expm1:
        return expm1(x());
      case Op::tanh:
        return tanh(x());
      case Op::sigmoid:
        return sigmoid(x());
      case Op::erf:
        return erf(x());
      case Op::equal:
        return equal(x(), y());
      case Op::cast:
      case Op::cast_truncate:
      case Op::cast_stochastic:
        return x();
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
    throw Unsupported("unknown operation");
  }

  std::shared_ptr<const HybridPlan> plan_;
  const Program& program_;
  std::vector<Number<P>> values_;
  std::vector<State> states_;  ///< of uniform values
  Binding binding_{};
};

}  // namespace

std::unique_ptr<HybridEvaluator> make_hybrid_evaluator(std::shared_ptr<const HybridPlan> plan,
                                                       std::size_t level) {
  switch (level) {
    case 0:
      return std::make_unique<Evaluation<hybrid_precisions[0]>>(std::move(plan));
    case 1:
      return std::make_unique<Evaluation<hybrid_precisions[1]>>(std::move(plan));
    default:
      return std::make_unique<Evaluation<hybrid_precisions[2]>>(std::move(plan));
  }
}

}  // namespace halfulp::oracles
