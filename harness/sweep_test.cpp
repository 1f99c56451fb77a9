#include "harness/sweep.h"

#include <catch2/catch_test_macros.hpp>

#include "harness/environment.h"
#include "harness/error.h"
#include "harness/sabotage.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

SweepSpec grid(const std::string& form, const Format& dtype, const std::string& widths,
               std::vector<std::string> backends) {
  SweepSpec spec;
  spec.subject = &find_case("meshgrid");
  spec.params = {complete_params(*spec.subject, {{"form", form}})};
  spec.dtypes = {dtype};
  for (const std::string& name : backends) spec.backends.push_back(find_backend(name));
  spec.widths = Widths::parse(widths);
  return spec;
}

SweepResult run(const SweepSpec& spec) {
  const std::atomic<bool> stop{false};
  return run_sweep(spec, stop, {});
}

}  // namespace

TEST_CASE("results do not depend on the number of threads or the instruction set", "[sweep]") {
  SweepSpec spec =
      grid("arange", bfloat16, "2..400,3000,70001", {"eager-cpu", "triton-div", "cuda-aten"});
  const SweepResult one = run(spec);
  const auto same = [&](const SweepResult& other) {
    REQUIRE(other.rows.size() == one.rows.size());
    for (std::size_t r = 0; r < one.rows.size(); ++r) {
      CHECK(other.rows[r].metrics == one.rows[r].metrics);
      CHECK(other.rows[r].affected == one.rows[r].affected);
      CHECK(other.rows[r].lanes.points == one.rows[r].lanes.points);
      CHECK(other.rows[r].tiers.certified == one.rows[r].tiers.certified);
      CHECK(other.rows[r].tiers.exact == one.rows[r].tiers.exact);
    }
  };
  for (const unsigned threads : {2u, 3u, 7u}) {
    spec.threads = threads;
    same(run(spec));
  }
  const auto isas = available_isas();
  for (const std::string& isa : isas) {
    INFO(isa);
    select_isa(isa);
    same(run(spec));
  }
  select_isa(isas.front());
}

TEST_CASE("the metrics of a sweep are those of its parts merged", "[sweep]") {
  Metrics merged = run(grid("arange", binary16, "2..99", {"eager-cpu"})).rows.front().metrics;
  merged.merge(run(grid("arange", binary16, "100..200", {"eager-cpu"})).rows.front().metrics);
  CHECK(merged == run(grid("arange", binary16, "2..200", {"eager-cpu"})).rows.front().metrics);
  CHECK(merged ==
        run(grid("arange", binary16, "100..200,2..99", {"eager-cpu"})).rows.front().metrics);
}

TEST_CASE("backends that are wrong on purpose are caught with the right counts", "[sweep]") {
  const Widths widths = sabotage_widths();
  CHECK(counts_of(run(sabotage_sweep(find_backend("fused-fp32"), widths)).rows.front()) ==
        SabotageCounts{});
  for (const Sabotage& s : all_sabotages()) {
    INFO(s.name);
    CHECK(counts_of(run(sabotage_sweep(s.backend, widths)).rows.front()) == s.expected(widths));
  }
}

TEST_CASE("the worlds of an approximate reciprocal and their envelope", "[sweep]") {
  const SweepResult result = run(grid("float32-once", binary32, "2..64", {"triton-div"}));
  REQUIRE(result.rows.size() == 4);
  const SweepRow& all = result.rows[0];
  REQUIRE(all.envelope.has_value());
  CHECK(all.backend == "triton-div");
  CHECK(all.metrics.points == all.announced);
  std::uint64_t largest = 0;
  for (std::size_t w = 1; w < 4; ++w) {
    const SweepRow& world = result.rows[w];
    CHECK(world.backend == all.envelope->worlds[w - 1]);
    CHECK(world.metrics.points == world.announced);
    CHECK(world.metrics.points <= all.metrics.points);
    CHECK(world.metrics.differing <= all.envelope->some_world_differs);
    largest = std::max(largest, world.metrics.steps.value);
  }
  CHECK(all.metrics.steps.value == largest);
  CHECK(all.envelope->every_world_differs <= result.rows[1].metrics.differing);
  CHECK(all.envelope->some_world_differs > result.rows[1].metrics.differing);
  // A divisor that is not a power of two admits the nearest and one neighbour, never both.
  const std::uint64_t powers = 1 + 2 + 4 + 8 + 16 + 32 + 6;  // n = 2^k + 1 <= 64 has n points
  CHECK(result.rows[2].announced + result.rows[3].announced == all.announced + powers + 0u);
}

TEST_CASE("a world that no divisor admits is unavailable", "[sweep]") {
  const SweepResult result =
      run(grid("float32-once", binary32, "300", {"triton-div+reciprocal=below"}));
  CHECK(!result.rows.front().unavailable.empty());
  CHECK(result.points == 0);
}

TEST_CASE("a backend that cannot run says why and the rest goes on", "[sweep]") {
  Backend absent = find_backend("fused-fp32");
  absent.name = "absent";
  absent.availability = [](const Backend&) -> Availability { return "no such device"; };
  SweepSpec spec = grid("arange", bfloat16, "2..9", {"eager-cpu"});
  spec.backends.insert(spec.backends.begin(), absent);
  const SweepResult result = run(spec);
  CHECK(result.rows[0].unavailable == "no such device");
  CHECK(result.rows[1].metrics.points == 44);
  CHECK(result.points == 44);
}

TEST_CASE("a sweep that is stopped is not complete", "[sweep]") {
  const std::atomic<bool> stop{true};
  CHECK(!run_sweep(grid("arange", bfloat16, "2..9", {"eager-cpu"}), stop, {}).complete);
}

TEST_CASE("a reference that stands for several results is refused", "[sweep]") {
  SweepSpec spec = grid("arange", bfloat16, "2..9", {"eager-cpu"});
  spec.reference.backend = find_backend("triton-div");
  CHECK_THROWS_AS(run(spec), UsageError);
  spec.reference.backend = find_backend("triton-div+reciprocal=nearest");
  CHECK(run(spec).points == 44);
}

TEST_CASE("tensor figures count every axis, each point as often as it is repeated", "[sweep]") {
  SweepSpec spec = grid("arange", bfloat16, "300", {"eager-cpu"});
  spec.reference.backend = find_backend("fused-fp32");
  spec.params = {complete_params(*spec.subject, {{"form", "arange"}, {"height", "100"}})};
  const SweepRow row = run(spec).rows.front();
  // 167 differing of 300 along x, each 100 times; 55 of 100 along y, each 300 times.
  CHECK(row.tensor->points == 2 * 300 * 100);
  CHECK(row.tensor->differing == 167 * 100 + 55 * 300);
}

TEST_CASE("an axis of one point is zero on every backend", "[sweep]") {
  for (const Backend& backend : all_backends()) {
    if (availability_of(backend)) continue;
    for (const std::string form : {"arange", "linspace", "exact-numerator", "arange-size-tensor"}) {
      const SweepRow row = run(grid(form, bfloat16, "1", {backend.name})).rows.front();
      CHECK(row.metrics.points == 1);
      CHECK(row.metrics.differing == 0);
      CHECK(row.metrics.zero_sign == 0);
    }
  }
}

}  // namespace halfulp
