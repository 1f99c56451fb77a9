#include "backends/reduce.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "backends/reduce_items.h"
#include "backends/reduce_terms.h"
#include "backends/reduce_walk.h"

namespace halfulp::backends {
namespace {

/// The order's result on x (and y), which are not empty.
template <class Terms, typename T>
typename Terms::State ordered(const Terms& terms, const Reduction& reduction, std::span<const T> x,
                              std::span<const T> y) {
  const View<T> view{.x = x.data(), .y = y.empty() ? nullptr : y.data(), .size = x.size()};
  return walk(reduction.order, Elements<Terms, T>(terms, view));
}

/// A sum's zeros of either sign are +0.
template <class Terms, typename T>
T total(const Terms& terms, const Reduction& reduction, std::span<const T> x,
        std::span<const T> y = {}) {
  return terms.step(T{0} + ordered(terms, reduction, x, y));
}

template <typename T, Narrowing::Kind kind>
T reduce_rounded(const Reduction& r, std::span<const T> x, std::span<const T> y) {
  const std::span<const T> none;
  switch (r.op) {
    case Op::sum:
      return total(SumTerms<T, kind>(r), r, x);
    case Op::product:
      return ordered(ProductTerms<T, kind>(r), r, x, none);
    case Op::dot:
      return r.products == Products::fused
                 ? total(DotTerms<T, kind, Products::fused>(r), r, x, y)
                 : total(DotTerms<T, kind, Products::rounded>(r), r, x, y);
    case Op::welford_mean:
      return ordered(WelfordTerms<T, kind>(r), r, x, none).mean;
    case Op::welford_m2:
      return ordered(WelfordTerms<T, kind>(r), r, x, none).m2;
    case Op::chan_m2:
      return ordered(ChanTerms<T, kind>(r), r, x, none).m2;
    default:
      throw std::logic_error("no reduction: " + std::string(name(r.op)));
  }
}

template <typename T>
T reduce_stepwise(const Reduction& r, std::span<const T> x, std::span<const T> y) {
  using Kind = Narrowing::Kind;
  if constexpr (std::is_same_v<T, float>) {
    if (r.step.kind == Kind::significand_only) {
      return reduce_rounded<T, Kind::significand_only>(r, x, y);
    }
    if (r.step.kind == Kind::full) return reduce_rounded<T, Kind::full>(r, x, y);
  }
  return reduce_rounded<T, Kind::none>(r, x, y);
}

/// `chosen` is min or max of two numbers: the second where neither is smaller or larger.
template <typename T, class Chosen>
T extreme(Extremes extremes, std::span<const T> x, Chosen chosen) {
  T best = x[0];
  for (const T value : x.subspan(1)) {
    if (extremes == Extremes::select || (!std::isnan(best) && !std::isnan(value))) {
      best = chosen(best, value);
    } else if (std::isnan(best) == (extremes == Extremes::number)) {
      best = value;
    }
  }
  return best;
}

template <typename T>
T index_of_largest(std::span<const T> x) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) return static_cast<T>(i);
    if (x[i] > x[best]) best = i;
  }
  return static_cast<T>(best);
}

/// What a reduction of nothing gives (harness/program.h).
template <typename T>
T of_nothing(Op op) {
  switch (op) {
    case Op::product:
      return 1;
    case Op::smallest:
      return std::numeric_limits<T>::infinity();
    case Op::largest:
      return -std::numeric_limits<T>::infinity();
    case Op::index_of_largest:
    case Op::welford_mean:
      return std::numeric_limits<T>::quiet_NaN();
    default:
      return 0;
  }
}

template <typename T>
T reduce_any(const Reduction& r, std::span<const T> x, std::span<const T> y) {
  if (!is_reduction(r.op)) throw std::logic_error("no reduction: " + std::string(name(r.op)));
  if (x.empty()) return of_nothing<T>(r.op);
  switch (r.op) {
    case Op::smallest:
      return extreme(r.extremes, x, [](T a, T b) { return a < b ? a : b; });
    case Op::largest:
      return extreme(r.extremes, x, [](T a, T b) { return a > b ? a : b; });
    case Op::index_of_largest:
      return index_of_largest(x);
    default:
      return reduce_stepwise(r, x, y);
  }
}

}  // namespace

float reduce(const Reduction& reduction, std::span<const float> x, std::span<const float> y) {
  return narrow(reduce_any(reduction, x, y), reduction.result);
}

double reduce(const Reduction& reduction, std::span<const double> x, std::span<const double> y) {
  return reduce_any(reduction, x, y);
}

}  // namespace halfulp::backends
