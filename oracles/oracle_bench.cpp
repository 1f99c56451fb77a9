// Speed of the oracles on (i / (n-1) - 0.5) * 2: points per second on one core.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>

#include "harness/oracle.h"

namespace halfulp {
namespace {

Program corner_aligned_grid() {
  ProgramBuilder b;
  const auto quotient = b.binary(Op::div, dtype_type, b.index(), b.size(1, -1));
  const auto centred = b.binary(Op::sub, dtype_type, quotient, b.literal(ExactNumber{1, 2, 0, 0}));
  return b.finish(b.binary(Op::mul, dtype_type, centred, b.literal(2)));
}

/// Every axis of `first_width` to `last_width` points.
void evaluate_axes(benchmark::State& state, OracleKind kind, const Format& format,
                   std::uint64_t first_width, std::uint64_t last_width) {
  const auto oracle = make_oracle(kind, corner_aligned_grid(), format);
  const auto block = std::make_unique<OracleBlock>();
  std::int64_t points = 0;
  for ([[maybe_unused]] auto iteration : state) {
    for (std::uint64_t n = first_width; n <= last_width; ++n) {
      oracle->bind({.n = exact(static_cast<std::int64_t>(n)), .count = n, .inputs = {}});
      for (std::uint64_t i = 0; i < n; i += block_lanes) {
        block->rounded.size = std::min<std::uint64_t>(block_lanes, n - i);
        oracle->evaluate(i, *block);
      }
      points += static_cast<std::int64_t>(n);
    }
  }
  state.SetItemsProcessed(points);
}

const int registered = [] {
  for (const Format& format : {bfloat16, binary16, binary32, binary64}) {
    const std::string name(short_name(format));
    const auto add = [&](const std::string& what, OracleKind kind, std::uint64_t first,
                         std::uint64_t last) {
      benchmark::RegisterBenchmark((what + "/" + name).c_str(), evaluate_axes, kind, format, first,
                                   last);
    };
    add("checked sweep 2..4096", OracleKind::checked, 2, 4096);
    if (format != binary64) add("checked width 1000003", OracleKind::checked, 1000003, 1000003);
    add("exact width 10007", OracleKind::exact, 10007, 10007);
  }
  return 0;
}();

}  // namespace
}  // namespace halfulp
