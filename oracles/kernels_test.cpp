// Every vector kernel on every instruction set against its plain twin, bit for bit.
#include "oracles/kernels.h"

#include <hwy/highway.h>

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>

#include "harness/encoding.h"

namespace halfulp::oracles {
namespace {

void for_each_target(const std::function<void()>& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    INFO(hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// Numbers of all magnitudes, small integers, halves and signed zeros.
void fill(Lanes& lanes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (double& x : lanes.values) {
    const auto integer = static_cast<double>(static_cast<int>(random() % 17) - 8);
    switch (random() % 4) {
      case 0:
        x = integer;
        break;
      case 1:
        x = integer / 2;
        break;
      case 2:
        x = std::copysign(0.0, integer);
        break;
      default:
        x = std::ldexp(static_cast<double>(random() >> 11),
                       static_cast<int>(random() % 100) - 100) *
            (random() % 2 == 0 ? 1 : -1);
    }
  }
}

void check_kernel(const KernelStep& step, const Lanes& a, const Lanes& b) {
  auto actual = std::make_unique<Lanes>();
  auto expected = std::make_unique<Lanes>();
  KernelStep here = step;
  here.a = a.data();
  here.b = b.data();
  LaneSet undecided;
  LaneSet expected_undecided;
  here.out = actual->data();
  run_kernel(here, undecided);
  here.out = expected->data();
  run_kernel_plainly(here, expected_undecided);
  REQUIRE(undecided == expected_undecided);
  for (std::size_t lane = 0; lane < step.size; ++lane) {
    INFO("lane " << lane << " of " << a.values[lane] << ", " << b.values[lane]);
    REQUIRE(same(actual->values[lane], expected->values[lane]));
  }
}

TEST_CASE("operation kernels equal their plain twins on every target", "[oracle]") {
  auto a = std::make_unique<Lanes>();
  auto b = std::make_unique<Lanes>();
  fill(*a, 1);
  fill(*b, 2);
  for_each_target([&] {
    for (const std::size_t size : {1U, 7U, 64U, 1001U, 1024U}) {
      for (const KernelOp op : {KernelOp::add, KernelOp::sub, KernelOp::mul, KernelOp::div,
                                KernelOp::min, KernelOp::max}) {
        KernelStep step{.op = op, .first = 1e7, .a_uniform = -0.3, .b_uniform = 3, .size = size};
        for (const Source source : {Source::lanes, Source::index}) {
          step.a_source = source;
          step.b_source = Source::uniform;
          check_kernel(step, *a, *b);
        }
        for (const Source source : {Source::lanes, Source::uniform}) {
          step.a_source = source;
          step.b_source = Source::lanes;
          check_kernel(step, *a, *b);
        }
      }
      for (const KernelOp op : {KernelOp::neg, KernelOp::abs, KernelOp::sqrt, KernelOp::floor}) {
        for (const double absolute : {0.0, 0x1p-40}) {
          const KernelStep step{
              .op = op, .relative = absolute / 4, .absolute = absolute, .size = size};
          check_kernel(step, *a, *b);
        }
      }
    }
  });
}

/// Values, midpoints and points beside them all over the range of a format, and special values.
void fill_around(Lanes& lanes, const Format& f, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (double& x : lanes.values) {
    std::uint64_t bits = random() % f.max_finite();
    if (random() % 4 == 0) bits = random() % (4 * f.min_normal());
    const double low = to_double(bits, f);
    const double high = to_double(bits + 1, f);
    x = random() % 3 == 0 ? low : random() % 2 == 0 ? (low + high) / 2 : low + (high - low) * 0.3;
    const double away = std::ldexp(high - low, -static_cast<int>(random() % 60) - 1);
    if (random() % 2 == 0) x += random() % 2 == 0 ? away : -away;
    if (random() % 2 == 0) x = -x;
    if (random() % 100 == 0) x = std::numeric_limits<double>::quiet_NaN();
    if (random() % 100 == 0) x = inf;
    if (random() % 100 == 0) x = to_double(f.max_finite(), f) * 1.5;
    if (random() % 20 == 0) x = std::copysign(0.0, x);
  }
}

void check_rounding(const Lanes& values, std::size_t size, const Format& f, double relative,
                    double absolute) {
  struct Outputs {
    alignas(64) float rounded[block_lanes];
    alignas(64) double radius[block_lanes];
    LaneSet undecided;
  };
  auto actual = std::make_unique<Outputs>();
  auto expected = std::make_unique<Outputs>();
  for (float& x : actual->rounded) x = 12345;
  const RoundingConstants constants(f);
  RoundStep step{.values = values.data(), .size = size, .relative = relative, .absolute = absolute};
  step.rounded = actual->rounded;
  step.radius = actual->radius;
  run_rounding(step, constants, actual->undecided);
  step.rounded = expected->rounded;
  step.radius = expected->radius;
  run_rounding_plainly(step, constants, expected->undecided);
  for (std::size_t lane = 0; lane < size; ++lane) {
    INFO("lane " << lane << " value " << values.values[lane] << " precision " << f.precision);
    REQUIRE(actual->undecided.contains(lane) == expected->undecided.contains(lane));
    if (std::isfinite(values.values[lane])) REQUIRE(actual->radius[lane] == expected->radius[lane]);
    if (actual->undecided.contains(lane)) continue;
    REQUIRE(same(static_cast<double>(actual->rounded[lane]),
                 static_cast<double>(expected->rounded[lane])));
  }
  REQUIRE(actual->undecided == expected->undecided);
  for (std::size_t lane = size; lane < block_lanes; ++lane) REQUIRE(actual->rounded[lane] == 12345);
}

TEST_CASE("the rounding kernel equals its plain twin on every target", "[oracle]") {
  auto values = std::make_unique<Lanes>();
  for_each_target([&] {
    for (const Format& f : {binary16, bfloat16, binary32, tf32, float8_e4m3fn, float8_e5m2}) {
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        fill_around(*values, f, seed);
        for (const std::size_t size : {1U, 63U, 64U, 65U, 1001U, 1024U}) {
          check_rounding(*values, size, f, 0, 0);
          check_rounding(*values, size, f, 0x1p-51, 0x1p-1060);
          check_rounding(*values, size, f, 0x1p-30,
                         std::ldexp(1.0, f.min_subnormal_exponent() - 9));
          check_rounding(*values, size, f, 0x1p-3, 0x1p-3);
        }
      }
    }
  });
}

}  // namespace
}  // namespace halfulp::oracles
