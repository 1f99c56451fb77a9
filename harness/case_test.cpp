#include "harness/case.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "harness/error.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

Case grid() {
  Case c{};
  c.name = "grid";
  c.formats = {binary16, bfloat16};
  c.parameters = {
      {"form", ParamKind::choice, "arange", {"arange", "linspace"}, "ramp"},
      {"align_corners", ParamKind::boolean, "true", {}, ""},
      {"height", ParamKind::size, "", {}, ""},
      {"scale", ParamKind::number, "2", {}, ""},
      {"end", ParamKind::size_expr, "n-1", {}, ""},
      {"values", ParamKind::list, "", {}, ""},
      {"note", ParamKind::text, "", {}, ""},
  };
  return c;
}

TEST_CASE("given parameters are checked and written alike, missing ones filled in") {
  CHECK(complete_params(grid(), {}) ==
        Params{{"align_corners", "true"}, {"end", "n-1"}, {"form", "arange"}, {"scale", "2"}});
  CHECK(complete_params(grid(), {{"align_corners", "no"},
                                 {"end", "1e3"},
                                 {"form", "linspace"},
                                 {"height", "007"},
                                 {"note", ""},
                                 {"scale", "0.50"},
                                 {"values", "1,2.50,3..9"}}) == Params{{"align_corners", "false"},
                                                                       {"end", "1000"},
                                                                       {"form", "linspace"},
                                                                       {"height", "7"},
                                                                       {"note", ""},
                                                                       {"scale", "0.5"},
                                                                       {"values", "1,2.50,3..9"}});
  CHECK(complete_params(grid(), {{"end", "n"}}).at("end") == "n");
}

TEST_CASE("bad parameters name the case, the parameter and what would be right") {
  const auto rejects = [](const Params& given, const char* why) {
    CHECK_THROWS_AS(complete_params(grid(), given), UsageError);
    CHECK_THROWS_WITH(complete_params(grid(), given), ContainsSubstring(why));
  };
  rejects({{"hieght", "3"}}, "grid: unknown parameter 'hieght'; did you mean 'height'?");
  rejects({{"form", "linspce"}}, "grid: form: unknown value 'linspce'; did you mean 'linspace'?");
  rejects({{"align_corners", "maybe"}}, "grid: align_corners: 'maybe' is neither true nor false");
  for (const char* size : {"0", "-1", "16777217", "2.5", "1e300"}) {
    rejects({{"height", size}}, "is not an integer from 1 to 16777216");
  }
  rejects({{"height", ""}}, "empty");
  rejects({{"scale", "n"}}, "'n' is not a number");
  rejects({{"end", "m-1"}}, "'m-1' is not a number");
  rejects({{"end", "m-1"}}, "or n or n-1");
  rejects({{"values", "1,,2"}}, "nothing between commas");
  rejects({{"values", "1..999999999"}}, "more than 16777216 numbers");
}

TEST_CASE("dtypes that a case does not support") {
  CHECK_NOTHROW(check_dtype(grid(), bfloat16));
  CHECK_THROWS_WITH(check_dtype(grid(), binary64),
                    "grid does not support f64 (supported: f16, bf16)");
}

TEST_CASE("flags and presence") {
  const Params params{{"a", "true"}, {"b", "false"}};
  CHECK(is_set(params, "b"));
  CHECK(!is_set(params, "c"));
  CHECK(flag(params, "a"));
  CHECK(!flag(params, "b"));
  CHECK(!flag(params, "c"));
}

}  // namespace
}  // namespace halfulp
