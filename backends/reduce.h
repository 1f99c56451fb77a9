// Reductions of one vector in a stated order: what an engine's loop over its elements returns.
#pragma once

#include <cstdint>
#include <span>

#include "backends/kernels.h"
#include "harness/backend.h"
#include "harness/program.h"
#include "harness/reduction_order.h"

namespace halfulp::backends {

/// A term of a dot product: x * y is rounded and then added, or fma(x, y, partial).
enum class Products : std::uint8_t { rounded, fused };

/// What a plan has decided about one reduction.
struct Reduction {
  Op op;
  ReductionOrder order{};  ///< of elements: neither `unmodelled` nor `any`
  Narrowing step{};        ///< after every operation on partial results (binary32 only)
  Narrowing result{};      ///< once at the end, and of the order `narrowed` (binary32 only)
  Products products = Products::rounded;
  Extremes extremes = Extremes::propagate;
};

/// The reduction of x, or for `dot` of x and y, which then have the same length. Every operation is
/// one IEEE operation of the carrier followed by `step`; an element is taken as it is. The same
/// bits on every instruction set. For no elements: what harness/program.h says of the operation.
///
/// sum, dot: end with 0 + the order's result. In a fused dot product, items that are combined
///   without a running partial (pairs, tree, counter, Neumaier) are rounded products; Kahan's y is
///   fma(x, y, -c).
/// product, welford_mean, welford_m2, chan_m2: `kahan` and `neumaier` are `sequential`.
/// kahan, neumaier: from the first item, so that one infinity is itself; a sum that becomes or
///   meets an infinity later is NaN (Kahan's from the item after it), as in the published loops.
/// welford_mean, welford_m2: the running state is (k, m, M2), first (0, 0, 0). An element makes it
///   d = x - m; m = m + d / k; M2 = M2 + d * (x - m) with the new k and, at the right, the new m.
///   Two states merge by Chan's formula, a being the earlier one: n = na + nb; d = mb - ma;
///   r = nb / n; m = ma + d * r; M2 = (M2a + M2b) + (d * d) * (na * r). Counts are exact integers
///   that are rounded by `step` where they are used, so a count beyond the largest finite float16
///   is an infinity there.
/// chan_m2: every element is a state (1, x, 0), and states only merge.
/// smallest, largest: from the first element on, whatever the order; of zeros the later one.
/// index_of_largest: NaN counts as the largest, whatever `extremes` says.
float reduce(const Reduction& reduction, std::span<const float> x, std::span<const float> y);
/// The same in binary64, without narrowing.
double reduce(const Reduction& reduction, std::span<const double> x, std::span<const double> y);

}  // namespace halfulp::backends
