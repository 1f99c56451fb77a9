// The figures of convert, cast-chain, machine-epsilon and nan-inf, each computed here.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "cases/vector_figures.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

Params converted(const std::string& form, const std::string& to, const std::string& values) {
  return {{"form", form}, {"to", to}, {"values", values}};
}

std::string program(std::string_view subject, const Params& given) {
  const Case& c = find_case(subject);
  return to_expression(c.build(complete_params(c, given), 2));
}

}  // namespace

TEST_CASE("bf16 by truncation and to nearest", "[conversions]") {
  CHECK(everywhere_bits({"convert", converted("nearest", "bf16", "3.14,1e-8")}) == "0x4049 0x322c");
  CHECK(everywhere_bits({"convert", converted("truncate", "bf16", "3.14,1e-8,-3.14")}) ==
        "0x4048 0x322b 0xc048 | 0x4048 0x322b 0xc048 | 0x4049 0x322c 0xc049");
}

TEST_CASE("values rounded once, ties to even, in every format", "[conversions]") {
  CHECK(everywhere_bits(
            {"convert", converted("nearest", "f16", "0x1.002p0,0x1.006p0,65520,0x1p-25"), "f64"}) ==
        "0x3c00 0x3c02 inf 0x0000");
  // 1 + 2^-11 + 2^-40, which becomes a tie where it is narrowed through binary32.
  VectorQuery tie{"convert", converted("nearest", "f16", "0x1.0020000001p0"), "f64"};
  CHECK(everywhere_bits(tie) == "0x3c01");
  tie.backend = "stepwise+wide_casts=through-f32";
  CHECK(results(tie) == "0x3c00");
  CHECK(everywhere_bits({"convert", converted("nearest", "e5m2", "1.125,1.375,57344"), "f32"}) ==
        "0x3c 0x3e 0x7b");
  CHECK(everywhere_bits({"convert", converted("nearest", "e4m3", "1.0625,1.1875,448"), "bf16"}) ==
        "0x38 0x3a 0x7e");
  CHECK(everywhere_bits({"convert", converted("nearest", "f32", "0.1,-0,nan,-inf"), "f64"}) ==
        "0x3dcccccd 0x80000000 nan -inf");
  CHECK(everywhere_bits({.subject = "convert", .params = {}, .width = 0}).empty());
}

TEST_CASE("stochastic rounding goes to either neighbour, up as often as the value lies high",
          "[conversions]") {
  const auto rounded_up = [](const std::string& fill, const std::string& seed) {
    const Encodings e = evaluate({.subject = "convert",
                                  .params = {{"form", "stochastic"},
                                             {"to", "bf16"},
                                             {"fill", fill},
                                             {"rounding_seed", seed}},
                                  .width = 10000});
    CHECK(std::ranges::count(e.bits, 0x3f80) + std::ranges::count(e.bits, 0x3f81) == 10000);
    return std::ranges::count(e.bits, 0x3f81);
  };
  CHECK(rounded_up("1", "1") == 0);  // a value of the format stays
  // A quarter of the way; five standard deviations of a binomial count are below 217.
  const auto quarter = rounded_up("0x1.008p0", "1");
  CHECK(std::abs(static_cast<double>(quarter) - 2500) < 217);
  CHECK(rounded_up("0x1.008p0", "2") != quarter);
  CHECK(rounded_up("0x1.008p0", "1") == quarter);
  CHECK_THROWS_AS(decimals({"convert", {{"rounding_seed", "0.5"}, {"values", "1"}}}), UsageError);
}

TEST_CASE("k / 7 through f16: kept, 1/7 loses bits; folded it does not", "[conversions]") {
  const Params kept{{"form", "kept"}, {"values", "1"}};
  CHECK(everywhere({"cast-chain", kept}) ==
        "0.142822265625 | 0.1428571492433548 | 0.1428571492433548");
  CHECK(everywhere({"cast-chain", {{"form", "folded"}, {"values", "1"}}}) == "0.1428571492433548");
  CHECK(everywhere({"cast-chain", {{"through", "bf16"}, {"values", "1"}}}) ==
        "0.142578125 | 0.1428571492433548 | 0.1428571492433548");
  // Without a vector the elements are 0, 1, 2, ...
  CHECK(decimals({.subject = "cast-chain", .params = {{"form", "kept"}}, .width = 3}) ==
        "0 0.142822265625 0.28564453125");
  CHECK(program("cast-chain", {}) == "T(f16(T(x0 / 7)))");
  CHECK(program("cast-chain", {{"form", "folded"}, {"output", "sums"}}) == "sum<T>(T(rows0 / 7))");
}

TEST_CASE("sums of rows of k / 7, k = 0 ... 19", "[conversions]") {
  Params params{{"form", "kept"}, {"output", "sums"}, {"rows", "4"}, {"values", "0..19"}};
  CHECK(decimals({"cast-chain", params}) ==
        "5.712890625 6.428466796875 7.1435546875 7.857177734375");
  CHECK(results({.subject = "cast-chain", .params = params, .backend = "oracle"}) ==
        "0x40b6db6e 0x40cdb6db 0x40e49249 0x40fb6db7");  // 40/7, 45/7, 50/7, 55/7
  const std::string folded =
      results({.subject = "cast-chain", .params = params, .backend = "fused-fp32"});
  params["form"] = "folded";
  CHECK(results({"cast-chain", params}) == folded);
  params.erase("values");
  CHECK(results({.subject = "cast-chain", .params = params, .width = 5}) == folded);
  CHECK_THROWS_AS(decimals({"cast-chain", {{"rows", "2"}, {"values", "1,2"}}}), UsageError);
  CHECK_THROWS_AS(decimals({"cast-chain", {{"divisor", "0"}, {"values", "1,2"}}}), UsageError);
}

TEST_CASE("machine epsilon by halving and by 4/3", "[conversions]") {
  struct Machine {
    std::string_view dtype;
    int fraction_bits;
  };
  for (const auto& [dtype, bits] :
       {Machine{"f64", 52}, Machine{"f32", 23}, Machine{"f16", 10}, Machine{"bf16", 7}}) {
    INFO(dtype);
    const Format format = parse_format(dtype);
    const auto steps =
        evaluate({.subject = "machine-epsilon", .params = {}, .dtype = dtype, .width = 60});
    for (int i = 0; i < 60; ++i) {
      // A tie at half of epsilon goes to the even neighbour, which is 1.
      const double expected = i <= bits ? std::ldexp(1.0, -i) : 0;
      CHECK(to_double(steps.bits[static_cast<std::size_t>(i)], format) == expected);
    }
    const auto thirds = evaluate({.subject = "machine-epsilon",
                                  .params = {{"form", "four-thirds"}},
                                  .dtype = dtype,
                                  .width = 1});
    CHECK(to_double(thirds.bits.at(0), format) == std::ldexp(1.0, -bits));
  }
  // The idealised compiler has the epsilon of binary32 whatever the dtype; exactly it is 0.
  CHECK(everywhere_bits({.subject = "machine-epsilon",
                         .params = {{"form", "four-thirds"}},
                         .dtype = "f16",
                         .width = 1}) == "0x1400 | 0x0002 | 0x0000");
}

TEST_CASE("NaN and infinities through max, min, clamp and relu, both argument orders",
          "[conversions]") {
  const std::string values = "nan,1,inf,-inf";  // x runs over them, for each x so does y
  const auto of = [&](const std::string& op, const std::string& order, std::string_view backend) {
    return decimals({.subject = "nan-inf",
                     .params = {{"op", op}, {"arguments", order}, {"values", values}},
                     .backend = backend});
  };
  const std::string largest = "nan nan nan nan nan 1 inf 1 nan inf inf inf nan 1 inf -inf";
  const std::string smallest = "nan nan nan nan nan 1 1 -inf nan 1 inf -inf nan -inf -inf -inf";
  for (const std::string order : {"xy", "yx"}) {
    for (const std::string_view backend : {"stepwise", "fused-fp32", "oracle"}) {
      CHECK(of("max", order, backend) == largest);
      CHECK(of("min", order, backend) == smallest);
      CHECK(of("clamp", order, backend) == "nan nan nan nan nan 1 1 1 nan 1 1 1 nan 1 1 -inf");
      CHECK(of("relu", order, backend) == "nan 1 inf 0");
    }
    CHECK(of("max", order, "stepwise+extremes=number") ==
          "nan 1 inf -inf 1 1 inf 1 inf inf inf inf -inf 1 inf -inf");
  }
  // x < y ? y : x (or with the arguments exchanged) returns its second operand where either is NaN.
  CHECK(of("max", "xy", "stepwise+extremes=select") ==
        "nan 1 inf -inf nan 1 inf 1 nan inf inf inf nan 1 inf -inf");
  CHECK(of("max", "yx", "stepwise+extremes=select") ==
        "nan nan nan nan 1 1 inf 1 inf inf inf inf -inf 1 inf -inf");
  CHECK(of("relu", "xy", "stepwise+extremes=select") == "0 1 inf 0");
  CHECK(of("relu", "yx", "stepwise+extremes=select") == "nan 1 inf 0");
}

TEST_CASE("NaN and infinities through reductions of two elements", "[conversions]") {
  const auto of = [&](const std::string& op, const std::string& values) {
    return everywhere({"nan-inf", {{"op", op}, {"values", values}}, "f16"}, results);
  };
  CHECK(of("largest", "nan,1") == "nan nan nan 0x3c00");
  CHECK(of("smallest", "nan,1") == "nan nan nan 0x3c00");
  CHECK(of("sum", "inf,-inf") == "inf nan nan -inf");
  CHECK(of("product", "inf,-inf") == "inf -inf -inf inf");
  CHECK(of("product", "inf,0") == "inf nan nan 0x0000");
  CHECK(of("index-of-largest", "1,nan") == "0x0000 0x3c00 0x0000 0x0000");
  CHECK(of("logsumexp", "inf,-inf") == "inf inf inf -inf");
  CHECK(of("logsumexp", "nan,inf") == "nan nan nan inf");
  // softmax of (-inf, -inf) is 0/0, of anything with inf inf - inf; of (0, -inf) it is (1, 0).
  CHECK(of("softmax", "0,-inf") == "0x3800 0x3800 0x3c00 0x0000 0x0000 0x3c00 nan nan");
  CHECK(of("softmax", "inf") == "nan nan");
  CHECK(of("softmax", "nan,1") == "nan nan nan nan nan nan 0x3800 0x3800");
  CHECK(everywhere({.subject = "nan-inf", .params = {{"op", "relu"}}, .dtype = "bf16"}, results) ==
        "nan inf 0x0000 0x0000 0x0000 0x3f80 0x0000 0x7f7f 0x0001");
  CHECK_THROWS_AS(decimals({"nan-inf", {{"op", "max"}, {"values", "1..5000"}}}), UsageError);
}

}  // namespace halfulp::cases
