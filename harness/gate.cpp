#include "harness/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "harness/gate_entry.h"
#include "harness/gate_select.h"

namespace halfulp {
namespace {

constexpr std::array<std::string_view, status_count> status_names{
    "pass", "fail", "xfail", "xpass", "changed", "unavailable", "missing", "unmatched"};

/// The worst first.
constexpr std::array exits_by_severity{
    ExitCode::interrupted, ExitCode::oracle_failure, ExitCode::regression, ExitCode::usage,
    ExitCode::empty,       ExitCode::improvement,    ExitCode::as_expected};

/// The verdict on all entries, built one finding after another.
class Judge {
 public:
  Judge(const Baseline& baseline, const Observations& observations, const GateOptions& options)
      : baseline_(baseline), observations_(observations), options_(options) {
    for (const Observation& each : observations.results) by_key_.emplace(each.key, &each);
  }

  GateResult verdict() {
    const Selection selection = select_entries(baseline_, observations_.facts, options_.only);
    result_.filtered = selection.filtered;
    result_.not_applicable = selection.not_applicable;
    result_.source = observations_.source;
    for (const std::size_t entry : selection.entries) judge_one(entry);
    judge_results_without_entry();
    judge_run(selection);
    return std::move(result_);
  }

 private:
  void add(Finding finding) {
    ++result_.counts[static_cast<std::size_t>(finding.status)];
    result_.exit = worse(result_.exit, finding.exit);
    if (!finding.actual.empty()) result_.points += count_of(finding.actual, "points");
    result_.findings.push_back(std::move(finding));
  }

  void judge_one(std::size_t position) {
    const BaselineEntry& entry = baseline_.entries[position];
    Finding finding = find(entry);
    finding.entry = position;
    add(std::move(finding));
  }

  Finding find(const BaselineEntry& entry) const {
    if (const std::string problem = entry_problem(entry); !problem.empty()) {
      return finding_of(entry, Status::unmatched, ExitCode::usage, problem);
    }
    if (const auto found = by_key_.find(entry.key); found != by_key_.end()) {
      return judge_entry(entry, *found->second, options_.unavailable);
    }
    if (!observations_.complete || observations_.source.empty()) {
      return finding_of(entry, Status::missing, ExitCode::empty,
                        "the run should have produced this result and did not");
    }
    return finding_of(entry, Status::unmatched, ExitCode::usage,
                      fmt::format("{} has no such result", observations_.source));
  }

  /// A run produces just what the entries ask for (and the worlds of their backends); a report may
  /// hold more.
  void judge_results_without_entry() {
    if (observations_.source.empty()) return;
    std::set<Key> named;
    for (const BaselineEntry& entry : baseline_.entries) named.insert(entry.key);
    for (const Observation& each : observations_.results) {
      const std::string key = key_text(each.key);
      if (named.contains(each.key) || !matches_only(key, options_.only)) continue;
      BaselineEntry none;
      none.key = each.key;
      none.file = observations_.source;
      Finding finding = finding_of(none, Status::unmatched, ExitCode::usage,
                                   "a result that no entry of the baseline names");
      finding.actual = each.metrics;
      finding.witness = each.witness;
      add(std::move(finding));
    }
  }

  void problem(ExitCode exit, std::string text) {
    result_.problems.push_back(std::move(text));
    result_.exit = worse(result_.exit, exit);
  }

  /// What makes a run without findings red all the same.
  void judge_run(const Selection& selection) {
    const bool compared = std::ranges::any_of(result_.findings, [](const Finding& finding) {
      return finding.entry && count_of(finding.actual, "points") > 0;
    });
    if (!observations_.complete) {
      problem(ExitCode::empty, fmt::format("{} is incomplete", source()));
    }
    if (baseline_.entries.empty()) {
      problem(ExitCode::empty, fmt::format("{} holds no entry", baseline_.file));
    } else if (selection.matching == 0) {
      problem(ExitCode::empty, fmt::format("--only '{}' matches none of the {} entries",
                                           options_.only, baseline_.entries.size()));
    } else if (selection.entries.empty()) {
      problem(ExitCode::empty, "every entry was skipped: no 'when' holds here");
    } else if (observations_.results.empty()) {
      problem(ExitCode::empty, fmt::format("{} has no results", source()));
    } else if (!compared) {
      problem(ExitCode::empty, "nothing was compared: every entry is unavailable or has no result");
    }
  }

  std::string source() const {
    return observations_.source.empty() ? "the run" : observations_.source;
  }

  const Baseline& baseline_;
  const Observations& observations_;
  const GateOptions& options_;
  std::map<Key, const Observation*> by_key_;
  GateResult result_;
};

}  // namespace

std::string_view status_name(Status status) {
  return status_names[static_cast<std::size_t>(status)];
}

ExitCode worse(ExitCode a, ExitCode b) {
  const auto rank = [](ExitCode code) { return std::ranges::find(exits_by_severity, code); };
  return rank(a) < rank(b) ? a : b;
}

GateResult judge(const Baseline& baseline, const Observations& observations,
                 const GateOptions& options) {
  GateResult result = Judge(baseline, observations, options).verdict();
  result.baselines = {baseline.file};
  return result;
}

}  // namespace halfulp
