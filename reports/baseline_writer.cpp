// Writes a baseline: sorted, one entry a line, so that a review shows what moved.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "reports/result_json.h"

namespace halfulp {
namespace {

void add_text(OrderedJson& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = text;
}

void add_comments(OrderedJson& json, const std::string& comments) {
  if (!comments.empty()) json["comments"] = OrderedJson::parse(comments);
}

/// What differs from `common`; the sweep and the points are the entry's own.
OrderedJson provenance_json(const Provenance& p, const Provenance& common) {
  OrderedJson json = OrderedJson::object();
  const auto add = [&](const char* name, const std::string& own, const std::string& shared) {
    if (own != shared) json[name] = own;
  };
  add("sweep", p.sweep, common.sweep);
  add("oracle", p.oracle, common.oracle);
  add("version", p.version, common.version);
  add("date", p.date, common.date);
  add("command_line", p.command_line, common.command_line);
  return json;
}

OrderedJson intervals_json(const BaselineEntry& entry) {
  OrderedJson json = figures_json(entry.metrics);
  for (const FigureInfo& info : all_figures()) {
    const auto low = entry.low.find(info.name);
    const std::string name(info.name);
    if (low == entry.low.end() || low->second == entry.metrics.at(name)) continue;
    json[name] = OrderedJson::array({figure_json(info, low->second), json[name]});
  }
  return json;
}

OrderedJson entry_json(const BaselineEntry& entry, const Provenance& common) {
  OrderedJson json = key_json(entry.key);
  if (!entry.when.empty()) json["when"] = entry.when;
  json["expectation"] = expectation_name(entry.expectation);
  if (entry.expectation != Expectation::unsupported) {
    json["metrics"] = entry.expectation == Expectation::unstable ? intervals_json(entry)
                                                                 : figures_json(entry.metrics);
  }
  if (!entry.slack.empty()) json["slack"] = figures_json(entry.slack);
  if (entry.repeats > 0) json["repeats"] = json_integer(entry.repeats);
  add_text(json, "affected", entry.affected);
  if (entry.witness) json["witness"] = witness_json(entry.witness);
  add_text(json, "reason", entry.reason);
  add_text(json, "link", entry.link);
  add_comments(json, entry.comments);
  OrderedJson provenance = provenance_json(entry.provenance, common);
  if (entry.expectation != Expectation::unsupported) {
    provenance["points"] = json_integer(count_of(entry.metrics, "points"));
  }
  if (!provenance.empty()) json["provenance"] = std::move(provenance);
  return json;
}

std::string one_line(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace

std::string baseline_text(const Baseline& baseline) {
  std::vector<BaselineEntry> entries = baseline.entries;
  std::ranges::stable_sort(entries, [](const BaselineEntry& a, const BaselineEntry& b) {
    return std::tie(a.key, a.when) < std::tie(b.key, b.when);
  });
  OrderedJson head = {{"schema", "halfulp-baseline/1"}};
  add_comments(head, baseline.comments);
  head["provenance"] = provenance_json(baseline.provenance, {});
  std::string text = "{\n";
  for (const auto& [name, value] : head.items()) {
    text += fmt::format("\"{}\": {},\n", name, one_line(value));
  }
  text += "\"entries\": [";
  const char* separator = "\n";
  for (const BaselineEntry& entry : entries) {
    text += separator + one_line(entry_json(entry, baseline.provenance));
    separator = ",\n";
  }
  return text + "\n]\n}\n";
}

}  // namespace halfulp
