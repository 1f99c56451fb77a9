// The oracles against each other, over the formulas of the cases.
#include "harness/oracle.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "harness/encoding.h"
#include "oracles/checked_oracle.h"
#include "oracles/rational_oracle.h"
#include "oracles/round_once.h"

namespace halfulp::oracles {
namespace {

/// (i / (n-1) - 0.5) * 2.
Program program_a() {
  ProgramBuilder b;
  const auto quotient = b.binary(Op::div, dtype_type, b.index(), b.size(1, -1));
  const auto centred = b.binary(Op::sub, dtype_type, quotient, b.literal(ExactNumber{1, 2, 0, 0}));
  return b.finish(b.binary(Op::mul, dtype_type, centred, b.literal(2)));
}

/// (2i + 1) / n - 1.
Program program_b() {
  ProgramBuilder b;
  const auto twice = b.binary(Op::mul, dtype_type, b.index(), b.literal(2));
  const auto odd = b.binary(Op::add, dtype_type, twice, b.literal(1));
  const auto quotient = b.binary(Op::div, dtype_type, odd, b.size());
  return b.finish(b.binary(Op::sub, dtype_type, quotient, b.literal(1)));
}

std::uint64_t bits_of(const Block& block, std::size_t lane) {
  return block.carrier == Carrier::f32 ? std::bit_cast<std::uint32_t>(block.f32[lane])
                                       : std::bit_cast<std::uint64_t>(block.f64[lane]);
}

Binding axis(std::uint64_t n, std::span<const InputVector> inputs = {}) {
  return {.n = exact(static_cast<std::int64_t>(n)), .count = n, .inputs = inputs};
}

/// Number of lanes where the two oracles differ, over a whole axis.
std::uint64_t differing(OracleEvaluator& a, OracleEvaluator& b, const Binding& binding) {
  a.bind(binding);
  b.bind(binding);
  auto x = std::make_unique<OracleBlock>();
  auto y = std::make_unique<OracleBlock>();
  std::uint64_t count = 0;
  for (std::uint64_t first = 0; first < binding.count; first += block_lanes) {
    x->rounded.size = y->rounded.size = std::min<std::uint64_t>(block_lanes, binding.count - first);
    a.evaluate(first, *x);
    b.evaluate(first, *y);
    for (std::size_t lane = 0; lane < x->rounded.size; ++lane) {
      const bool same = bits_of(x->rounded, lane) == bits_of(y->rounded, lane);
      const bool meet = !(std::fabs(x->value[lane] - y->value[lane]) >
                          (x->radius[lane] + y->radius[lane]) * (1 + 0x1p-50));
      if (!same || !meet) ++count;
    }
  }
  return count;
}

TEST_CASE("exact and checked oracle agree on every point of widths 2 to 512", "[oracle]") {
  for (const Program& program : {program_a(), program_b()}) {
    for (const Format& format : {binary16, bfloat16, binary32, tf32, float8_e5m2, binary64}) {
      const auto exact_oracle = make_oracle(OracleKind::exact, program, format);
      const auto checked = make_oracle(OracleKind::checked, program, format);
      for (std::uint64_t n = 2; n <= 512; ++n) {
        INFO(to_expression(program) << " n = " << n << " precision " << format.precision);
        REQUIRE(differing(*exact_oracle, *checked, axis(n)) == 0);
      }
      CHECK(checked->tiers().disagreements == 0);
      CHECK(checked->tiers().certified + checked->tiers().exact == 511 * 514 / 2);
      if (format != binary64) CHECK(checked->tiers().certified > checked->tiers().exact);
    }
  }
}

TEST_CASE("exact and checked oracle agree on random points up to width 2^24", "[oracle]") {
  std::mt19937_64 random(20240401);
  auto x = std::make_unique<OracleBlock>();
  auto y = std::make_unique<OracleBlock>();
  std::uint64_t points = 0;
  for (const Program& program : {program_a(), program_b()}) {
    for (const Format& format : {binary16, bfloat16, binary32, binary64}) {
      const auto exact_oracle = make_oracle(OracleKind::exact, program, format);
      const auto checked = make_oracle(OracleKind::checked, program, format);
      std::uint64_t differing_points = 0;
      for (int block = 0; block < 1000; ++block) {
        const std::uint64_t n = random() % ((1U << 24) - 200) + 200;
        const std::uint64_t first = random() % (n - 125);
        x->rounded.size = y->rounded.size = 125;
        exact_oracle->bind(axis(n));
        checked->bind(axis(n));
        exact_oracle->evaluate(first, *x);
        checked->evaluate(first, *y);
        for (std::size_t lane = 0; lane < 125; ++lane) {
          if (bits_of(x->rounded, lane) != bits_of(y->rounded, lane)) ++differing_points;
        }
        points += 125;
      }
      CHECK(differing_points == 0);
      CHECK(checked->tiers().disagreements == 0);
    }
  }
  CHECK(points == 1000000);
}

TEST_CASE("results do not depend on how blocks are cut", "[oracle]") {
  const auto oracle = make_oracle(OracleKind::checked, program_a(), binary16);
  oracle->bind(axis(9001));
  auto whole = std::make_unique<OracleBlock>();
  auto part = std::make_unique<OracleBlock>();
  const auto counts_before = oracle->tiers();
  for (std::uint64_t first = 0; first < 9001; first += 1000) {
    whole->rounded.size = std::min<std::uint64_t>(1000, 9001 - first);
    oracle->evaluate(first, *whole);
    const auto after_whole = oracle->tiers();
    for (std::uint64_t at = 0; at < whole->rounded.size;) {
      part->rounded.size = std::min<std::uint64_t>(1 + at % 37, whole->rounded.size - at);
      oracle->evaluate(first + at, *part);
      for (std::size_t lane = 0; lane < part->rounded.size; ++lane) {
        REQUIRE(bits_of(part->rounded, lane) == bits_of(whole->rounded, at + lane));
        REQUIRE(part->value[lane] == whole->value[at + lane]);
        REQUIRE(part->radius[lane] == whole->radius[at + lane]);
      }
      at += part->rounded.size;
    }
    CHECK(oracle->tiers().certified > after_whole.certified);
  }
  // Twice the same points, so twice the same samples: the first, the last and one in 4096.
  CHECK(oracle->tiers().checked - counts_before.checked >= 2 * 2);
  CHECK(oracle->tiers().checked % 2 == 0);
}

/// Programs with every operation over stored inputs, special values among them.
std::vector<std::pair<std::string, Program>> programs_over_inputs() {
  std::vector<std::pair<std::string, Program>> out;
  const auto add = [&](const char* text, const std::function<ValueId(ProgramBuilder&)>& build) {
    ProgramBuilder b;
    const ValueId output = build(b);
    out.emplace_back(text, b.finish(output));
  };
  const auto literal = [](ProgramBuilder& b, std::int64_t n, std::int64_t d) {
    return b.literal(ExactNumber{n, d, 0, 0});
  };
  for (const Op op : {Op::neg, Op::abs, Op::sqrt, Op::rsqrt, Op::reciprocal, Op::floor, Op::cast}) {
    add("unary", [&](ProgramBuilder& b) { return b.unary(op, dtype_type, b.input(0)); });
    add("unary of index", [&](ProgramBuilder& b) { return b.unary(op, dtype_type, b.index()); });
  }
  for (const Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::min, Op::max}) {
    add("pair",
        [&](ProgramBuilder& b) { return b.binary(op, dtype_type, b.input(0), b.input(1)); });
    add("with a number",
        [&](ProgramBuilder& b) { return b.binary(op, dtype_type, b.input(0), literal(b, 3, 10)); });
    add("of a number", [&](ProgramBuilder& b) {
      return b.binary(op, dtype_type, literal(b, -3, 10), b.input(0));
    });
    add("of the index",
        [&](ProgramBuilder& b) { return b.binary(op, dtype_type, b.index(), b.input(0)); });
    add("of a product", [&](ProgramBuilder& b) {
      const auto p = b.binary(Op::mul, dtype_type, b.input(0), literal(b, 1, 3));
      return b.binary(op, dtype_type, p, b.input(1));
    });
    add("of a root", [&](ProgramBuilder& b) {
      return b.binary(op, dtype_type, b.unary(Op::sqrt, dtype_type, b.input(0)), b.input(1));
    });
  }
  for (const Op op : {Op::fma, Op::div_add}) {
    add("fma", [&](ProgramBuilder& b) {
      return b.ternary(op, dtype_type, b.input(0), b.input(1), literal(b, 1, 7));
    });
    add("fma of uniforms", [&](ProgramBuilder& b) {
      return b.ternary(op, dtype_type, literal(b, 1, 7), b.size(), b.input(0));
    });
  }
  add("norm", [&](ProgramBuilder& b) {
    const auto square = [&](ValueId x) { return b.binary(Op::mul, dtype_type, x, x); };
    const auto sum = b.binary(Op::add, dtype_type, square(b.input(0)), square(b.input(1)));
    return b.unary(Op::sqrt, dtype_type, sum);
  });
  add("floor of a quotient", [&](ProgramBuilder& b) {
    return b.unary(Op::floor, dtype_type, b.binary(Op::div, dtype_type, b.index(), b.literal(10)));
  });
  add("linspace",
      [&](ProgramBuilder& b) { return b.linspace(dtype_type, literal(b, -1, 1), b.literal(1)); });
  add("arange", [&](ProgramBuilder& b) {
    return b.arange(dtype_type, literal(b, 1, 10), literal(b, -1, 3));
  });
  add("arange of one",
      [&](ProgramBuilder& b) { return b.arange(dtype_type, b.literal(0), b.literal(1)); });
  return out;
}

InputVector random_inputs(std::uint64_t seed, std::size_t count, const Format& f) {
  std::mt19937_64 random(seed);
  InputVector out;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = to_double(random() & f.encoding_mask(), f);
    if (f == binary64) {
      out.f64.push_back(value);
    } else {
      out.f32.push_back(static_cast<float>(value));
    }
  }
  return out;
}

TEST_CASE("the oracles agree on every operation over random and special inputs", "[oracle]") {
  for (const Format& format : {binary16, bfloat16, binary32, float8_e4m3fn, binary64}) {
    const std::vector<InputVector> inputs{random_inputs(1, 700, format),
                                          random_inputs(2, 700, format)};
    for (const auto& [text, program] : programs_over_inputs()) {
      INFO(text << ": " << to_expression(program) << ", precision " << format.precision);
      const auto exact_oracle = make_oracle(OracleKind::exact, program, format);
      const auto checked = make_oracle(OracleKind::checked, program, format);
      CHECK(differing(*exact_oracle, *checked, axis(700, inputs)) == 0);
      CHECK(checked->tiers().disagreements == 0);
    }
  }
}

/// The certified tier with wrong answers from one index to another.
class WrongTier : public FastTier {
 public:
  WrongTier(std::unique_ptr<FastTier> right, std::uint64_t begin, std::uint64_t end)
      : right_(std::move(right)), begin_(begin), end_(end) {}
  void bind(const Binding& binding, const ExactEvaluator& values) override {
    right_->bind(binding, values);
  }
  void evaluate(std::uint64_t first, OracleBlock& out, LaneSet& undecided) override {
    right_->evaluate(first, out, undecided);
    for (std::size_t lane = 0; lane < out.rounded.size; ++lane) {
      const bool is_wrong = first + lane >= begin_ && first + lane < end_;
      float& value = out.rounded.f32[lane];
      if (is_wrong) value = std::nextafter(value, 2.0F);
    }
  }

 private:
  std::unique_ptr<FastTier> right_;
  std::uint64_t begin_;
  std::uint64_t end_;
};

TEST_CASE("wrong certified values at sampled indices are disagreements", "[oracle]") {
  constexpr std::uint64_t n = 50000;
  const ExactEvaluator values(program_a());
  const auto exact_oracle = make_oracle(OracleKind::exact, program_a(), binary32);
  const auto run = [&](std::uint64_t begin, std::uint64_t end) {
    auto fast = std::make_unique<CertifiedTier>(values, binary32);
    CheckedOracle oracle(program_a(), binary32,
                         std::make_unique<WrongTier>(std::move(fast), begin, end));
    const auto left = differing(*exact_oracle, oracle, axis(n));
    // Where sampled the exact answer stays; the other wrong ones go unnoticed.
    CHECK(left + oracle.tiers().disagreements == end - begin);
    return oracle.tiers();
  };
  CHECK(run(0, 1).disagreements == 1);
  CHECK(run(n - 1, n).disagreements == 1);
  const TierCounts all = run(0, n);
  CHECK(all.disagreements == all.checked);
  CHECK(all.checked >= 2 + n / sample_stride);
  CHECK(all.checked <= 3 + n / sample_stride);
  // One index of each stretch, whichever it is.
  CHECK(run(sample_stride, 2 * sample_stride).disagreements == 1);
}

/// The certified tier with the right results and values outside their radius.
class ShiftedTier : public FastTier {
 public:
  explicit ShiftedTier(std::unique_ptr<FastTier> right) : right_(std::move(right)) {}
  void bind(const Binding& binding, const ExactEvaluator& values) override {
    right_->bind(binding, values);
  }
  void evaluate(std::uint64_t first, OracleBlock& out, LaneSet& undecided) override {
    right_->evaluate(first, out, undecided);
    for (std::size_t lane = 0; lane < out.rounded.size; ++lane) {
      out.value[lane] += 3 * out.radius[lane];
    }
  }

 private:
  std::unique_ptr<FastTier> right_;
};

TEST_CASE("a value outside its radius is a disagreement", "[oracle]") {
  const ExactEvaluator values(program_a());
  auto fast = std::make_unique<CertifiedTier>(values, binary16);
  CheckedOracle oracle(program_a(), binary16, std::make_unique<ShiftedTier>(std::move(fast)));
  const auto exact_oracle = make_oracle(OracleKind::exact, program_a(), binary16);
  differing(*exact_oracle, oracle, axis(50000));
  CHECK(oracle.tiers().disagreements > 0);
}

TEST_CASE("zeros, singletons and exact errors", "[oracle]") {
  const auto oracle = make_oracle(OracleKind::checked, program_a(), bfloat16);
  oracle->bind(axis(5));
  auto block = std::make_unique<OracleBlock>();
  block->rounded.size = 5;
  oracle->evaluate(0, *block);
  CHECK(bits_of(block->rounded, 2) == 0);
  CHECK(block->value[2] == 0);
  CHECK(block->radius[2] == 0);
  CHECK(oracle->round_once(2, RoundingMode::upward).zero);
  oracle->bind(axis(7));
  CHECK(oracle->exact_text(0) == "-1");
  CHECK(oracle->exact_text(1) == "-2/3");
  CHECK(oracle->exact_errors(3, 0x1p-133).ulp_error == 1);
  CHECK(std::isinf(oracle->exact_errors(3, 0x1p-133).rel));

  ProgramBuilder b;
  const auto ramp = b.linspace(dtype_type, b.literal(3), b.literal(9));
  const auto single = make_oracle(OracleKind::checked, b.finish(ramp), bfloat16);
  single->bind(axis(1));
  CHECK(single->exact_text(0) == "3");
  single->bind(axis(0));
  block->rounded.size = 0;
  single->evaluate(0, *block);
}

TEST_CASE("a program that ends in an integer is refused", "[oracle]") {
  ProgramBuilder b;
  const Program program = b.finish(b.index());
  CHECK_THROWS_AS(make_oracle(OracleKind::checked, program, binary16), Unsupported);
}

TEST_CASE("roots of roots and sums of different roots are left to intervals", "[oracle]") {
  const auto first_result = [](const std::function<ValueId(ProgramBuilder&)>& build) {
    ProgramBuilder b;
    const ValueId output = build(b);
    const auto oracle = make_oracle(OracleKind::checked, b.finish(output), binary16);
    const std::vector<InputVector> inputs{{{2}, {}}, {{3}, {}}};
    oracle->bind({exact(1), 1, inputs});
    return oracle->round_once(0, RoundingMode::to_nearest_even).bits;
  };
  const auto rounded = [](double value) {  // none is near a midpoint
    return round_once(ExactValue::from_double(value), binary16, RoundingMode::to_nearest_even).bits;
  };
  CHECK(first_result([](ProgramBuilder& b) {
          return b.unary(Op::sqrt, dtype_type, b.unary(Op::sqrt, dtype_type, b.input(0)));
        }) == rounded(std::sqrt(std::sqrt(2.0))));
  CHECK(first_result([](ProgramBuilder& b) {
          return b.binary(Op::add, dtype_type, b.unary(Op::sqrt, dtype_type, b.input(0)),
                          b.unary(Op::sqrt, dtype_type, b.input(1)));
        }) == rounded(std::sqrt(2.0) + std::sqrt(3.0)));
}

}  // namespace
}  // namespace halfulp::oracles
