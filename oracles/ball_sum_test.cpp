// Sums of balls against 600-bit arithmetic, on every instruction set.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "harness/every_target.h"
#include "oracles/ball_kernels.h"
#include "oracles/ball_reductions.h"
#include "oracles/ball_reference.h"

namespace halfulp::oracles {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Balls = std::vector<Ball>;

Ball sum_of(const Balls& terms) {
  const auto reduction = make_ball_reduction(Op::sum);
  const auto chunk = std::make_unique<BallChunk>();
  for (std::size_t first = 0; first < terms.size(); first += ball_chunk) {
    const std::size_t size = std::min(ball_chunk, terms.size() - first);
    for (std::size_t k = 0; k < size; ++k) {
      chunk->value[k] = terms[first + k].value;
      chunk->radius[k] = terms[first + k].radius;
    }
    reduction->take(chunk->target(), size);
  }
  return reduction->result();
}

TEST_CASE("sums hold the exact sum and are exact where twice the precision is enough", "[ball]") {
  std::mt19937_64 random(5);
  for (const std::size_t size : {0U, 1U, 7U, 8U, 255U, 257U, 1000U, 100000U}) {
    for (const int spread : {0, 40, 600}) {
      Balls terms;
      Big exact_sum = 0;
      Big radii = 0;
      for (std::size_t k = 0; k < size; ++k) {
        const int exponent =
            spread == 0 ? 0
                        : static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 2;
        const double x = std::ldexp(static_cast<double>(random() >> 40) - 0x1p23, exponent);
        const double radius = spread == 600 ? std::ldexp(1.0, -70) : 0;
        terms.push_back({x, radius});
        exact_sum += Big(x);
        radii += Big(radius);
      }
      Ball first{nan, 0};
      on_every_target([&] {
        const Ball sum = sum_of(terms);
        if (std::isnan(first.value)) first = sum;
        REQUIRE(same_bits(sum.value, first.value));
        REQUIRE(same_bits(sum.radius, first.radius));
      });
      INFO(size << " terms over 2^" << spread);
      REQUIRE(abs(Big(first.value) - exact_sum) + radii <= Big(first.radius));
      REQUIRE(Big(first.radius) <= radii * 1.0001 + abs(exact_sum) * 0x1.01p-53);
      if (spread == 0) REQUIRE(first.radius == 0);
      terms.push_back({nan, infinity});
      REQUIRE(sum_of(terms).radius == infinity);
    }
  }
}

TEST_CASE("a sum with huge numbers that cancel keeps the small rest, or knows what it lost",
          "[ball]") {
  const Ball kept = sum_of({{1e20, 0}, {1, 0}, {-1e20, 0}, {0x1p-40, 0}});
  REQUIRE(kept.value == 1 + 0x1p-40);
  REQUIRE(kept.radius == 0);
  // In one stream, and spread over several: 2^100 + 1 has no room for 2^-60 even in two doubles.
  for (const std::size_t distance : {std::size_t{1}, ball_group}) {
    Balls terms(4 * distance, Ball{});
    terms[0] = {0x1p100, 0};
    terms[distance] = {1, 0};
    terms[2 * distance] = {0x1p-60, 0};
    terms[3 * distance] = {-0x1p100, 0};
    const Ball sum = sum_of(terms);
    REQUIRE(holds(sum, Big(1) + Big(0x1p-60)));
    REQUIRE(sum.radius <= 0x1.01p-60);
  }
}

}  // namespace
}  // namespace halfulp::oracles
