#include "harness/metrics.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

namespace halfulp {
namespace {

/// Metrics of one point with a few distinct values, so that maxima tie often.
Metrics random_point(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const Witness w{{below(4), below(4)}, below(3), below(3)};
  Metrics m;
  m.points = 1 + below(9);
  m.differing = below(3);
  m.widths_affected = below(2);
  if (below(2) == 0) m.first = w;
  m.zero_lost = below(2);
  m.zero_sign = below(2);
  m.nonfinite = below(2);
  m.unwritten = below(2);
  m.steps.offer(below(3), w);
  m.ulp_error.offer(static_cast<double>(below(3)) / 2, w);
  m.range_ulp.offer(static_cast<double>(below(3)) / 4, w);
  m.abs.offer(static_cast<double>(below(2)), w);
  m.rel.offer(static_cast<double>(below(2)), w);
  m.histogram.add(below(1000));
  return m;
}

Metrics merged(Metrics a, const Metrics& b) {
  a.merge(b);
  return a;
}

/// Merging decides by value, then point. Witnesses of one point are alike in a real run.
Metrics with_equal_sides(Metrics m) {
  const auto level = [](std::optional<Witness>& w) {
    if (w) w->actual = w->expected = 0;
  };
  level(m.first);
  for (auto* extreme : {&m.ulp_error, &m.range_ulp, &m.abs, &m.rel}) level(extreme->witness);
  level(m.steps.witness);
  return m;
}

TEST_CASE("merging is associative and commutative, and empty metrics are neutral") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const Metrics a = with_equal_sides(random_point(random));
    const Metrics b = with_equal_sides(random_point(random));
    const Metrics c = with_equal_sides(random_point(random));
    REQUIRE(merged(a, b) == merged(b, a));
    REQUIRE(merged(merged(a, b), c) == merged(a, merged(b, c)));
    REQUIRE(merged(a, Metrics{}) == a);
    REQUIRE(merged(Metrics{}, a) == a);
  }
}

TEST_CASE("any order of many parts gives the same") {
  std::mt19937_64 random(5);
  std::vector<Metrics> parts;
  for (int i = 0; i < 50; ++i) parts.push_back(with_equal_sides(random_point(random)));
  Metrics expected;
  for (const Metrics& part : parts) expected.merge(part);
  for (int i = 0; i < 20; ++i) {
    std::ranges::shuffle(parts, random);
    Metrics shuffled;
    for (const Metrics& part : parts) shuffled.merge(part);
    REQUIRE(shuffled == expected);
  }
}

TEST_CASE("a maximum keeps the smallest point among equal values") {
  Extreme<double> extreme;
  extreme.offer(0, {{1, 1}, 0, 0});
  CHECK(!extreme.witness);
  extreme.offer(2, {{9, 3}, 1, 2});
  extreme.offer(2, {{9, 1}, 3, 4});
  extreme.offer(2, {{10, 0}, 5, 6});
  extreme.offer(1, {{1, 0}, 7, 8});
  CHECK(extreme.value == 2);
  CHECK(extreme.witness == Witness{{9, 1}, 3, 4});
}

TEST_CASE("histogram buckets are exact to 4, then end at powers of two") {
  using H = StepsHistogram;
  for (std::uint64_t steps = 0; steps <= 4; ++steps) CHECK(H::bucket(steps) == steps);
  CHECK(H::bucket(5) == 5);
  CHECK(H::bucket(8) == 5);
  CHECK(H::bucket(9) == 6);
  CHECK(H::bucket(18437736874454810622u) < H::buckets);
  CHECK(H::bucket(~std::uint64_t{0}) == H::buckets - 1);
  for (std::size_t b = 0; b < H::buckets; ++b) {
    CHECK(H::bucket(H::upper_bound(b)) == b);
    if (b + 1 < H::buckets) CHECK(H::bucket(H::upper_bound(b) + 1) == b + 1);
  }
}

}  // namespace
}  // namespace halfulp
