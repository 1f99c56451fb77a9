#include "backends/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "backends/approximate.h"
#include "backends/casts.h"
#include "backends/plan.h"
#include "backends/ramps.h"
#include "harness/error.h"
#include "harness/row_slicer.h"

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
        registers_(plan_.registers),
        vectors_(plan_.vectors),
        ramps_(plan_.ramps) {
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
    run_uniform(plan_.uniform_steps);
    bind_ramps();
    for (const Pass& pass : plan_.passes) run_pass(pass);
    for_each_block_step([this](const Step& step) { check_world(step); });
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

  template <typename Visit>
  void for_each_block_step(Visit visit) const {
    for (const Pass& pass : plan_.passes) std::ranges::for_each(pass.block_steps, visit);
    std::ranges::for_each(plan_.block_steps, visit);
  }

  void run_uniform(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      run_in_carrier(step, 0,
                     step.carrier == Carrier::f32 ? splat_lanes<float> : splat_lanes<double>);
    }
  }

  void run_pass(const Pass& pass) {
    for (const Step& step : pass.block_steps) {
      if (step.result.kind == Location::Kind::vector) make_room(step);
    }
    for (std::uint64_t first = 0; first < binding_.count; first += block_lanes) {
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(block_lanes, binding_.count - first));
      for (const Step& step : pass.block_steps) run_in_carrier(step, first, size);
    }
    for (const ReduceStep& step : pass.reductions) {
      if (step.carrier == Carrier::f32) {
        reduce_into<float>(step);
      } else {
        reduce_into<double>(step);
      }
    }
    run_uniform(pass.uniform_steps);
  }

  void make_room(const Step& step) {
    InputVector& vector = vectors_[step.result.number];
    if (step.carrier == Carrier::f32) {
      vector.f32.resize(binding_.count);
    } else {
      vector.f64.resize(binding_.count);
    }
  }

  template <typename T>
  std::span<const T> whole(const Location& location) {
    if (location.kind == Location::Kind::none) return {};
    return {operand<T>(location, 0).data, static_cast<std::size_t>(binding_.count)};
  }

  template <typename T>
  void reduce_into(const ReduceStep& step) {
    const std::span<const T> x = whole<T>(step.operands[0]);
    const std::span<const T> y = whole<T>(step.operands[1]);
    const T result = step.reduction.op == Op::element ? element(step, x) : reduced(step, x, y);
    lanes<T>(splats_[step.result.number]).fill(result);
  }

  template <typename T>
  T element(const ReduceStep& step, std::span<const T> x) const {
    const ExactNumber index = halfulp::bind(step.index, binding_.n);
    if (!index.is_integer() || index.numerator < 0 ||
        static_cast<std::uint64_t>(index.numerator) >= x.size()) {
      throw UsageError(fmt::format("no element {} in a vector of {}", to_string(index), x.size()));
    }
    return x[static_cast<std::size_t>(index.numerator)];
  }

  template <typename T>
  T reduced(const ReduceStep& step, std::span<const T> x, std::span<const T> y) {
    if constexpr (std::is_same_v<T, float>) {
      if (step.accumulator == Accumulator::binary64) {
        const std::vector<double> wide_x(x.begin(), x.end());
        const std::vector<double> wide_y(y.begin(), y.end());
        const double result = reduce(step.reduction, wide_x, wide_y);
        return backends::narrow(static_cast<float>(result), step.reduction.result);
      }
    }
    return reduce(step.reduction, x, y);
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
    T* out = target<T>(step.result, first);
    switch (step.kind) {
      case Step::Kind::kernel:
        return run_kernel_step<T>(step, first, size, out);
      case Step::Kind::approximate_divide:
        return run_approximate(step, first, size);
      case Step::Kind::ramp:
        return fill_ramp(ramps_[step.ramp], first, size, out);
      case Step::Kind::index:
        return fill_indices(first, size, out);
      case Step::Kind::widen:
      case Step::Kind::narrow:
        return convert(step, first, size);
      case Step::Kind::truncate:
      case Step::Kind::stochastic:
        return step.source == Carrier::f32 ? round<float>(step, first, size, out)
                                           : round<double>(step, first, size, out);
    }
  }

  template <typename From, typename T>
  void round(const Step& step, std::uint64_t first, std::size_t size, T* out) {
    const auto from = operand<From>(step.operands[0], first);
    if (step.kind == Step::Kind::truncate) return cast_truncate(from, step.format, size, out);
    const auto seed = static_cast<std::uint64_t>(step.constants[0].offset.numerator);
    cast_stochastic(from, step.format, seed, first, size, out);
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
                       step.narrowing, size, target<float>(step.result, first));
  }

  void convert(const Step& step, std::uint64_t first, std::size_t size) {
    if (step.kind == Step::Kind::widen) {
      const auto from = operand<float>(step.operands[0], first);
      double* out = target<double>(step.result, first);
      for (std::size_t i = 0; i < size; ++i) out[i] = from.data[i & from.mask];
      return;
    }
    const auto from = operand<double>(step.operands[0], first);
    float* out = target<float>(step.result, first);
    const bool is_once =
        model_.wide_casts == WideCasts::once && step.narrowing.kind != Narrowing::Kind::none;
    for (std::size_t i = 0; i < size; ++i) {
      const double value = from.data[i & from.mask];
      out[i] = is_once ? to_odd(value) : static_cast<float>(value);
    }
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
    for_each_block_step([this](const Step& step) {
      if (step.kind != Step::Kind::ramp) return;
      ramps_[step.ramp] = {.op = step.op,
                           .format = step.format,
                           .start = to_double(halfulp::bind(step.constants[0], binding_.n)),
                           .second = to_double(halfulp::bind(step.constants[1], binding_.n)),
                           .count = binding_.count,
                           .model = model_,
                           .contraction = contraction_};
    });
  }

  template <typename T>
  static auto& lanes(auto& storage) {
    if constexpr (std::is_same_v<T, float>)
      return storage.f32;
    else
      return storage.f64;
  }

  template <typename T>
  T* target(const Location& location, std::uint64_t first) {
    switch (location.kind) {
      case Location::Kind::uniform:
        return lanes<T>(splats_[location.number]).data();
      case Location::Kind::block:
        return lanes<T>(registers_[location.number]);
      case Location::Kind::vector:
        return lanes<T>(vectors_[location.number]).data() + first;
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
      case Location::Kind::vector:
        return {lanes<T>(vectors_[location.number]).data() + first, ~std::size_t{0}};
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
  std::vector<InputVector> vectors_;
  std::vector<Ramp> ramps_;
  Block* output_ = nullptr;
};

/// A batch: each row is bound by itself.
class Batch final : public Evaluator {
 public:
  Batch(const Program& program, std::unique_ptr<Evaluator> row)
      : row_(std::move(row)), slicer_(program), shape_(shapes(program)[program.output]) {}

  void bind(const Binding& binding) override {
    count_ = binding.count;
    slicer_.bind(binding);
    bound_.reset();
  }
  void evaluate(std::uint64_t first, Block& out) override {
    const std::uint64_t length = shape_ == Shape::map ? count_ : 1;
    for (std::size_t lane = 0; lane < out.size;) {
      const std::uint64_t row = (first + lane) / length;
      const std::uint64_t column = (first + lane) % length;
      bind_row(row);
      part_.size =
          static_cast<std::size_t>(std::min<std::uint64_t>(out.size - lane, length - column));
      row_->evaluate(column, part_);
      copy_lanes(part_, out, lane);
      lane += part_.size;
    }
  }

 private:
  void bind_row(std::uint64_t row) {
    if (bound_ == row) return;
    row_->bind(slicer_.row(row));
    bound_ = row;
  }
  static void copy_lanes(const Block& from, Block& to, std::size_t lane) {
    to.carrier = from.carrier;
    if (from.carrier == Carrier::f32) {
      std::copy_n(from.f32, from.size, to.f32 + lane);
    } else {
      std::copy_n(from.f64, from.size, to.f64 + lane);
    }
  }

  std::unique_ptr<Evaluator> row_;
  RowSlicer slicer_;
  Shape shape_;
  std::uint64_t count_ = 0;
  std::optional<std::uint64_t> bound_;
  Block part_;
};

}  // namespace

std::unique_ptr<Evaluator> compile(const Backend& backend, const Program& program,
                                   const Format& dtype) {
  const Program lowered_program = lowered(backend, program);
  auto row = std::make_unique<Interpreter>(backend, make_plan(lowered_program, backend, dtype));
  if (!has_rows(program)) return row;
  return std::make_unique<Batch>(program, std::move(row));
}

}  // namespace halfulp::backends
