// Edits of a baseline that a verdict calls for: updates, stale entries, merging.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/baseline_edit.h"
#include "harness/gate_entry.h"

namespace halfulp {
namespace {

bool is_wanted(const Finding& finding, Which which) {
  switch (which) {
    case Which::only_worse:
      return finding.exit == ExitCode::regression;
    case Which::only_better:
      return finding.exit == ExitCode::improvement;
    case Which::all:
      return !finding.as_expected() && finding.status != Status::unavailable &&
             (finding.status != Status::unmatched || !finding.entry);
  }
  return false;
}

/// A hand-written entry goes on listing what it listed, and whatever else needs a reason.
void keep_listed(Figures& figures, const Figures& listed) {
  std::erase_if(figures, [&](const auto& figure) {
    return !listed.contains(figure.first) && is_clean({figure});
  });
}

/// The entry that also accepts the result, with what a person wrote kept.
BaselineEntry updated_entry(const BaselineEntry& old, const Observation& result,
                            const Record& record) {
  Record again = record;
  if (old.expectation != Expectation::unsupported) again.expectation = old.expectation;
  BaselineEntry next = recorded_entry(result, again);
  next.when = old.when;
  next.comments = old.comments;
  next.slack = old.slack;
  next.reason = record.reason;
  next.link = record.link.empty() ? old.link : record.link;
  if (old.expectation != Expectation::unsupported) keep_listed(next.metrics, old.metrics);
  if (next.expectation != Expectation::unstable) return next;
  for (auto& [name, high] : next.metrics) {
    const auto old_high = old.metrics.find(name);
    if (old_high == old.metrics.end()) continue;
    const auto old_low = old.low.find(name);
    high = std::max(high, old_high->second);
    next.low[name] =
        std::min(next.low[name], old_low == old.low.end() ? old_high->second : old_low->second);
  }
  std::erase_if(next.low, [&](const auto& figure) { return !next.metrics.contains(figure.first); });
  next.repeats = old.repeats + 1;
  return next;
}

std::string witness_or_none(const std::optional<WitnessText>& witness) {
  return witness ? witness_text(*witness) : "none";
}

void add_line(std::string& text, std::string_view name, const std::string& old,
              const std::string& now) {
  if (old != now) text += fmt::format("  {}: {} -> {}\n", name, old, now);
}

std::string interval_text(const BaselineEntry& entry, std::string_view name) {
  const auto high = entry.metrics.find(name);
  if (high == entry.metrics.end()) return "not listed";
  const auto low = entry.low.find(name);
  if (low == entry.low.end() || low->second == high->second) return figure_text(high->second);
  return fmt::format("[{}, {}]", figure_text(low->second), figure_text(high->second));
}

std::string edit_text(const BaselineEntry& old, const BaselineEntry& next) {
  std::string text = old.line == 0 ? fmt::format("new {}\n", entry_text(next))
                                   : fmt::format("{}:{} {}\n", old.file, old.line, entry_text(old));
  for (const FigureInfo& info : all_figures()) {
    add_line(text, info.name, interval_text(old, info.name), interval_text(next, info.name));
  }
  add_line(text, "expectation", std::string(expectation_name(old.expectation)),
           std::string(expectation_name(next.expectation)));
  add_line(text, "affected widths", old.affected, next.affected);
  add_line(text, "witness", witness_or_none(old.witness), witness_or_none(next.witness));
  add_line(text, "reason", old.reason.empty() ? "none" : old.reason,
           next.reason.empty() ? "none" : next.reason);
  return text;
}

/// The larger of each metric, the slack between them.
void merge_limits(BaselineEntry& into, const BaselineEntry& other) {
  for (const auto& [name, value] : other.metrics) {
    const auto [mine, inserted] = into.metrics.try_emplace(name, value);
    if (inserted || mine->second == value) continue;
    FigureValue& slack =
        into.slack
            .try_emplace(
                name, mine->second.index() == 0 ? FigureValue(std::uint64_t{0}) : FigureValue(0.0))
            .first->second;
    if (auto* high = std::get_if<std::uint64_t>(&mine->second)) {
      const auto candidate = std::get<std::uint64_t>(value);
      auto& room = std::get<std::uint64_t>(slack);
      room = candidate > *high ? room + (candidate - *high) : std::max(room, *high - candidate);
      *high = std::max(*high, candidate);
    } else {
      double& limit = std::get<double>(mine->second);
      const double candidate = std::get<double>(value);
      double& room = std::get<double>(slack);
      room = candidate > limit ? room + (candidate - limit) : std::max(room, limit - candidate);
      limit = std::max(limit, candidate);
    }
  }
}

void erase_unordered(Figures& figures) {
  std::erase_if(figures, [](const auto& figure) {
    return find_figure(figure.first)->order == FigureInfo::Order::none;
  });
}

void merge_entry(BaselineEntry& into, BaselineEntry other, const Record& record) {
  if (into.expectation == other.expectation && into.metrics == other.metrics &&
      into.low == other.low && into.affected == other.affected && into.witness == other.witness) {
    return;
  }
  const auto mergeable = [](const BaselineEntry& e) {
    return e.expectation == Expectation::exact || e.expectation == Expectation::budget;
  };
  if (!mergeable(into) || !mergeable(other) ||
      count_of(into.metrics, "points") != count_of(other.metrics, "points")) {
    throw UsageError(
        fmt::format("cannot merge {}:{} and {}:{}: {} points expected {}, {} points {}", into.file,
                    into.line, other.file, other.line, count_of(into.metrics, "points"),
                    expectation_name(into.expectation), count_of(other.metrics, "points"),
                    expectation_name(other.expectation)));
  }
  const bool larger = count_of(other.metrics, "steps_max") > count_of(into.metrics, "steps_max");
  if (larger || !into.witness) into.witness = other.witness;
  erase_unordered(into.metrics);
  erase_unordered(other.metrics);
  merge_limits(into, other);
  into.expectation = Expectation::budget;
  into.affected.clear();
  if (!record.reason.empty()) {
    into.reason = record.reason;
  } else if (into.reason.find(other.reason) == std::string::npos) {
    into.reason += (into.reason.empty() ? "" : "; ") + other.reason;
  }
}

}  // namespace

std::vector<Edit> edits(const Baseline& baseline, const Observations& observations,
                        const GateResult& verdict, Which which, const Record& record) {
  std::map<std::string, const Observation*> by_key;
  for (const Observation& each : observations.results) by_key.emplace(key_text(each.key), &each);
  std::vector<Edit> all;
  for (const Finding& finding : verdict.findings) {
    if (!is_wanted(finding, which)) continue;
    const BaselineEntry none;
    const BaselineEntry& old = finding.entry ? baseline.entries[*finding.entry] : none;
    const auto found = by_key.find(finding.entry ? key_text(old.key) : finding.key);
    if (found == by_key.end()) continue;
    BaselineEntry next;
    if (finding.entry) {
      next = updated_entry(old, *found->second, record);
    } else {
      next = recorded_entry(*found->second, record);
    }
    std::string text = edit_text(old, next);
    all.push_back({std::move(text), finding.entry, std::move(next)});
  }
  return all;
}

void apply(Baseline& baseline, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    if (edit.entry) {
      baseline.entries[*edit.entry] = edit.next;
    } else {
      baseline.entries.push_back(edit.next);
    }
  }
}

std::vector<Finding> stale(const GateResult& verdict) {
  std::vector<Finding> all;
  for (const Finding& finding : verdict.findings) {
    const bool names_nothing =
        finding.status == Status::unmatched || finding.status == Status::missing;
    if (finding.entry && names_nothing) all.push_back(finding);
  }
  return all;
}

void prune(Baseline& baseline, const std::vector<Finding>& stale) {
  std::set<std::size_t> removed;
  for (const Finding& finding : stale) removed.insert(*finding.entry);
  if (removed.size() == baseline.entries.size()) {
    throw Failure(ExitCode::empty,
                  fmt::format("{}: every entry is stale; nothing would be left", baseline.file));
  }
  std::vector<BaselineEntry> kept;
  for (std::size_t e = 0; e < baseline.entries.size(); ++e) {
    if (!removed.contains(e)) kept.push_back(std::move(baseline.entries[e]));
  }
  baseline.entries = std::move(kept);
}

Baseline merged_by_maximum(const std::vector<Baseline>& baselines, const Record& record) {
  Baseline all;
  all.provenance = record.provenance;
  std::map<std::string, std::size_t> places;
  for (const Baseline& baseline : baselines) {
    for (const BaselineEntry& entry : baseline.entries) {
      const auto [place, inserted] = places.emplace(entry_text(entry), all.entries.size());
      if (inserted) {
        all.entries.push_back(entry);
      } else {
        merge_entry(all.entries[place->second], entry, record);
      }
    }
  }
  return all;
}

}  // namespace halfulp
