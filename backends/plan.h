// A lowered program with every decision taken: formats, narrowings, registers, scalar conversions.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/kernels.h"
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
    input,    ///< a slice of a stored input
    output,   ///< the caller's block
  };
  Kind kind = Kind::none;
  std::uint32_t number = 0;  ///< of the splat, register or input
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
    widen,   ///< float carrier to double
    narrow,  ///< double carrier to float, rounded to binary32, then narrowed
  };
  Kind kind = Kind::kernel;
  Op op = Op::cast;
  Carrier carrier = Carrier::f32;  ///< of the result
  Format format = binary32;        ///< of the result; for ramps
  Narrowing narrowing{};
  KernelF32 kernel_f32 = nullptr;  ///< for kernel steps, by carrier
  KernelF64 kernel_f64 = nullptr;
  std::array<Location, 3> operands{};
  Location result{};
  std::array<Constant, 2> ramp{};  ///< start and step or end, for ramps
};

struct Plan {
  std::vector<ScalarSlot> scalars;
  std::vector<Step> uniform_steps;  ///< run once an axis
  std::vector<Step> block_steps;    ///< run for every block
  std::uint32_t splats = 0;
  std::uint32_t registers = 0;
  Carrier output_carrier = Carrier::f32;
  Location output{};  ///< not `output`: the result is uniform or an input and is copied
};

/// Plans a lowered program. Throws Unsupported.
Plan make_plan(const Program& program, const ExecutionModel& model, const Format& dtype);

}  // namespace halfulp::backends
