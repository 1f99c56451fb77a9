// The reductions that pick an element.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backends/reduce.h"

namespace halfulp::backends {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
using Vector = std::vector<float>;

float run(const Reduction& reduction, const Vector& x) {
  return reduce(reduction, std::span<const float>(x), {});
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace

TEST_CASE("smallest and largest of NaN and zeros", "[reduce]") {
  const auto smallest = [](Extremes e, const Vector& x) {
    return run({.op = Op::smallest, .extremes = e}, x);
  };
  const auto largest = [](Extremes e, const Vector& x) {
    return run({.op = Op::largest, .extremes = e}, x);
  };
  for (const Extremes e : {Extremes::propagate, Extremes::number, Extremes::select}) {
    CHECK(smallest(e, {3, 1, 2}) == 1);
    CHECK(largest(e, {2, 3, 1}) == 3);
    CHECK(largest(e, {-inf, -inf}) == -inf);
    CHECK(smallest(e, {inf, 7, -inf}) == -inf);
    CHECK(bits(smallest(e, {-0.0f, 0.0f})) == bits(0.0f));
    CHECK(bits(smallest(e, {0.0f, -0.0f})) == bits(-0.0f));
    CHECK(bits(largest(e, {-0.0f, 0.0f})) == bits(0.0f));
    CHECK(bits(largest(e, {0.0f, -0.0f})) == bits(-0.0f));
    CHECK(std::isnan(largest(e, Vector(3, nan))));
    CHECK(std::isnan(smallest(e, {nan})));
  }
  for (const Vector& x : {Vector{nan, 1, 2}, Vector{1, nan, 2}, Vector{2, 1, nan}}) {
    CHECK(std::isnan(smallest(Extremes::propagate, x)));
    CHECK(std::isnan(largest(Extremes::propagate, x)));
    CHECK(smallest(Extremes::number, x) == 1);
    CHECK(largest(Extremes::number, x) == 2);
  }
  // a < b ? a : b: a NaN is replaced by the next element, and replaces what was there.
  CHECK(smallest(Extremes::select, {nan, 2, 1}) == 1);
  CHECK(smallest(Extremes::select, {1, nan, 2}) == 2);
  CHECK(std::isnan(smallest(Extremes::select, {1, 2, nan})));
  CHECK(largest(Extremes::select, {3, nan, 2}) == 2);
  CHECK(run({.op = Op::largest, .result = narrowing_to(binary16)}, {70000, 1}) == inf);
}

TEST_CASE("the index of the first largest element, or of the first NaN", "[reduce]") {
  const Reduction index{.op = Op::index_of_largest};
  CHECK(run(index, {5}) == 0);
  CHECK(run(index, {1, 3, 3, 2}) == 1);
  CHECK(run(index, {-0.0f, 0.0f}) == 0);
  CHECK(run(index, {-inf, -inf}) == 0);
  CHECK(run(index, {-inf, -5}) == 1);
  CHECK(run(index, {9, nan, 10, nan}) == 1);
  CHECK(run(index, {nan, nan}) == 0);
  CHECK(run({.op = Op::index_of_largest, .extremes = Extremes::number}, {9, nan}) == 1);
  const std::vector<double> doubles{1, 2, 3};
  CHECK(reduce(index, std::span<const double>(doubles), {}) == 2);
}

}  // namespace halfulp::backends
