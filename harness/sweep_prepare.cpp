#include "harness/sweep_prepare.h"

#include <algorithm>

#include "harness/error.h"
#include "harness/evaluate.h"

namespace halfulp {
namespace {

std::vector<ExactNumber> axis_numbers(const SweepSpec& spec, const Params& params,
                                      const Format& dtype) {
  if (has_own_axis(*spec.subject, params, dtype)) {
    return spec.subject->axis_values(params, dtype);
  }
  std::vector<ExactNumber> numbers;
  for (std::uint64_t k = 0; spec.widths && k < spec.widths->size(); ++k) {
    numbers.push_back(exact(static_cast<std::int64_t>((*spec.widths)[k])));
  }
  return numbers;
}

/// Axis values, labelled by their value in ascending order where all are non-negative integers,
/// else by their position.
void set_axis(SweepJob& job, std::vector<ExactNumber> numbers) {
  job.labels_are_values = std::ranges::all_of(
      numbers, [](const ExactNumber& n) { return n.is_integer() && n.numerator >= 0; });
  if (job.labels_are_values) std::ranges::sort(numbers, {}, &ExactNumber::numerator);
  for (const ExactNumber& n : numbers) {
    const auto label =
        job.labels_are_values ? static_cast<std::uint64_t>(n.numerator) : job.axis.size();
    job.axis.push_back({n, label, axis_count(*job.subject, job.params, job.dtype, n), 0});
    job.axis.back().results = result_count(job.program, job.axis.back().count, job.rows);
  }
}

std::string reason_unavailable(const Backend& backend, const SweepJob& job) {
  if (const Availability reason = availability_of(backend)) return *reason;
  try {
    const Backend one = worlds(backend, job.program, job.dtype).front();
    one.compile(one, job.program, job.dtype);
    one.compile(one, job.singleton, job.dtype);
  } catch (const Unsupported& error) {
    return error.what();
  }
  return {};
}

std::string reason_no_reference(const SweepJob& job) {
  try {
    if (job.reference.backend) {
      const std::string reason = reason_unavailable(*job.reference.backend, job);
      return reason.empty() ? reason : "the reference " + job.reference.name() + ": " + reason;
    }
    make_oracle(OracleKind::checked, job.program, job.dtype);
  } catch (const Unsupported& error) {
    return std::string("the oracle: ") + error.what();
  }
  return {};
}

/// Counts of tensor elements are 64-bit.
void check_tensor(const SweepJob& job) {
  if (job.subject->tensor == nullptr) return;
  double points = 0;
  for (const AxisValue& value : job.axis) {
    for (const TensorAxis& axis : job.subject->tensor(job.params, value.count)) {
      points += static_cast<double>(axis.size) * static_cast<double>(axis.repeats);
    }
  }
  if (points >= 0x1p62) throw UsageError("the tensors of this sweep have more than 2^62 elements");
}

SweepRow row_for(const SweepJob& job, const std::string& backend) {
  SweepRow row;
  row.params = job.params;
  row.dtype = job.dtype;
  row.output = job.output;
  row.backend = backend;
  row.reference = job.reference.name();
  return row;
}

/// Points of a subject: those of the axis values that admit it.
std::uint64_t admitted_points(const SweepJob& job, const Backend& backend) {
  const bool all = backend.model.reciprocal == World::all ||
                   backend.model.reciprocal == World::nearest ||
                   backend.model.reciprocal == World::device;
  const auto general = backend.compile(backend, job.program, job.dtype);
  AxisBinder binder(*job.subject, job.params, job.dtype);
  std::uint64_t points = 0;
  for (const AxisValue& value : job.axis) {
    if (!all && value.count > 1) {
      general->bind(binder.binding(value.n));
      if (!general->admitted()) continue;
    }
    points += value.results;
  }
  return points;
}

void add_backend(PreparedJob& prepared, const Backend& backend) {
  SweepJob& job = prepared.job;
  const std::vector<Backend> variants = worlds(backend, job.program, job.dtype);
  const std::size_t group = job.worlds_of_group.size();
  job.worlds_of_group.push_back(variants.size());
  prepared.row_of_group.push_back(prepared.rows.size());
  if (variants.size() > 1) {
    SweepRow& envelope = prepared.rows.emplace_back(row_for(job, backend.name));
    envelope.envelope.emplace();
    for (const Backend& world : variants) envelope.envelope->worlds.push_back(world.name);
    envelope.announced = all_points(job);
  }
  for (const Backend& variant : variants) {
    SweepRow& row = prepared.rows.emplace_back(row_for(job, variant.name));
    row.announced = admitted_points(job, variant);
    if (row.announced == 0) {
      row.unavailable = "the documented bound of the reciprocal rules this world out at every size";
      continue;
    }
    prepared.row_of_subject.push_back(prepared.rows.size() - 1);
    job.subjects.push_back({variant, group});
  }
}

}  // namespace

std::uint64_t all_points(const SweepJob& job) {
  std::uint64_t points = 0;
  for (const AxisValue& value : job.axis) points += value.results;
  return points;
}

PreparedJob prepare_job(const SweepSpec& spec, const Params& params, const Format& dtype) {
  check_dtype(*spec.subject, dtype);
  if (spec.subject->check != nullptr) spec.subject->check(params, dtype);
  PreparedJob prepared;
  SweepJob& job = prepared.job;
  job.subject = spec.subject;
  job.params = params;
  job.dtype = dtype;
  job.program = spec.subject->build(params, 2);
  job.singleton = spec.subject->build(params, 1);
  job.output = resolve(job.program.output_type(), dtype).value_or(binary64);
  if (spec.subject->rows != nullptr) job.rows = spec.subject->rows(params);
  set_axis(job, axis_numbers(spec, params, dtype));
  job.reference = spec.reference;
  if (spec.reference.backend && has_worlds(*spec.reference.backend, job.program, dtype)) {
    throw UsageError(
        "the reference " + spec.reference.name() +
        " stands for several results; choose one, with +order=sequential or +reciprocal=nearest");
  }
  check_tensor(job);
  const std::string no_reference = reason_no_reference(job);
  for (const Backend& backend : spec.backends) {
    const std::string reason =
        no_reference.empty() ? reason_unavailable(backend, job) : no_reference;
    if (reason.empty()) {
      add_backend(prepared, backend);
    } else {
      prepared.rows.push_back(row_for(job, backend.name));
      prepared.rows.back().unavailable = reason;
    }
  }
  return prepared;
}

}  // namespace halfulp
