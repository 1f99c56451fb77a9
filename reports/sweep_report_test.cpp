#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "harness/error.h"
#include "harness/report.h"
#include "reports/json.h"

namespace halfulp {
namespace {

/// A row of a meshgrid sweep in bf16 with two differing points.
SweepRow differing_row() {
  SweepRow row;
  row.params = complete_params(find_case("meshgrid"), {{"height", "2"}});
  row.dtype = row.output = bfloat16;
  row.backend = "eager-cpu";
  row.reference = "oracle";
  row.announced = row.metrics.points = 300;
  const Witness witness{{300, 269}, 0x3f7e, 0xbf80};
  row.metrics.differing = 2;
  row.metrics.widths_affected = 1;
  row.metrics.first = witness;
  row.metrics.steps.offer(6, witness);
  row.metrics.abs.offer(0.01171875, witness);
  row.metrics.rel.offer(std::numeric_limits<double>::infinity(), witness);
  row.metrics.histogram.add(0, 298);
  row.metrics.histogram.add(1);
  row.metrics.histogram.add(6);
  row.affected = {300};
  row.exact_at = {{"steps", "239/299"}};
  row.tiers = {.certified = 299, .exact = 1, .checked = 3, .disagreements = 0};
  row.tensor = TensorFigures{1200, 334};
  return row;
}

ReportContext context() {
  ReportContext c;
  c.spec = {.subject = &find_case("meshgrid"),
            .params = {complete_params(find_case("meshgrid"), {{"height", "2"}})},
            .dtypes = {bfloat16},
            .backends = {find_backend("eager-cpu")},
            .reference = {},
            .widths = Widths::parse("300")};
  c.command_line = "halfulp sweep \xff";
  return c;
}

Json written(const SweepResult& result, const ReportContext& c = context()) {
  return parse_json(report_json(result, c), "report");
}

TEST_CASE("a row has the names that other programs rely on") {
  const Json report = written({.rows = {differing_row()}, .axis_labels = {}, .points = 300});
  CHECK(report["schema"] == "halfulp-report/1");
  const Json& row = report["results"][0];
  CHECK(row["case"] == "meshgrid");
  CHECK(row["dtype"] == "bf16");
  CHECK(row["params"]["align_corners"] == true);
  CHECK(row["params"]["height"] == 2);
  CHECK(row["params"]["widths"] == "300");
  const Json& metrics = row["metrics"];
  CHECK(metrics["differing"] == 2);
  CHECK(metrics["first_width"] == 300);
  CHECK(metrics["abs_max"] == 0.01171875);
  CHECK(metrics["rel_max"] == "inf");
  CHECK(metrics["tensor_differing"] == 334);
  CHECK(metrics["tensor_points"] == 1200);
  CHECK(metrics["histogram"] ==
        Json({{"0", 298}, {"1", 1}, {"2", 0}, {"3", 0}, {"4", 0}, {"5..8", 1}}));
  CHECK(row["first"]["width"] == 300);
  CHECK(row["first"]["index"] == 269);
  CHECK(row["witness"] == Json({{"width", 300},
                                {"index", 269},
                                {"actual", "0x3f7e"},
                                {"expected", "0xbf80"},
                                {"actual_value", 0.9921875},
                                {"expected_value", -1.0},
                                {"exact", "239/299"}}));
  CHECK(row["witnesses"]["ulp_error"].is_null());
  CHECK(row["tiers"]["certified"] == 299);
}

TEST_CASE("nothing differing leaves nulls") {
  SweepRow row = differing_row();
  row.metrics = {};
  row.metrics.points = 300;
  row.tensor.reset();
  row.reference = "fused-fp32";
  const Json json = written({.rows = {row}, .axis_labels = {}, .points = 300})["results"][0];
  CHECK(json["first"].is_null());
  CHECK(json["witness"].is_null());
  CHECK(json["metrics"]["first_width"].is_null());
  CHECK_FALSE(json["metrics"].contains("tensor_points"));
  CHECK_FALSE(json.contains("tiers"));
}

TEST_CASE("a backend that could not run gives its reason and no metrics") {
  SweepRow row = differing_row();
  row.unavailable = "no CUDA device";
  const Json json = written({.rows = {row}, .axis_labels = {}})["results"][0];
  CHECK(json["unavailable"] == "no CUDA device");
  CHECK(json.size() == 6);
}

TEST_CASE("numbers that JSON readers change are strings") {
  SweepRow row = differing_row();
  row.output = binary64;
  const Witness witness{{300, 1}, 0x7fefffffffffffff, 0x7ff8000000000000};
  row.metrics.steps.offer(18437736874454810622U, witness);
  row.metrics.histogram.add(18437736874454810622U, 1);
  const Json json = written({.rows = {row}, .axis_labels = {}, .points = 300})["results"][0];
  CHECK(json["metrics"]["steps_max"] == "18437736874454810622");
  CHECK(json["metrics"]["histogram"]["9223372036854775809..18446744073709551615"] == 1);
  CHECK(json["witness"]["actual"] == "0x7fefffffffffffff");
  CHECK(json["witness"]["expected_value"] == "nan");
}

TEST_CASE("axis values that are not integers are named by their text") {
  SweepRow row = differing_row();
  row.metrics = {};
  row.metrics.steps.offer(1, {{1, 0}, 1, 0});
  row.affected = {1};
  const Json json =
      written({.rows = {row}, .axis_labels = {exact(3), parse_exact_number("1/3")}})["results"][0];
  CHECK(json["witness"]["width"] == "1/3");
}

TEST_CASE("only the run block depends on the run") {
  const SweepResult result{.rows = {differing_row()}, .axis_labels = {}, .points = 300};
  ReportContext other = context();
  other.spec.threads = 7;
  other.seconds = 2.5;
  other.command_line = "halfulp";
  other.environment.cpu = "another";
  other.environment.isa = "AVX9";
  Json a = written(result);
  Json b = written(result, other);
  CHECK(a["context"]["run"] != b["context"]["run"]);
  a["context"].erase("run");
  b["context"].erase("run");
  CHECK(a == b);
}

TEST_CASE("the specification's hash changes with the specification and nothing else") {
  const SweepResult result{.rows = {differing_row()}, .axis_labels = {}, .points = 300};
  const auto hash = [&](const ReportContext& c) {
    return written(result, c)["context"]["specification_hash"].get<std::string>();
  };
  ReportContext other = context();
  other.environment.commit = "another";
  CHECK(hash(other) == hash(context()));
  other.spec.widths = Widths::parse("301");
  CHECK(hash(other) != hash(context()));
}

}  // namespace
}  // namespace halfulp
