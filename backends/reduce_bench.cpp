// Elements a second of reductions in different orders.
#include <benchmark/benchmark.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "backends/reduce.h"

namespace halfulp::backends {
namespace {

std::vector<float> values(std::size_t n) {
  std::vector<float> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(std::ldexp(static_cast<float>(i % 1009), -9));
  return x;
}

void run(benchmark::State& state, const Reduction& reduction) {
  const auto x = values(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto iteration : state) {
    benchmark::DoNotOptimize(reduce(reduction, std::span<const float>(x), x));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// The rival: the loop that anyone would write.
void plain_sum(benchmark::State& state) {
  const auto x = values(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto iteration : state) {
    float s = 0;
    for (const float v : x) s += v;
    benchmark::DoNotOptimize(s);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void sum(benchmark::State& state, const std::string& order) {
  run(state, {.op = Op::sum, .order = parse_order(order)});
}
void stepwise_sum(benchmark::State& state, const Format& format) {
  run(state, {.op = Op::sum, .order = parse_order("sequential"), .step = narrowing_to(format)});
}
void other(benchmark::State& state, Op op, Products products) {
  run(state, {.op = op, .order = parse_order("sequential"), .products = products});
}

BENCHMARK(plain_sum)->Arg(1 << 10)->Arg(1 << 22);
BENCHMARK_CAPTURE(sum, sequential, "sequential")->Arg(1 << 10)->Arg(1 << 22);
BENCHMARK_CAPTURE(sum, pairwise, "pairwise")->Arg(1 << 10)->Arg(1 << 22);
BENCHMARK_CAPTURE(sum, lanes, "lanes:16(sequential/tree)")->Arg(1 << 10)->Arg(1 << 22);
BENCHMARK_CAPTURE(sum, warp, "warp")->Arg(1 << 10)->Arg(1 << 22);
BENCHMARK_CAPTURE(sum, pairs, "pairs")->Arg(1 << 10)->Arg(1 << 22);
BENCHMARK_CAPTURE(sum, tree, "tree")->Arg(1 << 10)->Arg(1 << 22);
BENCHMARK_CAPTURE(sum, random, "random:1")->Arg(1 << 10)->Arg(1 << 22);
BENCHMARK_CAPTURE(sum, aten,
                  "below:8(lanes:4:first(cascade:4)/lanes:8:before(lanes:4:first(cascade:4)))")
    ->Arg(1 << 10)
    ->Arg(1 << 22);
BENCHMARK_CAPTURE(sum, kahan, "kahan")->Arg(1 << 10);
BENCHMARK_CAPTURE(stepwise_sum, bf16, bfloat16)->Arg(1 << 10);
BENCHMARK_CAPTURE(stepwise_sum, f16, binary16)->Arg(1 << 10);
BENCHMARK_CAPTURE(other, dot, Op::dot, Products::rounded)->Arg(1 << 10);
BENCHMARK_CAPTURE(other, fused_dot, Op::dot, Products::fused)->Arg(1 << 10);
BENCHMARK_CAPTURE(other, welford, Op::welford_m2, Products::rounded)->Arg(1 << 10);
BENCHMARK_CAPTURE(other, largest, Op::largest, Products::rounded)->Arg(1 << 10);

}  // namespace
}  // namespace halfulp::backends
