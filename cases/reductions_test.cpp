// The figures of sum, dot, matvec and norm, each computed here.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>

#include "cases/vector_figures.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

Params form(const std::string& name, const std::string& values) {
  return {{"form", name}, {"values", values}};
}

std::string program(std::string_view subject, const Params& given) {
  const Case& c = find_case(subject);
  return to_expression(c.build(complete_params(c, given), 2));
}

constexpr std::array<std::string_view, 4> sums{"naive", "pairwise", "kahan", "neumaier"};

std::string filled(std::string_view f, const std::string& value, std::int64_t width,
                   std::string_view dtype) {
  return everywhere({.subject = "sum",
                     .params = {{"form", std::string(f)}, {"fill", value}},
                     .dtype = dtype,
                     .width = width});
}

}  // namespace

TEST_CASE("sums of ones stop where the spacing is 2", "[reductions]") {
  CHECK(filled("naive", "1", 3000, "f16") == "2048 | 3000 | 3000");
  CHECK(filled("naive", "1", 6000, "f16") == "2048 | 6000 | 6000");
  // 3000 lies half way between 2992 and 3008.
  CHECK(filled("naive", "1", 3000, "bf16") == "256 | 3008 | 3008");
  CHECK(filled("kahan", "1", 3000, "f16") == "3000");
  CHECK(filled("neumaier", "1", 4096, "f16") == "4096");
  // What Neumaier's sum collects is summed in f16 too, and stops at 2048 itself.
  CHECK(filled("neumaier", "1", 6000, "f16") == "4096 | 6000 | 6000");
  CHECK(filled("pairwise", "1", 3000, "f16") == "3000");
}

TEST_CASE("4,194,304 times 2.25 in sequence in f32", "[reductions]") {
  CHECK(filled("naive", "2.25", 4194304, "f32") == "8854642 | 8854642 | 9437184");
  CHECK(filled("pairwise", "2.25", 4194304, "f32") == "9437184");
  CHECK(filled("kahan", "2.25", 4194304, "f32") == "9437184");
}

TEST_CASE("1 and four times 2^-24: the compensated sums find what the others drop",
          "[reductions]") {
  const std::string values = "1,0x1p-24,0x1p-24,0x1p-24,0x1p-24";
  for (const std::string f : {"naive", "pairwise"}) {
    CHECK(everywhere_bits({"sum", form(f, values)}) == "0x3f800000 | 0x3f800000 | 0x3f800002");
  }
  for (const std::string f : {"kahan", "neumaier"}) {
    CHECK(everywhere_bits({"sum", form(f, values)}) == "0x3f800002");
  }
  // Neumaier's sum also keeps what is lost to a larger element that comes later.
  const std::string growing = "1,1e30,1,-1e30";
  CHECK(everywhere({"sum", form("kahan", growing)}) == "0 | 0 | 2");
  CHECK(everywhere({"sum", form("neumaier", growing)}) == "2");
}

TEST_CASE("the exact sum of a cancelling vector is 0; orders are told apart", "[reductions]") {
  for (const std::string_view dtype : {"f64", "f32", "f16", "bf16"}) {
    std::set<std::string> seen;
    for (const std::string_view backend :
         {"stepwise", "stepwise+order=reversed", "stepwise+order=pairwise", "oracle"}) {
      VectorQuery query{.subject = "sum",
                        .params = {{"distribution", "cancelling"}, {"seed", "7"}},
                        .dtype = dtype,
                        .backend = backend,
                        .width = 1000};
      const std::string result = decimals(query);
      if (backend == "oracle") CHECK(result == "0");
      seen.insert(result);
    }
    CHECK(seen.size() == 4);
  }
}

TEST_CASE("sums of edge vectors", "[reductions]") {
  for (const std::string_view f : sums) {
    INFO(f);
    const std::string name(f);
    const auto of = [&](const std::string& values) {
      return everywhere_bits({"sum", form(name, values)});
    };
    CHECK(everywhere_bits({.subject = "sum", .params = {{"form", name}}, .width = 0}) ==
          "0x00000000");
    CHECK(of("-0") == "0x00000000");  // a sum ends with 0 + result
    CHECK(of("-0,-0") == "0x00000000");
    CHECK(of("-1.5") == "0xbfc00000");
    CHECK(of("nan,nan") == "nan");
    CHECK(of("1,nan,inf") == "nan");
    CHECK(of("inf,-inf") == "nan");
    CHECK(of("0x1p-149,0x1p-149,0x1p-127") == "0x00400002");
    CHECK(of("0x1p-149,-0x1p-149") == "0x00000000");
  }
  CHECK(everywhere({"sum", form("naive", "1,inf,2")}) == "inf");
  CHECK(everywhere({"sum", form("pairwise", "1,inf,2")}) == "inf");
}

TEST_CASE("dot products", "[reductions]") {
  const auto of = [](const std::string& f, const std::string& x, const std::string& y,
                     std::string_view dtype = "f32") {
    return everywhere({"dot", {{"form", f}, {"values", x}, {"values_y", y}}, dtype});
  };
  for (const std::string f : {"naive", "compensated"}) {
    CHECK(of(f, "1,2,3", "4,5,6", "f16") == "32");
    CHECK(everywhere({.subject = "dot", .params = {{"form", f}}, .width = 0}) == "0");
    CHECK(of(f, "nan", "1") == "nan");
    CHECK(of(f, "inf", "0") == "nan");
  }
  // 4097^2 = 16785409 has 25 bits.
  CHECK(of("compensated", "4097,1", "4097,-16785408") == "1");
  CHECK(of("naive", "4097,1", "4097,-16785408") == "0 | 0 | 1");
  // An overflow leaves inf - inf for what the rounding lost.
  CHECK(of("naive", "1e20", "1e20") == "inf");
  CHECK(of("compensated", "1e20", "1e20") == "nan | nan | inf");
}

TEST_CASE("the exact dot product of two cancelling vectors is 0", "[reductions]") {
  for (const std::string_view dtype : {"f32", "f16"}) {
    VectorQuery query{.subject = "dot",
                      .params = {{"distribution", "cancelling"}, {"seed", "7"}},
                      .dtype = dtype,
                      .backend = "oracle",
                      .width = 999};
    CHECK(decimals(query) == "0");
    query.backend = "stepwise";
    CHECK(decimals(query) != "0");
    query.subject = "matvec";
    query.params["rows"] = "3";
    query.backend = "oracle";
    CHECK(decimals(query) == "0 0 0");
  }
}

TEST_CASE("a matrix times a vector is a dot product a row", "[reductions]") {
  Params params{{"rows", "2"}, {"values", "1,2,3,4"}, {"values_y", "5,6"}};
  CHECK(everywhere({"matvec", params}) == "17 39");
  params["form"] = "compensated";
  CHECK(everywhere({"matvec", params}) == "17 39");
  CHECK(everywhere({.subject = "matvec", .params = {{"rows", "2"}}, .width = 0}) == "0 0");
  CHECK_THROWS_AS(decimals({"matvec", {{"rows", "2"}, {"values", "1,2,3"}}}), UsageError);
  CHECK(program("matvec", {}) == "dot<T>(rows0, x1)");
}

TEST_CASE("the 2-norm: the naive form overflows and underflows, the stable one does neither",
          "[reductions]") {
  CHECK(everywhere({"norm", form("naive", "300,400"), "f16"}) == "inf | 500 | 500");
  CHECK(everywhere({"norm", form("stable", "300,400"), "f16"}) == "500");
  CHECK(everywhere_bits({"norm", form("naive", "0x3p100,0x4p100")}) == "inf | inf | 0x72a00000");
  CHECK(everywhere_bits({"norm", form("stable", "0x3p100,0x4p100")}) == "0x72a00000");
  const std::string tiny = "0x3p-100,0x4p-100";
  CHECK(everywhere_bits({"norm", form("naive", tiny)}) == "0x00000000 | 0x00000000 | 0x0ea00000");
  CHECK(everywhere_bits({"norm", form("stable", tiny)}) == "0x0ea00000");
  CHECK(everywhere({"norm", {{"norm", "1"}, {"values", "3,-4"}}}) == "7");
  CHECK(everywhere({"norm", {{"norm", "inf"}, {"values", "3,-4"}}}) == "4");
  CHECK_THROWS_AS(decimals({"norm", {{"norm", "1"}, {"form", "stable"}, {"values", "1"}}}),
                  UsageError);
}

TEST_CASE("norms of edge vectors", "[reductions]") {
  for (const Params& p : {Params{{"form", "naive"}}, Params{{"form", "stable"}},
                          Params{{"norm", "1"}}, Params{{"norm", "inf"}}}) {
    for (const std::string_view dtype : {"f64", "f32", "f16", "bf16"}) {
      const auto of = [&](const std::string& values) {
        Params given = p;
        given["values"] = values;
        return everywhere({"norm", given, dtype});
      };
      CHECK(everywhere({.subject = "norm", .params = p, .dtype = dtype, .width = 0}) == "0");
      CHECK(of("0,-0") == "0");
      CHECK(of("-2.5") == "2.5");
      CHECK(of("1,nan") == "nan");
      CHECK(of("nan,nan") == "nan");
      const bool is_scaled = p.contains("form") && p.at("form") == "stable";
      CHECK(of("1,-inf") == (is_scaled ? "nan" : "inf"));
    }
  }
  // The scale is a subnormal number.
  CHECK(everywhere_bits({"norm", form("stable", "0x3p-149,0x4p-149")}) == "0x00000005");
}

}  // namespace halfulp::cases
