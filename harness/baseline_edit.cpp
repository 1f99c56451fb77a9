#include "harness/baseline_edit.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

#include "harness/error.h"
#include "harness/gate_entry.h"
#include "harness/suggest.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

void require_recordable(const Observation& result) {
  const std::string key = key_text(result.key);
  if (result.disagreements > 0 || result.lane_changes > 0) {
    throw Failure(ExitCode::oracle_failure,
                  "cannot record results that contradict themselves: " + key);
  }
  const std::uint64_t points = count_of(result.metrics, "points");
  if (points == 0 || points != result.announced) {
    throw Failure(ExitCode::empty, fmt::format("cannot record {} of {} points: {}", grouped(points),
                                               grouped(result.announced), key));
  }
  for (const auto& [name, value] : result.metrics) {
    const auto* real = std::get_if<double>(&value);
    if (real == nullptr || (std::isfinite(*real) && *real >= 0)) continue;
    throw UsageError(fmt::format("cannot record {} of {}: {}", name, *real, key));
  }
}

/// Only what has an order can be a limit.
Figures limits_of(Figures figures) {
  std::erase_if(figures, [](const auto& figure) {
    return find_figure(figure.first)->order == FigureInfo::Order::none;
  });
  return figures;
}

void require_reason(const BaselineEntry& entry) {
  if (entry.expectation == Expectation::unsupported || is_clean(entry.metrics)) return;
  if (!entry.reason.empty()) return;
  throw UsageError(fmt::format("give --reason: {} points differ in {}",
                               grouped(count_of(entry.metrics, "differing")), entry_text(entry)));
}

/// Values of a parameter over all combinations, as typed: `arange,float32-once`.
std::string values_of(const SweepSpec& spec, const Parameter& parameter) {
  std::vector<std::string> values;
  for (const Params& params : spec.params) {
    const auto found = params.find(parameter.name);
    if (found == params.end()) continue;
    if (std::ranges::find(values, found->second) == values.end()) values.push_back(found->second);
  }
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
  return text == parameter.default_value ? "" : text;
}

}  // namespace

BaselineEntry recorded_entry(const Observation& result, const Record& record) {
  BaselineEntry entry;
  entry.key = result.key;
  entry.provenance = record.provenance;
  entry.provenance.sweep = sweep_hash(result.key);
  entry.provenance.oracle = result.key.reference == "oracle" ? "checked" : "";
  if (!result.unavailable.empty()) {
    entry.expectation = Expectation::unsupported;
    entry.reason = result.unavailable;
    return entry;
  }
  require_recordable(result);
  entry.expectation = record.expectation;
  entry.metrics = result.metrics;
  if (entry.expectation == Expectation::exact) {
    entry.affected = result.affected;
  } else {
    entry.metrics = limits_of(entry.metrics);
  }
  if (entry.expectation == Expectation::unstable) {
    entry.low = entry.metrics;
    entry.repeats = 1;
  }
  entry.witness = result.witness;
  if (!is_clean(entry.metrics)) {
    entry.reason = record.reason;
    entry.link = record.link;
  }
  return entry;
}

Baseline recorded(const Observations& observations, const Record& record) {
  Baseline baseline;
  baseline.provenance = record.provenance;
  bool anything = false;
  for (const Observation& result : observations.results) {
    baseline.entries.push_back(recorded_entry(result, record));
    require_reason(baseline.entries.back());
    anything = anything || result.unavailable.empty();
  }
  if (!anything) throw Failure(ExitCode::empty, "nothing to record: no backend can run");
  return baseline;
}

void widen(Baseline& baseline, const Observations& again) {
  std::map<Key, const Observation*> by_key;
  for (const Observation& result : again.results) by_key.emplace(result.key, &result);
  for (BaselineEntry& entry : baseline.entries) {
    const auto found = by_key.find(entry.key);
    if (entry.expectation != Expectation::unstable || found == by_key.end()) continue;
    require_recordable(*found->second);
    for (auto& [name, high] : entry.metrics) {
      const FigureValue& value = found->second->metrics.at(name);
      high = std::max(high, value);
      entry.low[name] = std::min(entry.low[name], value);
    }
    ++entry.repeats;
  }
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

void check_date(const std::string& date) {
  constexpr std::string_view pattern = "0000-00-00";
  bool right = date.size() == pattern.size();
  for (std::size_t i = 0; right && i < pattern.size(); ++i) {
    right = pattern[i] == '-' ? date[i] == '-' : date[i] >= '0' && date[i] <= '9';
  }
  if (!right)
    throw UsageError(fmt::format("--date {} is not a date such as 2026-11-30", in_quotes(date)));
}

std::string record_command(const SweepSpec& spec, const Record& record) {
  std::string text = fmt::format("halfulp baseline record {}", spec.subject->name);
  for (const Parameter& parameter : spec.subject->parameters) {
    const std::string values = values_of(spec, parameter);
    if (values.empty()) continue;
    std::string option(parameter.name);
    std::ranges::replace(option, '_', '-');
    text += fmt::format(" --{} {}", option, shell_word(values));
  }
  std::string dtypes;
  for (const Format& dtype : spec.dtypes) {
    dtypes += fmt::format("{}{}", dtypes.empty() ? "" : ",", short_name(dtype));
  }
  std::string backends;
  for (const Backend& backend : spec.backends) {
    backends += (backends.empty() ? "" : ",") + backend.name;
  }
  text += " --dtype " + dtypes;
  if (spec.widths) text += " --widths " + shell_word(spec.widths->text());
  text += fmt::format(" --backend {} --reference {}", shell_word(backends), spec.reference.name());
  if (record.expectation != Expectation::exact) {
    text += fmt::format(" --expectation {}", expectation_name(record.expectation));
  }
  if (!record.reason.empty()) text += " --reason " + shell_word(record.reason);
  if (!record.link.empty()) text += " --link " + shell_word(record.link);
  return text;
}

}  // namespace halfulp
