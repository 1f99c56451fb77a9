#include "cases/loss_scale_rule.h"

#include <algorithm>

namespace halfulp::cases {

LossScaleSchedule loss_scale_schedule(
    const LossScaleRule& rule, std::size_t steps,
    const std::function<bool(std::size_t step, double scale)>& overflows) {
  LossScaleSchedule schedule;
  double scale = rule.initial;
  std::uint64_t good_steps = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    schedule.used.push_back(scale);
    if (overflows(step, scale)) {
      scale = std::max(scale * rule.backoff, rule.minimum);
      good_steps = 0;
    } else if (++good_steps == rule.interval) {
      scale = std::min(scale * rule.growth, rule.maximum);
      good_steps = 0;
    }
    schedule.after.push_back(scale);
  }
  return schedule;
}

}  // namespace halfulp::cases
