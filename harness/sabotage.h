// Backends that are wrong on purpose: what the harness must catch.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/axis.h"
#include "harness/backend.h"
#include "harness/sweep.h"

namespace halfulp {

/// What a sabotage makes a sweep count.
struct SabotageCounts {
  std::uint64_t differing = 0;
  std::uint64_t steps_max = 0;
  std::uint64_t zero_lost = 0;
  std::uint64_t zero_sign = 0;
  std::uint64_t nonfinite = 0;
  std::uint64_t unwritten = 0;
  bool lane_dependence = false;

  bool operator==(const SabotageCounts&) const = default;
};
SabotageCounts counts_of(const SweepRow& row);

/// A way to be wrong, applied to the results of `fused-fp32`.
struct Sabotage {
  std::string_view name;
  std::string_view summary;
  Backend backend;
  /// What `sabotage_sweep` over the widths must count, from the definition alone.
  SabotageCounts (*expected)(const Widths& widths);
};

/// One of each kind: one last bit; lost sign of zero; lost zero; NaN; infinity; outputs left
/// untouched; wrong in one lane only; right on sampled points only.
std::vector<Sabotage> all_sabotages();

/// Widths on which `fused-fp32` is correctly rounded in binary16, so that every finding is the
/// sabotage's.
Widths sabotage_widths();

/// The sweep that must catch a sabotage: meshgrid in f16 against the oracle.
SweepSpec sabotage_sweep(const Backend& backend, const Widths& widths);

}  // namespace halfulp
