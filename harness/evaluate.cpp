#include "harness/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/encoding.h"

namespace halfulp {

void poison(Block& block, Carrier carrier, std::size_t size) {
  block.carrier = carrier;
  block.size = size;
  const std::size_t lane_bytes = carrier == Carrier::f32 ? sizeof(float) : sizeof(double);
  std::memset(static_cast<void*>(block.f64), 0xff, size * lane_bytes);  // poison_f32, poison_f64
}

std::uint64_t axis_count(const Case& c, const Params& params, const Format& dtype,
                         const ExactNumber& axis_value) {
  if (c.count != nullptr) return c.count(params, dtype, axis_value);
  return static_cast<std::uint64_t>(axis_value.numerator);
}

std::uint64_t axis_results(const Case& c, const Params& params, const Format& dtype,
                           const ExactNumber& axis_value) {
  const std::uint64_t rows = c.rows != nullptr ? c.rows(params) : 1;
  return result_count(c.build(params, 2), axis_count(c, params, dtype, axis_value), rows);
}

bool has_own_axis(const Case& c, const Params& params, const Format& dtype) {
  return c.axis_values != nullptr && !c.axis_values(params, dtype).empty();
}

namespace {

double largest_magnitude(const InputVector& input) {
  double largest = 0;
  const auto consider = [&](double value) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  };
  for (const float value : input.f32) consider(static_cast<double>(value));
  for (const double value : input.f64) consider(value);
  return largest;
}

}  // namespace

AxisBinder::AxisBinder(const Case& c, const Params& params, const Format& dtype)
    : case_(c), params_(params), dtype_(dtype) {
  if (c.inputs == nullptr) return;
  inputs_ = c.inputs(params, dtype);
  largest_input_ = largest_magnitude(inputs_.front());
}

Binding AxisBinder::binding(const ExactNumber& axis_value) {
  if (case_.vectors != nullptr) {
    inputs_ = case_.vectors(params_, dtype_, axis_value);
    largest_input_ = largest_magnitude(inputs_.front());
  }
  return {.n = axis_value,
          .count = axis_count(case_, params_, dtype_, axis_value),
          .inputs = inputs_,
          .rows = case_.rows != nullptr ? case_.rows(params_) : 1};
}

AxisRunner::AxisRunner(const Backend& backend, const Case& c, const Params& params,
                       const Format& dtype)
    : case_(c), backend_(backend), params_(params), dtype_(dtype), binder_(c, params, dtype) {
  check_dtype(c, dtype);
  if (c.check != nullptr) c.check(params, dtype);
  const Program program = c.build(params, 2);
  output_ = resolve(program.output_type(), dtype).value_or(binary64);
  shape_ = shapes(program)[program.output];
  general_ = backend.compile(backend, program, dtype);
}

Evaluator& AxisRunner::evaluator_for(std::uint64_t count) {
  if (count != 1) return *general_;
  if (!singleton_) singleton_ = backend_.compile(backend_, case_.build(params_, 1), dtype_);
  return *singleton_;
}

void AxisRunner::run(const ExactNumber& axis_value,
                     const std::function<void(std::uint64_t first, const Block& block)>& sink) {
  const Binding binding = binder_.binding(axis_value);
  Evaluator& evaluator = evaluator_for(binding.count);
  evaluator.bind(binding);
  admitted_ = evaluator.admitted();
  const std::uint64_t results = binding.rows * (shape_ == Shape::map ? binding.count : 1);
  Block block;
  for (std::uint64_t first = 0; first < results; first += block_lanes) {
    poison(block, carrier_of(output_),
           static_cast<std::size_t>(std::min<std::uint64_t>(block_lanes, results - first)));
    evaluator.evaluate(first, block);
    sink(first, block);
  }
}

std::vector<std::uint64_t> evaluate_axis(AxisRunner& runner, const ExactNumber& axis_value) {
  std::vector<std::uint64_t> bits;
  runner.run(axis_value, [&](std::uint64_t, const Block& block) {
    for (std::size_t lane = 0; lane < block.size; ++lane) {
      bits.push_back(encode_exact(block.value(lane), runner.output_format()));
    }
  });
  return bits;
}

}  // namespace halfulp
