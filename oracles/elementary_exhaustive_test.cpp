// exp and log rounded correctly at every binary16 and bfloat16 number, and at binary32's hard ones.
#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "harness/encoding.h"
#include "oracles/hybrid_evaluator.h"
#include "oracles/staged_oracle.h"

namespace halfulp::oracles {
namespace {

using Reference = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<600, boost::multiprecision::backends::digit_base_2>,
    boost::multiprecision::et_off>;

Reference reference(Op op, double x) {
  return op == Op::exp ? exp(Reference(x)) : log(Reference(x));
}

ExactValue exact_value(const Reference& x) {
  if (x == 0) return {};
  const Integer significand(x.backend().bits());
  const Fraction magnitude =
      Fraction(significand, Integer(1)) * Fraction::power_of_two(x.backend().exponent() - 599);
  return ExactValue(x < 0 ? -magnitude : magnitude);
}

/// y, exactly: no more than 113 bits.
ExactValue exact_value(long double y) {
  const auto high = static_cast<double>(y);
  const auto low = static_cast<double>(y - static_cast<long double>(high));
  return ExactValue::from_double(high) + ExactValue::from_double(low);
}

/// The result of rounding anything within x * (1 +- 2^-bits), if it is the same for all.
std::optional<std::uint64_t> rounded_near(const ExactValue& x, int bits, const Format& format) {
  const ExactValue margin = abs(x) * ExactValue(Fraction::power_of_two(-bits));
  const auto low = round_once(x - margin, format, RoundingMode::to_nearest_even).bits;
  const auto high = round_once(x + margin, format, RoundingMode::to_nearest_even).bits;
  return low == high ? std::optional(low) : std::nullopt;
}

/// What IEEE 754 recommends where the result is exact, an overflow or an underflow.
std::optional<double> special(Op op, double x) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (std::isnan(x) || (op == Op::log && x < 0)) return std::numeric_limits<double>::quiet_NaN();
  if (op == Op::exp) {
    if (x == 0) return 1;
    return std::fabs(x) > 200 ? std::optional(x < 0 ? 0 : inf) : std::nullopt;
  }
  if (x == 0) return -inf;
  return x == 1 || x == inf ? std::optional(x == 1 ? 0 : inf) : std::nullopt;
}

/// The correctly rounded result in each format: from the C library's long double with an error far
/// above its own where that decides, else from Boost's function at 600 bits.
std::vector<std::uint64_t> expected(Op op, double x, const std::vector<Format>& formats) {
  const auto known = special(op, x);
  const auto wide = static_cast<long double>(x);
  const ExactValue near = known ? ExactValue::from_double(*known)
                                : exact_value(op == Op::exp ? std::exp(wide) : std::log(wide));
  std::vector<std::uint64_t> out;
  for (const Format& format : formats) {
    auto bits = known ? std::optional(round_once(near, format, RoundingMode::to_nearest_even).bits)
                      : rounded_near(near, 50, format);
    if (!bits) bits = rounded_near(exact_value(reference(op, x)), 500, format);
    out.push_back(bits.value());
  }
  return out;
}

Program program_of(Op op, const Format& output) {
  ProgramBuilder b;
  const ValueId x = b.input(0);
  return b.finish(b.unary(op, fixed_type(output), x));
}

/// Every encoding of the format, widened.
InputVector every_value(const Format& format) {
  InputVector out;
  for (std::uint64_t bits = 0; bits <= format.encoding_mask(); ++bits) {
    out.f32.push_back(static_cast<float>(to_double(bits, format)));
  }
  return out;
}

/// The results of a whole axis by the oracle, encoded.
std::vector<std::uint64_t> answers(Op op, const Format& output, const Binding& binding) {
  const auto oracle = make_oracle(OracleKind::checked, program_of(op, output), binary32);
  oracle->bind(binding);
  const auto block = std::make_unique<OracleBlock>();
  std::vector<std::uint64_t> out;
  for (std::uint64_t first = 0; first < binding.count; first += block_lanes) {
    block->rounded.size = std::min<std::uint64_t>(block_lanes, binding.count - first);
    oracle->evaluate(first, *block);
    for (std::size_t lane = 0; lane < block->rounded.size; ++lane) {
      out.push_back(encode_exact(block->rounded.value(lane), output));
    }
  }
  CHECK(oracle->tiers().disagreements == 0);
  return out;
}

/// The oracle, and the hybrid evaluator by itself, at every number of a format.
void check_every_input(Op op, const Format& format) {
  const std::vector<InputVector> inputs{every_value(format)};
  const std::uint64_t count = inputs[0].f32.size();
  REQUIRE(count == 65536);
  const Binding binding{
      .n = exact(static_cast<std::int64_t>(count)), .count = count, .inputs = inputs};
  const std::vector<Format> formats{binary16, bfloat16, binary32};
  std::vector<std::vector<std::uint64_t>> answered;
  for (const Format& output : formats) answered.push_back(answers(op, output, binding));
  const auto plan = std::make_shared<const HybridPlan>(program_of(op, binary32));
  const auto alone = make_hybrid_evaluator(plan, 0);
  alone->bind(binding);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto bits = expected(op, inputs[0].value(i), formats);
    const Enclosure result = alone->evaluate(i);
    for (std::size_t f = 0; f < formats.size(); ++f) {
      const auto rounded = round_once(result, formats[f], RoundingMode::to_nearest_even);
      if (!rounded || rounded->bits != bits[f] || answered[f][i] != bits[f]) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("exp of every binary16 number is rounded correctly", "[elementary]") {
  check_every_input(Op::exp, binary16);
}

TEST_CASE("exp of every bfloat16 number is rounded correctly", "[elementary]") {
  check_every_input(Op::exp, bfloat16);
}

TEST_CASE("log of every binary16 number is rounded correctly", "[elementary]") {
  check_every_input(Op::log, binary16);
}

TEST_CASE("log of every bfloat16 number is rounded correctly", "[elementary]") {
  check_every_input(Op::log, bfloat16);
}

std::uint64_t value_of(Op op, const Format& format, float x) {
  const std::vector<InputVector> inputs{{{x}, {}}};
  const auto oracle = make_oracle(OracleKind::checked, program_of(op, format), binary32);
  oracle->bind({.n = exact(1), .count = 1, .inputs = inputs});
  return oracle->round_once(0, RoundingMode::to_nearest_even).bits;
}

TEST_CASE("overflow and underflow of exp", "[elementary]") {
  CHECK(value_of(Op::exp, binary32, 89) == binary32.infinity());
  CHECK(value_of(Op::exp, binary32, -104) == 0);
  CHECK(value_of(Op::exp, binary32, -103) == 1);
  // The first binary16 number whose exponential is not below 65520, half an ulp above the largest.
  std::uint64_t bits = 0;
  while (value_of(Op::exp, binary16, static_cast<float>(to_double(bits, binary16))) !=
         binary16.infinity()) {
    ++bits;
  }
  CHECK(to_double(bits, binary16) == 11.09375);
  CHECK(value_of(Op::exp, binary16, 11.0859375F) ==
        expected(Op::exp, 11.0859375, {binary16}).front());
}

/// Is the exact result within 2^-25 ulps of a midpoint of binary32? (Of all binary32 numbers, those
/// in the list below are the hardest, by a search with 64-bit significands.)
bool is_hard(const ExactValue& exact) {
  const Format wider{49, 8, 127, Specials::ieee, Overflow::infinity};
  const auto bits = round_once(exact, wider, RoundingMode::to_nearest_even).bits;
  return (bits & 0x1ffffff) == 0x1000000;
}

TEST_CASE("exp and log of the hardest binary32 numbers", "[elementary]") {
  struct Witness {
    Op op;
    std::uint32_t bits;
  };
  for (const auto& [op, bits] : std::vector<Witness>{{Op::exp, 0xc16912cd},
                                                     {Op::exp, 0xbbf0edf1},
                                                     {Op::exp, 0xbae0e25c},
                                                     {Op::exp, 0x39c6be5b},
                                                     {Op::exp, 0x38e69cc1},
                                                     {Op::exp, 0x3d1a274e},
                                                     {Op::exp, 0x40315b33},
                                                     {Op::log, 0x65d890d3},
                                                     {Op::log, 0x4c5d65a5},
                                                     {Op::log, 0x4d604ebe},
                                                     {Op::log, 0x41178feb},
                                                     {Op::log, 0x1f116ab8},
                                                     {Op::log, 0x66a8c860},
                                                     {Op::log, 0x3c413d3a},
                                                     {Op::log, 0x6f31a8ec}}) {
    const auto x = std::bit_cast<float>(bits);
    INFO(name(op) << "(" << x << ")");
    const ExactValue near = exact_value(reference(op, static_cast<double>(x)));
    CHECK(is_hard(near));
    CHECK(value_of(op, binary32, x) == rounded_near(near, 500, binary32));
  }
}

TEST_CASE("exp of numbers next to 0 lies next to midpoints", "[elementary]") {
  // exp(x) = 1 + x + x^2/2 + ...: just above 1 + 2^-24 and just above 1 - 2^-25, two midpoints.
  CHECK(value_of(Op::exp, binary32, 0x1p-24F) == 0x3f800001);
  CHECK(value_of(Op::exp, binary32, -0x1p-25F) == 0x3f800000);
  CHECK(value_of(Op::exp, binary32, 0x1.fffffep-25F) == 0x3f800000);
  CHECK(value_of(Op::exp, binary32, -0x1.000002p-25F) == 0x3f7fffff);
}

}  // namespace
}  // namespace halfulp::oracles
