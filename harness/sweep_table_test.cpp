#include "harness/sweep_table.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("tolerances are rounded up, so that they pass") {
  CHECK(rounded_up(0) == "0");
  CHECK(rounded_up(0.01171875) == "0.0118");
  CHECK(rounded_up(0.00390625) == "0.00391");
  CHECK(rounded_up(0.5) == "0.5");
  CHECK(rounded_up(0.0118) == "0.0118");
  CHECK(rounded_up(std::nextafter(0.0118, 1)) == "0.0119");
  CHECK(rounded_up(0.9991) == "1");
  CHECK(rounded_up(1e-320) == "1e-320");
  CHECK(rounded_up(std::numeric_limits<double>::infinity()) == "none");
  CHECK(rounded_up(std::nan("")) == "none");
  std::mt19937_64 random(11);
  for (int i = 0; i < 10'000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 80) - 80);
    const double up = std::strtod(rounded_up(value).c_str(), nullptr);
    REQUIRE(up >= value);
    REQUIRE(up <= value * 1.0101);
  }
}

const Case& grid() {
  static const Case c = [] {
    Case grid{};
    grid.name = "grid";
    grid.axis = {"width", ""};
    return grid;
  }();
  return c;
}

SweepSpec spec() {
  SweepSpec s;
  s.subject = &grid();
  s.widths = Widths::parse("2..4096");
  return s;
}

SweepResult result_of(std::vector<SweepRow> rows) {
  SweepResult result;
  result.rows = std::move(rows);
  return result;
}

SweepRow fused() {
  SweepRow row;
  row.params = {{"form", "float32-once"}, {"align_corners", "true"}};
  row.dtype = binary16;
  row.backend = "fused-fp32";
  row.metrics.points = row.announced = 8390655;
  row.metrics.differing = 3753;
  row.metrics.widths_affected = 1523;
  row.metrics.first = Witness{{252, 128}, 0, 0};
  row.metrics.steps.offer(1, {{252, 128}, 0, 0});
  row.metrics.range_ulp.offer(0.2502, {{252, 128}, 0, 0});
  row.metrics.abs.offer(0.000244140625, {{252, 128}, 0, 0});
  return row;
}

TEST_CASE("a row shows what was found, under headings that a legend explains") {
  CHECK(sweep_table(result_of({fused()}), spec()) ==
        "grid, widths 2..4096, against oracle (align_corners=true, form=float32-once)\n"
        "\n"
        "backend     dtype     points  not correctly rounded  widths  first  largest steps  "
        "range_ulp  zeros lost  tolerance\n"
        "fused-fp32  f16    8,390,655        3,753 (0.0447%)   1,523    252   1 (252, 128)     "
        "0.2502           0   0.000245\n"
        "\n"
        "not correctly rounded  points whose result is not the exact one rounded once to nearest\n"
        "widths                 how many widths have such a point\n"
        "first                  the first of them\n"
        "largest steps          most encodings between a result and the expected one, and where "
        "first: (width, index)\n"
        "range_ulp              largest |result - exact| in ulps at the top of the output range\n"
        "zeros lost             exact zeros that came out as something else\n"
        "tolerance              smallest absolute tolerance that passes, rounded up to three "
        "digits; none passes NaN or infinity\n");
}

TEST_CASE("parameters that vary become columns") {
  SweepRow other = fused();
  other.params["form"] = "arange";
  const std::string text = sweep_table(result_of({fused(), other}), spec());
  CHECK_THAT(text, ContainsSubstring("against oracle (align_corners=true)\n"));
  CHECK_THAT(text, ContainsSubstring("backend     dtype  form        "));
  CHECK_THAT(text, ContainsSubstring("fused-fp32  f16    arange      "));
}

TEST_CASE("columns that are zero in a sound run appear when they are not") {
  CHECK_THAT(sweep_table(result_of({fused()}), spec()), !ContainsSubstring("unwritten"));
  SweepRow row = fused();
  row.metrics.unwritten = row.metrics.nonfinite = 1024;
  row.metrics.zero_sign = 3;
  row.lanes.changed = 5;
  const std::string text = sweep_table(result_of({row}), spec());
  CHECK_THAT(text, ContainsSubstring("nonfinite  zero sign  unwritten  lane dependent\n"));
  CHECK_THAT(text, ContainsSubstring("none      1,024          3      1,024               5\n"));
}

TEST_CASE("rows without metrics give the reason, and the rest goes on") {
  SweepRow row;
  row.params = fused().params;
  row.dtype = bfloat16;
  row.backend = "cuda-device";
  row.unavailable = "built without CUDA";
  const std::string text = sweep_table(result_of({row, fused()}), spec());
  CHECK_THAT(text, ContainsSubstring("cuda-device  bf16   unavailable: built without CUDA\n"));
  CHECK_THAT(text, ContainsSubstring("3,753"));
}

TEST_CASE("envelopes, tensors, tiers and what is missing") {
  SweepRow row = fused();
  row.envelope = Envelope{.worlds = {"nearest", "below"},
                          .worst = {{"steps", "below"}},
                          .some_world_differs = 8390655,
                          .every_world_differs = 12};
  row.tensor = TensorFigures{1200, 334};
  row.tiers = {.certified = 8000000, .exact = 390655, .checked = 1000, .disagreements = 1};
  row.announced = 9000000;
  SweepResult result = result_of({row});
  result.complete = false;
  const std::string text = sweep_table(result, spec());
  CHECK_THAT(text, ContainsSubstring("334 of 1,200"));
  CHECK_THAT(text, ContainsSubstring("over its 2 worlds: some differs at 8,390,655 "
                                     "(100%), every one at 12 (0.000143%)"));
  CHECK_THAT(text, ContainsSubstring("incomplete: 8,390,655 of 9,000,000 points"));
  CHECK_THAT(text, ContainsSubstring("8,000,000 points certified in binary64, 390,655 decided "
                                     "exactly, 1,000 checked by both, 1 DISAGREEMENTS"));
  CHECK_THAT(text, ContainsSubstring("INCOMPLETE"));
}

TEST_CASE("axis labels, a backend as reference, and cases without an axis") {
  SweepSpec s = spec();
  s.widths.reset();
  s.reference.backend = Backend{.name = "fused-fp32", .summary = ""};
  SweepRow row = fused();
  row.metrics.first = Witness{{1, 7}, 0, 0};
  SweepResult result = result_of({row});
  result.axis_labels.assign(300, {.numerator = 1, .denominator = 3});
  const std::string text = sweep_table(result, s);
  CHECK_THAT(text, ContainsSubstring("grid, against fused-fp32"));
  CHECK_THAT(text, ContainsSubstring("  differing  "));
  CHECK_THAT(text, ContainsSubstring("1 (1/3, 128)"));

  Case pointwise{};
  pointwise.name = "scalar";
  s.subject = &pointwise;
  const std::string plain = sweep_table(result_of({row}), s);
  CHECK_THAT(plain, ContainsSubstring("where first: (index)"));
  CHECK_THAT(plain, !ContainsSubstring("  first  "));
  CHECK_THAT(sweep_table({}, s), ContainsSubstring("scalar, against fused-fp32"));
}

}  // namespace
}  // namespace halfulp
