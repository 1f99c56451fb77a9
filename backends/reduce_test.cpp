#include "backends/reduce.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halfulp::backends {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
using Vector = std::vector<float>;

const Narrowing f16 = narrowing_to(binary16);
const Narrowing bf16 = narrowing_to(bfloat16);

Reduction in_order(Op op, std::string_view order, const Narrowing& step = {}) {
  return {.op = op, .order = parse_order(order), .step = step};
}

float run(const Reduction& reduction, const Vector& x, const Vector& y = {}) {
  return reduce(reduction, std::span<const float>(x), std::span<const float>(y));
}

double run64(const Reduction& reduction, const std::vector<double>& x) {
  return reduce(reduction, std::span<const double>(x), std::span<const double>());
}

float sum(std::string_view order, const Vector& x, const Narrowing& step = {}) {
  return run(in_order(Op::sum, order, step), x);
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Small integers, all of whose partial sums are exact.
Vector integers(std::size_t n) {
  Vector x;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < n; ++i) {
    state = 1664525 * state + 1013904223;
    x.push_back(static_cast<float>(state >> 29) - 3);
  }
  return x;
}

/// Values of very different sizes, rounded to a format.
Vector spread(std::size_t n, const Narrowing& to) {
  Vector x;
  std::uint32_t state = 3;
  for (std::size_t i = 0; i < n; ++i) {
    state = 1664525 * state + 1013904223;
    const float significand = static_cast<float>(state >> 8) - 0x1p23f;
    x.push_back(narrow(std::ldexp(significand, static_cast<int>((state >> 3) & 7) - 24), to));
  }
  return x;
}

std::vector<ReductionOrder> all_orders() {
  auto orders = sample_orders();
  for (const std::string_view text :
       {"kahan", "neumaier", "counter", "windows:32", "tree", "blocks:4096(sequential/counter)",
        "below:8(lanes:4:first(cascade:4)/lanes:8:before(lanes:4:first(cascade:4)))"}) {
    orders.push_back(parse_order(text));
  }
  return orders;
}

}  // namespace

TEST_CASE("ones summed step by step stop where one is half an ulp", "[reduce]") {
  CHECK(sum("sequential", Vector(3000, 1), f16) == 2048);
  CHECK(sum("sequential", Vector(6000, 1), f16) == 2048);
  CHECK(sum("sequential", Vector(3000, 1), bf16) == 256);
  CHECK(sum("sequential", Vector(6000, 1), bf16) == 256);
  CHECK(sum("pairs", Vector(3000, 1), f16) == 3000);
  CHECK(sum("kahan", Vector(3000, 1), f16) == 3000);
  CHECK(run({.op = Op::sum, .order = parse_order("sequential"), .result = f16}, Vector(6000, 1)) ==
        6000);
}

TEST_CASE("a long sequential sum in binary32 drifts", "[reduce]") {
  const Vector x(4'194'304, 2.25f);
  CHECK(sum("sequential", x) == 8854642);
  CHECK(sum("pairs", x) == 9437184);
  CHECK(sum("kahan", x) == 9437184);
  CHECK(run64(in_order(Op::sum, "sequential"), std::vector<double>(x.begin(), x.end())) == 9437184);
}

TEST_CASE("compensated sums find what a sequential one loses", "[reduce]") {
  const Vector x{1, 0x1p-24f, 0x1p-24f, 0x1p-24f, 0x1p-24f};
  CHECK(sum("sequential", x) == 1);
  CHECK(bits(sum("kahan", x)) == 0x3f800002);
  CHECK(bits(sum("neumaier", x)) == 0x3f800002);
  // Where a summand is larger than the sum, Kahan's loses it and Neumaier's does not.
  const Vector larger{1, 1e30f, 1, -1e30f};
  CHECK(sum("kahan", larger) == 0);
  CHECK(sum("neumaier", larger) == 2);
  CHECK(sum("neumaier", {1, 300, 1, -300}, bf16) == 2);
  CHECK(run64(in_order(Op::sum, "neumaier"), std::vector<double>{1, 1e300, 1, -1e300}) == 2);
}

TEST_CASE("compensated sums with every operation rounded", "[reduce]") {
  const auto r = [](float v) { return narrow(v, bf16); };
  Vector x;
  for (int i = 0; i < 400; ++i)
    x.push_back(r(std::ldexp(static_cast<float>(i * 37 % 101 - 50), i % 7)));
  float s = 0;
  float c = 0;
  for (const float v : x) {
    const float y = r(v - c);
    const float t = r(s + y);
    c = r(r(t - s) - y);
    s = t;
  }
  CHECK(sum("kahan", x, bf16) == s);
  s = c = 0;
  for (const float v : x) {
    const float t = r(s + v);
    c = std::fabs(s) >= std::fabs(v) ? r(c + r(r(s - t) + v)) : r(c + r(r(v - t) + s));
    s = t;
  }
  CHECK(sum("neumaier", x, bf16) == r(s + c));
  CHECK(sum("neumaier", x, bf16) != sum("sequential", x, bf16));
}

TEST_CASE("all orders agree where every partial sum is exact", "[reduce]") {
  for (const std::size_t n : {1u, 31u, 1000u, 1u << 20}) {
    const Vector x = integers(n);
    double exact = 0;
    for (const float v : x) exact += static_cast<double>(v);
    double squares = 0;
    for (const float v : x) squares += static_cast<double>(v) * static_cast<double>(v);
    REQUIRE(squares < 0x1p24);
    for (const ReductionOrder& order : all_orders()) {
      CAPTURE(n, to_string(order));
      CHECK(run({.op = Op::sum, .order = order}, x) == exact);
      for (const Products products : {Products::rounded, Products::fused}) {
        CHECK(run({.op = Op::dot, .order = order, .products = products}, x, x) == squares);
      }
    }
  }
}

TEST_CASE("reductions of nothing", "[reduce]") {
  CHECK(bits(run(in_order(Op::sum, "tree"), {})) == 0);
  CHECK(run(in_order(Op::product, "tree"), {}) == 1);
  CHECK(bits(run(in_order(Op::dot, "tree"), {})) == 0);
  CHECK(run(in_order(Op::smallest, "tree"), {}) == inf);
  CHECK(run(in_order(Op::largest, "tree"), {}) == -inf);
  CHECK(std::isnan(run(in_order(Op::index_of_largest, "tree"), {})));
  CHECK(std::isnan(run(in_order(Op::welford_mean, "tree"), {})));
  CHECK(bits(run(in_order(Op::welford_m2, "tree"), {})) == 0);
  CHECK(bits(run(in_order(Op::chan_m2, "tree"), {})) == 0);
  CHECK(run64(in_order(Op::product, "tree"), std::vector<double>{}) == 1);
  // float8_e4m3fn has no infinity.
  CHECK(std::isnan(run({.op = Op::largest, .result = narrowing_to(float8_e4m3fn)}, {})));
}

TEST_CASE("reductions of one element", "[reduce]") {
  for (const ReductionOrder& order : all_orders()) {
    CAPTURE(to_string(order));
    for (const float v : {3.5f, -inf, inf, 0x1p-149f}) {
      CHECK(run({.op = Op::sum, .order = order}, {v}) == v);
      CHECK(run({.op = Op::product, .order = order}, {v}) == v);
      CHECK(run({.op = Op::dot, .order = order}, {v}, {2}) == 2 * v);
      CHECK(run({.op = Op::welford_mean, .order = order}, {v}) == v);
    }
    CHECK(bits(run({.op = Op::sum, .order = order}, {-0.0f})) == 0);
    CHECK(bits(run({.op = Op::product, .order = order}, {-0.0f})) == 0x80000000);
    CHECK(std::isnan(run({.op = Op::sum, .order = order}, {nan})));
    CHECK(bits(run({.op = Op::welford_m2, .order = order}, {7})) == 0);
    CHECK(bits(run({.op = Op::chan_m2, .order = order}, {7})) == 0);
  }
}

TEST_CASE("zeros, infinities and NaN in sums of every order", "[reduce]") {
  for (const ReductionOrder& order : all_orders()) {
    CAPTURE(to_string(order));
    const auto sum_of = [&](const Vector& x) { return run({.op = Op::sum, .order = order}, x); };
    CHECK(bits(sum_of(Vector(9, -0.0f))) == 0);
    CHECK(std::isnan(sum_of({1, inf, 2, -inf, 3, 4, 5, 6, 7})));
    CHECK(std::isnan(sum_of({1, 2, 3, 4, nan, 6, 7, 8, 9})));
    CHECK(std::isnan(sum_of(Vector(40, nan))));
    if (order.kind == ReductionOrder::Kind::kahan || order.kind == ReductionOrder::Kind::neumaier) {
      continue;
    }
    CHECK(sum_of({1, 2, 3, 4, inf, 6, 7, 8, inf}) == inf);
    CHECK(sum_of(Vector(40, std::numeric_limits<float>::max())) == inf);
    CHECK(sum_of(Vector(40, 0x1p-149f)) == 40 * 0x1p-149f);
  }
  // The published compensated sums compute inf - inf.
  CHECK(sum("kahan", {1, inf}) == inf);
  CHECK(std::isnan(sum("kahan", {1, inf, 2})));
  CHECK(std::isnan(sum("neumaier", {1, inf})));
}

TEST_CASE("steps round as `narrow` does", "[reduce]") {
  for (const Format& format : {binary16, bfloat16, tf32, float8_e4m3fn, float8_e5m2}) {
    const Narrowing step = narrowing_to(format);
    int wrong = 0;
    std::uint32_t state = 7;
    const auto next = [&] { return state = 1664525 * state + 1013904223; };
    for (int i = 0; i < 20000; ++i) {
      // Half of the exponents are near the middle, where the narrow formats are.
      const std::uint32_t pattern = next() ^ (next() >> 16);
      const float x = i % 2 == 0
                          ? std::bit_cast<float>(pattern)
                          : std::ldexp(std::bit_cast<float>((pattern & 0x807fffff) | 0x3f800000),
                                       static_cast<int>(next() >> 26) - 40);
      const float expected = narrow(x * 1.0f, step);
      const float actual = run(in_order(Op::product, "sequential", step), {1, x});
      const bool both_nan = std::isnan(actual) && std::isnan(expected);
      wrong += bits(actual) == bits(expected) || both_nan ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("an element is not rounded before it is used", "[reduce]") {
  CHECK(sum("sequential", {0x1p-24f, 1}, bf16) == 1);
  CHECK(sum("sequential", {1.001f}, bf16) == 1);  // by 0 + x
  CHECK(run(in_order(Op::product, "sequential", bf16), {1.001f}) == 1.001f);
  CHECK(run({.op = Op::product, .order = parse_order("sequential"), .result = bf16}, {1.001f}) ==
        1);
}

TEST_CASE("a fused dot product rounds once a term", "[reduce]") {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: rounded, the last bit is lost before the sum cancels.
  const Vector x{-1, 1 + 0x1p-12f};
  const Vector y{1 + 0x1p-11f, 1 + 0x1p-12f};
  Reduction dot = in_order(Op::dot, "sequential");
  CHECK(run(dot, x, y) == 0);
  dot.products = Products::fused;
  CHECK(run(dot, x, y) == 0x1p-24f);
  CHECK(run(dot, {x[1], x[0]}, {y[1], y[0]}) == 0);  // the first product is rounded alone
  dot.order = parse_order("pairs");
  CHECK(run(dot, x, y) == 0);
  dot.order = parse_order("reversed");
  CHECK(run(dot, {x[1], x[0]}, {y[1], y[0]}) == 0x1p-24f);
  // 7 * 37 is 259, half way between 258 and 260 in bfloat16; the partial sum decides.
  dot = in_order(Op::dot, "sequential", bf16);
  CHECK(run(dot, {-0x1p-10f, 7}, {1, 37}) == 260);
  dot.products = Products::fused;
  CHECK(run(dot, {-0x1p-10f, 7}, {1, 37}) == 258);
}

TEST_CASE("a fused compensated dot product", "[reduce]") {
  Vector x;
  Vector y;
  for (int i = 0; i < 500; ++i) {
    x.push_back(std::ldexp(static_cast<float>(i * 7919 % 1009 - 504), i % 11));
    y.push_back(std::ldexp(static_cast<float>(i * 104729 % 2003 - 1001), -(i % 13)) / 3);
  }
  float s = 0;
  float c = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float term = std::fma(x[i], y[i], -c);
    const float t = s + term;
    c = (t - s) - term;
    s = t;
  }
  Reduction dot = in_order(Op::dot, "kahan");
  dot.products = Products::fused;
  CHECK(run(dot, x, y) == s);
  dot.order = parse_order("neumaier");  // of rounded products
  const float neumaier = run(dot, x, y);
  dot.products = Products::rounded;
  CHECK(run(dot, x, y) == neumaier);
}

TEST_CASE("Welford's update, every operation rounded", "[reduce]") {
  for (const Narrowing& step : {Narrowing{}, bf16, f16}) {
    const auto r = [&](float v) { return narrow(v, step); };
    const Vector x = spread(300, step);
    float m = 0;
    float m2 = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float d = r(x[i] - m);
      m = r(m + r(d / r(static_cast<float>(i + 1))));
      m2 = r(m2 + r(d * r(x[i] - m)));
    }
    CHECK(run(in_order(Op::welford_mean, "sequential", step), x) == m);
    CHECK(run(in_order(Op::welford_m2, "sequential", step), x) == m2);
  }
}

TEST_CASE("moments merge by Chan's formula", "[reduce]") {
  for (const Narrowing& step : {Narrowing{}, bf16, f16}) {
    const auto r = [&](float v) { return narrow(v, step); };
    struct State {
      float n, mean, m2;
    };
    const auto merge = [&](const State& a, const State& b) {
      const float n = a.n + b.n;
      const float d = r(b.mean - a.mean);
      const float q = r(r(b.n) / r(n));
      return State{n, r(a.mean + r(d * q)), r(r(a.m2 + b.m2) + r(r(d * d) * r(r(a.n) * q)))};
    };
    const auto leaf = [&](const Vector& x) {
      State s{0, 0, 0};
      for (const float v : x) {
        s.n += 1;
        const float d = r(v - s.mean);
        s.mean = r(s.mean + r(d / r(s.n)));
        s.m2 = r(s.m2 + r(d * r(v - s.mean)));
      }
      return s;
    };
    const Vector x = spread(301, step);
    for (std::size_t block = 1; block <= 301; ++block) {
      CAPTURE(block);
      State whole{};
      for (std::size_t from = 0; from < x.size(); from += block) {
        const auto part = std::span(x).subspan(from, std::min(block, x.size() - from));
        const State next = leaf({part.begin(), part.end()});
        whole = from == 0 ? next : merge(whole, next);
      }
      const std::string order = "blocks:" + std::to_string(block);
      CHECK(run(in_order(Op::welford_mean, order, step), x) == whole.mean);
      CHECK(run(in_order(Op::welford_m2, order, step), x) == whole.m2);
    }

    State chan{1, x[0], 0};
    for (std::size_t i = 1; i < x.size(); ++i) chan = merge(chan, {1, x[i], 0});
    CHECK(run(in_order(Op::chan_m2, "sequential", step), x) == chan.m2);
    const State one{1, x[0], 0};
    const State two{1, x[1], 0};
    const State three{1, x[2], 0};
    CHECK(run(in_order(Op::chan_m2, "blocks:2", step), {x[0], x[1], x[2]}) ==
          merge(merge(one, two), three).m2);
    CHECK(run(in_order(Op::chan_m2, "blocks:2(sequential/reversed)", step), {x[0], x[1], x[2]}) ==
          merge(three, merge(one, two)).m2);
  }
}

TEST_CASE("a constant vector has no spread", "[reduce]") {
  for (const Narrowing& step : {Narrowing{}, bf16, f16}) {
    for (const float v : {0.1f, -1e4f, 3.0f}) {
      const Vector x(5000, narrow(v, step));
      for (const ReductionOrder& order : all_orders()) {
        CAPTURE(v, to_string(order));
        CHECK(run({.op = Op::welford_mean, .order = order, .step = step}, x) == x[0]);
        CHECK(run({.op = Op::welford_m2, .order = order, .step = step}, x) == 0);
        CHECK(run({.op = Op::chan_m2, .order = order, .step = step}, x) == 0);
      }
    }
  }
  CHECK(run64(in_order(Op::welford_m2, "pairs"), std::vector<double>(1000, 0.1)) == 0);
}

TEST_CASE("a spread that is exact in every order", "[reduce]") {
  // 0, 2, 0, 2, ...: every block of four has mean 1 and M2 4.
  Vector x;
  for (int i = 0; i < 4096; ++i) x.push_back(static_cast<float>(i % 2 * 2));
  for (const std::string_view order : {"pairs", "tree", "counter", "blocks:2(pairs/pairs)"}) {
    CAPTURE(order);
    CHECK(run(in_order(Op::chan_m2, order), x) == 4096);
    CHECK(run(in_order(Op::welford_m2, order), x) == 4096);
    CHECK(run(in_order(Op::welford_mean, order), x) == 1);
  }
}

TEST_CASE("narrowed parts are rounded to the result's format", "[reduce]") {
  Reduction r{.op = Op::sum, .order = parse_order("blocks:2(narrowed/sequential)"), .result = bf16};
  CHECK(run(r, {256, 1, -256}) == 0);
  r.order = parse_order("blocks:2");
  CHECK(run(r, {256, 1, -256}) == 1);
  r = {.op = Op::chan_m2, .order = parse_order("blocks:2(narrowed)"), .result = bf16};
  // 256 and 258 have the mean 257, which is 256 in bfloat16, and M2 2.
  CHECK(run(r, {256, 258, 256}) == 2);
  CHECK(run(r, {256, 258, 260}) == narrow(2 + 16 * (2 * (1.0f / 3)), bf16));
  r.order = parse_order("blocks:2");
  CHECK(run(r, {256, 258, 260}) == 8);
}

TEST_CASE("what is no reduction is refused", "[reduce]") {
  CHECK_THROWS_AS(run({.op = Op::add}, {1}), std::logic_error);
  CHECK_THROWS_AS(run({.op = Op::element}, {1}), std::logic_error);
}

}  // namespace halfulp::backends
