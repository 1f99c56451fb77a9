// What a gate costs: the sweeps of a baseline on one core, reading them as a report, and the
// verdict.
#include <benchmark/benchmark.h>

#include "harness/commands.h"
#include "harness/gate_run.h"

namespace halfulp {
namespace {

const std::vector<std::string> released_forms{"arange", "float32-once"};
const std::vector<std::string> all_forms{"linspace",     "arange",           "arange-size-tensor",
                                         "float32-once", "divisor-in-dtype", "exact-numerator"};

/// Entries that only say what to run.
Baseline meshgrid_baseline(const std::vector<std::string>& forms,
                           const std::vector<std::string>& backends) {
  Baseline baseline;
  for (const std::string& form : forms) {
    for (const char* dtype : {"f16", "bf16"}) {
      for (const std::string& backend : backends) {
        BaselineEntry& entry = baseline.entries.emplace_back();
        entry.key = {.subject = "meshgrid",
                     .params = {{"form", form}},
                     .widths = "2..4096",
                     .dtype = dtype,
                     .backend = backend,
                     .reference = "oracle"};
        normalise(entry.key);
      }
    }
  }
  return baseline;
}

void gate(benchmark::State& state, const Baseline& baseline) {
  CommandContext context;
  context.quiet = true;
  std::vector<std::size_t> entries;
  for (std::size_t e = 0; e < baseline.entries.size(); ++e) entries.push_back(e);
  std::uint64_t points = 0;
  for (auto _ : state) {
    const Observations observations = run_entries(baseline, entries, 1, context);
    points = judge(baseline, observations, {}).points;
    benchmark::DoNotOptimize(points);
  }
  state.counters["points"] = static_cast<double>(points);
  state.counters["points/s"] = benchmark::Counter(static_cast<double>(points),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

/// Two forms, two dtypes, three backends: 100,687,860 points.
void gate_baseline(benchmark::State& state) {
  gate(state, meshgrid_baseline(released_forms, {"eager-cpu", "fused-fp32", "cuda-aten"}));
}
BENCHMARK(gate_baseline)->Unit(benchmark::kMillisecond);

void gate_all_backends_and_forms(benchmark::State& state) {
  std::vector<std::string> backends;
  for (const Backend& backend : all_backends()) backends.push_back(backend.name);
  gate(state, meshgrid_baseline(all_forms, backends));
}
BENCHMARK(gate_all_backends_and_forms)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace halfulp
