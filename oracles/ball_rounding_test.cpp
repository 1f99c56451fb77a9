// The rounding of balls against exact rounding of their ends, on every instruction set.
#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "harness/encoding.h"
#include "harness/every_target.h"
#include "oracles/ball_kernels.h"
#include "oracles/ball_reductions.h"
#include "oracles/ball_reference.h"
#include "oracles/round_once.h"

namespace halfulp::oracles {
namespace {

using Balls = std::vector<Ball>;

struct Rounding {
  std::vector<float> rounded;
  LaneSet undecided;
  bool operator==(const Rounding& o) const {
    for (std::size_t k = 0; k < rounded.size(); ++k) {
      if (undecided.contains(k)) continue;
      if (std::bit_cast<std::uint32_t>(rounded[k]) != std::bit_cast<std::uint32_t>(o.rounded[k])) {
        return false;
      }
    }
    return undecided == o.undecided;
  }
};

Rounding round(const Balls& balls, const Format& f, KnownSign sign) {
  Rounding out{std::vector<float>(balls.size(), 12345.0F), {}};
  const auto chunk = std::make_unique<BallChunk>();
  for (std::size_t first = 0; first < balls.size(); first += ball_chunk) {
    const std::size_t size = std::min(ball_chunk, balls.size() - first);
    for (std::size_t k = 0; k < size; ++k) {
      chunk->value[k] = balls[first + k].value;
      chunk->radius[k] = balls[first + k].radius;
    }
    round_balls({.value = chunk->value.data(),
                 .radius = chunk->radius.data(),
                 .size = size,
                 .sign = sign,
                 .rounded = out.rounded.data() + first,
                 .first_lane = first},
                BallRounding(f), out.undecided);
  }
  return out;
}

/// Balls around values and midpoints all over the range of a format, and beyond it.
Balls balls_around(const Format& f, std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Balls out;
  while (out.size() < size) {
    std::uint64_t bits = random() % f.max_finite();
    if (random() % 4 == 0) bits = random() % std::min(4 * f.min_normal(), f.max_finite());
    if (random() % 16 == 0) bits = f.max_finite() - 1;
    const double low = to_double(bits, f);
    const double high = to_double(bits + 1, f);
    const double gap = high - low;
    double x = low + gap * static_cast<double>(random() % 5) / 4;
    const double away = std::ldexp(gap, -static_cast<int>(random() % 28) - 1);
    if (random() % 2 == 0) x += random() % 2 == 0 ? away : -away;
    if (random() % 20 == 0)
      x = to_double(f.max_finite(), f) + gap * static_cast<double>(random() % 5) / 4;
    if (random() % 20 == 0) x *= 8;
    if (random() % 20 == 0) x = 0;
    if (random() % 2 == 0) x = -x;
    const double radius = random() % 3 == 0 ? 0 : std::ldexp(gap, -static_cast<int>(random() % 32));
    out.push_back({x, radius});
  }
  return out;
}

/// The midpoint above the last finite value, exactly, and what lies close to it.
Balls balls_at_overflow(const Format& f) {
  const double midpoint = BallRounding(f).constants.overflow_threshold;
  Balls out;
  for (const double x : {midpoint, midpoint * (1 - 0x1p-40), midpoint * (1 + 0x1p-40)}) {
    for (const double radius : {0.0, midpoint * 0x1p-50, midpoint * 0x1p-39}) {
      out.push_back({x, radius});
      out.push_back({-x, radius});
    }
  }
  return out;
}

std::uint64_t rounded_end(const Ball& ball, double radii, const Format& f) {
  const ExactValue end =
      ExactValue::from_double(ball.value) +
      (radii == 0 ? ExactValue::zero(std::signbit(ball.value))
                  : ExactValue::from_double(radii) * ExactValue::from_double(ball.radius));
  return round_once(end, f, RoundingMode::to_nearest_even).bits;
}

TEST_CASE("a ball is rounded where both ends round alike, exact ones always", "[ball]") {
  for (const NamedFormat& named : all_formats()) {
    const Format& f = named.format;
    if (f == binary64) continue;
    Balls balls = balls_around(f, 1000, 11);
    for (const Ball& ball : balls_at_overflow(f)) balls.push_back(ball);
    std::vector<Rounding> results;
    on_every_target([&] { results.push_back(round(balls, f, KnownSign::unknown)); });
    std::size_t undecided = 0;
    for (const Rounding& other : results) REQUIRE(other == results[0]);
    for (std::size_t k = 0; k < balls.size(); ++k) {
      const Ball& ball = balls[k];
      INFO(named.name << ": " << ball.value << " +- " << ball.radius);
      const double ends = ball.radius == 0 ? 0 : 1;
      const std::uint64_t low = rounded_end(ball, -ends, f);
      const std::uint64_t high = rounded_end(ball, ends, f);
      if (!results[0].undecided.contains(k)) {
        REQUIRE(low == high);
        REQUIRE(same_bits(static_cast<double>(results[0].rounded[k]), to_double(low, f)));
        continue;
      }
      // Undecided only with a midpoint or 0 within four radii, or where a midpoint separates
      // nothing: above the last value of a format that saturates, or that takes the tie to it.
      ++undecided;
      const bool is_above = std::fabs(ball.value) > to_double(f.max_finite(), f);
      const bool is_at_end = is_above && f.overflow != Overflow::infinity &&
                             std::fabs(ball.value) <= to_double(f.max_finite(), f) * 1.1;
      REQUIRE((is_at_end || rounded_end(ball, -4 * ends, f) != rounded_end(ball, 4 * ends, f)));
    }
    REQUIRE(undecided > 50);
    REQUIRE(undecided < 700);
  }
}

TEST_CASE("a positive result that is too small is +0, and nothing else is presumed of it",
          "[ball]") {
  const double least = 0x1p-149;
  const Balls balls = {
      {least / 8, least / 8}, {-least / 16, least / 8}, {0, least / 8}, {least / 8, least},
      {least / 2, 0},         {-0x1p-1022, 0x1p-1021},  {1, 2},         {least * 0.75, least / 16}};
  on_every_target([&] {
    const Rounding out = round(balls, binary32, KnownSign::positive);
    for (const std::size_t zero : {0U, 1U, 2U, 4U, 5U}) {
      INFO(zero);
      REQUIRE(!out.undecided.contains(zero));
      REQUIRE(std::bit_cast<std::uint32_t>(out.rounded[zero]) == 0);
    }
    REQUIRE(out.undecided.contains(3));
    REQUIRE(out.undecided.contains(6));
    REQUIRE(out.rounded[7] == 0x1p-149F);
    const Rounding unknown = round(balls, binary32, KnownSign::unknown);
    for (const std::size_t lane : {0U, 1U, 2U, 3U, 5U, 6U})
      REQUIRE(unknown.undecided.contains(lane));
    REQUIRE(!unknown.undecided.contains(4));
  });
}

TEST_CASE("what is unknown is undecided, whatever its value", "[ball]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Balls balls;
  for (const double x : {0.0, 1.0, 0x1p-149, 1e300, infinity, nan}) {
    for (const double signed_x : {x, -x}) balls.push_back({signed_x, infinity});
  }
  on_every_target([&] {
    for (const NamedFormat& named : all_formats()) {
      if (named.format == binary64) continue;
      for (const KnownSign sign : {KnownSign::unknown, KnownSign::positive}) {
        const Rounding out = round(balls, named.format, sign);
        for (std::size_t k = 0; k < balls.size(); ++k) REQUIRE(out.undecided.contains(k));
      }
    }
  });
}

TEST_CASE("rounding writes only its own lanes", "[ball]") {
  on_every_target([&] {
    for (const std::size_t size : {1U, 3U, 7U, 9U, 13U}) {
      alignas(64) const double value[16] = {0.1, 0.2, 0.3, 0.4};
      alignas(64) const double radius[16] = {};
      std::vector<float> rounded(16, 12345);
      LaneSet undecided;
      round_balls({.value = value, .radius = radius, .size = size, .rounded = rounded.data()},
                  BallRounding(binary32), undecided);
      REQUIRE(rounded[0] == 0.1F);
      for (std::size_t k = size; k < 16; ++k) REQUIRE(rounded[k] == 12345);
    }
  });
}

}  // namespace
}  // namespace halfulp::oracles
