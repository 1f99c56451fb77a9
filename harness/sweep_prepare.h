// What a sweep knows before its first point: axes, programs, which backends can run, point counts.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/sweep.h"
#include "harness/sweep_worker.h"

namespace halfulp {

/// A job with the rows that its subjects and groups fill.
struct PreparedJob {
  SweepJob job;
  std::vector<SweepRow> rows;  ///< backends that cannot run first get theirs too
  std::vector<std::size_t> row_of_subject;
  std::vector<std::size_t> row_of_group;
};

/// The job of one (parameters, dtype). Backends that cannot run have their rows, with the reason.
/// Throws UsageError for parameters, dtypes and references that make no sense.
PreparedJob prepare_job(const SweepSpec& spec, const Params& params, const Format& dtype);

/// Points of the axis, for a subject that every axis value admits.
std::uint64_t all_points(const SweepJob& job);

}  // namespace halfulp
