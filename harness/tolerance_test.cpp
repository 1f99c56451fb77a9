#include "harness/tolerance.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>

#include "harness/error.h"
#include "harness/evaluate.h"
#include "harness/sweep_table.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

using Sizes = std::vector<std::int64_t>;

ToleranceAnalyzer analyzer(std::string_view form, const Format& dtype, std::string_view backend,
                           std::string_view case_name = "meshgrid") {
  const Case& c = find_case(case_name);
  return {c, complete_params(c, {{"form", std::string(form)}}), dtype, find_backend(backend)};
}

/// Widths of [first, last] where the correctly rounded grid meets the tolerance.
Sizes rounded_meets(const Format& dtype, std::string_view atol, std::string_view rtol,
                    std::int64_t last) {
  ToleranceAnalyzer a = analyzer("float32-once", dtype, "fused-fp32");
  Sizes met;
  for (std::int64_t n = 2; n <= last; ++n) {
    if (a.at(exact(n), parse_tolerance(atol, rtol))->rounded.meets) met.push_back(n);
  }
  CHECK(a.tiers().disagreements == 0);
  return met;
}

TEST_CASE("the correctly rounded grid meets 1e-4 at few half precision widths") {
  CHECK(rounded_meets(bfloat16, "1e-4", "0", 8192) == Sizes{2, 3, 5, 9, 17, 33, 65, 129, 257, 513});
  CHECK(rounded_meets(binary16, "1e-4", "0", 8192) ==
        Sizes{2, 3, 4, 5, 6, 9, 17, 33, 65, 129, 257, 513, 1025, 2049, 4097});
  CHECK(rounded_meets(binary32, "1e-4", "0", 600).size() == 599);
}

/// The definition, point by point, in exact rational arithmetic on text.
bool meets_slowly(const Case& c, const Params& params, const Format& dtype, const Backend& backend,
                  std::int64_t n, const Tolerance& t) {
  const Program program = c.build(params, 2);
  const auto oracle = make_oracle(OracleKind::exact, program, dtype);
  const std::uint64_t count = axis_count(c, params, dtype, exact(n));
  oracle->bind({exact(n), count, {}});
  AxisRunner runner(backend, c, params, dtype);
  bool meets = true;
  runner.run(exact(n), [&](std::uint64_t first, const Block& block) {
    for (std::size_t lane = 0; lane < block.size; ++lane) {
      const std::string x = oracle->exact_text(first + lane);
      const auto square = [](const std::string& s) { return "(" + s + ")*(" + s + ")"; };
      // |d| <= a + r |x|, by squares: roots of squares are exact.
      const std::string error =
          "sqrt(" + square(fmt::format("{:.17g}-({})", block.value(lane), x)) + ")";
      const std::string allowed =
          to_string(t.atol) + "+" + to_string(t.rtol) + "*sqrt(" + square(x) + ")";
      const Rounded left =
          round_expression(allowed + "-" + error, binary64, RoundingMode::toward_zero);
      meets = meets && (left.zero || (left.bits >> 63) == 0);
    }
  });
  return meets;
}

TEST_CASE("verdicts are those of the definition") {
  const Case& c = find_case("meshgrid");
  for (const std::string form : {"arange", "float32-once"}) {
    for (const Format& dtype : {bfloat16, binary16}) {
      for (const std::string backend : {"eager-cpu", "fused-fp32"}) {
        ToleranceAnalyzer a = analyzer(form, dtype, backend);
        const Params params = complete_params(c, {{"form", form}});
        // The last four are attained exactly: ties, and errors of a decimal's own size.
        for (const auto& [atol, rtol] :
             std::vector<std::pair<std::string, std::string>>{{"1e-3", "0"},
                                                              {"0", "1e-2"},
                                                              {"1e-3", "1.6e-2"},
                                                              {"0", "0"},
                                                              {"0x1p-9", "0"},
                                                              {"0x1p-12", "0"},
                                                              {"0", "0x1p-8"},
                                                              {"1/1000", "0"}}) {
          const Tolerance t = parse_tolerance(atol, rtol);
          for (const std::int64_t n : {2, 3, 4, 7, 26, 33, 126, 258, 300, 513}) {
            INFO(form << ' ' << backend << ' ' << atol << ' ' << rtol << ' ' << n);
            CHECK(a.at(exact(n), t)->backend.meets ==
                  meets_slowly(c, params, dtype, find_backend(backend), n, t));
          }
        }
      }
    }
  }
}

TEST_CASE("a verdict at the tolerance itself is exact") {
  // Of 1025 points on [-1, 1] every second one between -1 and -0.5 is a midpoint of bf16 values.
  ToleranceAnalyzer a = analyzer("float32-once", bfloat16, "fused-fp32");
  const auto meets = [&](std::string_view atol) {
    return a.at(exact(1025), parse_tolerance(atol, "0"))->rounded.meets;
  };
  CHECK(meets("0x1p-9"));
  CHECK(meets("0.001953125"));
  CHECK_FALSE(meets("0.001953124999999999"));
  CHECK_FALSE(meets("0"));
}

TEST_CASE("the smallest attainable tolerance is met and no smaller decimal is") {
  for (const Format& dtype : {bfloat16, binary16, binary32}) {
    for (const std::string_view rtol : {"0", "0.0001"}) {
      ToleranceAnalyzer a = analyzer("arange", dtype, "eager-cpu");
      for (const std::int64_t n : {1, 2, 3, 5, 20, 100, 257, 300, 1025}) {
        const Attainment found = a.at(exact(n), parse_tolerance("1", rtol))->backend;
        const std::string smallest = rounded_up(found.attainable);
        INFO(n << ' ' << smallest);
        CHECK(a.at(exact(n), parse_tolerance(smallest, rtol))->backend.meets);
        if (found.attainable == 0) continue;
        const double step = std::pow(10, std::floor(std::log10(found.attainable)) - 2);
        const std::string less = fmt::format("{:.3g}", found.attainable - step);
        CHECK_FALSE(a.at(exact(n), parse_tolerance(less, rtol))->backend.meets);
      }
    }
  }
}

TEST_CASE("results that are not finite meet no tolerance") {
  const Case& c = find_case("scalar-division");
  const auto at = [&](const std::string& a, const std::string& b, const Format& dtype) {
    ToleranceAnalyzer t(c, complete_params(c, {{"a", a}, {"b", b}}), dtype,
                        find_backend("eager-cpu"));
    return *t.at(parse_exact_number(b), parse_tolerance("1e30", "1e30"));
  };
  const WidthTolerance overflow = at("60000", "0.5", binary16);
  CHECK_FALSE(overflow.rounded.meets);
  CHECK_FALSE(overflow.backend.meets);
  CHECK(std::isinf(overflow.rounded.attainable));
  const WidthTolerance fine = at("1000", "1", binary16);
  CHECK(fine.backend.meets);
  CHECK(fine.backend.attainable == 0);
}

TEST_CASE("a backend that stands for several results is judged by its worst") {
  const std::int64_t n = 300;
  const Tolerance t = parse_tolerance("1", "0");
  double worst = 0;
  for (const std::string_view world : {"nearest", "below", "above"}) {
    ToleranceAnalyzer a =
        analyzer("float32-once", binary32, fmt::format("triton-div+reciprocal={}", world));
    if (const auto found = a.at(exact(n), t)) worst = std::max(worst, found->backend.attainable);
  }
  CHECK(analyzer("float32-once", binary32, "triton-div").at(exact(n), t)->backend.attainable ==
        worst);
}

TEST_CASE("tolerances are finite and not negative") {
  const auto message = [](std::string_view atol, std::string_view rtol) -> std::string {
    try {
      parse_tolerance(atol, rtol);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(message("1e-4", "0") == "accepted");
  CHECK(message("0", "0") == "accepted");
  for (const std::string_view bad : {"nan", "inf", "-inf", "", "-1", "-1e-9", "1e400", "1e-320",
                                     "1e-399", "1e9999", "1,5", "0x", "1/0", "\n", "1e-4 "}) {
    CHECK_THAT(message(bad, "0"), ContainsSubstring("--atol"));
    CHECK_THAT(message("0", bad), ContainsSubstring("--rtol"));
    CHECK(message(bad, "0").find('\n') == std::string::npos);
  }
  CHECK(message("-1", "0") == "--atol is negative: '-1'");
}

}  // namespace
}  // namespace halfulp
