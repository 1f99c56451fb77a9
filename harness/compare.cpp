#include "harness/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "harness/gate_entry.h"

namespace halfulp {
namespace {

constexpr std::array<std::string_view, 6> movement_names{"same",    "worse", "better",
                                                         "changed", "added", "removed"};

/// The old result as an expectation: exactly this.
BaselineEntry expectation_of(const Observation& result) {
  BaselineEntry entry;
  entry.key = result.key;
  if (!result.unavailable.empty()) {
    entry.expectation = Expectation::unsupported;
    return entry;
  }
  entry.metrics = result.metrics;
  entry.affected = result.affected;
  entry.witness = result.witness;
  return entry;
}

Movement movement_of(const Finding& finding) {
  if (finding.as_expected()) return Movement::same;
  if (finding.exit == ExitCode::improvement) return Movement::better;
  return finding.status == Status::changed ? Movement::changed : Movement::worse;
}

std::string text_of(const Finding& finding) {
  std::string text = finding.message;
  if (finding.as_expected() || finding.expected_witness == finding.witness) return text;
  const auto witness = [](const std::optional<WitnessText>& w) {
    return w ? witness_text(*w) : std::string("none");
  };
  return text + fmt::format("; witness {} -> {}", witness(finding.expected_witness),
                            witness(finding.witness));
}

}  // namespace

std::string_view movement_name(Movement movement) {
  return movement_names[static_cast<std::size_t>(movement)];
}

std::size_t Comparing::count(Movement movement) const {
  return static_cast<std::size_t>(std::ranges::count(results, movement, &Compared::movement));
}

Comparing compare_reports(const Observations& old_report, const Observations& new_report) {
  std::map<Key, const Observation*> by_key;
  for (const Observation& each : new_report.results) by_key.emplace(each.key, &each);
  std::set<Key> in_both;
  Comparing all;
  for (const Observation& old : old_report.results) {
    const auto found = by_key.find(old.key);
    if (found == by_key.end()) {
      all.results.push_back({Movement::removed, key_text(old.key), "only in the old report"});
      all.exit = worse(all.exit, ExitCode::usage);
      continue;
    }
    in_both.insert(old.key);
    const Finding finding = judge_entry(expectation_of(old), *found->second, Unavailable::is_red);
    all.results.push_back({movement_of(finding), key_text(old.key), text_of(finding)});
    // A result that cannot run any more got worse.
    const bool lost = finding.status == Status::unavailable && !finding.as_expected();
    all.exit = worse(all.exit, lost ? ExitCode::regression : finding.exit);
    all.points += count_of(finding.actual, "points");
  }
  for (const Observation& each : new_report.results) {
    if (in_both.contains(each.key)) continue;
    all.results.push_back({Movement::added, key_text(each.key), "only in the new report"});
    all.exit = worse(all.exit, ExitCode::usage);
  }
  if (all.points == 0) all.exit = worse(all.exit, ExitCode::empty);
  return all;
}

}  // namespace halfulp
