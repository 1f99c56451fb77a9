#include "backends/interpreter.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "backends/approximate.h"
#include "backends/plan.h"
#include "backends/ramps.h"

namespace halfulp::backends {
namespace {

/// A uniform value in both carriers, ready to be read as a block.
struct alignas(splat_bytes) Splat {
  std::array<float, splat_lanes<float>> f32;
  std::array<double, splat_lanes<double>> f64;
};

struct alignas(64) Register {
  union {
    float f32[block_lanes];
    double f64[block_lanes];
  };
  Register() : f64{} {}
};

template <typename T>
inline constexpr Carrier carrier = std::is_same_v<T, float> ? Carrier::f32 : Carrier::f64;

class Interpreter final : public Evaluator {
 public:
  Interpreter(const Backend& backend, Plan plan)
      : model_(backend.model),
        contraction_(backend.lowering.contraction),
        plan_(std::move(plan)),
        splats_(plan_.splats),
        registers_(plan_.registers) {
    for (const ScalarSlot& slot : plan_.scalars) {
      if (slot.constant.scale == 0) fill(slot, slot.constant.offset);
    }
  }

  void bind(const Binding& binding) override {
    binding_ = binding;
    admitted_ = true;
    for (const ScalarSlot& slot : plan_.scalars) {
      if (slot.constant.scale != 0) fill(slot, halfulp::bind(slot.constant, binding.n));
    }
    for (const Step& step : plan_.uniform_steps) {
      run_in_carrier(step, 0,
                     step.carrier == Carrier::f32 ? splat_lanes<float> : splat_lanes<double>);
    }
    for (const Step& step : plan_.block_steps) check_world(step);
    bind_ramps();
  }

  bool admitted() const override { return admitted_; }

  void evaluate(std::uint64_t first, Block& out) override {
    out.carrier = plan_.output_carrier;
    output_ = &out;
    for (const Step& step : plan_.block_steps) run_in_carrier(step, first, out.size);
    if (plan_.output.kind != Location::Kind::output) copy_output(first, out);
  }

 private:
  void fill(const ScalarSlot& slot, const ExactNumber& number) {
    const double value = to_double(number);
    Splat& splat = splats_[slot.splat];
    splat.f64.fill(value);
    splat.f32.fill(backends::narrow(static_cast<float>(value), slot.narrowing));
  }

  void run_in_carrier(const Step& step, std::uint64_t first, std::size_t size) {
    if (step.carrier == Carrier::f32) {
      run<float>(step, first, size);
    } else {
      run<double>(step, first, size);
    }
  }

  template <typename T>
  void run(const Step& step, std::uint64_t first, std::size_t size) {
    T* out = target<T>(step.result);
    switch (step.kind) {
      case Step::Kind::kernel:
        return run_kernel_step<T>(step, first, size, out);
      case Step::Kind::approximate_divide:
        return run_approximate(step, first, size);
      case Step::Kind::ramp:
        return fill_ramp(ramps_[static_cast<std::size_t>(&step - plan_.block_steps.data())], first,
                         size, out);
      case Step::Kind::index:
        return fill_indices(first, size, out);
      case Step::Kind::widen:
      case Step::Kind::narrow:
        return convert(step, first, size);
    }
  }

  template <typename T>
  void run_kernel_step(const Step& step, std::uint64_t first, std::size_t size, T* out) {
    const auto a = operand<T>(step.operands[0], first);
    const auto b = operand<T>(step.operands[1], first);
    const auto c = operand<T>(step.operands[2], first);
    if constexpr (std::is_same_v<T, float>) {
      step.kernel_f32(a, b, c, step.narrowing, size, out);
    } else {
      step.kernel_f64(a, b, c, step.narrowing, size, out);
    }
  }

  void run_approximate(const Step& step, std::uint64_t first, std::size_t size) {
    std::optional<Operand<float>> addend;
    if (step.op == Op::div_add) addend = operand<float>(step.operands[2], first);
    approximate_divide(operand<float>(step.operands[0], first),
                       operand<float>(step.operands[1], first), addend, model_.reciprocal,
                       step.narrowing, size, target<float>(step.result));
  }

  void convert(const Step& step, std::uint64_t first, std::size_t size) {
    if (step.kind == Step::Kind::widen) {
      const auto from = operand<float>(step.operands[0], first);
      double* out = target<double>(step.result);
      for (std::size_t i = 0; i < size; ++i) out[i] = from.data[i & from.mask];
      return;
    }
    const auto from = operand<double>(step.operands[0], first);
    float* out = target<float>(step.result);
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<float>(from.data[i & from.mask]);
    run_kernel(Op::cast, {out, ~std::size_t{0}}, {}, {}, step.narrowing, size, out);
  }

  /// A world of a uniform divisor that the documented bound rules out is not admitted.
  void check_world(const Step& step) {
    if (step.kind != Step::Kind::approximate_divide) return;
    const Location& divisor = step.operands[1];
    if (divisor.kind != Location::Kind::uniform) return;
    const float b = splats_[divisor.number].f32[0];
    admitted_ = admitted_ && approximate_reciprocal(b, model_.reciprocal).has_value();
  }

  void bind_ramps() {
    ramps_.resize(plan_.block_steps.size());
    for (std::size_t k = 0; k < ramps_.size(); ++k) {
      const Step& step = plan_.block_steps[k];
      if (step.kind != Step::Kind::ramp) continue;
      ramps_[k] = {.op = step.op,
                   .format = step.format,
                   .start = to_double(halfulp::bind(step.ramp[0], binding_.n)),
                   .second = to_double(halfulp::bind(step.ramp[1], binding_.n)),
                   .count = binding_.count,
                   .model = model_,
                   .contraction = contraction_};
    }
  }

  template <typename T>
  static auto& lanes(auto& storage) {
    if constexpr (std::is_same_v<T, float>)
      return storage.f32;
    else
      return storage.f64;
  }

  template <typename T>
  T* target(const Location& location) {
    switch (location.kind) {
      case Location::Kind::uniform:
        return lanes<T>(splats_[location.number]).data();
      case Location::Kind::block:
        return lanes<T>(registers_[location.number]);
      case Location::Kind::output:
        return lanes<T>(*output_);
      case Location::Kind::none:
      case Location::Kind::input:
        break;
    }
    return nullptr;
  }

  template <typename T>
  Operand<T> operand(const Location& location, std::uint64_t first) {
    switch (location.kind) {
      case Location::Kind::none:
        return {};
      case Location::Kind::uniform:
        return {lanes<T>(splats_[location.number]).data(), 0};
      case Location::Kind::block:
        return {lanes<T>(registers_[location.number]), ~std::size_t{0}};
      case Location::Kind::output:
        return {lanes<T>(*output_), ~std::size_t{0}};
      case Location::Kind::input:
        return {lanes<T>(binding_.inputs[location.number]).data() + first, ~std::size_t{0}};
    }
    return {};
  }

  template <typename T>
  void copy(std::uint64_t first, std::size_t size, T* out) {
    const auto from = operand<T>(plan_.output, first);
    for (std::size_t i = 0; i < size; ++i) out[i] = from.data[i & from.mask];
  }
  void copy_output(std::uint64_t first, Block& out) {
    if (out.carrier == Carrier::f32) {
      copy(first, out.size, out.f32);
    } else {
      copy(first, out.size, out.f64);
    }
  }

  ExecutionModel model_;
  Contraction contraction_;
  Plan plan_;
  Binding binding_;
  bool admitted_ = true;
  std::vector<Splat> splats_;
  std::vector<Register> registers_;
  std::vector<Ramp> ramps_;  ///< by block step
  Block* output_ = nullptr;
};

}  // namespace

std::unique_ptr<Evaluator> compile(const Backend& backend, const Program& program,
                                   const Format& dtype) {
  const Program lowered_program = lowered(backend, program);
  return std::make_unique<Interpreter>(backend, make_plan(lowered_program, backend.model, dtype));
}

}  // namespace halfulp::backends
