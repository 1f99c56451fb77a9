// Changing a baseline: recording, updating, pruning and merging entries. Nothing here writes files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/baseline.h"
#include "harness/gate.h"
#include "harness/sweep.h"

namespace halfulp {

/// What a person says when numbers are recorded.
struct Record {
  std::string reason;
  std::string link;
  Expectation expectation = Expectation::exact;
  Provenance provenance;  ///< without the sweep, which is each entry's own
};

/// The entry that expects just this result. A result that differs has the reason; one that cannot
/// run becomes `unsupported` with its own. Throws Failure or UsageError for a result that nothing
/// may expect: incomplete, contradictory, or with a metric that is NaN or infinite.
BaselineEntry recorded_entry(const Observation& result, const Record& record);

/// An entry for each result. Throws UsageError when a result differs and there is no reason, and
/// Failure when there is nothing to record.
Baseline recorded(const Observations& observations, const Record& record);
/// Widens the intervals of unstable entries by another run.
void widen(Baseline& baseline, const Observations& again);

/// `2026-11-30`, in UTC.
std::string today();
/// Throws UsageError for anything but a date such as `2026-11-30`.
void check_date(const std::string& date);
/// The command line that records the sweep, whatever threads and output it was typed with.
std::string record_command(const SweepSpec& spec, const Record& record);

enum class Which : std::uint8_t { only_worse, only_better, all };

/// A change to one entry, as a person reviews it.
struct Edit {
  std::string text;                  ///< several lines: what was, what will be
  std::optional<std::size_t> entry;  ///< position; empty for a new one
  BaselineEntry next;
};
/// The edits that make the chosen findings of a verdict expected. Throws as `recorded_entry`.
std::vector<Edit> edits(const Baseline& baseline, const Observations& observations,
                        const GateResult& verdict, Which which, const Record& record);
void apply(Baseline& baseline, const std::vector<Edit>& edits);

/// Findings of entries that name nothing that exists or has results.
std::vector<Finding> stale(const GateResult& verdict);
/// Removes their entries. Throws Failure when none would be left.
void prune(Baseline& baseline, const std::vector<Finding>& stale);

/// One baseline that accepts what each accepts: entries that differ become budgets of the maxima
/// (or wider intervals) with the slack between them. Throws UsageError for unlike points or
/// expectations.
Baseline merged_by_maximum(const std::vector<Baseline>& baselines, const Record& record);

}  // namespace halfulp
