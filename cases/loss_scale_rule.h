// The update rule of a dynamic loss scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace halfulp::cases {

/// PyTorch's GradScaler and NVIDIA's mixed-precision guide: grow after `interval` steps in a row
/// without an overflow, back off at every overflow and count again from there. The caps are
/// Apex's.
struct LossScaleRule {
  double initial = 65536;
  double growth = 2;     ///< at least 1
  double backoff = 0.5;  ///< in (0, 1]
  std::uint64_t interval = 2000;
  double minimum = 1;  ///< 0 < minimum <= initial <= maximum
  double maximum = 16777216;
};

/// The scale at each step: which one the step used, and what the rule made of it.
struct LossScaleSchedule {
  std::vector<double> used;
  std::vector<double> after;
};

/// Runs the rule over steps 0 ... steps - 1; `overflows` says whether the gradients of a step
/// overflow at a scale.
LossScaleSchedule loss_scale_schedule(
    const LossScaleRule& rule, std::size_t steps,
    const std::function<bool(std::size_t step, double scale)>& overflows);

}  // namespace halfulp::cases
