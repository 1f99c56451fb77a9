#include "harness/sweep_worker.h"

#include <algorithm>
#include <array>

#include "harness/encoding.h"

namespace halfulp {
namespace {

/// Repeats of each point of the swept axis in the whole tensor; 0 without tensor figures.
std::uint64_t swept_repeats(const SweepJob& job, const AxisValue& value) {
  if (job.subject->tensor == nullptr) return 0;
  for (const TensorAxis& axis : job.subject->tensor(job.params, value.count)) {
    if (axis.swept) return axis.repeats;
  }
  return 0;
}

bool same_lane(const Block& a, std::size_t lane, const Block& b, std::size_t other) {
  if (a.carrier == Carrier::f32) {
    return std::bit_cast<std::uint32_t>(a.f32[lane]) == std::bit_cast<std::uint32_t>(b.f32[other]);
  }
  return std::bit_cast<std::uint64_t>(a.f64[lane]) == std::bit_cast<std::uint64_t>(b.f64[other]);
}

void copy_lane(const Block& from, std::size_t lane, Block& to) {
  if (from.carrier == Carrier::f32) {
    to.f32[lane] = from.f32[lane];
  } else {
    to.f64[lane] = from.f64[lane];
  }
}

}  // namespace

void Findings::merge(const Findings& other) {
  metrics.merge(other.metrics);
  affected.insert(affected.end(), other.affected.begin(), other.affected.end());
  lanes.points += other.lanes.points;
  lanes.changed += other.lanes.changed;
  tensor_differing += other.tensor_differing;
  tensor_points += other.tensor_points;
  every_world_differs += other.every_world_differs;
}

Evaluator& SweepWorker::Engine::bound(const Binding& binding) {
  Evaluator& evaluator = binding.count == 1 ? *singleton : *general;
  evaluator.bind(binding);
  return evaluator;
}

SweepWorker::SweepWorker(const SweepJob& job)
    : job_(job),
      binder_(*job.subject, job.params, job.dtype),
      constants_(job.output),
      subjects_(job.subjects.size()),
      groups_(job.worlds_of_group.size()),
      bound_(job.subjects.size()),
      expected_(std::make_unique<OracleBlock>()),
      actual_(std::make_unique<Block>()),
      worst_(std::make_unique<Block>()),
      worst_steps_(block_lanes),
      every_(block_lanes) {
  const auto compiled = [&](const Backend& b) {
    return Engine{b.compile(b, job.program, job.dtype), b.compile(b, job.singleton, job.dtype)};
  };
  for (const auto& subject : job.subjects) engines_.push_back(compiled(subject.backend));
  if (job.reference.backend) {
    reference_engine_ = compiled(*job.reference.backend);
  } else {
    oracle_ = {make_oracle(OracleKind::checked, job.program, job.dtype),
               make_oracle(OracleKind::checked, job.singleton, job.dtype)};
  }
}

TierCounts SweepWorker::tiers() const {
  TierCounts counts;
  if (oracle_.general) counts += oracle_.general->tiers();
  if (oracle_.singleton) counts += oracle_.singleton->tiers();
  return counts;
}

void SweepWorker::bind(const Segment& segment) {
  if (bound_position_ == segment.position) return;
  bound_position_ = segment.position;
  const AxisValue& value = job_.axis[segment.position];
  const Binding binding = binder_.binding(value.n);
  for (std::size_t s = 0; s < engines_.size(); ++s) {
    Evaluator& evaluator = engines_[s].bound(binding);
    bound_[s] = evaluator.admitted() ? &evaluator : nullptr;
  }
  if (job_.reference.backend) {
    bound_reference_ = &reference_engine_.bound(binding);
  } else {
    bound_oracle_ = binding.count == 1 ? oracle_.singleton.get() : oracle_.general.get();
    bound_oracle_->bind(binding);
  }
  const auto range_max = job_.subject->range_max;
  const double top = range_max != nullptr
                         ? range_max(job_.params, job_.dtype, value.n, binder_.largest_input())
                         : 1;
  range_ulp_ = range_ulp_at(top, job_.output);
  repeats_ = swept_repeats(job_, value);
}

void SweepWorker::run(const Segment& segment) {
  bind(segment);
  for (std::uint64_t first = segment.first; first < segment.last; first += block_lanes) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(block_lanes, segment.last - first));
    evaluate_reference(first, size);
    compare_subjects(segment, first, size);
  }
  // A rule of the position alone, so that the same points are checked for any number of threads.
  if (segment.first != 0 || segment.position % 32 != 0) return;
  for (std::size_t s = 0; s < subjects_.size(); ++s) check_lanes(s, segment.first, segment.last);
}

void SweepWorker::evaluate_reference(std::uint64_t first, std::size_t size) {
  poison(expected_->rounded, carrier_of(job_.output), size);
  if (bound_oracle_ != nullptr) {
    bound_oracle_->evaluate(first, *expected_);
  } else {
    bound_reference_->evaluate(first, expected_->rounded);
  }
}

Comparison SweepWorker::comparison(const Block& actual, const Segment& segment,
                                   std::uint64_t first) const {
  return {.actual = &actual,
          .expected = &expected_->rounded,
          .exact = bound_oracle_ != nullptr ? expected_.get() : nullptr,
          .oracle = bound_oracle_,
          .constants = &constants_,
          .range_ulp = range_ulp_,
          .width = job_.axis[segment.position].label,
          .first = first};
}

void SweepWorker::add(Findings& findings, const Block& actual, const Segment& segment,
                      std::uint64_t first) {
  const std::uint64_t differing = accumulate(comparison(actual, segment, first), findings.metrics);
  const auto position = static_cast<std::uint32_t>(segment.position);
  if (differing > 0 && (findings.affected.empty() || findings.affected.back() != position)) {
    findings.affected.push_back(position);
  }
  findings.tensor_differing += differing * repeats_;
  findings.tensor_points += actual.size * repeats_;
}

void SweepWorker::compare_subjects(const Segment& segment, std::uint64_t first, std::size_t size) {
  for (std::size_t s = 0; s < engines_.size(); ++s) {
    const std::size_t group = job_.subjects[s].group;
    if (bound_[s] != nullptr) {
      poison(*actual_, carrier_of(job_.output), size);
      bound_[s]->evaluate(first, *actual_);
      add(subjects_[s], *actual_, segment, first);
      if (job_.has_worlds(group)) fold_world(comparison(*actual_, segment, first));
    }
    const bool group_ends = s + 1 == engines_.size() || job_.subjects[s + 1].group != group;
    if (group_ends && worlds_folded_ > 0) close_group(group, segment, first);
  }
}

void SweepWorker::fold_world(const Comparison& c) {
  const bool is_first = worlds_folded_ == 0;
  for (std::size_t lane = 0; lane < c.actual->size; ++lane) {
    const std::uint64_t steps = lane_steps(c, lane);
    every_[lane] = steps != 0 && (is_first || every_[lane] != 0);
    if (!is_first && steps <= worst_steps_[lane]) continue;
    worst_steps_[lane] = steps;
    copy_lane(*c.actual, lane, *worst_);
  }
  worst_->carrier = c.actual->carrier;
  worst_->size = c.actual->size;
  ++worlds_folded_;
}

void SweepWorker::close_group(std::size_t group, const Segment& segment, std::uint64_t first) {
  Findings& findings = groups_[group];
  add(findings, *worst_, segment, first);
  findings.every_world_differs += static_cast<std::uint64_t>(
      std::count_if(every_.begin(), every_.begin() + static_cast<std::ptrdiff_t>(worst_->size),
                    [](std::uint8_t differs) { return differs != 0; }));
  worlds_folded_ = 0;
}

void SweepWorker::check_lanes(std::size_t subject, std::uint64_t first, std::uint64_t last) {
  if (bound_[subject] == nullptr) return;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(block_lanes, last - first));
  const Carrier carrier = carrier_of(job_.output);
  poison(*actual_, carrier, size);
  bound_[subject]->evaluate(first, *actual_);
  const auto recheck = [&](std::size_t begin, std::size_t length) {
    poison(*worst_, carrier, length);
    bound_[subject]->evaluate(first + begin, *worst_);
    LaneCheck& lanes = subjects_[subject].lanes;
    lanes.points += length;
    for (std::size_t lane = 0; lane < length; ++lane) {
      if (!same_lane(*worst_, lane, *actual_, begin + lane)) ++lanes.changed;
    }
  };
  if (size > 1) recheck(1, size - 1);
  constexpr std::size_t short_length = 3;  // too short to fill a vector
  for (std::size_t begin = 0; begin < std::min<std::size_t>(size, 64); begin += short_length) {
    recheck(begin, std::min(short_length, size - begin));
  }
}

}  // namespace halfulp
