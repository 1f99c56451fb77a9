// A sweep: cases, dtypes and backends over an axis, compared with a reference, in blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/axis.h"
#include "harness/backend.h"
#include "harness/case.h"
#include "harness/metrics.h"
#include "harness/oracle.h"

namespace halfulp {

/// What results are compared with.
struct Reference {
  std::optional<Backend> backend;  ///< empty: the oracle
  std::string name() const { return backend ? backend->name : "oracle"; }
};

struct SweepSpec {
  const Case* subject = nullptr;
  std::vector<Params> params;  ///< one sweep for each, all complete
  std::vector<Format> dtypes;
  std::vector<Backend> backends;
  Reference reference;
  std::optional<Widths> widths;  ///< for cases whose axis is given on the command line
  unsigned threads = 1;
};

/// Differences over a whole tensor of the case: every axis, each point as often as it is repeated.
struct TensorFigures {
  std::uint64_t points = 0;
  std::uint64_t differing = 0;
};

/// Over the worlds of a backend (candidates of an approximate reciprocal, orders of a reduction):
/// points where some world differs from the reference and points where every admitted world does.
/// The maxima in the metrics are those over all worlds.
struct Envelope {
  std::vector<std::string> worlds;
  /// The world that attains each maximum, the first of several, by the metric's name.
  std::map<std::string, std::string> worst;
  std::uint64_t some_world_differs = 0;
  std::uint64_t every_world_differs = 0;
};

/// Whether results were the same when points were evaluated at another lane of the block.
struct LaneCheck {
  std::uint64_t points = 0;   ///< points evaluated again
  std::uint64_t changed = 0;  ///< of these, how many changed: a `lane_dependence` failure
};

/// One line of a sweep's result.
struct SweepRow {
  Params params;
  Format dtype{};
  Format output{};  ///< format of the results; the dtype unless the program ends in a cast
  std::string backend;
  std::string reference;
  std::string unavailable;  ///< why there are no metrics; empty if there are
  Metrics metrics;
  std::uint64_t announced =
      0;  ///< points known beforehand; a complete run has metrics.points == announced
  std::vector<std::uint64_t>
      affected;  ///< labels of the axis values with a differing point, ascending
  std::optional<TensorFigures> tensor;
  std::optional<Envelope> envelope;
  LaneCheck lanes;
  TierCounts tiers;  ///< of the oracle, where it is the reference
  /// Exact results at the witnesses as text, by metric name; only with the oracle as reference.
  std::map<std::string, std::string> exact_at;
};

struct SweepResult {
  std::vector<SweepRow> rows;
  std::vector<ExactNumber> axis_labels;  ///< labels of Point::width where they are not integers
  std::uint64_t points = 0;              ///< evaluated over all rows
  bool complete = true;
};

/// How far a sweep came. Called from one thread at a time; cheap enough for every chunk.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Runs the sweep. Stops early with `complete == false` when `stop` becomes true. Results do not
/// depend on the number of threads or on the instruction set.
SweepResult run_sweep(const SweepSpec& spec, const std::atomic<bool>& stop,
                      const Progress& progress);

}  // namespace halfulp
