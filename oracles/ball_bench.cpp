// Speed of the ball tier on one core, rounding test included, and what it leaves undecided.
#include <benchmark/benchmark.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "oracles/ball_tier.h"

namespace halfulp::oracles {
namespace {

constexpr std::uint64_t points = 1 << 20;

/// 2^20 values of [low, high).
std::vector<InputVector> uniform_inputs(double low, double high) {
  std::mt19937_64 random(1);
  std::vector<InputVector> out(1);
  for (std::uint64_t i = 0; i < points; ++i) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    out[0].f32.push_back(static_cast<float>(low + (high - low) * unit));
  }
  return out;
}

Program function_of_input(Op op) {
  ProgramBuilder b;
  return b.finish(b.unary(op, dtype_type, b.input(0)));
}

Program stable_softmax() {
  ProgramBuilder b;
  const auto x = b.input(0);
  const auto largest = b.reduce(Op::largest, dtype_type, x);
  const auto e = b.unary(Op::exp, dtype_type, b.binary(Op::sub, dtype_type, x, largest));
  return b.finish(b.binary(Op::div, dtype_type, e, b.sum(dtype_type, e)));
}

std::uint64_t size_of(const LaneSet& set) {
  std::uint64_t size = 0;
  for (const std::uint64_t word : set.words)
    size += static_cast<std::uint64_t>(std::popcount(word));
  return size;
}

void evaluate_program(benchmark::State& state, const Program& program, const Format& format,
                      const std::vector<InputVector>& inputs, std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  BallTier tier(program, format);
  const auto block = std::make_unique<OracleBlock>();
  block->rounded.size = block_lanes;
  std::uint64_t undecided = 0;
  for ([[maybe_unused]] auto iteration : state) {
    tier.bind({.n = exact(points), .count = points, .inputs = inputs});
    undecided = 0;
    for (std::uint64_t i = 0; i < points; i += block_lanes) {
      LaneSet lanes;
      tier.evaluate(i, *block, lanes);
      undecided += size_of(lanes);
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(points) * state.iterations());
  state.counters["undecided"] = static_cast<double>(undecided);
  hwy::SetSupportedTargetsForTest(0);
}

/// The rival: the C library's exponential of doubles, rounded to binary32 without any bound.
void evaluate_std_exp(benchmark::State& state, const std::vector<InputVector>& inputs) {
  std::vector<float> out(points);
  for ([[maybe_unused]] auto iteration : state) {
    for (std::uint64_t i = 0; i < points; ++i) {
      out[i] = static_cast<float>(std::exp(static_cast<double>(inputs[0].f32[i])));
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(points) * state.iterations());
}

const int registered = [] {
  const auto exponents = uniform_inputs(-87, 88);
  const auto positive = uniform_inputs(0x1p-20, 1000);
  benchmark::RegisterBenchmark("balls/rival: std::exp of doubles", evaluate_std_exp, exponents);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const auto add = [&](const std::string& what, const Program& program, const Format& format,
                         const std::vector<InputVector>& inputs) {
      const std::string name =
          "balls/" + what + "/" + std::string(short_name(format)) + "/" + hwy::TargetName(target);
      benchmark::RegisterBenchmark(name.c_str(), evaluate_program, program, format, inputs, target);
    };
    for (const Format& format : {binary32, binary16, bfloat16}) {
      add("exp", function_of_input(Op::exp), format, exponents);
      add("log", function_of_input(Op::log), format, positive);
    }
    add("tanh", function_of_input(Op::tanh), binary32, exponents);
    add("erf", function_of_input(Op::erf), binary32, exponents);
    add("softmax", stable_softmax(), binary32, exponents);
  }
  return 0;
}();

}  // namespace
}  // namespace halfulp::oracles
