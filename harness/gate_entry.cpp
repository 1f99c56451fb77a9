#include "harness/gate_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/value_text.h"

namespace halfulp {
namespace {

using Kind = Change::Kind;

/// -1, 0 or 1; a NaN is above everything, and so is a value of another kind.
int compare(const FigureValue& a, const FigureValue& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x != nullptr && std::isnan(*x)) return 1;
  if (y != nullptr && std::isnan(*y)) return -1;
  return a < b ? -1 : b < a ? 1 : 0;
}

/// How far a value lies below a limit.
double distance_below(const FigureValue& value, const FigureValue& limit) {
  const auto number = [](const FigureValue& v) {
    const auto* count = std::get_if<std::uint64_t>(&v);
    return count != nullptr ? static_cast<double>(*count) : std::get<double>(v);
  };
  return number(limit) - number(value);
}

bool exceeds_slack(const BaselineEntry& entry, const std::string& name, const FigureValue& value,
                   const FigureValue& limit) {
  const auto slack = entry.slack.find(name);
  const FigureValue none = value.index() == 0 ? FigureValue(std::uint64_t{0}) : FigureValue(0.0);
  const double allowed = distance_below(none, slack == entry.slack.end() ? none : slack->second);
  return distance_below(value, limit) > allowed;
}

std::string change_text(const BaselineEntry& entry, std::string_view name,
                        const FigureValue& expected, const std::string& actual) {
  const auto low = entry.low.find(name);
  const bool interval = low != entry.low.end() && low->second != expected;
  const std::string old =
      interval ? fmt::format("[{}, {}]", figure_text(low->second), figure_text(expected))
               : figure_text(expected);
  const std::string_view limit = entry.expectation == Expectation::budget ? "at most " : "";
  return fmt::format("{} {}{} -> {}", name, limit, old, actual);
}

/// Where `value` lies relative to what the entry expects of the metric; empty: as expected.
std::optional<Kind> place(const BaselineEntry& entry, const FigureInfo& info,
                          const FigureValue& expected, const FigureValue& value) {
  const int order = compare(value, expected);
  if (info.order != FigureInfo::Order::less_is_better) {
    return order == 0 ? std::nullopt : std::optional(Kind::other);
  }
  if (order > 0) return Kind::worse;
  switch (entry.expectation) {
    case Expectation::exact:
    case Expectation::unsupported:
      return order < 0 ? std::optional(Kind::better) : std::nullopt;
    case Expectation::budget:
      return exceeds_slack(entry, std::string(info.name), value, expected)
                 ? std::optional(Kind::better)
                 : std::nullopt;
    case Expectation::unstable: {
      const auto low = entry.low.find(info.name);
      const bool below = low != entry.low.end() && compare(value, low->second) < 0;
      return below ? std::optional(Kind::better) : std::nullopt;
    }
  }
  return std::nullopt;
}

/// Counts that a result may have only where the entry says so.
constexpr bool is_never_silent(std::string_view name) {
  return name == "nonfinite" || name == "unwritten";
}

void add_digest_changes(const BaselineEntry& entry, const Observation& result,
                        std::vector<Change>& all) {
  if (entry.expectation != Expectation::exact) return;
  if (!entry.affected.empty() && entry.affected != result.affected) {
    all.push_back({Kind::other, "affected", "other widths are affected"});
  }
  if (entry.witness && entry.witness != result.witness) {
    all.push_back({Kind::other, "witness",
                   fmt::format("witness {} -> {}", witness_text(*entry.witness),
                               result.witness ? witness_text(*result.witness) : "none")});
  }
}

bool any(const std::vector<Change>& all, Kind kind) {
  return std::ranges::find(all, kind, &Change::kind) != all.end();
}

std::string join(const std::vector<Change>& all) {
  std::string text;
  for (const Change& change : all) {
    if (change.name == "histogram" && all.size() > 1) continue;  // follows from the others
    if (change.name == "witness" && all.size() > 1) continue;    // printed beside the finding
    text += (text.empty() ? "" : "; ") + change.text;
  }
  return text;
}

/// Why a result cannot be judged by its metrics at all.
std::optional<Finding> not_comparable(const BaselineEntry& entry, const Observation& result) {
  const std::uint64_t points = count_of(result.metrics, "points");
  const std::uint64_t recorded = count_of(entry.metrics, "points");
  if (result.disagreements > 0) {
    return finding_of(entry, Status::fail, ExitCode::oracle_failure,
                      fmt::format("the oracles disagree at {} points", result.disagreements));
  }
  if (result.lane_changes > 0) {
    return finding_of(
        entry, Status::fail, ExitCode::oracle_failure,
        fmt::format("{} results depend on the lane that computes them", result.lane_changes));
  }
  if (points != result.announced) {
    return finding_of(entry, Status::fail, ExitCode::empty,
                      fmt::format("incomplete: {} points evaluated, {} announced", grouped(points),
                                  grouped(result.announced)));
  }
  if (points != recorded && entry.expectation != Expectation::unsupported) {
    return finding_of(
        entry, Status::fail, points < recorded ? ExitCode::empty : ExitCode::usage,
        fmt::format("other points than recorded: {} -> {}", grouped(recorded), grouped(points)));
  }
  return std::nullopt;
}

Finding judge_unavailable(const BaselineEntry& entry, const Observation& result,
                          Unavailable unavailable) {
  if (entry.expectation == Expectation::unsupported) {
    return finding_of(entry, Status::unavailable, ExitCode::as_expected,
                      "unavailable, as recorded: " + result.unavailable);
  }
  const bool red = unavailable == Unavailable::is_red;
  return finding_of(entry, Status::unavailable, red ? ExitCode::empty : ExitCode::as_expected,
                    "recorded with results and cannot run here: " + result.unavailable);
}

Finding judge_metrics(const BaselineEntry& entry, const Observation& result) {
  const std::vector<Change> all = changes(entry, result);
  const bool clean = is_clean(result.metrics);
  if (any(all, Kind::worse)) {
    return finding_of(entry, Status::fail, ExitCode::regression, "worse: " + join(all));
  }
  if (any(all, Kind::better)) {
    return finding_of(entry, clean ? Status::xpass : Status::changed, ExitCode::improvement,
                      "better: " + join(all));
  }
  if (!all.empty()) {
    return finding_of(entry, Status::changed, ExitCode::regression, "changed: " + join(all));
  }
  if (clean) return finding_of(entry, Status::pass, ExitCode::as_expected, "nothing differs");
  if (is_clean(entry.metrics)) {
    return finding_of(entry, Status::fail, ExitCode::regression,
                      "worse: nothing was expected to differ, and metrics that the entry does not "
                      "list do");
  }
  return finding_of(entry, Status::xfail, ExitCode::as_expected,
                    fmt::format("as recorded: {} of {} points differ",
                                grouped(count_of(result.metrics, "differing")),
                                grouped(count_of(result.metrics, "points"))));
}

}  // namespace

std::vector<Change> changes(const BaselineEntry& entry, const Observation& result) {
  std::vector<Change> all;
  for (const FigureInfo& info : all_figures()) {
    const auto listed = entry.metrics.find(info.name);
    const auto found = result.metrics.find(info.name);
    const bool silent = listed == entry.metrics.end();
    if (silent && !is_never_silent(info.name)) continue;
    const FigureValue expected = silent ? FigureValue(std::uint64_t{0}) : listed->second;
    if (found == result.metrics.end()) {
      if (!silent)
        all.push_back({Kind::worse, std::string(info.name),
                       change_text(entry, info.name, expected, "not in the result")});
      continue;
    }
    const auto kind = place(entry, info, expected, found->second);
    if (!kind) continue;
    all.push_back({*kind, std::string(info.name),
                   change_text(entry, info.name, expected, figure_text(found->second))});
  }
  add_digest_changes(entry, result, all);
  return all;
}

Finding finding_of(const BaselineEntry& entry, Status status, ExitCode exit, std::string message) {
  Finding finding;
  finding.status = status;
  finding.exit = exit;
  finding.key = entry_text(entry);
  finding.file = entry.file;
  finding.line = entry.line;
  finding.message = std::move(message);
  finding.expected = entry.metrics;
  finding.expected_witness = entry.witness;
  finding.reason = entry.reason;
  finding.link = entry.link;
  finding.command = reproduce_command(entry.key);
  finding.fingerprint = text_hash(finding.key);
  return finding;
}

Finding judge_entry(const BaselineEntry& entry, const Observation& result,
                    Unavailable unavailable) {
  Finding finding;
  if (!result.unavailable.empty()) {
    finding = judge_unavailable(entry, result, unavailable);
  } else if (auto broken = not_comparable(entry, result)) {
    finding = std::move(*broken);
  } else if (entry.expectation == Expectation::unsupported) {
    finding = finding_of(entry, Status::xpass, ExitCode::improvement,
                         fmt::format("recorded as unsupported and now runs: {} of {} points differ",
                                     grouped(count_of(result.metrics, "differing")),
                                     grouped(count_of(result.metrics, "points"))));
  } else {
    finding = judge_metrics(entry, result);
  }
  finding.actual = result.metrics;
  finding.witness = result.witness;
  return finding;
}

}  // namespace halfulp
