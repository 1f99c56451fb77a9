#include "oracles/ball_tier.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/ball_reductions.h"
#include "oracles/exact_value.h"
#include "oracles/round_once.h"

namespace halfulp::oracles {
namespace {

using Kind = BallNode::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t count_limit = std::uint64_t{1} << 32;

Ball ball_of(const Constant& constant, const ExactNumber& n) {
  ExactValue value(constant.offset);
  if (constant.scale != 0) value = ExactValue(constant.scale) * ExactValue(n) + value;
  const Approximation near = approximate(value);
  return {near.value, near.radius};
}

}  // namespace

bool BallTier::supports(const Program& program, const Format& output) {
  return output != binary64 && can_lower_to_balls(program);
}

BallTier::BallTier(const Program& program, const Format& output)
    : program_(lower_to_balls(program)),
      rounding_(output),
      maps_(program_.nodes.size()),
      signs_(program_.nodes.size(), KnownSign::unknown) {
  assign_storage();
  for (std::uint32_t id = 0; id < program_.nodes.size(); ++id) {
    const BallNode& node = program_.nodes[id];
    if (node.kind == Kind::reduction) maps_[id] = map_nodes_of(program_, node.a);
    const bool is_literal = node.kind == Kind::constant && node.constant.scale == 0;
    if (is_literal) put_uniform(id, ball_of(node.constant, {}));
  }
  if (program_.nodes[program_.output].shape == Shape::map) {
    maps_[program_.output] = map_nodes_of(program_, program_.output);
  }
}

void BallTier::assign_storage() {
  constexpr std::size_t chunk_groups = ball_chunk / ball_group;
  const auto groups_of = [](const BallNode& node) {
    return node.shape == Shape::map ? chunk_groups : 1;
  };
  std::size_t total_groups = 0;
  for (const BallNode& node : program_.nodes) total_groups += 2 * groups_of(node);
  groups_.resize(total_groups);
  std::size_t next = 0;
  for (const BallNode& node : program_.nodes) {
    double* const value = groups_[next].lanes.data();
    double* const radius = groups_[next + groups_of(node)].lanes.data();
    next += 2 * groups_of(node);
    targets_.push_back({value, radius});
    operands_.push_back({value, radius, node.shape == Shape::map ? ~std::size_t{0} : 0});
  }
}

Ball BallTier::ball_at(std::uint32_t id, std::size_t lane) const {
  return {operands_[id].value[lane], operands_[id].radius[lane]};
}

void BallTier::put_uniform(std::uint32_t id, const Ball& ball) {
  std::fill_n(targets_[id].value, ball_group, ball.value);
  std::fill_n(targets_[id].radius, ball_group, ball.radius);
}

void BallTier::bind(const Binding& one_row) {
  binding_ = one_row;
  for (std::uint32_t id = 0; id < program_.nodes.size(); ++id) {
    const BallNode& node = program_.nodes[id];
    signs_[id] = sign_of(node, signs_);
    if (node.shape == Shape::map) continue;
    bind_uniform(id);
    const Ball ball = ball_at(id, 0);
    if (ball.value > ball.radius) signs_[id] = KnownSign::positive;
  }
}

void BallTier::bind_uniform(std::uint32_t id) {
  const BallNode& node = program_.nodes[id];
  if (node.kind == Kind::kernel) {
    run_ball_op(node.op, operands_[node.a], operands_[node.b], targets_[id], 1);
  } else if (node.kind != Kind::constant || node.constant.scale != 0) {
    put_uniform(id, uniform_ball(id));
  }
}

Ball BallTier::uniform_ball(std::uint32_t id) {
  const BallNode& node = program_.nodes[id];
  const auto count = static_cast<double>(binding_.count);
  switch (node.kind) {
    case Kind::constant:
      return ball_of(node.constant, binding_.n);
    case Kind::count:
      return {count, 0};
    case Kind::count_less_one:
      return {count - 1, binding_.count > 1 ? 0 : infinity};
    case Kind::centre: {
      const Ball ball = ball_at(node.a, 0);
      return {ball.value, ball.radius < infinity ? 0 : infinity};
    }
    case Kind::m2:
      return m2(node);
    case Kind::reduction:
      return reduced(id);
    case Kind::index:
    case Kind::input:
    case Kind::kernel:
      break;
  }
  return {0, infinity};
}

Ball BallTier::m2(const BallNode& node) const {
  const Ball squares = ball_at(node.a, 0);
  const Ball mean = ball_at(node.b, 0);
  if (mean.radius == 0) return squares;
  const double less = static_cast<double>(binding_.count) * mean.radius * mean.radius;
  const double radius = (squares.radius + less) * (1 + 0x1p-40) + 0x1p-1060;
  return {squares.value, radius < infinity ? radius : infinity};
}

Ball BallTier::reduced(std::uint32_t id) {
  const BallNode& node = program_.nodes[id];
  if (binding_.count >= count_limit) return {0, infinity};
  if (node.reduction == Op::element) return element(id);
  const auto reduction = make_ball_reduction(node.reduction);
  const BallTarget& operand = targets_[node.a];
  for (std::uint64_t first = 0; first < binding_.count; first += ball_chunk) {
    const std::size_t size = std::min<std::uint64_t>(ball_chunk, binding_.count - first);
    run_chunk(maps_[id], first, size, operand);
    reduction->take(operand, size);
  }
  return reduction->result();
}

Ball BallTier::element(std::uint32_t id) {
  const BallNode& node = program_.nodes[id];
  const Ball index = ball_at(node.b, 0);
  const auto count = static_cast<double>(binding_.count);
  const bool is_index = index.radius == 0 && index.value >= 0 && index.value < count &&
                        index.value == std::floor(index.value);
  if (!is_index) return {0, infinity};
  run_chunk(maps_[id], static_cast<std::uint64_t>(index.value), 1, targets_[node.a]);
  return ball_at(node.a, 0);
}

void BallTier::load_input(std::uint32_t input, std::uint64_t first, std::size_t size,
                          const BallTarget& out) const {
  const InputVector& vector = binding_.inputs[input];
  if (vector.f64.empty()) {
    load_balls(vector.f32.data() + first, size, out);
  } else {
    load_balls(vector.f64.data() + first, size, out);
  }
}

void BallTier::run_chunk(const std::vector<std::uint32_t>& nodes, std::uint64_t first,
                         std::size_t size, const BallTarget& last) {
  for (const std::uint32_t id : nodes) {
    const BallNode& node = program_.nodes[id];
    const BallTarget& out = id == nodes.back() ? last : targets_[id];
    if (node.kind == Kind::index) {
      load_indices(static_cast<double>(first), size, out);
    } else if (node.kind == Kind::input) {
      load_input(node.input, first, size, out);
    } else {
      run_ball_op(node.op, operands_[node.a], operands_[node.b], out, size);
    }
  }
}

void BallTier::decide_overflow(std::size_t lane, std::size_t size, OracleBlock& out,
                               LaneSet& undecided) const {
  const BallNode& node = program_.nodes[program_.output];
  const bool is_exponential = node.op == BallOp::exp || node.op == BallOp::expm1;
  if (node.kind != Kind::kernel || !is_exponential) return;
  for (std::size_t k = 0; k < size; ++k) {
    const Ball exponent = ball_at(node.a, k & operands_[node.a].lane_mask);
    if (!undecided.contains(lane + k) || !(exponent.value - exponent.radius > 709)) continue;
    undecided.words[(lane + k) / 64] &= ~(std::uint64_t{1} << ((lane + k) % 64));
    out.rounded.f32[lane + k] = rounding_.overflowed(infinity);
    out.value[lane + k] = infinity;
    out.radius[lane + k] = infinity;
  }
}

void BallTier::evaluate(std::uint64_t first, OracleBlock& out, LaneSet& undecided) {
  const std::uint32_t output = program_.output;
  const bool is_map = program_.nodes[output].shape == Shape::map;
  const bool is_too_long = binding_.count >= count_limit;
  LaneSet left;
  out.rounded.carrier = Carrier::f32;
  for (std::size_t lane = 0; lane < out.rounded.size; lane += ball_chunk) {
    const std::size_t size = std::min(ball_chunk, out.rounded.size - lane);
    const BallTarget target{out.value + lane, out.radius + lane};
    if (is_map && !is_too_long) {
      run_chunk(maps_[output], first + lane, size, target);
    } else {
      const Ball ball = is_too_long ? Ball{0, infinity} : ball_at(output, 0);
      std::fill_n(target.value, size, ball.value);
      std::fill_n(target.radius, size, ball.radius);
    }
    round_balls({.value = target.value,
                 .radius = target.radius,
                 .size = size,
                 .sign = signs_[output],
                 .rounded = out.rounded.f32 + lane,
                 .first_lane = lane},
                rounding_, left);
    decide_overflow(lane, size, out, left);
  }
  for (std::size_t k = 0; k < left.words.size(); ++k) undecided.words[k] |= left.words[k];
}

}  // namespace halfulp::oracles
