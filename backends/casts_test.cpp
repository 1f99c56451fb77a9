#include "backends/casts.h"

#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "harness/encoding.h"
#include "harness/format.h"
#include "harness/rounding.h"

namespace halfulp::backends {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t most = ~std::uint64_t{0};

/// Finite binary64 values about the range of a format: its values, points between, far ones.
std::vector<double> values_around(const Format& f, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values{0.0, -0.0, 0x1p-1074, -0x1p-1074, 0x1.8p-1030, 0x1p1000, -0x1p1000};
  const double top = to_double(f.max_finite(), f);
  const double bottom = to_double(f.min_subnormal(), f);
  for (const double near : {top, bottom, to_double(f.min_normal(), f)}) {
    for (const double factor : {0.25, 0.5, 0.75, 1.0, 1.0 + 0x1p-52, 1.25, 2.0}) {
      values.push_back(near * factor);
      values.push_back(-near * factor);
    }
  }
  while (values.size() < count) {
    const std::uint64_t bits = random();
    const int exponent = static_cast<int>(bits % 61) - 30;
    const double significand = 1 + std::ldexp(static_cast<double>(bits >> 12), -52);
    const double magnitude = std::ldexp(significand, exponent);
    values.push_back((bits & 0x800) != 0 ? -magnitude : magnitude);
    values.push_back(to_double(random() & (f.encoding_mask() ^ f.exponent_mask()), f) + magnitude);
  }
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values;
}

Dyadic dyadic(double value) {
  const Decoded d = decode(std::bit_cast<std::uint64_t>(value), binary64);
  return {.negative = d.negative, .significand = d.significand, .exponent = d.exponent};
}

bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

std::uint64_t bfloat16_bits(double value) { return encode_exact(value, bfloat16); }

/// The two results between which a value is rounded: its own sign's larger and smaller neighbour.
struct Neighbours {
  double smaller;
  double larger;
};
Neighbours neighbours(double value, const Format& f) {
  const auto away = std::signbit(value) ? RoundingMode::downward : RoundingMode::upward;
  return {to_double(round_dyadic(dyadic(value), f, RoundingMode::toward_zero), f),
          to_double(round_dyadic(dyadic(value), f, away), f)};
}

/// Finite, and not between the largest finite value and the next.
bool within_range(double value, const Format& f) {
  return std::fabs(value) <= to_double(f.max_finite(), f);
}

}  // namespace

TEST_CASE("truncation is rounding towards zero", "[casts]") {
  for (const NamedFormat& row : all_formats()) {
    std::size_t wrong = 0;
    for (const double value : values_around(row.format, 20000, 1)) {
      const std::uint64_t expected =
          round_dyadic(dyadic(value), row.format, RoundingMode::toward_zero);
      if (!same(truncated(value, row.format), to_double(expected, row.format))) ++wrong;
    }
    INFO(row.short_name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("truncation to bfloat16 is not rounding to nearest", "[casts]") {
  // The float32 nearest to each, as an engine would hold it.
  CHECK(bfloat16_bits(truncated(3.14f, bfloat16)) == 0x4048);
  CHECK(bfloat16_bits(truncated(1e-8f, bfloat16)) == 0x322b);
  CHECK(bfloat16_bits(narrow(3.14f, narrowing_to(bfloat16))) == 0x4049);
  CHECK(bfloat16_bits(narrow(1e-8f, narrowing_to(bfloat16))) == 0x322c);
}

TEST_CASE("casts keep NaN and infinities where the format has them", "[casts]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const NamedFormat& row : all_formats()) {
    const Format& f = row.format;
    INFO(row.short_name);
    CHECK(std::isnan(truncated(nan, f)));
    CHECK(std::isnan(stochastically_rounded(nan, f, 0)));
    for (const double value : {infinity, -infinity}) {
      const double expected = f.overflow == Overflow::infinity ? value
                              : f.overflow == Overflow::nan
                                  ? nan
                                  : std::copysign(to_double(f.max_finite(), f), value);
      CHECK(same(truncated(value, f), expected));
      CHECK(same(stochastically_rounded(value, f, 0), expected));
      CHECK(same(stochastically_rounded(value, f, most), expected));
    }
  }
}

TEST_CASE("stochastic rounding returns a neighbour, and either is reached", "[casts]") {
  for (const NamedFormat& row : all_formats()) {
    const Format& f = row.format;
    std::size_t wrong = 0;
    std::size_t inexact = 0;
    for (const double value : values_around(f, 20000, 2)) {
      if (!within_range(value, f)) continue;
      const Neighbours n = neighbours(value, f);
      if (!same(stochastically_rounded(value, f, most), n.smaller)) ++wrong;
      if (n.smaller == n.larger) {
        if (!same(stochastically_rounded(value, f, 0), value)) ++wrong;
        continue;
      }
      ++inexact;
      // Up for the smallest random number, unless the fraction is below the resolution of 2^-64.
      const double distance = value - n.smaller;
      const bool resolved = distance / (n.larger - n.smaller) >= 0x1p-64;
      if (!same(stochastically_rounded(value, f, 0), resolved ? n.larger : n.smaller)) ++wrong;
    }
    INFO(row.short_name);
    CHECK(wrong == 0);
    CHECK((f == binary64 || inexact > 5000));
  }
}

TEST_CASE("stochastic rounding turns at the exact fraction", "[casts]") {
  // From `fraction` upwards random numbers round down; below, up.
  const auto turns_at = [](double value, const Format& f, std::uint64_t fraction) {
    const Neighbours n = neighbours(value, f);
    return same(stochastically_rounded(value, f, fraction), n.smaller) &&
           same(stochastically_rounded(value, f, fraction - 1), n.larger);
  };
  constexpr std::uint64_t quarter = std::uint64_t{1} << 62;
  CHECK(turns_at(1 + 0x1p-10 * 0.25, binary16, quarter));
  CHECK(turns_at(-1 - 0x1p-10 * 0.25, binary16, quarter));
  CHECK(turns_at(1.875 + 0.125 * 0.75, float8_e4m3fn, 3 * quarter));
  CHECK(turns_at(1 + 0x1p-52, bfloat16, std::uint64_t{1} << 19));  // 2^-45 of the spacing
  CHECK(turns_at(0x1p-24 * 0.75, binary16, 3 * quarter));          // below every subnormal
  CHECK(turns_at(0x1p-24 * 5.25, binary16, quarter));              // a subnormal's own spacing
  CHECK(turns_at(0x1p-24 * 0x1p-40, binary16, std::uint64_t{1} << 24));
  CHECK(turns_at(0x1p-24 * 0x1p-64, binary16, 1));
  CHECK(turns_at(0x1p-24 * 0x1.8p-64, binary16, 1));  // 1.5 rounded down
  for (const double tiny : {0x1p-89, 0x1p-99, 0x1p-100, 0x1p-101, 0x1p-1074}) {
    CHECK(stochastically_rounded(tiny, binary16, 0) == 0);
  }
  CHECK(turns_at(0x1.fffffffffffffp-25, binary16, most - 2047));  // 2^64 - 2^11
}

TEST_CASE("stochastic rounding overflows as the format says", "[casts]") {
  // 65504 and 65536 are 32 apart; 448 and 480 likewise.
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  CHECK(stochastically_rounded(65520, binary16, half) == 65504);
  CHECK(stochastically_rounded(65520, binary16, half - 1) == infinity);
  CHECK(stochastically_rounded(-65520, binary16, half - 1) == -infinity);
  CHECK(stochastically_rounded(65536, binary16, most) == infinity);
  CHECK(stochastically_rounded(464, float8_e4m3fn, half) == 448);
  CHECK(std::isnan(stochastically_rounded(464, float8_e4m3fn, half - 1)));
  CHECK(std::isnan(stochastically_rounded(480, float8_e4m3fn, most)));
  CHECK(stochastically_rounded(464, float8_e4m3fn_saturating, 0) == 448);
  CHECK(stochastically_rounded(-1e9, float8_e4m3fn_saturating, most) == -448);
  CHECK(truncated(1e9, binary16) == 65504);
  CHECK(truncated(-1e9, float8_e4m3fn) == -448);
}

TEST_CASE("the mean of stochastic roundings is the value", "[casts]") {
  constexpr std::uint64_t seeds = 100000;
  for (const double value : {1 + 0x1p-8 * 0.3, -3.14, 0x1p-133 * 0.1, 1e-8}) {
    const Neighbours n = neighbours(value, bfloat16);
    double larger = 0;
    std::uint64_t neither = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const double result = stochastically_rounded(value, bfloat16, random_bits(seed, 5));
      neither += result != n.smaller && result != n.larger ? 1 : 0;
      larger += result == n.larger ? 1 : 0;
    }
    const double expected = (value - n.smaller) / (n.larger - n.smaller);
    const double deviation = std::sqrt(expected * (1 - expected) / seeds);
    INFO(value);
    CHECK(neither == 0);
    CHECK(std::fabs(larger / seeds - expected) < 4 * deviation);
  }
}

TEST_CASE("random bits are elements of a SplitMix64 stream", "[casts]") {
  // The reference implementation: a state that is stepped.
  const auto next = [](std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  std::uint64_t known = 1234567;
  REQUIRE(next(known) == 6457827717110365317u);  // the published first outputs of this seed
  REQUIRE(next(known) == 3203168211198807973u);
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{7}, most}) {
    std::uint64_t state = seed;
    state = next(state);
    for (std::uint64_t index = 0; index < 100; ++index) {
      CHECK(random_bits(seed, index) == next(state));
    }
  }
}

TEST_CASE("block casts equal the casts of their elements, however they are cut", "[casts]") {
  constexpr std::size_t size = 500;
  constexpr std::size_t all = ~std::size_t{0};
  for (const Format& f : {binary16, bfloat16, float8_e4m3fn, float8_e5m2}) {
    const std::vector<double> a = values_around(f, size, 3);
    const std::vector<float> narrow_a(a.begin(), a.end());
    std::vector<double> out(size);
    std::vector<float> narrow_out(size);
    cast_truncate(Operand<double>{a.data(), all}, f, size, out.data());
    cast_truncate(Operand<float>{narrow_a.data(), all}, f, size, narrow_out.data());
    for (std::size_t i = 0; i < size; ++i) {
      CHECK(same(out[i], truncated(a[i], f)));
      CHECK(same(narrow_out[i], truncated(narrow_a[i], f)));
    }
    const std::size_t cut = 123;
    cast_stochastic(Operand<double>{a.data(), all}, f, 9, 40, cut, out.data());
    cast_stochastic(Operand<double>{a.data() + cut, all}, f, 9, 40 + cut, size - cut,
                    out.data() + cut);
    cast_stochastic(Operand<float>{narrow_a.data(), all}, f, 9, 40, size, narrow_out.data());
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t random = random_bits(9, 40 + i);
      CHECK(same(out[i], stochastically_rounded(a[i], f, random)));
      CHECK(same(narrow_out[i], stochastically_rounded(narrow_a[i], f, random)));
    }
  }
}

TEST_CASE("a block cast of a splat is rounded anew at each index", "[casts]") {
  const float half_way = 1 + 0x1p-8f;
  std::vector<float> out(65, -7);
  cast_stochastic(Operand<float>{&half_way, 0}, bfloat16, 1, 0, 64, out.data());
  std::size_t larger = 0;
  for (std::size_t i = 0; i < 64; ++i) larger += out[i] > half_way ? 1 : 0;
  CHECK((larger > 16 && larger < 48));
  CHECK(out[64] == -7);
}

TEST_CASE("rounding to odd before rounding to a narrower format rounds once", "[casts]") {
  for (const Format& f : {tf32, binary16, bfloat16, float8_e4m3fn, float8_e5m2}) {
    std::size_t wrong = 0;
    std::size_t rounded_twice = 0;
    std::vector<double> values = values_around(f, 20000, 4);
    for (int k = 0; k < 1000; ++k) {  // a little beyond a midpoint
      const double value = to_double(f.min_normal() + static_cast<std::uint64_t>(k % 90), f);
      const double next = to_double(f.min_normal() + static_cast<std::uint64_t>(k % 90) + 1, f);
      values.push_back((value + next) / 2 * (1 + std::ldexp(1.0, -k % 52)));
    }
    for (const double value : values) {
      const Decoded d = decode(encode_exact(value, binary64), binary64);
      const double once = to_double(round_dyadic({d.negative, d.significand, d.exponent, false}, f,
                                                 RoundingMode::to_nearest_even),
                                    f);
      const Narrowing to = narrowing_to(f);
      if (!same(narrow(to_odd(value), to), once)) ++wrong;
      if (!same(narrow(static_cast<float>(value), to), once)) ++rounded_twice;
    }
    INFO(short_name(f));
    CHECK(wrong == 0);
    CHECK(rounded_twice > 0);
  }
}

}  // namespace halfulp::backends
