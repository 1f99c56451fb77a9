#include "cases/distributions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace halfulp::cases {
namespace {

std::vector<double> drawn(Distribution distribution, std::uint64_t length, std::uint64_t seed = 1) {
  return draw({.distribution = distribution, .seed = seed}, length);
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// splitmix64 as published: a state that is advanced.
std::uint64_t next(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// The state in which the stream of (seed, vector, row, length) starts.
std::uint64_t start_of(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t state = 0;
  for (const std::uint64_t part : parts) {
    state ^= part;
    state = next(state);
  }
  return state;
}

}  // namespace

TEST_CASE("the generator behind the vectors is splitmix64", "[vectors]") {
  std::uint64_t state = 1234567;  // the test vector of the generator's public-domain version
  CHECK(next(state) == 6457827717110365317u);
  CHECK(next(state) == 3203168211198807973u);
  CHECK(next(state) == 9817491932198370423u);

  state = start_of({9, 1, 3, 5});
  const auto uniform = draw({.distribution = Distribution::uniform,
                             .low = -1,
                             .high = 1,
                             .seed = 9,
                             .vector = 1,
                             .row = 3},
                            5);
  for (const double value : uniform) {
    const double u = static_cast<double>(next(state) >> 11) * 0x1p-53;
    CHECK(value == -1 + u * 2);
  }
  state = start_of({1, 0, 0, 3});
  for (const double value : drawn(Distribution::normal, 3)) {
    double total = -6;
    for (int k = 0; k < 12; ++k) total += static_cast<double>(next(state) >> 14) * 0x1p-50;
    CHECK(value == total);  // exact in binary64
  }
}

TEST_CASE("the moments of the distributions, within five standard errors", "[vectors]") {
  constexpr std::uint64_t n = 100000;
  const auto check = [](std::vector<double> values, double mean, double variance, double fourth) {
    const double standard_error = std::sqrt(variance / n);
    CHECK(std::fabs(sum(values) / n - mean) < 5 * standard_error);
    for (double& v : values) v = (v - mean) * (v - mean);
    CHECK(std::fabs(sum(values) / n - variance) <
          5 * std::sqrt((fourth - variance * variance) / n));
  };
  check(drawn(Distribution::normal, n), 0, 1, 2.9);  // kurtosis 3 - 1.2 / 12
  check(drawn(Distribution::uniform, n), 0.5, 1.0 / 12, 1.0 / 80);
  auto logs = draw({.distribution = Distribution::log_uniform, .low = 0x1p-10, .high = 0x1p-4}, n);
  CHECK(std::ranges::all_of(logs, [](double v) { return v >= 0x1p-10 && v <= 0x1p-4; }));
  for (double& v : logs) v = (std::log2(v) + 10) / 6;
  check(logs, 0.5, 1.0 / 12, 1.0 / 80);
}

TEST_CASE("seed, vector, row and length each give other numbers; nothing else does", "[vectors]") {
  for (const Distribution d : {Distribution::normal, Distribution::uniform,
                               Distribution::log_uniform, Distribution::cancelling}) {
    const Draw one{.distribution = d, .low = 0.5, .high = 4, .seed = 3};
    std::set<double> firsts;
    const auto note = [&](const Draw& other, std::uint64_t length) {
      firsts.insert(draw(other, length).front());
    };
    note(one, 100);
    note(one, 101);
    Draw other = one;
    other.seed = 4;
    note(other, 100);
    other = one;
    other.vector = 1;
    note(other, 100);
    other = one;
    other.row = 1;
    note(other, 100);
    CHECK(firsts.size() == 5);
    CHECK(draw(one, 100) == draw(one, 100));
    CHECK(draw(one, 0).empty());
    CHECK(draw(one, 1).size() == 1);
  }
  CHECK(drawn(Distribution::integers, 4) == std::vector<double>{0, 1, 2, 3});
}

TEST_CASE("a cancelling vector is values and their negatives, shuffled", "[vectors]") {
  for (const std::uint64_t length : {0, 1, 2, 3, 1000, 1001}) {
    INFO(length);
    const auto x = drawn(Distribution::cancelling, length, 7);
    REQUIRE(x.size() == length);
    const auto half = static_cast<std::ptrdiff_t>(length / 2);
    std::vector<double> values(x.begin(), x.begin() + half);
    std::vector<double> negatives;
    for (auto v = x.begin() + half; v != x.begin() + 2 * half; ++v) negatives.push_back(-*v);
    if (half > 10) CHECK(values != negatives);
    std::ranges::sort(values);
    std::ranges::sort(negatives);
    CHECK(values == negatives);
    if (length % 2 == 1) CHECK(std::bit_cast<std::uint64_t>(x.back()) == 0);
  }
  const auto x = drawn(Distribution::cancelling, 2000, 7);
  const auto [smallest, largest] =
      std::ranges::minmax(x, {}, [](double v) { return std::fabs(v); });
  CHECK(std::fabs(largest) / std::fabs(smallest) > 0x1p14);  // many binades
  CHECK(std::fabs(largest) < 48);                            // 6 times 2^3
}

TEST_CASE("the products of two cancelling vectors cancel, in every row", "[vectors]") {
  constexpr std::uint64_t length = 501;
  const auto y = draw({.distribution = Distribution::cancelling, .seed = 5, .vector = 1}, length);
  for (const std::uint64_t row : {0, 1, 6}) {
    const auto x = draw(
        {.distribution = Distribution::cancelling, .seed = 5, .vector = 0, .row = row}, length);
    std::map<std::pair<double, double>, int> balance;  // by |x| and y
    for (std::size_t i = 0; i < length; ++i) {
      balance[{std::fabs(x[i]), y[i]}] += x[i] > 0 ? 1 : x[i] < 0 ? -1 : 0;
    }
    CHECK(balance.size() == length / 2 + 1);
    CHECK(std::ranges::all_of(balance, [](const auto& entry) { return entry.second == 0; }));
  }
}

TEST_CASE("every place of a shuffle is as likely as another", "[vectors]") {
  std::array<std::array<int, 4>, 4> seen{};  // [value][place]
  constexpr int shuffles = 8000;
  for (std::uint64_t seed = 0; seed < shuffles; ++seed) {
    const auto x = drawn(Distribution::cancelling, 8, seed);
    for (std::size_t value = 0; value < 4; ++value) {
      for (std::size_t place = 0; place < 4; ++place) {
        if (x[4 + place] == -x[value]) ++seen[value][place];
      }
    }
  }
  // Five standard deviations of a binomial count: 5 sqrt(8000 * 3/16) < 194.
  for (const auto& places : seen) {
    for (const int count : places) CHECK(std::abs(count - shuffles / 4) < 194);
  }
}

TEST_CASE("log2 and exp2 without a library", "[vectors]") {
  for (int k = -1074; k < 1024; ++k) {
    const double power = std::ldexp(1.0, k);
    CHECK(portable_log2(power) == k);
    CHECK(portable_exp2(k) == power);
  }
  std::uint64_t state = 11;
  for (int k = 0; k < 20000; ++k) {
    const double x = std::ldexp(1 + static_cast<double>(next(state) >> 12) * 0x1p-52,
                                static_cast<int>(next(state) % 2000) - 1000);
    // Library results are within an ulp; the series are within a few.
    CHECK(std::fabs(portable_log2(x) - std::log2(x)) <=
          4 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::fabs(std::log2(x))));
    const double y = (static_cast<double>(next(state) >> 11) * 0x1p-53 - 0.5) * 2000;
    CHECK(std::fabs(portable_exp2(y) / std::exp2(y) - 1) <=
          4 * std::numeric_limits<double>::epsilon());
  }
}

TEST_CASE("the bits of a few vectors, the same on every machine", "[vectors]") {
  const auto bits = [](const std::vector<double>& values) {
    std::vector<std::uint64_t> out;
    for (const double v : values) out.push_back(std::bit_cast<std::uint64_t>(v));
    return out;
  };
  using Bits = std::vector<std::uint64_t>;
  // Computed by a second implementation in another language.
  CHECK(bits(drawn(Distribution::normal, 2)) == Bits{0x3fd4acd5a04d0920, 0x3fdf93264d7e1800});
  CHECK(bits(draw({.distribution = Distribution::log_uniform, .low = 1e-9, .high = 1e-3}, 3)) ==
        Bits{0x3f1f7ca3c3a35796, 0x3ee99a768681198c, 0x3eff79ce3e24a793});
  CHECK(bits(drawn(Distribution::cancelling, 4, 7)) ==
        Bits{0xbf4b434978e3bcc0, 0xbf4c90bafd1b6150, 0x3f4c90bafd1b6150, 0x3f4b434978e3bcc0});
}

}  // namespace halfulp::cases
