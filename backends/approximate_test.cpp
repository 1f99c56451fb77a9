#include "backends/approximate.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

namespace halfulp::backends {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Candidates that a divisor admits.
int admitted(float b) {
  int count = 0;
  for (const World w : {World::nearest, World::below, World::above}) {
    if (approximate_reciprocal(b, w)) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("an approximate reciprocal is one of the float32 that bracket 1/b", "[approximate]") {
  for (int b = 1; b <= 4096; ++b) {
    for (const float divisor : {static_cast<float>(b), -static_cast<float>(b)}) {
      const double exact = 1.0 / static_cast<double>(divisor);
      const bool is_exact = (b & (b - 1)) == 0;
      CHECK(admitted(divisor) == (is_exact ? 3 : 2));
      const auto below = approximate_reciprocal(divisor, World::below);
      const auto above = approximate_reciprocal(divisor, World::above);
      const float nearest = *approximate_reciprocal(divisor, World::nearest);
      // 1/b in binary64 is never a float32 unless exact, so its side is the exact one's.
      if (below && !is_exact) CHECK((*below < exact && exact < nearest));
      if (above && !is_exact) CHECK((nearest < exact && exact < *above));
      if (below) CHECK(std::nextafter(*below, infinity) == nearest);
      if (above) CHECK(std::nextafter(*above, -infinity) == nearest);
    }
  }
}

TEST_CASE("zero, infinite and NaN divisors have one candidate", "[approximate]") {
  for (const float b : {0.0f, -0.0f, infinity, std::numeric_limits<float>::quiet_NaN()}) {
    CHECK(admitted(b) == 1);
  }
}

TEST_CASE("very large and very small divisors are scaled first", "[approximate]") {
  const Narrowing none;
  const auto divide = [&](float a, float b) {
    float out = 0;
    approximate_divide({&a, 0}, {&b, 0}, {}, World::nearest, none, 1, &out);
    return out;
  };
  CHECK(divide(0x1p127f, 0x1p127f) == 1);    // RCP(2^127) would be subnormal
  CHECK(divide(0x1p-130f, 0x1p-130f) == 1);  // RCP(2^-130) would be infinite
  CHECK(divide(3.0f, 0x1.8p0f) == 3.0f * (1.0f / 1.5f));
}

TEST_CASE("a contracted quotient is not rounded", "[approximate]") {
  const float a = 7;
  const float b = 7;
  const float c = -1;
  const float r = 1.0f / 7;
  float fused = 0;
  approximate_divide({&a, 0}, {&b, 0}, Operand<float>{&c, 0}, World::nearest, {}, 1, &fused);
  CHECK(fused == std::fma(a, r, c));
  CHECK(fused != 0);
  float vector_form = 0;  // the divisor in a block: the scalar loop
  approximate_divide({&a, 0}, {&b, ~std::size_t{0}}, Operand<float>{&c, 0}, World::nearest, {}, 1,
                     &vector_form);
  CHECK(vector_form == fused);
}

}  // namespace halfulp::backends
