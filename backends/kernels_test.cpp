#include "backends/kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "harness/encoding.h"
#include "harness/every_target.h"
#include "harness/format.h"
#include "harness/rounding.h"

namespace halfulp::backends {
namespace {

constexpr std::array operations{Op::add,   Op::sub,        Op::mul,   Op::div,  Op::min,
                                Op::max,   Op::fma,        Op::neg,   Op::abs,  Op::sqrt,
                                Op::rsqrt, Op::reciprocal, Op::floor, Op::cast, Op::equal};
constexpr std::array extreme_operations{Op::min, Op::max};
constexpr std::array extreme_rules{Extremes::propagate, Extremes::number, Extremes::select};
constexpr std::size_t all = ~std::size_t{0};

template <typename T>
bool same(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// Random bit patterns with the special values among them.
template <typename T, typename Bits>
std::vector<T> patterns(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> out;
  using Limits = std::numeric_limits<T>;
  for (const T special : {T{0}, T{1}, Limits::infinity(), Limits::quiet_NaN(), Limits::max(),
                          Limits::min(), Limits::denorm_min(), T{65520}, T{464}}) {
    out.push_back(special);
    out.push_back(-special);
  }
  while (out.size() < count) {
    const auto bits = static_cast<Bits>(random());
    out.push_back(std::bit_cast<T>(bits));
    out.push_back(static_cast<T>(static_cast<double>(random() % 100000) / 64 - 700));
  }
  out.resize(count);
  return out;
}

}  // namespace

TEST_CASE("narrowing every binary32 value of a small grid is the correct rounding", "[kernels]") {
  for (const NamedFormat& row : all_formats()) {
    const Format& f = row.format;
    if (f == binary64 || f == binary32) continue;
    const Narrowing to = narrowing_to(f);
    std::uint64_t wrong = 0;
    for (std::uint32_t high = 0; high < 0x20000; ++high) {
      for (const std::uint32_t low : {0x0000u, 0x0001u, 0x4000u, 0x7fffu}) {
        const std::uint32_t bits = high << 15 | low;
        const float value = std::bit_cast<float>(bits);
        if (!std::isfinite(value)) continue;
        const Decoded d = decode(bits, binary32);
        const std::uint64_t expected = round_dyadic({d.negative, d.significand, d.exponent, false},
                                                    f, RoundingMode::to_nearest_even);
        const auto actual = encode_exact(static_cast<double>(narrow(value, to)), f);
        if (actual != expected && !(is_nan(actual, f) && is_nan(expected, f))) ++wrong;
      }
    }
    INFO(row.short_name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("binary32 kernels equal their scalar twin on every target", "[kernels]") {
  constexpr std::size_t size = 1024;
  const auto a = patterns<float, std::uint32_t>(size, 1);
  auto b = patterns<float, std::uint32_t>(size, 2);
  auto c = patterns<float, std::uint32_t>(size, 3);
  std::rotate(b.begin(), b.begin() + 5, b.end());
  std::rotate(c.begin(), c.begin() + 11, c.end());
  on_every_target([&] {
    for (const NamedFormat& row : all_formats()) {
      if (row.format == binary64) continue;
      const Narrowing to = narrowing_to(row.format);
      for (const Op op : operations) {
        std::vector<float> out(size);
        run_kernel(op, {a.data(), all}, {b.data(), all}, {c.data(), all}, to, size, out.data());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < size; ++i) {
          if (!same(out[i], run_scalar(op, a[i], b[i], c[i], to))) ++wrong;
        }
        INFO(name(op) << ' ' << row.short_name);
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE("binary64 kernels equal their scalar twin on every target", "[kernels]") {
  constexpr std::size_t size = 1000;
  const auto a = patterns<double, std::uint64_t>(size, 1);
  const auto b = patterns<double, std::uint64_t>(size, 2);
  const auto c = patterns<double, std::uint64_t>(size, 3);
  on_every_target([&] {
    for (const Op op : operations) {
      std::vector<double> out(size);
      run_kernel(op, {a.data(), all}, {b.data(), all}, {c.data(), all}, size, out.data());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < size; ++i) {
        if (!same(out[i], run_scalar(op, a[i], b[i], c[i]))) ++wrong;
      }
      INFO(name(op));
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("min and max treat NaN as the rule says", "[kernels]") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const Narrowing to = narrowing_to(binary32);
  const auto result = [&](Op op, Extremes extremes, float a, float b) {
    return run_scalar_extreme(op, extremes, a, b, to);
  };
  for (const Op op : extreme_operations) {
    INFO(name(op));
    CHECK(std::isnan(result(op, Extremes::propagate, nan, 2)));
    CHECK(std::isnan(result(op, Extremes::propagate, 2, nan)));
    CHECK(result(op, Extremes::number, nan, 2) == 2);
    CHECK(result(op, Extremes::number, 2, nan) == 2);
    CHECK(result(op, Extremes::select, nan, 2) == 2);
    CHECK(std::isnan(result(op, Extremes::select, 2, nan)));
    for (const Extremes extremes : extreme_rules) {
      CHECK(std::isnan(result(op, extremes, nan, nan)));
      CHECK(result(op, extremes, 1, 3) == (op == Op::min ? 1 : 3));
      CHECK(result(op, extremes, 3, 1) == (op == Op::min ? 1 : 3));
      CHECK(std::signbit(result(op, extremes, 0.0f, -0.0f)));
      CHECK_FALSE(std::signbit(result(op, extremes, -0.0f, 0.0f)));
    }
  }
}

TEST_CASE("every rule for min and max equals its scalar twin on every target", "[kernels]") {
  constexpr std::size_t size = 1003;
  const auto a = patterns<float, std::uint32_t>(size, 1);
  auto b = patterns<float, std::uint32_t>(size, 2);
  std::ranges::rotate(b, b.begin() + 5);
  const std::vector<double> wide_a(a.begin(), a.end());
  const std::vector<double> wide_b(b.begin(), b.end());
  on_every_target([&] {
    for (const Op op : extreme_operations) {
      for (const Extremes extremes : extreme_rules) {
        INFO(name(op) << " rule " << static_cast<int>(extremes));
        for (const NamedFormat& row : all_formats()) {
          if (row.format == binary64) continue;
          const Narrowing to = narrowing_to(row.format);
          std::vector<float> out(size);
          extreme_kernel_f32(op, extremes, to.kind)({a.data(), all}, {b.data(), all}, {}, to, size,
                                                    out.data());
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < size; ++i) {
            if (!same(out[i], run_scalar_extreme(op, extremes, a[i], b[i], to))) ++wrong;
          }
          INFO(row.short_name);
          CHECK(wrong == 0);
        }
        std::vector<double> out(size);
        extreme_kernel_f64(op, extremes)({wide_a.data(), all}, {wide_b.data(), all}, {}, {}, size,
                                         out.data());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < size; ++i) {
          if (!same(out[i], run_scalar_extreme(op, extremes, wide_a[i], wide_b[i]))) ++wrong;
        }
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE("equal is 1 or 0, and NaN equals nothing", "[kernels]") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const NamedFormat& row : all_formats()) {
    if (row.format == binary64) continue;
    const Narrowing to = narrowing_to(row.format);
    CHECK(run_scalar(Op::equal, 2.0f, 2.0f, 0.0f, to) == 1);
    CHECK(run_scalar(Op::equal, 0.0f, -0.0f, 0.0f, to) == 1);
    CHECK(run_scalar(Op::equal, 2.0f, 3.0f, 0.0f, to) == 0);
    CHECK(run_scalar(Op::equal, nan, nan, 0.0f, to) == 0);
  }
}

TEST_CASE("kernels write exactly their lanes, at any size and alignment", "[kernels]") {
  const auto a = patterns<float, std::uint32_t>(200, 1);
  alignas(splat_bytes) std::array<float, splat_lanes<float>> three;
  three.fill(3);
  const Narrowing to = narrowing_to(bfloat16);
  on_every_target([&] {
    for (std::size_t size = 0; size < 70; ++size) {
      for (std::size_t offset = 0; offset < 5; ++offset) {
        std::vector<float> out(100, -7);
        run_kernel(Op::mul, {a.data() + offset, ~std::size_t{0}}, {three.data(), 0}, {}, to, size,
                   out.data() + offset);
        for (std::size_t i = 0; i < out.size(); ++i) {
          const bool inside = i >= offset && i < offset + size;
          const float expected = inside ? run_scalar(Op::mul, a[i], 3, 0, to) : -7;
          REQUIRE(same(out[i], expected));
        }
      }
    }
  });
}

TEST_CASE("one operation on two half values is correctly rounded through binary32", "[kernels]") {
  // 24 >= 2 * 11 + 2: double rounding is innocuous for + - * / and sqrt, exhaustively in the toy.
  const Format f = toy_e4m3;
  const Narrowing to = narrowing_to(f);
  std::size_t wrong = 0;
  for (std::uint64_t x = 0; x < 256; ++x) {
    for (std::uint64_t y = 0; y < 256; ++y) {
      if (!is_finite(x, f) || !is_finite(y, f)) continue;
      const auto p = static_cast<float>(to_double(x, f));
      const auto q = static_cast<float>(to_double(y, f));
      const auto bits = [&](Op op) {
        return encode_exact(static_cast<double>(run_scalar(op, p, q, 0, to)), f);
      };
      const auto nearest = RoundingMode::to_nearest_even;
      if (bits(Op::mul) != round_dyadic(exact_product(x, y, f), f, nearest)) ++wrong;
      if (p + q != 0 && bits(Op::add) != round_dyadic(exact_sum(x, y, f), f, nearest)) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

}  // namespace halfulp::backends
