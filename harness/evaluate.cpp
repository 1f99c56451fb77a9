#include "harness/evaluate.h"

#include <algorithm>
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

AxisRunner::AxisRunner(const Backend& backend, const Case& c, const Params& params,
                       const Format& dtype)
    : case_(c), backend_(backend), params_(params), dtype_(dtype) {
  check_dtype(c, dtype);
  if (c.check != nullptr) c.check(params, dtype);
  const Program program = c.build(params, 2);
  output_ = resolve(program.output_type(), dtype).value_or(binary64);
  general_ = backend.compile(backend, program, dtype);
  if (c.inputs != nullptr) inputs_ = c.inputs(params, dtype);
}

Evaluator& AxisRunner::evaluator_for(std::uint64_t count) {
  if (count != 1) return *general_;
  if (!singleton_) singleton_ = backend_.compile(backend_, case_.build(params_, 1), dtype_);
  return *singleton_;
}

void AxisRunner::run(const ExactNumber& axis_value,
                     const std::function<void(std::uint64_t first, const Block& block)>& sink) {
  const std::uint64_t count = axis_count(case_, params_, dtype_, axis_value);
  Evaluator& evaluator = evaluator_for(count);
  evaluator.bind({axis_value, count, inputs_});
  admitted_ = evaluator.admitted();
  Block block;
  for (std::uint64_t first = 0; first < count; first += block_lanes) {
    poison(block, carrier_of(output_),
           static_cast<std::size_t>(std::min<std::uint64_t>(block_lanes, count - first)));
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
