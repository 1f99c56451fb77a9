#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>

#include "cases/vector_query.h"
#include "harness/backend.h"

namespace halfulp::cases {
namespace {

Params step(const char* form, const char* h) { return {{"form", form}, {"values", h}}; }

std::string best(const char* form, const char* dtype, std::string_view backend) {
  return decimals(
      {"finite-difference", {{"form", form}, {"output", "best-step"}}, dtype, backend, 23});
}

}  // namespace

TEST_CASE("A step of 1e-4 is lost beside 1 in float16 and bfloat16") {
  for (const char* form : {"forward", "central"}) {
    INFO(form);
    CHECK(decimals({"finite-difference", step(form, "1e-4"), "f16"}) == "0");
    CHECK(decimals({"finite-difference", step(form, "1e-4"), "bf16"}) == "0");
    CHECK(decimals({"finite-difference", step(form, "1e-4"), "f16", "fused-fp32"}) == "3");
    CHECK(decimals({"finite-difference", step(form, "1e-4"), "bf16", "fused-fp32"}) == "3");
    CHECK(results({"finite-difference", step(form, "1e-4"), "f32"}) == "0x40400828");
  }
  CHECK(results({"finite-difference", step("forward", "1e-4"), "f32", "oracle"}) == "0x404004ea");
  CHECK(results({"finite-difference", step("central", "1e-4"), "f32", "oracle"}) == "0x40400000");
}

TEST_CASE("Central differences of x^3 at 1 in float32 over the steps 2^-1 to 2^-23") {
  const VectorQuery query{"finite-difference", {}, "f32", "stepwise", 23};
  std::string threes;
  for (int k = 0; k < 11; ++k) threes += " 3";
  CHECK(decimals(query) ==
        "3.25 3.0625 3.015625 3.00390625 3.0009765625 3.000244140625 3.00006103515625 "
        "3.0000076293945312 3 3 3 2.9998779296875" +
            threes);
  VectorQuery oracle = query;
  oracle.backend = "oracle";
  oracle.params["output"] = "error";
  oracle.width = 4;
  CHECK(decimals(oracle) == "0.25 0.0625 0.015625 0.00390625");  // h^2
}

TEST_CASE("The best step of x^3 at 1 for each dtype") {
  // 1 + h is exact, so that some step has no error at all: the first of these.
  CHECK(best("central", "f32", "stepwise") == "8");
  CHECK(best("central", "f16", "stepwise") == "3");
  CHECK(best("central", "bf16", "stepwise") == "2");
  CHECK(best("forward", "f32", "stepwise") == "12");
  CHECK(best("forward", "f16", "stepwise") == "5");
  CHECK(best("forward", "bf16", "stepwise") == "4");
  CHECK(best("central", "f64", "stepwise") == "17");
  CHECK(best("forward", "f64", "stepwise") == "22");
  // Folded casts leave the float32 estimate.
  CHECK(best("central", "f16", "fused-fp32") == "8");
  CHECK(best("central", "bf16", "fused-fp32") == "8");
  // Without rounding the smallest step is the best.
  CHECK(best("central", "f32", "oracle") == "22");
  CHECK(best("forward", "f16", "oracle") == "22");
}

TEST_CASE("The best step of 1 / x at 3/4 for each dtype") {
  struct Row {
    const char* dtype;
    const char* forward;
    const char* central;
  };
  const std::vector<Row> rows{
      {"f64", "22", "19"}, {"f32", "11", "9"}, {"f16", "5", "4"}, {"bf16", "4", "3"}};
  for (const Row& r : rows) {
    INFO(r.dtype);
    const auto best_of = [&](const char* form) {
      return decimals(
          {"finite-difference",
           {{"form", form}, {"function", "reciprocal"}, {"at", "3/4"}, {"output", "best-step"}},
           r.dtype,
           "stepwise",
           23});
    };
    CHECK(best_of("forward") == r.forward);
    CHECK(best_of("central") == r.central);
  }
}

TEST_CASE("The derivative of exp at 1: e, from above and within 1e-5") {
  const Params params{{"function", "exp"}, {"values", "0x1p-8"}};
  CHECK(results({"finite-difference", params, "f32"}) == "0x402df880");
  CHECK(results({"finite-difference", params, "f32", "oracle"}) == "0x402df871");
  Params error = params;
  error["output"] = "error";
  CHECK_THROWS_AS(results({"finite-difference", error, "f32"}), Unsupported);
  const std::string exact = decimals({"finite-difference", error, "f32", "oracle"});
  CHECK(exact.starts_with("6.9129"));
  CHECK(exact.ends_with("e-06"));
}

TEST_CASE("Exact derivatives of every function") {
  struct Row {
    const char* function;
    const char* at;
    std::string_view derivative;
  };
  const std::vector<Row> rows{{"cube", "2", "12"},          {"square", "3", "6"},
                              {"reciprocal", "2", "-0.25"}, {"sqrt", "4", "0.25"},
                              {"log", "4", "0.25"},         {"exp", "0", "1"},
                              {"tanh", "0", "1"},           {"sigmoid", "0", "0.25"}};
  for (const Row& r : rows) {
    INFO(r.function);
    // The error of the exact difference quotient is the quotient less the derivative.
    const Params quotient{{"function", r.function}, {"at", r.at}, {"values", "0x1p-20"}};
    Params error = quotient;
    error["output"] = "error";
    const double q = std::stod(decimals({"finite-difference", quotient, "f64", "oracle"}));
    const double e = std::stod(decimals({"finite-difference", error, "f64", "oracle"}));
    CHECK(std::fabs(e) < 1e-10);
    CHECK(std::fabs(q - e - std::stod(std::string(r.derivative))) < 1e-15 * std::fabs(q));
  }
}

TEST_CASE("Steps that are no numbers, and none") {
  CHECK(decimals({"finite-difference", {{"values", "0,inf,nan"}}}) == "nan nan nan");
  CHECK(decimals({"finite-difference", {{"values", "0,inf,nan"}}, "f32", "oracle"}) ==
        "nan nan nan");
  CHECK(decimals({"finite-difference", {}, "f32", "stepwise", 0}).empty());
  for (const char* backend : {"stepwise", "fused-fp32", "oracle"}) {
    CHECK(decimals({"finite-difference", {{"output", "best-step"}}, "f32", backend, 0}) == "nan");
  }
  // float16 has 2^-24, then 0, whose quotient is NaN and counts as the best step.
  CHECK(best("central", "f16", "stepwise") == "3");
  const Params params{{"output", "best-step"}};
  CHECK(decimals({"finite-difference", params, "f16", "stepwise", 30}) == "24");
}

}  // namespace halfulp::cases
