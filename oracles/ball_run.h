// For tests: programs on the ball tier, on every instruction set and however blocks are cut.
#pragma once

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "harness/every_target.h"
#include "oracles/ball_reference.h"
#include "oracles/ball_tier.h"

namespace halfulp::oracles {

inline constexpr Type t = dtype_type;

/// What the tier says of every result of a program.
struct Results {
  std::vector<Ball> balls;
  std::vector<float> rounded;
  std::vector<bool> decided;
};

struct Run {
  Program program;
  std::vector<InputVector> inputs;
  std::uint64_t count;
  Format output = binary32;
  std::size_t block = block_lanes;  ///< results evaluated at a time

  Results results() const {
    REQUIRE(BallTier::supports(program, output));
    BallTier tier(program, output);
    tier.bind({.n = exact(static_cast<std::int64_t>(count)), .count = count, .inputs = inputs});
    Results out;
    const auto lanes = std::make_unique<OracleBlock>();
    const std::uint64_t size = result_count(program, count, 1);
    for (std::uint64_t first = 0; first < size; first += block) {
      lanes->rounded.size = std::min<std::uint64_t>(block, size - first);
      LaneSet undecided;
      tier.evaluate(first, *lanes, undecided);
      for (std::size_t lane = 0; lane < lanes->rounded.size; ++lane) {
        out.balls.push_back({lanes->value[lane], lanes->radius[lane]});
        out.rounded.push_back(lanes->rounded.f32[lane]);
        out.decided.push_back(!undecided.contains(lane));
      }
    }
    return out;
  }
};

inline bool same(const Results& a, const Results& b) {
  bool out = a.decided == b.decided;
  for (std::size_t k = 0; out && k < a.balls.size(); ++k) {
    if (!a.decided[k]) continue;
    out = same_bits(a.balls[k].value, b.balls[k].value) &&
          same_bits(a.balls[k].radius, b.balls[k].radius) &&
          std::bit_cast<std::uint32_t>(a.rounded[k]) == std::bit_cast<std::uint32_t>(b.rounded[k]);
  }
  return out;
}

/// The results, the same on every target and however blocks are cut.
inline Results run_everywhere(const Run& run) {
  const Results out = run.results();
  on_every_target([&] { REQUIRE(same(out, run.results())); });
  for (const std::size_t block : {1U, 7U, 300U}) {
    if (run.count > 2000) break;
    Run cut = run;
    cut.block = block;
    REQUIRE(same(out, cut.results()));
  }
  return out;
}

/// Every result is decided and within `ulps` * 2^-53 of `expected`, relatively.
inline void check(const Run& run, const std::vector<Big>& expected, double ulps) {
  const Results out = run_everywhere(run);
  REQUIRE(out.balls.size() == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Ball& ball = out.balls[k];
    INFO("result " << k << ": " << ball.value << " within " << ball.radius << ", exactly "
                   << expected[k]);
    REQUIRE(out.decided[k]);
    REQUIRE(holds(ball, expected[k]));
    REQUIRE(Big(ball.radius) <= abs(expected[k]) * ulps * 0x1p-53);
  }
}

/// The single result is exactly `expected`, the zero's sign included.
inline void check_exact(const Run& run, double expected) {
  const Results out = run_everywhere(run);
  REQUIRE(out.balls.size() == 1);
  INFO(out.balls[0].value << " within " << out.balls[0].radius);
  REQUIRE(out.decided[0]);
  REQUIRE(out.balls[0].radius == 0);
  REQUIRE(same_bits(out.balls[0].value, expected));
  if (run.output == binary32) {
    REQUIRE(same_bits(static_cast<double>(out.rounded[0]),
                      static_cast<double>(static_cast<float>(expected))));
  }
}

inline InputVector vector_of(std::vector<float> values) {
  return {.f32 = std::move(values), .f64 = {}};
}

inline std::vector<float> random_values(std::size_t size, double low, double high,
                                        std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> out;
  while (out.size() < size) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    out.push_back(static_cast<float>(low + (high - low) * unit));
  }
  return out;
}

using Formula = std::function<ValueId(ProgramBuilder&, ValueId)>;

inline Program program_of(const Formula& formula) {
  ProgramBuilder b;
  const ValueId x = b.input(0);
  return b.finish(formula(b, x));
}

inline Run on(const Formula& formula, std::vector<float> values) {
  const std::uint64_t count = values.size();
  return {program_of(formula), {vector_of(std::move(values))}, count};
}

inline Run reduce(Op op, std::vector<float> values) {
  return on([op](ProgramBuilder& b, ValueId x) { return b.reduce(op, t, x); }, std::move(values));
}

inline Big sum(const std::vector<float>& values, const std::function<Big(const Big&)>& f) {
  Big out = 0;
  for (const float x : values) out += f(Big(x));
  return out;
}
inline Big identity(const Big& x) { return x; }

}  // namespace halfulp::oracles
