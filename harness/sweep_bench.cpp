// Speed as a ratio: engine models and the whole comparison beside hand-written loops of the same
// arithmetic, in the same run.
#include <benchmark/benchmark.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/evaluate.h"
#include "harness/oracle.h"
#include "harness/sweep_worker.h"

// The rival may use the best instructions of the machine, as the kernels do.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(HWY_COMPILE_ONLY_STATIC)
#define HALFULP_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HALFULP_CLONES
#endif

namespace halfulp {
namespace {

constexpr std::int64_t axis_length = 4096;

float narrowed_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u);
}

HALFULP_CLONES void raw_fused(std::int32_t first, float m, float* out) {
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(block_lanes); ++i) {
    const float x = static_cast<float>(first + i);
    out[i] = narrowed_to_bfloat16((x / m - 0.5f) * 2.0f);
  }
}

HALFULP_CLONES void raw_eager(std::int32_t first, float m, float* out) {
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(block_lanes); ++i) {
    const float x = narrowed_to_bfloat16(static_cast<float>(first + i));
    const float quotient = narrowed_to_bfloat16(x / m);
    const float centred = narrowed_to_bfloat16(quotient - 0.5f);
    out[i] = narrowed_to_bfloat16(centred * 2.0f);
  }
}

template <void (*loop)(std::int32_t, float, float*)>
void raw(benchmark::State& state) {
  alignas(64) float out[block_lanes];
  for (auto _ : state) {
    for (std::int32_t first = 0; first < axis_length; first += block_lanes) {
      loop(first, static_cast<float>(axis_length - 1), out);
      benchmark::DoNotOptimize(out);
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(state.iterations() * axis_length);
}

Program grid(const char* form) {
  const Case& c = find_case("meshgrid");
  return c.build(complete_params(c, {{"form", form}}), 2);
}

void backend(benchmark::State& state, const char* name, const char* form) {
  const Backend b = find_backend(name);
  const auto evaluator = b.compile(b, grid(form), bfloat16);
  const auto block = std::make_unique<Block>();
  for (auto _ : state) {
    evaluator->bind({exact(axis_length), axis_length, {}});
    for (std::uint64_t first = 0; first < axis_length; first += block_lanes) {
      block->size = block_lanes;
      evaluator->evaluate(first, *block);
      benchmark::DoNotOptimize(*block);
    }
  }
  state.SetItemsProcessed(state.iterations() * axis_length);
}

void oracle_alone(benchmark::State& state) {
  const auto oracle = make_oracle(OracleKind::checked, grid("float32-once"), bfloat16);
  const auto block = std::make_unique<OracleBlock>();
  for (auto _ : state) {
    oracle->bind({exact(axis_length), axis_length, {}});
    for (std::uint64_t first = 0; first < axis_length; first += block_lanes) {
      block->rounded.size = block_lanes;
      oracle->evaluate(first, *block);
    }
  }
  state.SetItemsProcessed(state.iterations() * axis_length);
}

/// Oracle, backends and metrics over widths 2..4096 on one thread, start-up included.
void sweep(benchmark::State& state, std::vector<const char*> backends, const char* form) {
  SweepSpec spec;
  spec.subject = &find_case("meshgrid");
  spec.params = {complete_params(*spec.subject, {{"form", form}})};
  spec.dtypes = {bfloat16};
  for (const char* name : backends) spec.backends.push_back(find_backend(name));
  spec.widths = Widths::parse("2..4096");
  const std::atomic<bool> stop{false};
  std::int64_t points = 0;
  for (auto _ : state) {
    points += static_cast<std::int64_t>(run_sweep(spec, stop, {}).rows.front().metrics.points);
  }
  state.SetItemsProcessed(points);
}

}  // namespace

BENCHMARK(raw<raw_fused>)->Name("raw loop: fused bf16");
BENCHMARK_CAPTURE(backend, fused, "fused-fp32", "float32-once")->Name("fused-fp32 bf16");
BENCHMARK(raw<raw_eager>)->Name("raw loop: eager bf16, correct ramp");
BENCHMARK_CAPTURE(backend, eager, "eager-cpu+arange_lanes=0", "arange")
    ->Name("eager-cpu+arange_lanes=0 bf16");
BENCHMARK_CAPTURE(backend, eager16, "eager-cpu", "arange")->Name("eager-cpu bf16");
BENCHMARK(oracle_alone)->Name("oracle bf16");
BENCHMARK_CAPTURE(sweep, one, {"fused-fp32"}, "float32-once")
    ->Name("sweep: oracle + fused-fp32 + metrics")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep, two, {"fused-fp32", "eager-cpu"}, "float32-once")
    ->Name("sweep: oracle + fused-fp32 + eager-cpu + metrics, float32-once")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep, two_typed, {"fused-fp32", "eager-cpu"}, "arange")
    ->Name("sweep: oracle + fused-fp32 + eager-cpu + metrics, arange")
    ->Unit(benchmark::kMillisecond);

}  // namespace halfulp
