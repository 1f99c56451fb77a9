// `arange` and `linspace` as engines evaluate them: blocks with a rounded base, two-sided halves.
#pragma once

#include <array>
#include <cstdint>

#include "backends/kernels.h"
#include "harness/backend.h"
#include "harness/block.h"

namespace halfulp::backends {

/// A bound ramp: op is arange (start, step) or linspace (start, end) over `count` indices.
struct Ramp {
  Op op = Op::arange;
  Format format = binary32;  ///< the ramp's type: what it rounds to
  double start = 0;
  double second = 1;  ///< step, or end
  std::uint64_t count = 0;
  ExecutionModel model{};
  Contraction contraction = Contraction::off;
};

/// Values for indices [first, first + size), size <= block_lanes. Rules and their source:
/// README, "Engines". The float form is for every format but
/// binary64.
void fill_ramp(const Ramp& ramp, std::uint64_t first, std::size_t size, float* out);
void fill_ramp(const Ramp& ramp, std::uint64_t first, std::size_t size, double* out);

}  // namespace halfulp::backends
