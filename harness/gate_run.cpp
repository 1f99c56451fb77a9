#include "harness/gate_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "harness/commands.h"
#include "harness/environment.h"
#include "harness/gate_select.h"
#include "harness/report.h"
#include "harness/suggest.h"
#include "harness/sweep_options.h"

namespace halfulp {
namespace {

/// Entries that one sweep serves.
struct Group {
  Key key;
  std::vector<std::string> backends;
  std::string place;  ///< `base.json:7`, of the first entry
};

std::vector<Group> groups_of(const Baseline& baseline, const std::vector<std::size_t>& entries) {
  std::map<std::string, Group> by_sweep;
  for (const std::size_t position : entries) {
    const BaselineEntry& entry = baseline.entries[position];
    if (!entry_problem(entry).empty()) continue;
    Group& group = by_sweep[sweep_text(entry.key)];
    if (group.backends.empty()) {
      group.key = entry.key;
      group.place = fmt::format("{}:{}", entry.file, entry.line);
    }
    group.backends.push_back(entry.key.backend);
  }
  std::vector<Group> groups;
  for (auto& [sweep, group] : by_sweep) groups.push_back(std::move(group));
  return groups;
}

/// The worlds of a backend come with it.
bool comes_with_another(const std::string& backend, const std::vector<std::string>& all) {
  const std::size_t field = backend.find("+reciprocal=");
  return field != std::string::npos &&
         std::ranges::find(all, backend.substr(0, field)) != all.end() &&
         backend.find('+', field + 1) == std::string::npos;
}

SweepSpec specification(const Group& group, unsigned threads) {
  SweepSpec spec;
  spec.subject = &find_case(group.key.subject);
  spec.params = {group.key.params};
  spec.dtypes = {parse_format(group.key.dtype)};
  std::set<std::string> added;
  for (const std::string& backend : group.backends) {
    if (comes_with_another(backend, group.backends) || !added.insert(backend).second) continue;
    spec.backends.push_back(find_backend(backend));
  }
  spec.reference.backend = parse_backend_or_oracle(group.key.reference);
  if (!group.key.widths.empty()) spec.widths = Widths::parse(group.key.widths);
  spec.threads = threads;
  return spec;
}

/// Facts that all reports share; a `when` holds only where it holds for all.
void keep_common_facts(std::map<std::string, std::string>& facts,
                       const std::map<std::string, std::string>& others) {
  std::erase_if(facts, [&](const auto& fact) {
    const auto other = others.find(fact.first);
    return other == others.end() || other->second != fact.second;
  });
}

Observations read_reports(const std::vector<std::string>& paths) {
  Observations all;
  std::map<Key, std::string> from;
  for (const std::string& path : paths) {
    Observations one = read_report(path);
    if (one.results.empty()) throw Failure(ExitCode::empty, path + " has no results");
    if (all.source.empty()) all.facts = one.facts;
    keep_common_facts(all.facts, one.facts);
    all.source += (all.source.empty() ? "" : ", ") + path;
    all.complete = all.complete && one.complete;
    for (Observation& each : one.results) {
      const auto [first, inserted] = from.emplace(each.key, path);
      if (!inserted) {
        throw UsageError(fmt::format("{} and {} both have a result for {}", first->second, path,
                                     key_text(each.key)));
      }
      all.results.push_back(std::move(each));
    }
  }
  return all;
}

void apply_setting(Key& key, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(
        fmt::format("--set {}: write NAME=VALUE, such as form=float32-once", in_quotes(setting)));
  }
  const std::string name = setting.substr(0, equals);
  (name == "backend" ? key.backend : key.params[name]) = setting.substr(equals + 1);
}

}  // namespace

std::map<std::string, std::string> facts_here() {
  const RunEnvironment environment = run_environment();
  return {{"isa", environment.isa},
          {"version", environment.version},
          {"compiler", environment.compiler}};
}

Observations run_and_observe(const SweepSpec& spec, const std::string& what,
                             const CommandContext& context) {
  const SweepResult result = run_with_progress(spec, what, context);
  const ReportContext report{
      .spec = spec, .command_line = {}, .environment = run_environment(), .seconds = 0};
  Observations observations = parse_report(report_json(result, report), what);
  observations.source.clear();
  return observations;
}

Observations run_entries(const Baseline& baseline, const std::vector<std::size_t>& entries,
                         unsigned threads, const CommandContext& context) {
  Observations all;
  all.facts = facts_here();
  const std::vector<Group> groups = groups_of(baseline, entries);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    try {
      const std::string what = fmt::format("sweep {} of {}", g + 1, groups.size());
      Observations one = run_and_observe(specification(groups[g], threads), what, context);
      std::ranges::move(one.results, std::back_inserter(all.results));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", groups[g].place, error.what()));
    }
  }
  return all;
}

GateInputs::GateInputs() : threads(default_threads()) {}

void GateInputs::add_to(CLI::App& app, Files baselines_allowed) {
  auto* files = app.add_option("--baseline", baselines, "what is expected")->required();
  files->expected(1, baselines_allowed == Files::one ? 1 : CLI::detail::expected_max_vector_size);
  app.add_option("--report", reports, "judge these reports of `sweep --json` instead of running");
  app.add_option("--only", only, "entries whose key, or a part of it, matches this glob");
  add_engine_options(app, threads, isa);
}

Baseline GateInputs::read_baselines() const {
  Baseline all;
  std::map<std::string, std::string> from;
  for (const std::string& path : baselines) {
    Baseline one = read_baseline(path);
    if (one.entries.empty()) {
      throw Failure(ExitCode::empty, fmt::format("{} holds no entry", path));
    }
    for (const BaselineEntry& entry : one.entries) {
      const std::string place = fmt::format("{}:{}", entry.file, entry.line);
      const auto [first, inserted] = from.emplace(entry_text(entry), place);
      if (inserted) continue;
      throw UsageError(fmt::format("{}: a second entry for {}; the first is {}", place,
                                   entry_text(entry), first->second));
    }
    if (baselines.size() == 1) return one;
    std::ranges::move(one.entries, std::back_inserter(all.entries));
  }
  all.file = fmt::format("{}", fmt::join(baselines, ", "));
  return all;
}

std::size_t GateInputs::apply_settings(Baseline& baseline) {
  if (settings.empty()) return 0;
  const std::size_t before = baseline.entries.size();
  std::erase_if(baseline.entries, [this](const BaselineEntry& entry) {
    return !matches_only(entry_text(entry), only);
  });
  if (baseline.entries.empty()) return 0;  // the verdict says so
  only.clear();
  for (BaselineEntry& entry : baseline.entries) {
    for (const std::string& setting : settings) apply_setting(entry.key, setting);
    try {
      normalise(entry.key);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("--set: {}", error.what()));
    }
    entry.provenance.sweep = sweep_hash(entry.key);
  }
  return before - baseline.entries.size();
}

Observations GateInputs::observe(const Baseline& baseline, const CommandContext& context) const {
  if (!reports.empty()) return read_reports(reports);
  if (!isa.empty()) select_isa(isa);
  const Selection selection = select_entries(baseline, facts_here(), only);
  return run_entries(baseline, selection.entries, threads, context);
}

}  // namespace halfulp
