#include "harness/diff.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/encoding.h"

namespace halfulp {
namespace {

Witness witness(const Comparison& c, std::size_t lane) {
  return {{c.width, c.first + lane},
          encode_exact(c.actual->value(lane), c.constants->format),
          encode_exact(c.expected->value(lane), c.constants->format)};
}

/// Errors of one lane: from the oracle, or exact differences of two values rounded once.
ExactErrors errors_at(const Comparison& c, std::size_t lane) {
  const double actual = c.actual->value(lane);
  if (c.oracle != nullptr) return c.oracle->exact_errors(c.first + lane, actual);
  const double expected = c.expected->value(lane);
  const double abs = std::fabs(actual - expected);
  return {abs, abs / ulp_at(expected, c.constants->format), abs / std::fabs(expected)};
}

void offer_errors(const Comparison& c, std::size_t lane, Metrics& m) {
  if (!std::isfinite(c.actual->value(lane)) || !std::isfinite(c.expected->value(lane))) return;
  const ExactErrors e = errors_at(c, lane);
  const Witness w = witness(c, lane);
  const auto offer = [&](Extreme<double>& extreme, double value) {
    if (std::isfinite(value) && value > 0) extreme.offer(value, w);
  };
  offer(m.abs, e.abs);
  offer(m.ulp_error, e.ulp_error);
  offer(m.range_ulp, e.abs / c.range_ulp);
  offer(m.rel, e.rel);
}

bool is_lost_zero(const Comparison& c, std::size_t lane) {
  if (c.expected->value(lane) != 0) return false;
  return c.exact == nullptr || (c.exact->value[lane] == 0 && c.exact->radius[lane] == 0);
}

ErrorThresholds thresholds(const Comparison& c, const Metrics& m) {
  return {.abs = std::min(m.abs.value, m.range_ulp.value * c.range_ulp),
          .ulp_error = m.ulp_error.value,
          .rel = m.rel.value,
          .ulp_per_binade = c.constants->ulp_per_binade,
          .min_ulp = c.constants->min_ulp};
}

/// Could this lane, by its approximate error, still be a new maximum?
bool may_exceed(const Comparison& c, std::size_t lane, const Metrics& m) {
  const double value = c.exact != nullptr ? c.exact->value[lane] : c.expected->value(lane);
  const double radius = c.exact != nullptr ? c.exact->radius[lane] : 0;
  const double error = std::fabs(c.actual->value(lane) - value) + 2 * radius;
  const double low = std::max(std::fabs(value) - radius, 0.0);
  return error > std::min(m.abs.value, m.range_ulp.value * c.range_ulp) ||
         error > m.ulp_error.value * ulp_at(low, c.constants->format) ||
         (value != 0 && error > m.rel.value * (1 - 0x1p-50) * low);
}

/// Offers the candidate lanes, the roughly worst one first so that few others need the oracle.
void offer_candidates(const Comparison& c, const std::uint16_t* lanes, std::size_t count,
                      Metrics& m) {
  if (count == 0) return;
  const auto rough = [&](std::size_t lane) {
    const double value = c.exact != nullptr ? c.exact->value[lane] : c.expected->value(lane);
    const double error = std::fabs(c.actual->value(lane) - value);
    return std::isfinite(error) ? error : -1;
  };
  const auto* worst =
      std::max_element(lanes, lanes + count, [&](auto a, auto b) { return rough(a) < rough(b); });
  const auto* sharpest = std::max_element(lanes, lanes + count, [&](auto a, auto b) {
    return rough(a) * ulp_at(c.expected->value(b), c.constants->format) <
           rough(b) * ulp_at(c.expected->value(a), c.constants->format);
  });
  offer_errors(c, *worst, m);
  if (*sharpest != *worst) offer_errors(c, *sharpest, m);
  for (std::size_t k = 0; k < count; ++k) {
    if (may_exceed(c, lanes[k], m)) offer_errors(c, lanes[k], m);
  }
}

void add_steps(const Comparison& c, const BlockDistances& d, Metrics& m) {
  const std::size_t size = c.actual->size;
  const auto lane_of = [&](auto matches) {
    const auto* begin = d.steps.data();
    return static_cast<std::size_t>(std::find_if(begin, begin + size, matches) - begin);
  };
  if (!m.first) {
    m.first = witness(c, lane_of([](std::uint32_t steps) { return steps != 0; }));
  }
  if (d.max_steps > m.steps.value) {
    const std::size_t lane = lane_of([&](std::uint32_t steps) { return steps == d.max_steps; });
    m.steps.offer(d.max_steps, witness(c, lane));
  }
  for (std::size_t lane = 0; lane < size; ++lane) {
    if (d.steps[lane] != unlike_lane) m.histogram.add(d.steps[lane]);
  }
  for (std::size_t lane = 0; d.lost_zero_candidates > 0 && lane < size; ++lane) {
    if (d.steps[lane] != 0 && is_lost_zero(c, lane)) ++m.zero_lost;
  }
}

std::uint64_t accumulate_f32(const Comparison& c, Metrics& m) {
  const std::size_t size = c.actual->size;
  BlockDistances d;
  measure_distances(c.actual->f32, c.expected->f32, c.constants->ordinal, size, d);
  if (d.differing == 0) {
    m.histogram.add(0, size - d.both_nonfinite);
  } else {
    add_steps(c, d, m);
    // Equal NaNs and infinities carry a distance of 0 in `steps`, but have none.
    m.histogram.remove_zeros(d.both_nonfinite);
  }
  m.differing += d.differing;
  m.nonfinite += d.unlike;
  m.zero_sign += d.zero_sign;
  m.unwritten += d.unwritten;
  std::array<std::uint16_t, block_lanes> lanes;
  const std::size_t count = error_candidates(
      c.actual->f32, c.expected->f32, c.exact != nullptr ? c.exact->value : nullptr,
      c.exact != nullptr ? c.exact->radius : nullptr, thresholds(c, m), size, lanes.data());
  offer_candidates(c, lanes.data(), count, m);
  return d.differing;
}

/// Counts one lane; returns whether it differs. Errors are the caller's.
bool count_lane(const Comparison& c, std::size_t lane, Metrics& m) {
  const std::uint64_t steps = lane_steps(c, lane);
  const double actual = c.actual->value(lane);
  const double expected = c.expected->value(lane);
  if (c.actual->is_poison(lane)) ++m.unwritten;
  if (steps == unlike_nonfinite) {
    ++m.nonfinite;
  } else if (std::isfinite(actual)) {
    m.histogram.add(steps);
    if (steps > 0) m.steps.offer(steps, witness(c, lane));
    if (actual == 0 && expected == 0 && std::signbit(actual) != std::signbit(expected)) {
      ++m.zero_sign;
    }
  }
  if (steps == 0) return false;
  if (is_lost_zero(c, lane)) ++m.zero_lost;
  if (!m.first) m.first = witness(c, lane);
  return true;
}

template <typename NeedsErrors>
std::uint64_t accumulate_by_lane(const Comparison& c, Metrics& m, NeedsErrors needs_errors) {
  std::uint64_t differing = 0;
  for (std::size_t lane = 0; lane < c.actual->size; ++lane) {
    if (count_lane(c, lane, m)) ++differing;
    if (needs_errors(lane)) offer_errors(c, lane, m);
  }
  m.differing += differing;
  return differing;
}

}  // namespace

DiffConstants::DiffConstants(const Format& f)
    : format(f),
      ulp_per_binade(std::ldexp(1.0, -f.fraction_bits())),
      min_ulp(std::ldexp(1.0, f.min_subnormal_exponent())) {
  if (carrier_of(f) == Carrier::f32) ordinal = carrier_ordinal(f);
}

std::uint64_t lane_steps(const Comparison& c, std::size_t lane) {
  const double actual = c.actual->value(lane);
  const double expected = c.expected->value(lane);
  if (!std::isfinite(actual) || !std::isfinite(expected)) {
    const bool alike = actual == expected || (std::isnan(actual) && std::isnan(expected));
    return alike ? 0 : unlike_nonfinite;
  }
  return steps_between(encode_exact(actual, c.constants->format),
                       encode_exact(expected, c.constants->format), c.constants->format);
}

std::uint64_t accumulate(const Comparison& c, Metrics& m) {
  m.points += c.actual->size;
  if (c.actual->carrier == Carrier::f32) return accumulate_f32(c, m);
  return accumulate_by_lane(c, m, [&](std::size_t lane) { return may_exceed(c, lane, m); });
}

std::uint64_t accumulate_slowly(const Comparison& c, Metrics& m) {
  m.points += c.actual->size;
  return accumulate_by_lane(c, m, [](std::size_t) { return true; });
}

double ulp_at(double value, const Format& format) {
  if (value == 0) return std::ldexp(1.0, format.min_subnormal_exponent());
  const int exponent = std::max(std::ilogb(value), format.emin());
  return std::ldexp(1.0, exponent - format.fraction_bits());
}

double range_ulp_at(double magnitude, const Format& format) { return ulp_at(magnitude, format); }

}  // namespace halfulp
