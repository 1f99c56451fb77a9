#include "oracles/certified.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/round_once.h"

namespace halfulp::oracles {
namespace {

bool is_unary(KernelOp op) {
  return op == KernelOp::neg || op == KernelOp::abs || op == KernelOp::sqrt ||
         op == KernelOp::floor;
}

void insert_all(LaneSet& set, std::size_t size) {
  for (std::size_t lane = 0; lane < size; ++lane) set.insert(lane);
}

}  // namespace

CertifiedTier::CertifiedTier(const ExactEvaluator& values, const Format& output)
    : program_(lower(values)),
      rounding_(output),
      uniforms_(program_.uniforms.size()),
      bounds_(program_.nodes.size()),
      steps_(program_.nodes.size()) {
  assign_buffers();
}

// A node takes over the buffer of an operand that is not needed any more. The output has none: it
// is computed straight into the block.
void CertifiedTier::assign_buffers() {
  const std::size_t size = program_.nodes.size();
  std::vector<std::size_t> last_use(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    for (const NodeOperand& operand : {program_.nodes[i].a, program_.nodes[i].b}) {
      if (operand.source == Source::lanes) last_use[operand.id] = i;
    }
  }
  std::vector<std::uint32_t> free;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (last_use[k] == i) free.push_back(buffer_of_[k]);
    }
    if (free.empty()) free.push_back(count++);
    buffer_of_.push_back(free.back());
    free.pop_back();
  }
  buffers_.resize(count);
}

void CertifiedTier::bind_uniform(std::size_t position, const ExactEvaluator& values) {
  const UniformNode& node = program_.uniforms[position];
  Uniform& out = uniforms_[position];
  const auto a = [&]() -> const ExactValue& { return uniforms_[node.a].exact; };
  const auto b = [&]() -> const ExactValue& { return uniforms_[node.b].exact; };
  switch (node.kind) {
    case UniformNode::Kind::value:
      out.exact = values.uniform(node.a);
      break;
    case UniformNode::Kind::linspace_step:
      out.exact = values.linspace_step(node.a, node.b);
      break;
    case UniformNode::Kind::one:
      out.exact = ExactValue(1);
      break;
    case UniformNode::Kind::negation:
      out.exact = -a();
      break;
    case UniformNode::Kind::reciprocal:
      out.exact = reciprocal(a());
      break;
    case UniformNode::Kind::product:
      out.exact = a() * b();
      break;
    case UniformNode::Kind::quotient:
      out.exact = a() / b();
      break;
  }
  const Approximation near = approximate(out.exact);
  out.value = near.value;
  out.bound = bound_of_number(near.value, near.radius);
}

void CertifiedTier::bind(const Binding& binding, const ExactEvaluator& values) {
  binding_ = binding;
  is_usable_ = false;
  if (program_.output.source == Source::uniform) return;
  for (std::size_t i = 0; i < uniforms_.size(); ++i) {
    if (!literals_are_known_ || !program_.uniforms[i].is_literal) bind_uniform(i, values);
  }
  literals_are_known_ = true;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    bounds_[i] = bound_of(program_.nodes[i]);
    steps_[i] = step_of(program_.nodes[i], i);
  }
  is_usable_ = bounds_[program_.output.id].is_finite();
}

ErrorBound CertifiedTier::bound_of(const NodeOperand& operand) const {
  switch (operand.source) {
    case Source::index:
      return bound_of_index(static_cast<double>(binding_.count > 0 ? binding_.count - 1 : 0));
    case Source::uniform:
      return uniforms_[operand.id].bound;
    case Source::lanes:
      return bounds_[operand.id];
  }
  return ErrorBound::unknown();
}

ErrorBound CertifiedTier::bound_of(const LaneNode& node) const {
  if (node.is_input) return bound_of_input(node.input);
  const ErrorBound a = bound_of(node.a);
  const ErrorBound b = is_unary(node.op) ? ErrorBound{} : bound_of(node.b);
  switch (node.op) {
    case KernelOp::add:
      return bound_of_sum(a, b);
    case KernelOp::sub:
      return bound_of_difference(a, b);
    case KernelOp::mul:
      return bound_of_product(a, b);
    case KernelOp::div:
      return bound_of_quotient(a, b);
    case KernelOp::min:
    case KernelOp::max:
      return bound_of_extreme(a, b);
    case KernelOp::neg:
      return bound_of_negation(a);
    case KernelOp::abs:
      return bound_of_magnitude(a);
    case KernelOp::sqrt:
      return bound_of_root(a);
    case KernelOp::floor:
      return bound_of_floor(a);
  }
  return ErrorBound::unknown();
}

ErrorBound CertifiedTier::bound_of_input(std::uint32_t input) const {
  const InputVector& vector = binding_.inputs[input];
  double high = 0;
  double low = std::numeric_limits<double>::infinity();
  int quantum = std::numeric_limits<int>::max();
  bool nonnegative = true;
  for (std::uint64_t i = 0; i < binding_.count; ++i) {
    const double value = vector.value(i);
    if (value == 0 || !std::isfinite(value)) continue;
    high = std::max(high, std::fabs(value));
    low = std::min(low, std::fabs(value));
    quantum = std::min(quantum, quantum_of(value));
    nonnegative = nonnegative && value > 0;
  }
  return high == 0 ? bound_of_number(0, 0) : bound_of_exact(low, high, quantum, nonnegative);
}

KernelStep CertifiedTier::step_of(const LaneNode& node, std::size_t position) {
  const auto lanes = [&](const NodeOperand& operand) -> const double* {
    return operand.source == Source::lanes ? buffers_[buffer_of_[operand.id]].data() : nullptr;
  };
  const auto number = [&](const NodeOperand& operand) {
    return operand.source == Source::uniform ? uniforms_[operand.id].value : 0;
  };
  KernelStep step{.op = node.op, .out = buffers_[buffer_of_[position]].data()};
  if (node.is_input) return step;
  step.a_source = node.a.source;
  step.a = lanes(node.a);
  step.a_uniform = number(node.a);
  if (!is_unary(node.op)) {
    step.b_source = node.b.source;
    step.b = lanes(node.b);
    step.b_uniform = number(node.b);
  } else {
    const ErrorBound bound = bound_of(node.a);
    step.relative = bound.relative;
    step.absolute = bound.absolute;
  }
  return step;
}

void CertifiedTier::load_input(const LaneNode& node, std::uint64_t first, std::size_t size,
                               double* out, LaneSet& undecided) const {
  const InputVector& vector = binding_.inputs[node.input];
  for (std::size_t lane = 0; lane < size; ++lane) {
    out[lane] = vector.value(first + lane);
    if (!std::isfinite(out[lane])) undecided.insert(lane);
  }
}

void CertifiedTier::evaluate(std::uint64_t first, OracleBlock& out, LaneSet& undecided) {
  const std::size_t size = out.rounded.size;
  if (!is_usable_) return insert_all(undecided, size);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const LaneNode& node = program_.nodes[i];
    KernelStep& step = steps_[i];
    double* const target = i == program_.output.id ? out.value : step.out;
    if (node.is_input) {
      load_input(node, first, size, target, undecided);
      continue;
    }
    step.first = static_cast<double>(first);
    step.size = size;
    KernelStep here = step;
    here.out = target;
    run_kernel(here, undecided);
  }
  const ErrorBound& bound = bounds_[program_.output.id];
  run_rounding({.values = out.value,
                .size = size,
                .relative = bound.relative,
                .absolute = bound.absolute,
                .rounded = out.rounded.f32,
                .radius = out.radius},
               rounding_, undecided);
}

}  // namespace halfulp::oracles
