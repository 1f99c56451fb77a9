// A lowered program with every decision taken: formats, narrowings, registers, scalar conversions.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/kernels.h"
#include "backends/reduce.h"
#include "harness/backend.h"
#include "harness/block.h"
#include "harness/program.h"

namespace halfulp::backends {

/// Where a value lives while a block is evaluated.
struct Location {
  enum class Kind : std::uint8_t {
    none,
    uniform,  ///< a splat, computed when the axis is bound
    block,    ///< a register of block_lanes lanes
    vector,   ///< a slice of a whole vector, which a reduction reads
    input,    ///< a slice of a stored input
    output,   ///< the caller's block
  };
  Kind kind = Kind::none;
  std::uint32_t number = 0;  ///< of the splat, register, vector or input
};

/// A constant as one operation sees it: converted to binary64, to the carrier, then narrowed.
struct ScalarSlot {
  Constant constant;
  Narrowing narrowing;
  std::uint32_t splat = 0;
};

struct Step {
  enum class Kind : std::uint8_t {
    kernel,
    approximate_divide,  ///< also with an addend
    ramp,
    index,
    widen,     ///< float carrier to double
    narrow,    ///< double carrier to float, rounded to binary32, then narrowed
    truncate,  ///< from either carrier, rounded towards zero
    stochastic,
  };
  Kind kind = Kind::kernel;
  Op op = Op::cast;
  Carrier carrier = Carrier::f32;  ///< of the result
  Carrier source = Carrier::f32;   ///< of the operand; for truncate and stochastic
  Format format = binary32;        ///< of the result; for ramps and roundings
  Narrowing narrowing{};
  KernelF32 kernel_f32 = nullptr;  ///< for kernel steps, by carrier
  KernelF64 kernel_f64 = nullptr;
  std::array<Location, 3> operands{};
  Location result{};
  std::array<Constant, 2> constants{};  ///< start and step or end of a ramp; the seed
  std::uint32_t ramp = 0;               ///< number of the ramp
};

/// A whole vector to a splat.
struct ReduceStep {
  Reduction reduction;
  Accumulator accumulator = Accumulator::opmath;
  Carrier carrier = Carrier::f32;
  std::array<Location, 2> operands{};  ///< vectors or inputs
  Constant index{};                    ///< for `element`
  Location result{};
};

/// Once over the vector, then its reductions and what follows from them. A value that a reduction
/// reads is kept whole; any other is computed again by the passes that need it.
struct Pass {
  std::vector<Step> block_steps;
  std::vector<ReduceStep> reductions;
  std::vector<Step> uniform_steps;
};

struct Plan {
  std::vector<ScalarSlot> scalars;
  std::vector<Step> uniform_steps;  ///< run once an axis
  std::vector<Pass> passes;         ///< run once an axis, in order
  std::vector<Step> block_steps;    ///< run for every block
  std::uint32_t splats = 0;
  std::uint32_t registers = 0;
  std::uint32_t vectors = 0;
  std::uint32_t ramps = 0;
  Carrier output_carrier = Carrier::f32;
  Location output{};  ///< not `output`: the result is uniform or an input and is copied
};

/// Plans the program that a backend's rewrites left. Throws Unsupported.
Plan make_plan(const Program& lowered_program, const Backend& backend, const Format& dtype);

}  // namespace halfulp::backends
