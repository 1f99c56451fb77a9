// Reads sweep reports back, so that a gate judges a report as it judges a run.
#include <fmt/format.h>

#include <array>
#include <set>

#include "harness/error.h"
#include "harness/gate.h"
#include "harness/suggest.h"
#include "reports/result_json.h"

namespace halfulp {
namespace {

constexpr std::array<std::string_view, 15> result_keys{
    "case",        "dtype",     "backend", "reference",       "params",
    "unavailable", "announced", "metrics", "first",           "affected",
    "witness",     "witnesses", "tiers",   "lane_dependence", "envelope",
};

/// Later versions may add members; a member that is nearly a known one is a mistake.
void reject_near_misses(const ObjectReader& object) {
  for (const auto& [key, value] : object.members()) {
    if (std::ranges::find(result_keys, key) != result_keys.end()) continue;
    const std::string_view near = nearest_name(key, result_keys);
    if (!near.empty() && !object.has(near)) object.fail(unknown_name("key", key, result_keys));
  }
}

/// A key as typed in the report, completed where its names are known here.
Key normalised_key(const ObjectReader& object) {
  Key typed = read_key(object);
  Key key = typed;
  try {
    normalise(key);
  } catch (const UsageError&) {
    return typed;  // no entry will match it
  }
  return key;
}

Observation read_result(const ObjectReader& object) {
  reject_near_misses(object);
  Observation result;
  result.key = normalised_key(object);
  if (object.has("unavailable")) {
    result.unavailable = object.text("unavailable");
    if (result.unavailable.empty()) object.fail("'unavailable' must say why");
    return result;
  }
  const ObjectReader metrics = object.object("metrics");
  result.metrics = read_figures(metrics);
  for (const std::string_view name : {"points", "differing"}) metrics.at(name);
  result.announced = object.has("announced") ? read_count(object, "announced")
                                             : count_of(result.metrics, "points");
  if (object.has("affected")) result.affected = object.text("affected");
  result.witness = read_witness(object, "witness");
  if (!result.witness && object.has("first") && object.at("first").is_object() &&
      object.object("first").has("actual")) {
    result.witness = read_witness(object, "first");
  }
  if (object.has("tiers")) {
    const ObjectReader tiers = object.object("tiers");
    if (tiers.has("disagreements")) result.disagreements = read_count(tiers, "disagreements");
  }
  if (object.has("lane_dependence")) {
    result.lane_changes = read_count(object.object("lane_dependence"), "changed");
  }
  return result;
}

void read_context(const ObjectReader& context, Observations& observations) {
  if (context.has("complete")) observations.complete = context.boolean("complete");
  for (const char* name : {"version", "compiler"}) {
    if (context.has(name)) observations.facts[name] = context.text(name);
  }
  if (context.has("run")) {
    const ObjectReader run = context.object("run");
    if (run.has("isa")) observations.facts["isa"] = run.text("isa");
  }
}

}  // namespace

Observations parse_report(std::string_view text, const std::string& file) {
  const Json json = parse_json(text, file);
  const ObjectReader report(json, file);
  if (report.text("schema") != "halfulp-report/1") {
    report.fail(fmt::format("schema {} is not 'halfulp-report/1', the one that this version reads",
                            in_quotes(report.text("schema"))));
  }
  report.allow_only({"schema", "context", "results"});
  Observations observations;
  observations.source = file;
  read_context(report.object("context"), observations);
  std::set<Key> seen;
  std::size_t number = 0;
  for (const Json& each : report.array("results")) {
    const ObjectReader object(each, fmt::format("{}: results[{}]", file, number++));
    observations.results.push_back(read_result(object));
    const Key& key = observations.results.back().key;
    if (!seen.insert(key).second) object.fail("a second result for " + key_text(key));
  }
  return observations;
}

Observations read_report(const std::string& path) {
  return parse_report(read_text_file(path), path);
}

}  // namespace halfulp
