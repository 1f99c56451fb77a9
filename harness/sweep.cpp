#include "harness/sweep.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "harness/sweep_prepare.h"

namespace halfulp {
namespace {

/// Points that a thread takes at a time.
constexpr std::uint64_t segment_points = std::uint64_t{1} << 16;

/// Deals out the axis in segments; each thread asks for the next.
class Segments {
 public:
  explicit Segments(const std::vector<AxisValue>& axis) : axis_(axis) {}
  std::optional<Segment> next() {
    const std::lock_guard lock(mutex_);
    if (position_ == axis_.size()) return std::nullopt;
    const std::uint64_t results = axis_[position_].results;
    const Segment segment{position_, first_, std::min(first_ + segment_points, results)};
    first_ = segment.last;
    if (first_ == results) {
      ++position_;
      first_ = 0;
    }
    return segment;
  }

 private:
  const std::vector<AxisValue>& axis_;
  std::mutex mutex_;
  std::size_t position_ = 0;
  std::uint64_t first_ = 0;
};

/// Serialises progress reports.
class ProgressMeter {
 public:
  ProgressMeter(const Progress& progress, std::uint64_t total)
      : progress_(progress), total_(total) {}
  void add(std::uint64_t points) {
    const std::lock_guard lock(mutex_);
    done_ += points;
    if (progress_) progress_(done_, total_);
  }

 private:
  const Progress& progress_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::mutex mutex_;
};

/// Runs a job's workers and merges what they found. False when stopped early.
bool run_job(PreparedJob& prepared, unsigned threads, const std::atomic<bool>& stop,
             ProgressMeter& meter);

struct Merged {
  std::vector<Findings> subjects;
  std::vector<Findings> groups;
  TierCounts tiers;
};

/// Differing points of the axes that the sweep does not vary, by subject; [axis][subject].
std::vector<std::vector<std::uint64_t>> fixed_axes_differing(const SweepJob& job) {
  std::vector<std::vector<std::uint64_t>> differing;
  if (job.subject->tensor == nullptr) return differing;
  for (const TensorAxis& axis : job.subject->tensor(job.params, 2)) {
    if (axis.swept) continue;
    SweepJob single = job;
    single.axis = {{exact(static_cast<std::int64_t>(axis.size)), axis.size, axis.size, axis.size}};
    SweepWorker worker(single);
    worker.run({0, 0, axis.size});
    auto& row = differing.emplace_back();
    for (const Findings& f : worker.subjects()) row.push_back(f.metrics.differing);
  }
  return differing;
}

/// Adds the fixed axes of every tensor to the swept axis' figures.
void add_fixed_axes(const SweepJob& job, Merged& merged) {
  const auto differing = fixed_axes_differing(job);
  if (differing.empty()) return;
  for (const AxisValue& value : job.axis) {
    std::size_t fixed = 0;
    for (const TensorAxis& axis : job.subject->tensor(job.params, value.count)) {
      if (axis.swept) continue;
      for (std::size_t s = 0; s < merged.subjects.size(); ++s) {
        merged.subjects[s].tensor_differing += differing[fixed][s] * axis.repeats;
        merged.subjects[s].tensor_points += axis.size * axis.repeats;
      }
      ++fixed;
    }
  }
}

void fill_row(SweepRow& row, Findings findings, const Merged& merged, const SweepJob& job) {
  std::ranges::sort(findings.affected);
  const auto repeated = std::ranges::unique(findings.affected);
  findings.affected.erase(repeated.begin(), repeated.end());
  row.metrics = findings.metrics;
  row.metrics.widths_affected = findings.affected.size();
  for (const std::uint32_t position : findings.affected) {
    row.affected.push_back(job.axis[position].label);
  }
  row.lanes = findings.lanes;
  if (!job.reference.backend) row.tiers = merged.tiers;
  if (row.envelope) {
    row.envelope->some_world_differs = findings.metrics.differing;
    row.envelope->every_world_differs = findings.every_world_differs;
  } else if (findings.tensor_points > 0) {
    row.tensor = TensorFigures{findings.tensor_points, findings.tensor_differing};
  }
}

/// Takes a maximum over the worlds and names the world that attains it.
template <typename T>
void take_maximum(const std::string& name, Extreme<T> Metrics::*extreme,
                  const std::vector<const SweepRow*>& worlds, SweepRow& envelope) {
  Extreme<T>& maximum = envelope.metrics.*extreme;
  for (const SweepRow* world : worlds) maximum.merge(world->metrics.*extreme);
  for (const SweepRow* world : worlds) {
    const Extreme<T>& own = world->metrics.*extreme;
    if (own.witness && own == maximum) {
      envelope.envelope->worst[name] = world->backend;
      return;
    }
  }
}

void take_maxima(const PreparedJob& prepared, std::size_t group, SweepRow& envelope) {
  std::vector<const SweepRow*> worlds;
  for (std::size_t s = 0; s < prepared.job.subjects.size(); ++s) {
    if (prepared.job.subjects[s].group == group) {
      worlds.push_back(&prepared.rows[prepared.row_of_subject[s]]);
    }
  }
  take_maximum("steps", &Metrics::steps, worlds, envelope);
  take_maximum("ulp_error", &Metrics::ulp_error, worlds, envelope);
  take_maximum("range_ulp", &Metrics::range_ulp, worlds, envelope);
  take_maximum("abs", &Metrics::abs, worlds, envelope);
  take_maximum("rel", &Metrics::rel, worlds, envelope);
}

void fill_rows(PreparedJob& prepared, Merged& merged) {
  const SweepJob& job = prepared.job;
  add_fixed_axes(job, merged);
  for (std::size_t s = 0; s < merged.subjects.size(); ++s) {
    fill_row(prepared.rows[prepared.row_of_subject[s]], merged.subjects[s], merged, job);
  }
  for (std::size_t g = 0; g < merged.groups.size(); ++g) {
    if (job.has_worlds(g)) {
      SweepRow& envelope = prepared.rows[prepared.row_of_group[g]];
      fill_row(envelope, merged.groups[g], merged, job);
      take_maxima(prepared, g, envelope);
    }
  }
}

/// What a person will read is decided again by exact arithmetic alone.
void recheck_witnesses(SweepRow& row, const SweepJob& job) {
  if (job.reference.backend || !row.unavailable.empty()) return;
  AxisBinder binder(*job.subject, job.params, job.dtype);
  const auto recheck = [&](const std::string& name, const std::optional<Witness>& w) {
    if (!w) return;
    const auto value = std::ranges::find(job.axis, w->at.width, &AxisValue::label);
    const Program& program = value->count == 1 ? job.singleton : job.program;
    const auto oracle = make_oracle(OracleKind::exact, program, job.dtype);
    oracle->bind(binder.binding(value->n));
    row.exact_at[name] = oracle->exact_text(w->at.index);
    ++row.tiers.checked;
    const Rounded again = oracle->round_once(w->at.index, RoundingMode::to_nearest_even);
    if (again.bits != w->expected) ++row.tiers.disagreements;
  };
  recheck("first", row.metrics.first);
  recheck("steps", row.metrics.steps.witness);
  recheck("ulp_error", row.metrics.ulp_error.witness);
  recheck("range_ulp", row.metrics.range_ulp.witness);
  recheck("abs", row.metrics.abs.witness);
  recheck("rel", row.metrics.rel.witness);
}

bool run_job(PreparedJob& prepared, unsigned threads, const std::atomic<bool>& stop,
             ProgressMeter& meter) {
  SweepJob& job = prepared.job;
  if (job.subjects.empty()) return true;
  Segments segments(job.axis);
  std::mutex merge_mutex;
  std::exception_ptr failure;
  Merged merged{std::vector<Findings>(job.subjects.size()),
                std::vector<Findings>(job.worlds_of_group.size()),
                {}};
  const auto work = [&] {
    try {
      SweepWorker worker(job);
      while (!stop) {
        const auto segment = segments.next();
        if (!segment) break;
        worker.run(*segment);
        meter.add((segment->last - segment->first) * job.worlds_of_group.size());
      }
      const std::lock_guard lock(merge_mutex);
      for (std::size_t s = 0; s < merged.subjects.size(); ++s) {
        merged.subjects[s].merge(worker.subjects()[s]);
      }
      for (std::size_t g = 0; g < merged.groups.size(); ++g) {
        merged.groups[g].merge(worker.groups()[g]);
      }
      merged.tiers += worker.tiers();
    } catch (...) {
      const std::lock_guard lock(merge_mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
  if (stop) return false;
  fill_rows(prepared, merged);
  for (SweepRow& row : prepared.rows) recheck_witnesses(row, job);
  return true;
}

}  // namespace

SweepResult run_sweep(const SweepSpec& spec, const std::atomic<bool>& stop,
                      const Progress& progress) {
  std::vector<PreparedJob> jobs;
  std::uint64_t total = 0;
  for (const Params& params : spec.params) {
    for (const Format& dtype : spec.dtypes) {
      jobs.push_back(prepare_job(spec, params, dtype));
      total += all_points(jobs.back().job) * jobs.back().job.worlds_of_group.size();
    }
  }
  ProgressMeter meter(progress, total);
  meter.add(0);  // from here on the caller's stop is looked at
  SweepResult result;
  for (PreparedJob& prepared : jobs) {
    result.complete = result.complete && run_job(prepared, spec.threads, stop, meter);
    if (!result.complete) break;
    if (!prepared.job.labels_are_values && result.axis_labels.empty()) {
      for (const AxisValue& value : prepared.job.axis) result.axis_labels.push_back(value.n);
    }
    for (SweepRow& row : prepared.rows) {
      result.points += row.envelope ? 0 : row.metrics.points;
      result.rows.push_back(std::move(row));
    }
  }
  return result;
}

}  // namespace halfulp
