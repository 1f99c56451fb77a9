// The published and measured figures that a faithful model reproduces exactly, each computed here.
// Sources: kornia issue 4030 and pull requests 4006, 4036, 4231; runs of PyTorch 2.9 to 2.15 on
// CPU; exact arithmetic.
#include <fmt/format.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "harness/encoding.h"
#include "harness/evaluate.h"
#include "harness/sweep.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

struct Setup {
  std::string subject = "meshgrid";
  Params params;
  std::string dtype;
  std::string widths;
  std::string backend;
  std::string reference = "oracle";
};

SweepRow sweep(const Setup& s) {
  SweepSpec spec;
  spec.subject = &find_case(s.subject);
  spec.params = {complete_params(*spec.subject, s.params)};
  spec.dtypes = {parse_format(s.dtype)};
  spec.backends = {find_backend(s.backend)};
  if (s.reference != "oracle") spec.reference.backend = find_backend(s.reference);
  spec.widths = Widths::parse(s.widths);
  spec.threads = 2;
  const std::atomic<bool> stop{false};
  SweepRow row = run_sweep(spec, stop, {}).rows.front();
  REQUIRE(row.unavailable.empty());
  REQUIRE(row.metrics.points == row.announced);
  REQUIRE(row.tiers.disagreements == 0);
  REQUIRE(row.lanes.changed == 0);
  return row;
}

std::vector<std::uint64_t> evaluate(const std::string& backend, const std::string& subject,
                                    const Params& params, const Format& dtype, std::int64_t n) {
  const Case& c = find_case(subject);
  AxisRunner runner(find_backend(backend), c, complete_params(c, params), dtype);
  return evaluate_axis(runner, exact(n));
}

Params form(const std::string& name, bool align_corners = true) {
  return {{"form", name}, {"align_corners", align_corners ? "true" : "false"}};
}

struct TensorFigure {
  std::string dtype;
  int width;
  std::string backend;
  std::string reference;
  std::uint64_t differing;
  double largest;
  std::optional<std::uint64_t> first_index;
  std::optional<std::uint64_t> largest_index;
};

void check(const TensorFigure& f) {
  INFO(f.dtype << " width " << f.width << ' ' << f.backend << " against " << f.reference);
  Params params = form("arange");
  params["height"] = "2";
  const SweepRow row = sweep({.params = params,
                              .dtype = f.dtype,
                              .widths = std::to_string(f.width),
                              .backend = f.backend,
                              .reference = f.reference});
  REQUIRE(row.tensor.has_value());
  CHECK(row.tensor->points == 4 * static_cast<std::uint64_t>(f.width));
  CHECK(row.tensor->differing == f.differing);
  CHECK(row.metrics.abs.value == f.largest);
  if (f.first_index) CHECK(row.metrics.first->at.index == *f.first_index);
  if (f.largest_index) CHECK(row.metrics.abs.witness->at.index == *f.largest_index);
}

}  // namespace

TEST_CASE("published: eager on an arange ramp against the idealised compiler", "[acceptance]") {
  const std::vector<TensorFigure> figures{
      {"bf16", 100, "eager-cpu", "fused-fp32", 110, 0.00390625, 9, {}},
      {"bf16", 300, "eager-cpu", "fused-fp32", 334, 0.01171875, 12, 269},
      {"f16", 3000, "eager-cpu", "fused-fp32", 3616, 0.001220703125, 119, 2065},
      {"bf16", 6000, "eager-cpu", "fused-fp32", 7384, 0.015625, {}, {}},
      {"bf16", 6000, "eager-cpu+arange_lanes=0", "fused-fp32", 7086, 0.009765625, 41, {}},
      {"bf16", 6000, "eager-cpu+arange_lanes=32", "fused-fp32", 7086, 0.009765625, 41, {}},
      {"bf16", 6000, "eager-cpu+arange_lanes=8", "fused-fp32", 7282, 0.01171875, {}, {}},
      {"bf16", 4, "eager-cpu", "fused-fp32", 4, 0.001953125, {}, {}},
      {"f16", 4, "eager-cpu", "fused-fp32", 4, 0.000244140625, {}, {}},
  };
  for (const TensorFigure& f : figures) check(f);

  const auto eager = evaluate("eager-cpu", "meshgrid", form("arange"), bfloat16, 100);
  const auto fused = evaluate("fused-fp32", "meshgrid", form("arange"), bfloat16, 100);
  CHECK(to_double(eager[9], bfloat16) == -0.8203125);
  CHECK(to_double(fused[9], bfloat16) == -0.81640625);
}

TEST_CASE("published: float32 and float64 do not differ", "[acceptance]") {
  for (const std::string dtype : {"f32", "f64"}) {
    const SweepRow row = sweep({.params = form("arange"),
                                .dtype = dtype,
                                .widths = "2..1024,3000,6000",
                                .backend = "eager-cpu",
                                .reference = "fused-fp32"});
    CHECK(row.metrics.differing == 0);
  }
}

TEST_CASE("the divergence starts at width 4; few widths below 1024 are clean", "[acceptance]") {
  for (const auto& [dtype, top] : {std::pair<std::string, int>{"bf16", 257}, {"f16", 513}}) {
    const SweepRow row = sweep({.params = form("arange"),
                                .dtype = dtype,
                                .widths = "2..1023",
                                .backend = "eager-cpu",
                                .reference = "fused-fp32"});
    CHECK(row.metrics.first->at.width == 4);
    std::vector<std::uint64_t> clean{2};
    for (int k = 1; (1 << k) + 1 <= top; ++k) clean.push_back((1u << k) + 1);
    std::vector<std::uint64_t> seen;
    for (std::uint64_t w = 2; w < 1024; ++w) {
      if (std::ranges::find(row.affected, w) == row.affected.end()) seen.push_back(w);
    }
    CHECK(seen == clean);
  }
}

TEST_CASE("measured: the formula really compiled against eager", "[acceptance]") {
  const std::vector<TensorFigure> figures{
      {"bf16", 100, "eager-cpu", "inductor-cpu", 110, 0.00390625, {}, {}},
      {"bf16", 300, "eager-cpu", "inductor-cpu", 318, 0.0078125, {}, {}},
      {"f16", 3000, "eager-cpu", "inductor-cpu", 3244, 0.0009765625, {}, {}},
      {"bf16", 6000, "eager-cpu", "inductor-cpu", 6826, 0.015625, {}, {}},
      {"bf16", 6000, "eager-cpu", "inductor-cpu+arange_lanes=16", 6436, 0.00390625, {}, {}},
  };
  for (const TensorFigure& f : figures) check(f);
}

/// First width of 2..top at which the two ramps differ, or 0.
std::int64_t first_differing_ramp(const Format& dtype, std::int64_t top) {
  const Case& c = find_case("ramp");
  AxisRunner linspace(find_backend("eager-cpu+linspace=stepwise"), c,
                      complete_params(c, {{"kind", "linspace"}}), dtype);
  AxisRunner arange(find_backend("eager-cpu+arange_lanes=0"), c,
                    complete_params(c, {{"kind", "arange"}}), dtype);
  const std::size_t item = dtype == binary64 ? sizeof(double) : sizeof(float);
  const auto bytes_of = [&](AxisRunner& runner, std::int64_t n) {
    std::string bytes;
    runner.run(exact(n), [&](std::uint64_t, const Block& block) {
      bytes.append(reinterpret_cast<const char*>(block.f32), block.size * item);
    });
    return bytes;
  };
  for (std::int64_t n = 2; n <= top; ++n) {
    if (bytes_of(linspace, n) != bytes_of(arange, n)) return n;
  }
  return 0;
}

TEST_CASE("ramps: linspace one op at a time against a correct arange", "[acceptance]") {
  CHECK(first_differing_ramp(bfloat16, 300) == 258);
  CHECK(first_differing_ramp(binary16, 2100) == 2050);
  CHECK(first_differing_ramp(binary32, 20000) == 0);
  CHECK(first_differing_ramp(binary64, 20000) == 0);
}

TEST_CASE("ramps: bf16, 300 elements", "[acceptance]") {
  const auto linspace =
      evaluate("eager-cpu+linspace=stepwise", "ramp", {{"kind", "linspace"}}, bfloat16, 300);
  const auto arange = evaluate("eager-cpu", "ramp", {{"kind", "arange"}}, bfloat16, 300);
  CHECK(to_double(linspace[257], bfloat16) == 258);
  CHECK(to_double(arange[257], bfloat16) == 256);
  std::vector<std::size_t> differing;
  double largest = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const double difference =
        std::fabs(to_double(linspace[i], bfloat16) - to_double(arange[i], bfloat16));
    if (difference != 0) differing.push_back(i);
    largest = std::max(largest, difference);
  }
  CHECK(differing.size() == 128);
  CHECK(differing.front() == 150);
  CHECK(largest == 2.0);
}

TEST_CASE("ramps: wrong elements of the vectorised half arange", "[acceptance]") {
  struct Row {
    int lanes;
    std::size_t wrong;
  };
  const auto correct =
      evaluate("eager-cpu+arange_lanes=0", "ramp", {{"kind", "arange"}}, bfloat16, 8256);
  for (const auto& [lanes, wrong] : {Row{16, 975}, Row{32, 31}, Row{8, 903}}) {
    const auto ramp = evaluate(fmt::format("eager-cpu+arange_lanes={}", lanes), "ramp",
                               {{"kind", "arange"}}, bfloat16, 8256);
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < ramp.size(); ++i) {
      if (ramp[i] != correct[i]) at.push_back(i);
    }
    CHECK(at.size() == wrong);
    if (lanes == 16) {
      CHECK(at.front() == 4113);
      CHECK(to_double(ramp[4113], bfloat16) == 4096);
      CHECK(to_double(correct[4113], bfloat16) == 4128);
    }
  }
  const auto f16 = evaluate("eager-cpu", "ramp", {{"kind", "arange"}}, binary16, 33024);
  const auto f16_correct =
      evaluate("eager-cpu+arange_lanes=0", "ramp", {{"kind", "arange"}}, binary16, 33024);
  CHECK(std::ranges::mismatch(f16, f16_correct).in1 - f16.begin() == 32785);
}

TEST_CASE("ramps: linspace contracted and not", "[acceptance]") {
  const Params unit{{"kind", "linspace"}, {"start", "-1"}, {"end", "1"}};
  CHECK(evaluate("eager-cpu", "ramp", unit, binary32, 7)[3] == 0xb3000000);
  CHECK(evaluate("eager-cpu+contraction=off", "ramp", unit, binary32, 7)[3] == 0);
  CHECK(to_double(evaluate("eager-cpu", "ramp", unit, bfloat16, 4)[1], bfloat16) == -0.333984375);
  CHECK(to_double(evaluate("eager-cpu+linspace=stepwise", "ramp", unit, bfloat16, 4)[1],
                  bfloat16) == -0.33203125);
}

TEST_CASE("against the oracle: program A, widths 2..4096", "[acceptance]") {
  struct Row {
    std::string dtype;
    std::string backend;
    std::string form;
    std::uint64_t differing, widths_affected, first_width, zero_lost, steps, width, index;
  };
  const std::vector<Row> rows{
      {"bf16", "eager-cpu", "arange", 4919946, 4086, 4, 256, 30272, 2054, 1028},
      {"bf16", "eager-cpu", "float32-once", 280, 177, 468, 0, 1, 468, 235},
      {"bf16", "fused-fp32", "float32-once", 280, 177, 468, 0, 1, 468, 235},
      {"bf16", "cuda-aten", "float32-once", 615, 512, 83, 280, 13184, 83, 41},
      {"bf16", "fused-fp32-recip", "float32-once", 615, 512, 83, 280, 13184, 83, 41},
      {"bf16", "triton-const", "float32-once", 2252, 2131, 7, 2036, 13182, 511, 255},
      {"bf16", "inductor-cpu", "arange", 4231147, 3839, 258, 1408, 30208, 514, 257},
      {"f16", "eager-cpu", "arange", 4860390, 4083, 4, 0, 4608, 4096, 2049},
      {"f16", "eager-cpu", "float32-once", 3753, 1523, 252, 0, 1, 252, 128},
      {"f16", "fused-fp32", "float32-once", 3753, 1523, 252, 0, 1, 252, 128},
      {"f16", "triton-const", "float32-once", 2640, 1532, 15, 617, 1, 15, 7},
      {"f32", "eager-cpu", "arange", 4547997, 4083, 4, 0, 2047, 2170, 1085},
      {"f32", "eager-cpu", "float32-once", 4547997, 4083, 4, 0, 2047, 2170, 1085},
      {"f32", "fused-fp32", "arange", 4547997, 4083, 4, 0, 2047, 2170, 1085},
      {"f32", "cuda-aten", "arange", 4984749, 4083, 4, 280, 864026624, 83, 41},
      {"f32", "cuda-aten", "float32-once", 4984749, 4083, 4, 280, 864026624, 83, 41},
  };
  for (const Row& r : rows) {
    INFO(r.dtype << ' ' << r.backend << ' ' << r.form);
    const SweepRow row = sweep(
        {.params = form(r.form), .dtype = r.dtype, .widths = "2..4096", .backend = r.backend});
    CHECK(row.metrics.points == 8390655);
    CHECK(row.metrics.differing == r.differing);
    CHECK(row.metrics.widths_affected == r.widths_affected);
    CHECK(row.metrics.first->at.width == r.first_width);
    CHECK(row.metrics.zero_lost == r.zero_lost);
    CHECK(row.metrics.steps.value == r.steps);
    CHECK(row.metrics.steps.witness->at == Point{r.width, r.index});
  }
}

TEST_CASE("2,036 odd widths lose the exact zero under triton-const", "[acceptance]") {
  for (const std::string dtype : {"bf16", "f32"}) {
    const SweepRow row = sweep({.params = form("float32-once"),
                                .dtype = dtype,
                                .widths = "3..4095:2",
                                .backend = "triton-const"});
    CHECK(Widths::parse("3..4095:2").size() == 2047);
    CHECK(row.metrics.zero_lost == 2036);
  }
}

TEST_CASE("scalar division by reciprocal multiplication", "[acceptance]") {
  const Case& c = find_case("scalar-division");
  const Params params = complete_params(c, {{"a", "169"}, {"b", "13"}});
  AxisRunner cuda(find_backend("cuda-aten"), c, params, binary32);
  AxisRunner cpu(find_backend("eager-cpu"), c, params, binary32);
  CHECK(evaluate_axis(cuda, exact(13)) == std::vector<std::uint64_t>{0x41500001});
  CHECK(decimal(0x41500001, binary32) == "13.000000953674316");
  CHECK(to_double(evaluate_axis(cpu, exact(13)).front(), binary32) == 13);
}

TEST_CASE("reciprocal against true division in f32", "[acceptance]") {
  struct Row {
    std::string width;
    std::uint64_t differing;
  };
  for (const auto& [width, differing] :
       {Row{"258", 0}, Row{"300", 23}, Row{"1000", 155}, Row{"2050", 2}, Row{"3000", 396}}) {
    const SweepRow row = sweep({.params = form("float32-once"),
                                .dtype = "f32",
                                .widths = width,
                                .backend = "fused-fp32-recip",
                                .reference = "fused-fp32"});
    CHECK(row.metrics.differing == differing);
    if (width != "300") continue;
    CHECK(row.metrics.abs.value == 1.1920928955078125e-07);
    CHECK(row.metrics.abs.witness->at.index == 150);
  }
}

TEST_CASE("the two grid programs, engine by engine: bits", "[acceptance]") {
  struct Row {
    Format dtype;
    bool corners;
    std::int64_t n;
    std::size_t index;
    std::uint64_t eager, fused, cuda, triton;
  };
  const std::vector<Row> rows{
      {binary32, true, 8, 7, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800001},
      {binary32, true, 42, 41, 0x3F800000, 0x3F800000, 0x3F7FFFFE, 0x3F7FFFFF},
      {bfloat16, true, 258, 257, 0x3F7E, 0x3F80, 0x3F7E, 0x3F80},
      {bfloat16, true, 258, 100, 0xBE64, 0xBE63, 0xBE64, 0xBE63},
      {binary16, true, 1000, 333, 0xB556, 0xB555, 0xB556, 0xB555},
      {binary32, false, 5, 4, 0x3F4CCCCC, 0x3F4CCCCC, 0x3F4CCCCE, 0x3F4CCCCD},
      {bfloat16, false, 300, 150, 0x0000, 0x3B5A, 0x0000, 0x3B5A},
      {binary16, false, 6, 5, 0x3AAA, 0x3AAB, 0x3AAA, 0x3AAB},
  };
  for (const Row& r : rows) {
    INFO(short_name(r.dtype) << " n " << r.n << " index " << r.index);
    const auto bits = [&](const std::string& backend) {
      return evaluate(backend, "meshgrid", form("arange", r.corners), r.dtype, r.n)[r.index];
    };
    CHECK(bits("eager-cpu") == r.eager);
    CHECK(bits("fused-fp32") == r.fused);
    CHECK(bits("cuda-aten") == r.cuda);
    CHECK(bits("triton-const") == r.triton);
  }
}

TEST_CASE("after the fix eager and compiled agree bit for bit", "[acceptance]") {
  for (const std::string dtype : {"f16", "bf16"}) {
    for (const bool corners : {true, false}) {
      for (const std::string backend : {"eager-cpu", "inductor-cpu"}) {
        const SweepRow row = sweep({.params = form("float32-once", corners),
                                    .dtype = dtype,
                                    .widths = "2..8192",
                                    .backend = backend,
                                    .reference = "fused-fp32"});
        CHECK(row.metrics.points == 33558527);
        CHECK(row.metrics.differing == 0);
        CHECK(row.metrics.zero_sign == 0);
      }
    }
  }
}

TEST_CASE("f32 and f64 grids are the same in the forms arange and float32-once", "[acceptance]") {
  for (const Format& dtype : {binary32, binary64}) {
    for (const bool corners : {true, false}) {
      const Case& c = find_case("meshgrid");
      AxisRunner before(find_backend("eager-cpu"), c, complete_params(c, form("arange", corners)),
                        dtype);
      AxisRunner after(find_backend("eager-cpu"), c,
                       complete_params(c, form("float32-once", corners)), dtype);
      std::uint64_t differing = 0;
      for (std::int64_t n = 2; n <= 2048; ++n) {
        if (evaluate_axis(before, exact(n)) != evaluate_axis(after, exact(n))) ++differing;
      }
      CHECK(differing == 0);
    }
  }
}

TEST_CASE("a compiled function whose first call was narrow returns other bits", "[acceptance]") {
  const SweepRow row = sweep({.params = form("arange"),
                              .dtype = "bf16",
                              .widths = "9001",
                              .backend = "inductor-cpu-dynamic+arange_lanes=16",
                              .reference = "inductor-cpu-dynamic+arange_lanes=32"});
  CHECK(row.metrics.differing > 0);
  const auto narrow =
      evaluate("inductor-cpu-dynamic+arange_lanes=16", "meshgrid", form("arange"), bfloat16, 9001);
  const auto wide =
      evaluate("inductor-cpu-dynamic+arange_lanes=32", "meshgrid", form("arange"), bfloat16, 9001);
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (narrow[i] != wide[i]) at.push_back(i);
  }
  CHECK(row.metrics.differing == at.size());
  CHECK(row.metrics.first->at.index == at.front());
}

}  // namespace halfulp
