#include "harness/metrics.h"

namespace halfulp {

void Metrics::merge(const Metrics& other) {
  points += other.points;
  differing += other.differing;
  widths_affected += other.widths_affected;
  if (other.first && (!first || other.first->at < first->at)) first = other.first;
  zero_lost += other.zero_lost;
  zero_sign += other.zero_sign;
  nonfinite += other.nonfinite;
  unwritten += other.unwritten;
  steps.merge(other.steps);
  ulp_error.merge(other.ulp_error);
  range_ulp.merge(other.range_ulp);
  abs.merge(other.abs);
  rel.merge(other.rel);
  histogram.merge(other.histogram);
}

}  // namespace halfulp
