// Whole programs on the ball tier, and what it leaves undecided.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "harness/encoding.h"
#include "oracles/ball_reference.h"
#include "oracles/ball_run.h"
#include "oracles/ball_tier.h"

namespace halfulp::oracles {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ValueId stable_softmax(ProgramBuilder& b, ValueId x) {
  const auto shifted = b.binary(Op::sub, t, x, b.reduce(Op::largest, t, x));
  const auto e = b.unary(Op::exp, t, shifted);
  return b.binary(Op::div, t, e, b.sum(t, e));
}

ValueId naive_logsumexp(ProgramBuilder& b, ValueId x) {
  return b.unary(Op::log, t, b.sum(t, b.unary(Op::exp, t, x)));
}

ValueId stable_logsumexp(ProgramBuilder& b, ValueId x) {
  const auto largest = b.reduce(Op::largest, t, x);
  const auto e = b.unary(Op::exp, t, b.binary(Op::sub, t, x, largest));
  return b.binary(Op::add, t, b.unary(Op::log, t, b.sum(t, e)), largest);
}

TEST_CASE("softmax, and zeros where it underflows", "[ball]") {
  for (const std::size_t size : {1U, 3U, 512U, 1500U}) {
    const auto values = random_values(size, -30, 30, size);
    const Big total_exp = sum(values, [](const Big& x) { return Big(exp(x)); });
    std::vector<Big> expected;
    for (const float x : values) expected.push_back(exp(Big(x)) / total_exp);
    check(on(stable_softmax, values), expected, 24);
  }
  const Results masked = run_everywhere(on(stable_softmax, {0, -1e9F, -200, 1}));
  for (const std::size_t k : {1U, 2U}) {
    REQUIRE(masked.decided[k]);
    REQUIRE(std::bit_cast<std::uint32_t>(masked.rounded[k]) == 0);
  }
}

TEST_CASE("what underflows keeps its sign where that is known", "[ball]") {
  const auto zero_bits = [](const Formula& formula, float x) {
    const Results out = run_everywhere(on(formula, {x}));
    REQUIRE(out.decided[0]);
    return std::bit_cast<std::uint32_t>(out.rounded[0]);
  };
  const Formula negated = [](ProgramBuilder& b, ValueId x) {
    return b.unary(Op::neg, t, b.unary(Op::exp, t, x));
  };
  const Formula difference = [](ProgramBuilder& b, ValueId x) {
    const auto larger = b.binary(Op::add, t, x, b.literal(1));
    return b.binary(Op::sub, t, b.unary(Op::exp, t, x), b.unary(Op::exp, t, larger));
  };
  const Formula product = [](ProgramBuilder& b, ValueId x) {
    const auto e = b.unary(Op::exp, t, x);
    return b.binary(Op::mul, t, e, b.unary(Op::sigmoid, t, x));
  };
  REQUIRE(zero_bits(negated, -200) == 0x80000000);
  REQUIRE(zero_bits(difference, -200) == 0x80000000);
  REQUIRE(zero_bits(product, -200) == 0);
  REQUIRE(zero_bits(product, -2000) == 0);
  REQUIRE(!on(negated, {-2000}).results().decided[0]);
}

TEST_CASE("log-sum-exp, and the cross-entropy of two equal logits", "[ball]") {
  const std::vector<float> near_500 = {500, 501, 502};
  const Big expected = log(sum(near_500, [](const Big& x) { return Big(exp(x)); }));
  check(on(naive_logsumexp, near_500), {expected}, 8);
  check(on(stable_logsumexp, near_500), {expected}, 8);
  const Formula cross_entropy = [](ProgramBuilder& b, ValueId x) {
    const auto largest = b.reduce(Op::largest, t, x);
    const auto shifted = b.binary(Op::sub, t, x, largest);
    const auto log_sum = b.unary(Op::log, t, b.sum(t, b.unary(Op::exp, t, shifted)));
    return b.binary(Op::sub, t, log_sum, b.binary(Op::element, t, shifted, b.literal(1)));
  };
  for (const float logit : {1.0F, 1e4F, 1e8F, -3e38F}) {
    check(on(cross_entropy, {logit, logit}), {log(Big(2))}, 8);
  }
}

TEST_CASE("operations that are taken apart", "[ball]") {
  const auto x = random_values(40, 0.5, 9, 1);
  const auto expect = [&](const std::function<Big(const Big&)>& f) {
    std::vector<Big> out;
    for (const float value : x) out.push_back(f(Big(value)));
    return out;
  };
  const auto check_map = [&](const Formula& formula, const std::function<Big(const Big&)>& f) {
    check(on(formula, x), expect(f), 8);
  };
  check_map([](auto& b, ValueId v) { return b.ternary(Op::fma, t, v, v, b.literal(3)); },
            [](const Big& v) { return v * v + 3; });
  check_map([](auto& b, ValueId v) { return b.ternary(Op::div_add, t, v, b.literal(7), v); },
            [](const Big& v) { return v / 7 + v; });
  check_map([](auto& b, ValueId v) { return b.unary(Op::rsqrt, t, v); },
            [](const Big& v) { return 1 / sqrt(v); });
  check_map([](auto& b, ValueId v) { return b.unary(Op::reciprocal, t, v); },
            [](const Big& v) { return 1 / v; });
  check_map([](auto& b, ValueId v) { return b.unary(Op::cast_truncate, t, b.cast(t, v)); },
            identity);
  check_map([](auto& b, ValueId v) { return b.binary(Op::cast_stochastic, t, v, b.literal(5)); },
            identity);
  check_map([](auto& b, ValueId v) { return b.unary(Op::sigmoid, t, b.unary(Op::neg, t, v)); },
            [](const Big& v) { return 1 / (1 + exp(v)); });

  ProgramBuilder b;
  const Program ramp = b.finish(b.linspace(t, b.literal(1), b.literal(2)));
  std::vector<Big> thirds;
  for (int k = 0; k < 400; ++k) thirds.push_back(1 + Big(k) / 399);
  check({ramp, {}, 400}, thirds, 4);
  ProgramBuilder c;
  const Program arange = c.finish(c.arange(t, c.literal(1), c.size(2, 1)));
  check({arange, {}, 3}, {1, 8, 15}, 0);
}

TEST_CASE("relu has exact zeros, and inputs may be doubles", "[ball]") {
  const Formula relu = [](ProgramBuilder& b, ValueId x) {
    return b.binary(Op::max, t, b.unary(Op::log, t, x), b.literal(0));
  };
  check(on(relu, {0.5F, 2}), {0, log(Big(2))}, 5);
  const InputVector doubles{.f32 = {}, .f64 = {0.1, 0.2, 0.3}};
  check_exact({reduce(Op::smallest, {}).program, {doubles}, 3, binary16}, 0.1);
}

TEST_CASE("exponentials that overflow binary64 overflow every narrower format", "[ball]") {
  for (const NamedFormat& named : all_formats()) {
    const Format& f = named.format;
    if (f == binary64) continue;
    for (const Op op : {Op::exp, Op::expm1}) {
      const Formula formula = [op](ProgramBuilder& b, ValueId x) { return b.unary(op, t, x); };
      Run run = on(formula, {200, 709.0625F, 1e30F, INFINITY});
      run.output = f;
      const Results out = run_everywhere(run);
      for (const std::size_t k : {0U, 1U, 2U}) {
        INFO(named.name << " " << k);
        REQUIRE(out.decided[k]);
        const auto rounded = static_cast<double>(out.rounded[k]);
        const double expected = f.overflow == Overflow::infinity   ? infinity
                                : f.overflow == Overflow::saturate ? to_double(f.max_finite(), f)
                                                                   : std::nan("");
        REQUIRE(same_bits(rounded, expected));
      }
      REQUIRE(!out.decided[3]);
    }
  }
}

// ---- what is undecided

TEST_CASE("all half-precision arguments: the ball holds the result, few are undecided", "[ball]") {
  for (const Format& f : {binary16, bfloat16}) {
    for (const Op op : {Op::exp, Op::log}) {
      std::vector<float> values;
      for (std::uint64_t bits = 0; bits <= f.encoding_mask(); ++bits) {
        const double x = to_double(bits, f);
        const bool is_argument = op == Op::exp ? std::isfinite(x) : x > 0 && x < infinity;
        if (is_argument) values.push_back(static_cast<float>(x));
      }
      const Formula formula = [op](ProgramBuilder& b, ValueId x) { return b.unary(op, t, x); };
      Run run = on(formula, values);
      run.output = f;
      const Results out = run.results();
      std::size_t undecided = 0;
      for (std::size_t k = 0; k < values.size(); ++k) {
        undecided += out.decided[k] ? 0 : 1;
        if (k % 16 != 0 || out.balls[k].radius == infinity) continue;
        const Big x(values[k]);
        INFO(values[k]);
        REQUIRE(holds(out.balls[k], op == Op::exp ? Big(exp(x)) : Big(log(x))));
      }
      REQUIRE(undecided == 0);
    }
  }
}

TEST_CASE("programs that reduce what is uniform are not supported", "[ball]") {
  ProgramBuilder b;
  const auto two = b.literal(2);
  REQUIRE(!BallTier::supports(b.finish(b.sum(t, two)), binary32));
  const Program exp = program_of([](auto& p, ValueId x) { return p.unary(Op::exp, t, x); });
  REQUIRE(BallTier::supports(exp, binary32));
  REQUIRE(!BallTier::supports(exp, binary64));
}

TEST_CASE("a tier may be bound again", "[ball]") {
  const Program program = reduce(Op::sum, {}).program;
  BallTier tier(program, binary32);
  const auto block = std::make_unique<OracleBlock>();
  block->rounded.size = 1;
  for (const float scale : {1.0F, 3.0F}) {
    const std::vector<InputVector> inputs = {vector_of({scale, 2 * scale})};
    tier.bind({.n = exact(2), .count = 2, .inputs = inputs});
    LaneSet undecided;
    tier.evaluate(0, *block, undecided);
    REQUIRE(block->rounded.f32[0] == 3 * scale);
  }
}

}  // namespace
}  // namespace halfulp::oracles
