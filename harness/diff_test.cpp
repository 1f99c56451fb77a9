#include "harness/diff.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "harness/case.h"
#include "harness/encoding.h"
#include "harness/every_target.h"

namespace halfulp {
namespace {

constexpr std::array formats{binary32,      tf32,        binary16, bfloat16,
                             float8_e4m3fn, float8_e5m2, toy_e4m3};

/// Any encoding of the format, special values more often than chance has them.
std::uint64_t random_encoding(std::mt19937_64& random, const Format& f) {
  switch (random() % 12) {
    case 0:
      return random() % 2 != 0 ? 0 : f.sign_mask();
    case 1:
      return f.quiet_nan();
    case 2:
      return f.has_infinity() ? f.infinity() | (random() % 2 != 0 ? f.sign_mask() : 0) : 0;
    case 3:
      return random() % 8;
    default:
      return random() & f.encoding_mask();
  }
}

void set(Block& block, std::size_t lane, std::uint64_t bits, const Format& f) {
  if (block.carrier == Carrier::f32) {
    block.f32[lane] = static_cast<float>(to_double(bits, f));
  } else {
    block.f64[lane] = to_double(bits, f);
  }
}

struct Pair {
  std::unique_ptr<Block> actual = std::make_unique<Block>();
  std::unique_ptr<Block> expected = std::make_unique<Block>();
};

/// Blocks that agree in most lanes, nearly agree in some and are unrelated in others.
Pair random_pair(std::mt19937_64& random, const Format& f, std::size_t size) {
  Pair pair;
  for (Block* block : {pair.actual.get(), pair.expected.get()}) {
    poison(*block, carrier_of(f), size);
  }
  for (std::size_t lane = 0; lane < size; ++lane) {
    const std::uint64_t bits = random_encoding(random, f);
    std::uint64_t other = bits;
    if (random() % 4 == 0) other = next_up(bits, f);
    if (random() % 16 == 0) other = random_encoding(random, f);
    set(*pair.expected, lane, bits, f);
    if (random() % 64 != 0) set(*pair.actual, lane, other, f);  // else: left unwritten
  }
  return pair;
}

Comparison comparison(const Block& actual, const Block& expected, const DiffConstants& constants) {
  return {.actual = &actual, .expected = &expected, .constants = &constants, .width = 7};
}

/// One lane each, both values given by encoding.
Metrics compare_one(std::uint64_t actual, std::uint64_t expected, const Format& f) {
  Block a;
  Block e;
  poison(a, carrier_of(f), 1);
  poison(e, carrier_of(f), 1);
  set(a, 0, actual, f);
  set(e, 0, expected, f);
  const DiffConstants constants(f);
  Metrics m;
  accumulate(comparison(a, e, constants), m);
  return m;
}

}  // namespace

TEST_CASE("comparison with a backend equals its slow twin on every target", "[diff]") {
  on_every_target([] {
    std::mt19937_64 random(3);
    for (const Format& f : formats) {
      INFO(short_name(f));
      const DiffConstants constants(f);
      Metrics fast;
      Metrics slow;
      for (const std::size_t size : {1024u, 1000u, 31u, 17u, 3u, 1u, 640u}) {
        const Pair pair = random_pair(random, f, size);
        Comparison c = comparison(*pair.actual, *pair.expected, constants);
        c.first = fast.points;
        CHECK(accumulate(c, fast) == accumulate_slowly(c, slow));
      }
      CHECK(fast == slow);
      CHECK(fast.differing > 0);
      CHECK(fast.unwritten > 0);
      CHECK(fast.nonfinite >= fast.unwritten / 2);
    }
  });
}

TEST_CASE("comparison with the oracle equals its slow twin on every target", "[diff]") {
  const Case& meshgrid = find_case("meshgrid");
  const Program program = meshgrid.build(complete_params(meshgrid, {{"form", "arange"}}), 2);
  on_every_target([&] {
    for (const Format& f : {bfloat16, binary16, tf32, binary32}) {
      INFO(short_name(f));
      const auto oracle = make_oracle(OracleKind::checked, program, f);
      const Backend backend = find_backend("eager-cpu");
      const auto evaluator = backend.compile(backend, program, f);
      const auto expected = std::make_unique<OracleBlock>();
      Block actual;
      const DiffConstants constants(f);
      Metrics fast;
      Metrics slow;
      for (std::uint64_t n = 2; n < 200; n += 3) {
        const Binding binding{exact(static_cast<std::int64_t>(n)), n, {}};
        oracle->bind(binding);
        evaluator->bind(binding);
        poison(expected->rounded, Carrier::f32, n);
        poison(actual, Carrier::f32, n);
        oracle->evaluate(0, *expected);
        evaluator->evaluate(0, actual);
        Comparison c = comparison(actual, expected->rounded, constants);
        c.exact = expected.get();
        c.oracle = oracle.get();
        c.width = n;
        CHECK(accumulate(c, fast) == accumulate_slowly(c, slow));
      }
      CHECK(fast == slow);
      CHECK(fast.abs.value > 0);
    }
  });
}

TEST_CASE("what counts as differing", "[diff]") {
  const Format f = bfloat16;
  const std::uint64_t one = 0x3f80;
  const std::uint64_t minus_zero = f.sign_mask();
  CHECK(compare_one(one, one, f).differing == 0);
  CHECK(compare_one(one + 1, one, f).steps.value == 1);
  CHECK(compare_one(f.quiet_nan(), f.quiet_nan(), f).differing == 0);

  const Metrics sign = compare_one(minus_zero, 0, f);
  CHECK(sign.differing == 0);
  CHECK(sign.zero_sign == 1);

  const Metrics lost = compare_one(1, 0, f);
  CHECK(lost.zero_lost == 1);
  CHECK(lost.steps.value == 1);

  for (const auto& [a, e] : {std::pair{f.quiet_nan(), one},
                             {one, f.quiet_nan()},
                             {f.infinity(), one},
                             {f.infinity() | f.sign_mask(), f.infinity()}}) {
    const Metrics m = compare_one(a, e, f);
    CHECK(m.nonfinite == 1);
    CHECK(m.differing == 1);
    CHECK(m.steps.value == 0);
    CHECK(m.abs.value == 0);
    CHECK(m.first.has_value());
  }
  CHECK(compare_one(f.sign_mask() | f.max_finite(), f.max_finite(), f).steps.value ==
        2 * f.max_finite());
  CHECK(compare_one(binary64.sign_mask() | binary64.max_finite(), binary64.max_finite(), binary64)
            .steps.value == 18437736874454810622u);
}

TEST_CASE("the ulp at a value: spacing above a power of two, smallest subnormal at the bottom",
          "[diff]") {
  for (const Format& f : formats) {
    CHECK(ulp_at(1, f) == std::ldexp(1.0, 1 - f.precision));
    CHECK(ulp_at(std::nextafter(1.0, 0.0), f) == std::ldexp(1.0, -f.precision));
    const double smallest = std::ldexp(1.0, f.min_subnormal_exponent());
    CHECK(ulp_at(0, f) == smallest);
    CHECK(ulp_at(smallest, f) == smallest);
    CHECK(ulp_at(smallest / 4, f) == smallest);
    CHECK(range_ulp_at(1, f) == ulp_at(1, f));
  }
}

}  // namespace halfulp
