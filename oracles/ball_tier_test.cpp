// Reductions on the ball tier, against sums, products and moments in 600 bits.
#include "oracles/ball_tier.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "oracles/ball_reference.h"
#include "oracles/ball_run.h"

namespace halfulp::oracles {
namespace {

TEST_CASE("sums of stored values are exact", "[ball]") {
  const std::vector<double> few = {1, 0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24};
  check_exact(reduce(Op::sum, {few.begin(), few.end()}), 1 + 0x1p-22);
  check_exact(reduce(Op::sum, std::vector<float>(3000, 1)), 3000);
  check_exact(reduce(Op::sum, {-0.0F, -0.0F}), 0.0);
  check_exact(reduce(Op::sum, {}), 0.0);
  for (const std::size_t half : {1U, 5U, 500U, 50000U}) {
    auto values = random_values(half, -1, 1, 3);
    for (std::size_t k = 0; k < half; ++k) values.push_back(-values[k]);
    std::shuffle(values.begin(), values.end(), std::mt19937_64(4));
    check_exact(reduce(Op::sum, values), 0.0);
  }
}

TEST_CASE("a long sum of exponentials is as good as a short one", "[ball]") {
  const Formula sum_exp = [](ProgramBuilder& b, ValueId x) {
    return b.sum(t, b.unary(Op::exp, t, x));
  };
  for (const std::size_t size : {1U, 8U, 257U, 1000U, 30000U}) {
    const auto values = random_values(size, -20, 3, size);
    check(on(sum_exp, values), {sum(values, [](const Big& x) { return Big(exp(x)); })}, 5.01);
  }
}

TEST_CASE("dot products of stored values are exact", "[ball]") {
  ProgramBuilder b;
  const Program program = b.finish(b.binary(Op::dot, t, b.input(0), b.input(1)));
  auto x = random_values(2000, -3, 3, 1);
  auto y = random_values(2000, -3, 3, 2);
  x.push_back(1e5F);
  y.push_back(0x1p-20F);
  for (std::size_t k = 0; k < 2000; ++k) {
    x.push_back(-x[k]);
    y.push_back(y[k]);
  }
  check_exact({program, {vector_of(x), vector_of(y)}, 4001}, 100000 * 0x1p-20);
}

TEST_CASE("products, extremes and elements", "[ball]") {
  check_exact(reduce(Op::product, {3, -5, 0.5F, 7}), -52.5);
  check_exact(reduce(Op::product, {}), 1);
  const auto factors = random_values(600, 0.9, 1.1, 8);
  Big product = 1;
  for (const float x : factors) product *= Big(x);
  check(reduce(Op::product, factors), {product}, 700);

  for (const std::size_t size : {1U, 2U, 9U, 255U, 256U, 257U, 1030U}) {
    auto values = random_values(size, -2, -1, size);
    for (const std::size_t where : {std::size_t{0}, size / 2, size - 1}) {
      auto with_peak = values;
      with_peak[where] = -0.5F;
      check_exact(reduce(Op::largest, with_peak), -0.5);
      check_exact(reduce(Op::index_of_largest, with_peak), static_cast<double>(where));
      with_peak[where] = -9;
      check_exact(reduce(Op::smallest, with_peak), -9);
      const Formula element = [where](ProgramBuilder& b, ValueId x) {
        return b.binary(Op::element, t, x, b.literal(static_cast<std::int64_t>(where)));
      };
      check_exact(on(element, with_peak), -9);
    }
  }
  check_exact(reduce(Op::largest, {-0.0F, 0.0F, -0.0F}), 0.0);
  check_exact(reduce(Op::index_of_largest, {1, 7, 7, 3, 7}), 1);
}

TEST_CASE("the index of the largest of balls is known only where they are apart", "[ball]") {
  const Formula of_exp = [](ProgramBuilder& b, ValueId x) {
    return b.reduce(Op::index_of_largest, t, b.unary(Op::exp, t, x));
  };
  check_exact(on(of_exp, {1, 3, 2.5F, 3 - 0x1p-20F}), 1);
  REQUIRE(!on(of_exp, {1, 3, 3}).results().decided[0]);
  REQUIRE(!on(of_exp, {3, 1, 3}).results().decided[0]);
  REQUIRE(!on(of_exp, {3, NAN}).results().decided[0]);
}

TEST_CASE("reductions of nothing, of NaN and of infinities are left to others", "[ball]") {
  for (const Op op : {Op::smallest, Op::largest, Op::index_of_largest, Op::welford_mean}) {
    REQUIRE(!reduce(op, {}).results().decided[0]);
  }
  for (const Op op : {Op::sum, Op::product, Op::smallest, Op::largest, Op::index_of_largest,
                      Op::welford_mean, Op::welford_m2, Op::chan_m2}) {
    for (const float special : {NAN, INFINITY, -INFINITY}) {
      for (const std::size_t where : {0U, 3U, 400U}) {
        std::vector<float> values(401, 1.5F);
        values[where] = special;
        REQUIRE(!reduce(op, values).results().decided[0]);
      }
    }
  }
}

// ---- moments

TEST_CASE("means and sums of squares about them", "[ball]") {
  for (const Op op : {Op::welford_m2, Op::chan_m2}) {
    check_exact(reduce(op, {1000000, 1000001, 1000002}), 2);
    check_exact(reduce(op, std::vector<float>(700, 0.1F)), 0.0);
    check_exact(reduce(op, {5}), 0.0);
    for (const std::size_t size : {2U, 10U, 1000U}) {
      const auto values = random_values(size, 100, 101, size);
      const Big mean = sum(values, identity) / size;
      check(reduce(Op::welford_mean, values), {mean}, 1.01);
      check(reduce(op, values),
            {sum(values, [&](const Big& x) { return (x - mean) * (x - mean); })}, 5);
    }
  }
  const std::vector<float> ten = {
      1,           0.999998987F, 1.000002027F, 0.99999702F, 1.000004053F, 0.999994993F,
      1.00000596F, 0.999993026F, 1.000007987F, 0.999991F};
  const Formula variance = [](ProgramBuilder& b, ValueId x) {
    return b.binary(Op::div, t, b.reduce(Op::welford_m2, t, x), b.size());
  };
  REQUIRE(std::bit_cast<std::uint32_t>(run_everywhere(on(variance, ten)).rounded[0]) == 0x2df811ae);
}

TEST_CASE("a sum of squares knows that the mean it is about was rounded", "[ball]") {
  const InputVector close{.f32 = {}, .f64 = {1, 1 + 0x1p-52}};
  const Results out = run_everywhere({reduce(Op::welford_m2, {}).program, {close}, 2});
  REQUIRE(holds(out.balls[0], Big(0x1p-105)));
  REQUIRE(out.balls[0].radius > 0);
}

TEST_CASE("moments of balls hold the moments of any numbers in them", "[ball]") {
  const auto values = random_values(300, 1, 2, 9);
  const Formula of_exp = [](ProgramBuilder& b, ValueId x) {
    return b.reduce(Op::welford_m2, t, b.unary(Op::exp, t, x));
  };
  const auto e = [](const Big& x) { return Big(exp(x)); };
  const Big mean = sum(values, e) / 300;
  check(on(of_exp, values),
        {sum(values, [&](const Big& x) { return (e(x) - mean) * (e(x) - mean); })}, 100);
}

}  // namespace
}  // namespace halfulp::oracles
