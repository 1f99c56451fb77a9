// Programs with reductions and elementary functions, rounded correctly end to end.
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

#include "harness/encoding.h"
#include "harness/error.h"
#include "oracles/staged_oracle_testing.h"

namespace halfulp::oracles {
namespace {

TEST_CASE("sums and products are those of the real numbers", "[staged]") {
  const Program sum = reduction(Op::sum);
  const auto ones = [](std::size_t n) { return std::vector<float>(n, 1.0F); };
  // 3000 = 0x69dc and 6000 = 0x6ddc in binary16, 3008 and 6016 in bfloat16.
  CHECK(to_double(result(sum, binary16, ones(3000)), binary16) == 3000);
  CHECK(to_double(result(sum, binary16, ones(6000)), binary16) == 6000);
  CHECK(to_double(result(sum, bfloat16, ones(256)), bfloat16) == 256);
  CHECK(result(sum, binary32, std::vector<float>(4194304, 2.25F)) == f32(9437184));
  CHECK(result(sum, binary32, {1, 0x1p-24F, 0x1p-24F, 0x1p-24F, 0x1p-24F}) == 0x3f800002);
  CHECK(result(sum, binary32, {0x1p127F, 0x1p127F, -0x1p127F, 0x1p-149F}) == f32(0x1p127));
  CHECK(result(sum, binary32, {3e38F, 3e38F, 0x1p-149F, -3e38F, -3e38F}) == 1);
  CHECK(result(sum, binary32, {-0.0F, -0.0F}) == 0);
  CHECK(result(sum, binary32, {}) == 0);
  CHECK(result(sum, binary32, {infinity, 1}) == f32(infinity));
  CHECK(result(sum, binary32, {infinity, -infinity}) == binary32.quiet_nan());
  CHECK(result(sum, binary32, {not_a_number, 1}) == binary32.quiet_nan());

  const Program product = reduction(Op::product);
  CHECK(result(product, binary32, {3, -5, 0.25F}) == f32(-3.75));
  CHECK(result(product, binary32, {}) == f32(1));
  CHECK(result(product, binary32, {0, infinity}) == binary32.quiet_nan());
  CHECK(result(product, binary32, {1e38F, 1e38F, -0.0F, 1e38F}) == 0x80000000);
  // 1.5^1000 is far too long to stay exact, and then an interval.
  std::vector<float> long_product(1000, 1.5F);
  long_product.insert(long_product.end(), 1000, 0x1.555556p-1F);
  double near = 1;
  for (int i = 0; i < 1000; ++i) near *= 1.5 * static_cast<double>(0x1.555556p-1F);
  CHECK(result(product, binary32, long_product) == f32(near));
}

TEST_CASE("extremes, indices and elements", "[staged]") {
  const Program largest = reduction(Op::largest);
  const Program smallest = reduction(Op::smallest);
  const Program position = reduction(Op::index_of_largest);
  CHECK(result(largest, binary32, {1, 3, 2}) == f32(3));
  CHECK(result(smallest, binary32, {1, -3, 2}) == f32(-3));
  CHECK(result(largest, binary32, {-0.0F, 0.0F}) == 0);
  CHECK(result(smallest, binary32, {0.0F, -0.0F}) == 0x80000000);
  CHECK(result(largest, binary32, {}) == f32(-infinity));
  CHECK(result(smallest, binary32, {}) == f32(infinity));
  CHECK(result(largest, binary32, {infinity, not_a_number}) == binary32.quiet_nan());
  CHECK(result(smallest, binary32, {not_a_number, 1}) == binary32.quiet_nan());
  CHECK(result(position, binary32, {1, 3, 2, 3}) == f32(1));
  CHECK(result(position, binary32, {1, not_a_number, 9, not_a_number}) == f32(1));
  CHECK(result(position, binary32, {-infinity, -infinity}) == 0);
  CHECK(result(position, binary32, {}) == binary32.quiet_nan());

  const auto of_exponentials = [](Op op) {
    return written([op](ProgramBuilder& b) {
      return b.reduce(op, dtype_type, b.unary(Op::exp, dtype_type, b.input(0)));
    });
  };
  CHECK(result(of_exponentials(Op::largest), binary32, {0, -1}) == f32(1));
  CHECK(result(of_exponentials(Op::index_of_largest), binary32, {-1, 4, 3}) == f32(1));
  // Two intervals for the same number: which comes first cannot be decided.
  CHECK_THROWS_AS(result(of_exponentials(Op::index_of_largest), binary32, {4, 4}), Failure);

  const auto element_at = [](std::int64_t index) {
    return written([index](ProgramBuilder& b) {
      const ValueId at = b.literal(index);
      return b.binary(Op::element, dtype_type, b.input(0), at);
    });
  };
  CHECK(result(element_at(2), binary32, {5, 6, 7}) == f32(7));
  CHECK(result(element_at(3), binary32, {5, 6, 7}) == binary32.quiet_nan());
}

TEST_CASE("equal compares exact values and decides unlike intervals", "[staged]") {
  const Program program = written([](ProgramBuilder& b) {
    const auto x = b.input(0);
    return b.binary(Op::equal, dtype_type, b.binary(Op::mul, dtype_type, x, x), b.literal(4));
  });
  const float negative_infinity = -infinity;
  const auto bits =
      results(program, binary32, {2, -2, 3, infinity, negative_infinity, not_a_number});
  CHECK(bits == std::vector<std::uint64_t>{f32(1), f32(1), 0, 0, 0, 0});
  const Program transcendental = written([](ProgramBuilder& b) {
    const auto y = b.unary(Op::exp, dtype_type, b.input(0));
    return b.binary(Op::equal, dtype_type, y, y);
  });
  CHECK(result(transcendental, binary32, {0}) == f32(1));
  CHECK_THROWS_AS(result(transcendental, binary32, {1}), Failure);
}

TEST_CASE("variances are exact in every form", "[staged]") {
  const std::vector<Program> forms{naive_variance(), two_pass_variance(),
                                   variance_by(Op::welford_m2), variance_by(Op::chan_m2)};
  const std::vector<float> ten{1.0F,         0.999998987F, 1.000002027F, 0.99999702F,  1.000004053F,
                               0.999994993F, 1.00000596F,  0.999993026F, 1.000007987F, 0.999991F};
  std::mt19937_64 random(20240501);
  const std::vector<float> long_vector = normal_like(random, 3000, 1e6);
  const std::uint64_t expected = result(forms[0], binary32, long_vector);
  for (const Program& form : forms) {
    INFO(to_expression(form));
    CHECK(result(form, binary32, {1000000, 1000001, 1000002}) == f32(2.0 / 3));
    CHECK(result(form, binary32, ten) == 0x2df811ae);
    CHECK(result(form, binary32, std::vector<float>(7, 0.1F)) == 0);
    CHECK(result(form, binary32, long_vector) == expected);
    CHECK(result(form, binary32, {1, infinity}) == binary32.quiet_nan());
  }
  CHECK(result(reduction(Op::welford_mean), binary32, {1, 2, 4}) == f32(7.0 / 3));
  CHECK(result(reduction(Op::welford_mean), binary32, {}) == binary32.quiet_nan());
  CHECK(result(reduction(Op::welford_m2), binary32, {}) == 0);
  const auto of_roots = written([](ProgramBuilder& b) {
    return b.reduce(Op::welford_m2, dtype_type, b.unary(Op::sqrt, dtype_type, b.input(0)));
  });
  // (sqrt 2 - m)^2 + (sqrt 8 - m)^2 with m = 3/2 sqrt 2: twice 1/2.
  CHECK(result(of_roots, binary32, {2, 8}) == f32(1));
}

TEST_CASE("log-sum-exp minus a logit is ln 2, whatever the logits", "[staged]") {
  for (const float v : {0.0F, 1.0F, 1e4F, 1e6F, 1e8F, -1e8F, 1e17F}) {
    CHECK(result(cross_entropy(), binary32, {v, v}) == 0x3f317218);
  }
}

TEST_CASE("log-sum-exp and softmax at their edges", "[staged]") {
  const Program naive = log_sum_exp();
  const Program stable = stable_log_sum_exp();
  // 502 + log(1 + e^-1 + e^-2) with log(...) = 0.40760596...
  CHECK(result(naive, binary32, {500, 501, 502}) == f32(502.40760596444438));
  CHECK(result(stable, binary32, {500, 501, 502}) == f32(502.40760596444438));
  CHECK(result(naive, binary32, std::vector<float>(3, -1000.0F)) == f32(-998.90138771133189));
  CHECK(result(stable, binary32, {0, 0}) == 0x3f317218);
  CHECK(result(naive, binary32, {-infinity, -infinity}) == f32(-infinity));
  // As written, the stable form subtracts infinities.
  CHECK(result(stable, binary32, {-infinity, -infinity}) == binary32.quiet_nan());
  CHECK(result(naive, binary32, {infinity, 0}) == f32(infinity));

  const auto bits = results(softmax(), binary32, {100, 101, 102});
  CHECK(bits == results(stable_softmax(), binary32, {100, 101, 102}));
  CHECK(bits == results(softmax(), binary32, {-1, 0, 1}));
  CHECK(results(softmax(), binary32, {7, 7, 7, 7}) == std::vector<std::uint64_t>(4, f32(0.25)));
  CHECK(results(stable_softmax(), binary32, {0, -1e6F}) == std::vector<std::uint64_t>{f32(1), 0});
}

TEST_CASE("naive and stable programs have the same results", "[staged]") {
  std::mt19937_64 random(42);
  for (const Format& format : {binary16, bfloat16, binary32}) {
    for (int round = 0; round < 8; ++round) {
      std::vector<float> x = normal_like(random, 1 + random() % 40, round % 2 == 0 ? 3 : 30);
      for (float& v : x) {
        const ExactValue value = ExactValue::from_double(static_cast<double>(v));
        const auto bits = round_once(value, format, RoundingMode::to_nearest_even).bits;
        v = static_cast<float>(to_double(bits, format));
      }
      CHECK(results(softmax(), format, x) == results(stable_softmax(), format, x));
      CHECK(results(log_sum_exp(), format, x) == results(stable_log_sum_exp(), format, x));
    }
  }
}

}  // namespace
}  // namespace halfulp::oracles
