// Rows, tiers, modes and failures of the staged oracle.
#include "oracles/staged_oracle.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "harness/error.h"
#include "oracles/sample.h"
#include "oracles/staged_oracle_testing.h"

namespace halfulp::oracles {
namespace {

TEST_CASE("rows are evaluated each by itself", "[staged]") {
  const Program program = written([](ProgramBuilder& b) {
    return b.reduce(Op::largest, dtype_type,
                    b.binary(Op::mul, dtype_type, b.input(0, Rows::each), b.input(1)));
  });
  const std::vector<InputVector> inputs{stored({1, 2, 3, 4, 5, 6}), stored({1, 10, -1})};
  StagedOracle oracle(program, binary32, nullptr);
  CHECK(evaluated(oracle, program, binary32, bound(inputs, 3, 2)) ==
        std::vector<std::uint64_t>{f32(20), f32(50)});
  CHECK(oracle.tiers().exact == 2);
  CHECK(oracle.exact_text(1) == "50");

  // 700 rows of 3: blocks end within rows.
  std::mt19937_64 random(7);
  const std::vector<float> values = normal_like(random, 2100, 2);
  const Program rows = written([](ProgramBuilder& b) {
    const auto terms = b.unary(Op::exp, dtype_type, b.input(0, Rows::each));
    return b.binary(Op::div, dtype_type, terms, b.sum(dtype_type, terms));
  });
  const std::vector<InputVector> batch{stored(values)};
  StagedOracle batched(rows, binary32, nullptr);
  const auto all = evaluated(batched, rows, binary32, bound(batch, 3, 700));
  REQUIRE(all.size() == 2100);
  for (const std::size_t row : {0U, 341U, 699U}) {
    const auto begin = static_cast<std::ptrdiff_t>(3 * row);
    const std::vector<std::uint64_t> part(all.begin() + begin, all.begin() + begin + 3);
    CHECK(part ==
          results(softmax(), binary32, {values.begin() + begin, values.begin() + begin + 3}));
  }
}

/// Decides nothing, or exponentials in binary64 with errors where told; values are off by `shift`
/// radii.
class ExponentialTier : public RowTier {
 public:
  ExponentialTier(std::uint64_t wrong, double shift) : wrong_(wrong), shift_(shift) {}
  void bind(const Binding& one_row) override { binding_ = one_row; }
  void evaluate(std::uint64_t first, OracleBlock& out, LaneSet& undecided) override {
    for (std::size_t lane = 0; lane < out.rounded.size; ++lane) {
      const double value = std::exp(binding_.inputs[0].value(first + lane));
      out.radius[lane] = value * 0x1p-40;
      out.value[lane] = value + shift_ * out.radius[lane];
      out.rounded.f32[lane] = static_cast<float>(value);
      if (first + lane == wrong_) out.rounded.f32[lane] *= 2;
      const bool decided =
          static_cast<float>(value * (1 - 0x1p-40)) == static_cast<float>(value * (1 + 0x1p-40));
      if (!decided) undecided.insert(lane);
    }
  }

 private:
  std::uint64_t wrong_;
  double shift_;
  Binding binding_{};
};

TEST_CASE("a sample of the quick tier's answers is decided again", "[staged]") {
  const Program program =
      written([](ProgramBuilder& b) { return b.unary(Op::exp, dtype_type, b.input(0)); });
  std::mt19937_64 random(99);
  constexpr std::uint64_t n = 20000;
  const std::vector<InputVector> inputs{stored(normal_like(random, n, 10))};
  StagedOracle exact_oracle(program, binary32, nullptr);
  const auto expected = evaluated(exact_oracle, program, binary32, bound(inputs, n));
  CHECK(exact_oracle.tiers().ziv + exact_oracle.tiers().exact == n);

  const auto run = [&](std::uint64_t wrong, double shift) {
    StagedOracle oracle(program, binary32, std::make_unique<ExponentialTier>(wrong, shift));
    const auto bits = evaluated(oracle, program, binary32, bound(inputs, n));
    const TierCounts tiers = oracle.tiers();
    CHECK(tiers.certified + tiers.ziv + tiers.exact == n);
    CHECK(tiers.checked >= 2 + n / sample_stride - 1);
    if (wrong == n || tiers.disagreements > 0) CHECK(bits == expected);
    return tiers.disagreements;
  };
  CHECK(run(n, 0) == 0);
  CHECK(run(0, 0) == 1);
  CHECK(run(n - 1, 0) == 1);
  CHECK(run(sampled_index(sample_seed(exact(n)), 2), 0) == 1);
  CHECK(run(n, 3) > 0);
}

TEST_CASE("every mode, errors and texts of points that only intervals know", "[staged]") {
  const Program program =
      written([](ProgramBuilder& b) { return b.unary(Op::exp, dtype_type, b.input(0)); });
  const std::vector<InputVector> inputs{stored({1, 0, -1, infinity, 0x1p-30F})};
  StagedOracle oracle(program, binary32, nullptr);
  oracle.bind(bound(inputs, 5));
  // e = 2.718281828459045..., between 0x402df854 and 0x402df855.
  CHECK(oracle.round_once(0, RoundingMode::downward).bits == 0x402df854);
  CHECK(oracle.round_once(0, RoundingMode::toward_zero).bits == 0x402df854);
  CHECK(oracle.round_once(0, RoundingMode::upward).bits == 0x402df855);
  CHECK(oracle.round_once(0, RoundingMode::to_odd).bits == 0x402df855);
  CHECK(oracle.round_once(0, RoundingMode::to_nearest_even).bits == 0x402df854);
  CHECK_FALSE(oracle.round_once(0, RoundingMode::to_nearest_even).exact);
  CHECK(oracle.round_once(1, RoundingMode::upward).exact);
  CHECK(oracle.round_once(4, RoundingMode::upward).bits == 0x3f800001);
  CHECK(oracle.round_once(4, RoundingMode::to_nearest_even).bits == 0x3f800000);
  CHECK(oracle.exact_text(0) == "2.7182818284590452353…");
  CHECK(oracle.exact_text(1) == "1");
  CHECK(oracle.exact_text(2) == "0.36787944117144232159…");
  CHECK(oracle.exact_text(3) == "inf");
  const double e = 2.718281828459045235360287;
  const ExactErrors errors = oracle.exact_errors(0, 2.75);
  CHECK(std::fabs(errors.abs - (2.75 - e)) <= 0x1p-52);
  CHECK(std::fabs(errors.ulp_error - (2.75 - e) * 0x1p22) <= 0x1p-30);
  CHECK(std::fabs(errors.rel - (2.75 - e) / e) <= 0x1p-54);
  CHECK(std::isnan(oracle.exact_errors(0, std::numeric_limits<double>::infinity()).abs));

  const auto block = std::make_unique<OracleBlock>();
  block->rounded.size = 5;
  oracle.evaluate(0, *block);
  CHECK(std::fabs(block->value[0] - e) <= block->radius[0] + 0x1p-52);
  CHECK(block->radius[0] <= 0x1p-50);
  CHECK(block->value[1] == 1);
  CHECK(block->radius[1] == 0);
}

TEST_CASE("midpoints that only intervals meet are undecided, zeros are zeros", "[staged]") {
  // exp(x) / exp(x) * 2049 is a tie of binary16.
  const Program tie = written([](ProgramBuilder& b) {
    const auto y = b.unary(Op::exp, dtype_type, b.input(0));
    return b.binary(Op::mul, dtype_type, b.binary(Op::div, dtype_type, y, y), b.literal(2049));
  });
  CHECK(result(tie, binary16, {0}) == 0x6800);  // exp(0) is exact, and so is the tie
  try {
    result(tie, binary16, {1});
    FAIL("a tie of intervals was decided");
  } catch (const Failure& failure) {
    CHECK(failure.code() == ExitCode::oracle_failure);
    CHECK(std::string(failure.what()).find("2048 bits: index 0 of size 1") != std::string::npos);
  }
  const Program zero = written([](ProgramBuilder& b) {
    const auto y = b.unary(Op::exp, dtype_type, b.input(0));
    return b.binary(Op::sub, dtype_type, y, y);
  });
  const std::vector<InputVector> inputs{stored({1})};
  StagedOracle oracle(zero, binary32, nullptr);
  oracle.bind(bound(inputs, 1));
  for (const RoundingMode mode : {RoundingMode::to_nearest_even, RoundingMode::upward}) {
    CHECK(oracle.round_once(0, mode).bits == 0);
    CHECK(oracle.round_once(0, mode).zero);
    CHECK_FALSE(oracle.round_once(0, mode).exact);
  }
  CHECK(oracle.exact_text(0) == "0…");
  CHECK(result(zero, binary64, {1}) == 0);
}

TEST_CASE("programs with reductions or elementary functions go to the staged oracle", "[staged]") {
  std::mt19937_64 random(3);
  const std::vector<InputVector> inputs{stored(normal_like(random, 5000, 4))};
  for (const Program& program : {softmax(), log_sum_exp(), two_pass_variance(), cross_entropy()}) {
    INFO(to_expression(program));
    const auto checked = make_oracle(OracleKind::checked, program, binary32);
    const auto alone = make_oracle(OracleKind::exact, program, binary32);
    CHECK(evaluated(*checked, program, binary32, bound(inputs, 5000)) ==
          evaluated(*alone, program, binary32, bound(inputs, 5000)));
    CHECK(checked->tiers().disagreements == 0);
    CHECK(alone->tiers().certified == 0);
  }
  CHECK_THROWS_AS(make_oracle(OracleKind::checked, written([](ProgramBuilder& b) {
                                return b.reduce(Op::index_of_largest, integer_type, b.input(0));
                              }),
                              binary32),
                  Unsupported);
}

}  // namespace
}  // namespace halfulp::oracles
