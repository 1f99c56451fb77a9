// The ball kernels against 600-bit arithmetic, on every instruction set, with the same bits on
// each.
#include "oracles/ball_kernels.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "harness/every_target.h"
#include "oracles/ball_reductions.h"
#include "oracles/ball_reference.h"

namespace halfulp::oracles {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Balls = std::vector<Ball>;

/// What an operation is tested on, and how wide its balls of exact operands may be.
struct Subject {
  BallOp op;
  double ulps;   ///< radius <= ulps * 2^-53 * |value| + 2^-1056
  double error;  ///< |value - exact| <= error * 2^-53 * |value| + 2^-1056 on these operands
  double low;    ///< operands lie in [low, high] ...
  double high;
  bool is_binary = false;
};

const std::vector<Subject>& subjects() {
  // A ball of a sum holds its rounding error alone; the width of the others is that of the comments
  // in ball_vector.h and ball_functions.h, summed along the way. The errors are those seen, rounded
  // up: well inside the proven ones, so that a wrong coefficient shows.
  static const std::vector<Subject> all = {
      {BallOp::add, 1.01, 1.01, -1e30, 1e30, true},
      {BallOp::sub, 1.01, 1.01, -1e30, 1e30, true},
      {BallOp::mul, 1.01, 1.01, -1e30, 1e30, true},
      {BallOp::div, 1.01, 1.01, -1e30, 1e30, true},
      {BallOp::min, 0, 0, -1e30, 1e30, true},
      {BallOp::max, 0, 0, -1e30, 1e30, true},
      {BallOp::equal, 0, 0, -1e30, 1e30, true},
      {BallOp::neg, 0, 0, -1e30, 1e30},
      {BallOp::abs, 0, 0, -1e30, 1e30},
      {BallOp::sqrt, 1.01, 1.01, 0, 1e30},
      {BallOp::floor, 0, 0, -1e9, 1e9},
      {BallOp::exp, 4.01, 1.3, -707, 708.9},
      {BallOp::log, 4.01, 1.3, 0x1p-1000, 1e300},
      {BallOp::log1p, 16, 1.9, -0.999999, 1e300},
      {BallOp::expm1, 16, 1.5, -350, 708.9},  // 600 bits hold e^-350 - 1 well
      {BallOp::tanh, 40, 3, -1000, 1000},
      {BallOp::sigmoid, 8, 2.5, -707, 1000},
      {BallOp::erf, 1300, 20, -7.9, 7.9},
  };
  return all;
}

/// Uniform and log-uniform numbers of the range, small integers and halves, neighbours of 0 and 1.
double draw(const Subject& s, std::mt19937_64& random) {
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  const auto integer = static_cast<double>(random() % 33) - 16;
  const double sign = s.low < 0 && random() % 2 == 0 ? -1 : 1;
  double x = 0;
  switch (random() % 6) {
    case 5:  // integers of any length: exact products, quotients and roots, and such as just are
             // not
      x = sign * static_cast<double>(random() >> (11 + random() % 53));
      break;
    case 0:
      x = s.low + (s.high - s.low) * unit;
      break;
    case 1:
      x = sign * std::ldexp(1 + unit, static_cast<int>(random() % 120) - 100);
      break;
    case 2:
      x = integer / (random() % 2 == 0 ? 1 : 4);
      break;
    case 3:
      x = sign * std::ldexp(1 + unit, static_cast<int>(random() % 12) - 6);
      break;
    default:
      x = 1 + sign * std::ldexp(1 + unit, -static_cast<int>(random() % 60));
  }
  return x < s.low || x > s.high ? s.low + (s.high - s.low) * unit : x;
}

/// Runs an operation on any number of balls, on the target in force.
Balls run(BallOp op, const Balls& a, const Balls& b) {
  Balls out;
  const auto x = std::make_unique<BallChunk>();
  const auto y = std::make_unique<BallChunk>();
  for (std::size_t first = 0; first < a.size(); first += ball_chunk) {
    const std::size_t size = std::min(ball_chunk, a.size() - first);
    for (std::size_t k = 0; k < size; ++k) {
      x->value[k] = a[first + k].value;
      x->radius[k] = a[first + k].radius;
      y->value[k] = b[first + k].value;
      y->radius[k] = b[first + k].radius;
    }
    run_ball_op(op, x->operand(), y->operand(), x->target(), size);
    for (std::size_t k = 0; k < size; ++k) out.push_back({x->value[k], x->radius[k]});
  }
  return out;
}

/// The results, after checking that every target returns the same bits.
Balls run_everywhere(BallOp op, const Balls& a, const Balls& b) {
  Balls first;
  on_every_target([&] {
    const Balls here = run(op, a, b);
    if (first.empty()) first = here;
    for (std::size_t k = 0; k < here.size(); ++k) {
      INFO("of " << a[k].value << " and " << b[k].value);
      REQUIRE(same_bits(here[k].value, first[k].value));
      REQUIRE(same_bits(here[k].radius, first[k].radius));
    }
  });
  return first;
}

Balls exact_balls(const Subject& s, std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Balls out;
  while (out.size() < size) {
    const double x = draw(s, random);
    if (seed == 2 && x == 0) continue;  // divisors
    out.push_back({x, 0});
  }
  return out;
}

TEST_CASE("balls of exact numbers hold the result and are narrow, on every target", "[ball]") {
  for (const Subject& s : subjects()) {
    Balls a = exact_balls(s, 1500, 1);
    Balls b = exact_balls(s, 1500, 2);
    for (std::size_t k = 0; k < 100; ++k) b[k] = a[k].value == 0 ? b[k] : a[k];
    const Balls out = run_everywhere(s.op, a, b);
    std::size_t exact = 0;
    for (std::size_t k = 0; k < out.size(); ++k) {
      INFO("operation " << static_cast<int>(s.op) << " of " << a[k].value << " and " << b[k].value
                        << " gives " << out[k].value << " within " << out[k].radius);
      const Big exactly = reference(s.op, a[k].value, b[k].value);
      const double unit = 0x1p-53 * std::fabs(out[k].value);
      REQUIRE(holds(out[k], exactly));
      REQUIRE(abs(Big(out[k].value) - exactly) <= Big(s.error * unit + 0x1p-1056));
      REQUIRE(out[k].radius <= s.ulps * unit + 0x1p-1056);
      exact += out[k].radius == 0 ? 1 : 0;
    }
    REQUIRE(exact > 0);
  }
}

/// Numbers of a ball: its ends, its centre and some between, in 600 bits.
Big within(const Ball& ball, int k, std::mt19937_64& random) {
  const Big unit = k == 0   ? Big(-1)
                   : k == 1 ? Big(1)
                            : Big(static_cast<double>(random() >> 11)) * 0x1p-52 - 1;
  return Big(ball.value) + unit * Big(ball.radius);
}

bool is_defined(BallOp op, const Big& a, const Big& b) {
  switch (op) {
    case BallOp::div:
      return b != 0;
    case BallOp::sqrt:
      return a >= 0;
    case BallOp::log:
      return a > 0;
    case BallOp::log1p:
      return a > -1;
    default:
      return true;
  }
}

TEST_CASE("balls of balls hold the result for any numbers in them", "[ball]") {
  std::mt19937_64 random(3);
  for (const Subject& s : subjects()) {
    Balls a = exact_balls(s, 400, 1);
    Balls b = exact_balls(s, 400, 2);
    for (Balls* const balls : {&a, &b}) {
      for (Ball& ball : *balls) {
        const int scale = -static_cast<int>(random() % 60);
        if (random() % 8 != 0)
          ball.radius = std::ldexp(random() % 2 == 0 ? 1 : std::fabs(ball.value), scale);
      }
    }
    for (std::size_t k = 0; k < 100; ++k) b[k].value = a[k].value;
    const Balls out = run_everywhere(s.op, a, b);
    std::size_t known = 0;
    for (std::size_t k = 0; k < out.size(); ++k) {
      REQUIRE(out[k].radius >= 0);
      if (out[k].radius == infinity) continue;
      ++known;
      for (int point = 0; point < 4; ++point) {
        const Big x = within(a[k], point, random);
        const Big y = within(b[k], point == 2 ? 0 : point, random);
        INFO("operation " << static_cast<int>(s.op) << " of " << a[k].value << " +- " << a[k].radius
                          << " and " << b[k].value << " +- " << b[k].radius << " gives "
                          << out[k].value << " within " << out[k].radius);
        REQUIRE(is_defined(s.op, x, y));
        REQUIRE(holds(out[k], reference(s.op, x, y)));
      }
    }
    REQUIRE(known > out.size() / 4);
  }
}

TEST_CASE("what is no real number, or too far out, is unknown", "[ball]") {
  struct Row {
    BallOp op;
    Ball a;
    Ball b;
  };
  const std::vector<Row> rows = {
      {BallOp::sqrt, {-1, 0}, {}},
      {BallOp::log, {0, 0}, {}},
      {BallOp::log, {-0.0, 0}, {}},
      {BallOp::log, {-2, 0}, {}},
      {BallOp::log, {1, 1}, {}},
      {BallOp::log1p, {-1, 0}, {}},
      {BallOp::log1p, {-3, 0}, {}},
      {BallOp::div, {1, 0}, {0, 0}},
      {BallOp::div, {0, 0}, {0, 0}},
      {BallOp::div, {0, 0}, {-0.0, 0}},
      {BallOp::div, {0, 0}, {1, 1}},
      {BallOp::exp, {710, 0}, {}},
      {BallOp::exp, {5, 3}, {}},
      {BallOp::expm1, {1000, 0}, {}},
      {BallOp::floor, {2.5, 0.5}, {}},
      {BallOp::floor, {3, 0x1p-60}, {}},
      {BallOp::equal, {1, 0x1p-60}, {1, 0}},
      {BallOp::mul, {1e200, 0}, {1e200, 0}},
      {BallOp::add, {1.7e308, 0}, {1.7e308, 0}},
      {BallOp::sqrt, {0x1p-40, 0x1p-39}, {}},
  };
  on_every_target([&] {
    for (const Row& row : rows) {
      INFO("operation " << static_cast<int>(row.op) << " of " << row.a.value);
      REQUIRE(run(row.op, {row.a}, {row.b})[0].radius == infinity);
    }
    for (const Subject& s : subjects()) {
      for (const double x : {infinity, -infinity, nan, 0.5}) {
        INFO("operation " << static_cast<int>(s.op) << " of an unknown " << x);
        const Balls unknown = {{x, infinity}};
        REQUIRE(run(s.op, unknown, {{1, 0}})[0].radius == infinity);
        if (s.is_binary) REQUIRE(run(s.op, {{0, 0}}, unknown)[0].radius == infinity);
      }
    }
  });
}

TEST_CASE("exact results have radius 0 and their zero has its sign", "[ball]") {
  struct Row {
    BallOp op;
    double a;
    double b;
    double out;
  };
  const std::vector<Row> rows = {
      {BallOp::add, 0x1p53, -1, 0x1p53 - 1},
      {BallOp::sub, 3, 3, 0.0},
      {BallOp::add, -0.0, -0.0, -0.0},
      {BallOp::mul, 3, -0.0, -0.0},
      {BallOp::mul, 0.1, 0.0, 0.0},
      {BallOp::mul, 1048577, 1048577, 1099513724929},
      {BallOp::div, 6, 3, 2},
      {BallOp::div, -0.0, 7, -0.0},
      {BallOp::div, 1, 0x1p-30, 0x1p30},
      {BallOp::sqrt, 9, 0, 3},
      {BallOp::sqrt, -0.0, 0, -0.0},
      {BallOp::max, -0.0, 0.0, 0.0},
      {BallOp::max, 0.0, -0.0, 0.0},
      {BallOp::min, 0.0, -0.0, -0.0},
      {BallOp::floor, -0.0, 0, -0.0},
      {BallOp::floor, -0.5, 0, -1},
      {BallOp::exp, 0, 0, 1},
      {BallOp::exp, -0.0, 0, 1},
      {BallOp::log, 1, 0, 0.0},
      {BallOp::log1p, -0.0, 0, -0.0},
      {BallOp::log1p, 0.0, 0, 0.0},
      {BallOp::expm1, -0.0, 0, -0.0},
      {BallOp::tanh, -0.0, 0, -0.0},
      {BallOp::tanh, 0.0, 0, 0.0},
      {BallOp::erf, -0.0, 0, -0.0},
      {BallOp::sigmoid, 0, 0, 0.5},
      {BallOp::equal, 2, 2, 1},
      {BallOp::equal, 2, 3, 0.0},
      {BallOp::equal, 0.0, -0.0, 1},
      {BallOp::abs, -0.0, 0, 0.0},
  };
  on_every_target([&] {
    for (const Row& row : rows) {
      INFO("operation " << static_cast<int>(row.op) << " of " << row.a << " and " << row.b);
      const Ball out = run(row.op, {{row.a, 0}}, {{row.b, 0}})[0];
      REQUIRE(same_bits(out.value, row.out));
      REQUIRE(out.radius == 0);
    }
  });
}

TEST_CASE("exponentials that vanish and functions that saturate have small balls", "[ball]") {
  for (const double x : {-708.5, -745.2, -1e9}) {
    for (const double radius : {0.0, 0.25}) {
      const Ball e = run_everywhere(BallOp::exp, {{x, radius}}, {{}})[0];
      REQUIRE(holds(e, exp(Big(x) + Big(radius))));
      REQUIRE(e.value + e.radius <= 0x1p-1021);
      REQUIRE(run_everywhere(BallOp::expm1, {{x, radius}}, {{}})[0].radius <= 0x1p-1021);
      REQUIRE(run_everywhere(BallOp::tanh, {{x, radius}}, {{}})[0].radius <= 0x1p-52);
    }
  }
  for (const double x : {6.0, 6.5, 100.0, -1e300}) {
    const Ball e = run_everywhere(BallOp::erf, {{x, 0}}, {{}})[0];
    REQUIRE(e.value == std::copysign(1, x));
    REQUIRE(e.radius <= 0x1p-54);
    REQUIRE(holds(e, std::fabs(x) < 8 ? reference_erf(x) : Big(e.value)));
  }
}

TEST_CASE("loads and indices are exact, what is not finite is unknown", "[ball]") {
  const std::vector<float> floats = {1, -0.0F, 0x1p-149F, INFINITY, -INFINITY, NAN, 3e38F, 2, -7};
  const std::vector<double> doubles(floats.begin(), floats.end());
  on_every_target([&] {
    for (std::size_t size = 1; size <= floats.size(); ++size) {
      BallChunk a;
      BallChunk b;
      load_balls(floats.data(), size, a.target());
      load_balls(doubles.data(), size, b.target());
      for (std::size_t k = 0; k < size; ++k) {
        REQUIRE(same_bits(a.value[k], doubles[k]));
        REQUIRE(a.radius[k] == (std::isfinite(doubles[k]) ? 0 : infinity));
        REQUIRE(same_bits(b.value[k], a.value[k]));
        REQUIRE(b.radius[k] == a.radius[k]);
      }
      load_indices(1e9, size, a.target());
      for (std::size_t k = 0; k < size; ++k) REQUIRE(a.value[k] == 1e9 + static_cast<double>(k));
    }
  });
}

}  // namespace
}  // namespace halfulp::oracles
