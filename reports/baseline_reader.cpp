// Reads a baseline, and refuses whatever could make a gate green by mistake.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "harness/error.h"
#include "harness/suggest.h"
#include "reports/result_json.h"

namespace halfulp {
namespace {

/// Line of each object in the top-level list `entries` of a JSON text that was found well-formed.
class EntryLines {
 public:
  explicit EntryLines(std::string_view text) {
    for (at_ = 0; at_ < text.size(); ++at_) step(text);
  }
  /// 0 when unknown.
  std::size_t operator[](std::size_t entry) const {
    return entry < lines_.size() ? lines_[entry] : 0;
  }

 private:
  void step(std::string_view text) {
    switch (text[at_]) {
      case '\n':
        ++line_;
        break;
      case '"':
        skip_string(text);
        break;
      case '[':
      case '{':
        open(text[at_]);
        break;
      case ']':
      case '}':
        if (--depth_ == 1) inside_ = false;
        break;
      default:
        break;
    }
  }
  void skip_string(std::string_view text) {
    const std::size_t begin = ++at_;
    while (text[at_] != '"') at_ += text[at_] == '\\' ? 2 : 1;
    if (depth_ == 1) last_ = text.substr(begin, at_ - begin);
  }
  void open(char bracket) {
    if (depth_ == 1 && bracket == '[' && last_ == "entries") inside_ = true;
    if (depth_ == 2 && bracket == '{' && inside_) lines_.push_back(line_);
    ++depth_;
  }

  std::vector<std::size_t> lines_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t depth_ = 0;
  bool inside_ = false;
  std::string_view last_;  ///< the last string of the outermost object
};

constexpr std::array expectations{Expectation::exact, Expectation::budget, Expectation::unstable,
                                  Expectation::unsupported};

std::string comments_of(const ObjectReader& object) {
  return object.has("comments") ? object.at("comments").dump() : std::string{};
}

std::string optional_text(const ObjectReader& object, std::string_view key) {
  return object.has(key) ? object.text(key) : std::string{};
}

Expectation read_expectation(const ObjectReader& object) {
  const std::string& name = object.text("expectation");
  std::vector<std::string_view> known;
  for (const Expectation each : expectations) {
    if (expectation_name(each) == name) return each;
    known.push_back(expectation_name(each));
  }
  object.fail(unknown_name("expectation", name, known));
}

/// What the entry's own `provenance` says; the rest is that of the file.
Provenance read_provenance(const ObjectReader& object, Provenance provenance) {
  if (!object.has("provenance")) return provenance;
  const ObjectReader p = object.object("provenance");
  p.allow_only({"sweep", "points", "oracle", "version", "date", "command_line"});
  for (const auto& [key, member] : std::initializer_list<std::pair<const char*, std::string*>>{
           {"sweep", &provenance.sweep},
           {"oracle", &provenance.oracle},
           {"version", &provenance.version},
           {"date", &provenance.date},
           {"command_line", &provenance.command_line}}) {
    if (p.has(key)) *member = p.text(key);
  }
  return provenance;
}

std::map<std::string, std::string> read_when(const ObjectReader& object) {
  std::map<std::string, std::string> when;
  if (!object.has("when")) return when;
  const ObjectReader predicate = object.object("when");
  predicate.allow_only({"compiler", "isa", "version"});
  for (const auto& [name, value] : predicate.members()) {
    when[name] = predicate.text(name);
    if (when[name].empty()) predicate.fail(fmt::format("'{}' is empty", name));
  }
  return when;
}

void require_finite(const ObjectReader& object, const Figures& figures) {
  for (const auto& [name, value] : figures) {
    const auto* real = std::get_if<double>(&value);
    if (real == nullptr || (std::isfinite(*real) && *real >= 0)) continue;
    object.fail(
        fmt::format("'{}' is {}: an expected value is a finite number from 0", name, *real));
  }
}

/// `[low, high]` or one value for both.
void read_intervals(const ObjectReader& metrics, BaselineEntry& entry) {
  Json low = Json::object();
  Json high = Json::object();
  for (const auto& [name, value] : metrics.members()) {
    if (value.is_array() && value.size() != 2) {
      metrics.fail(fmt::format("'{}' must be [low, high]", name));
    }
    low[name] = value.is_array() ? value[0] : value;
    high[name] = value.is_array() ? value[1] : value;
  }
  entry.low = read_figures({low, metrics.where()});
  entry.metrics = read_figures({high, metrics.where()});
  for (const auto& [name, value] : entry.low) {
    if (entry.metrics[name] < value) metrics.fail(fmt::format("'{}' runs backwards", name));
  }
}

/// Limits and intervals are of numbers that have an order.
void require_ordered(const ObjectReader& object, const Figures& figures) {
  for (const auto& [name, value] : figures) {
    if (find_figure(name)->order == FigureInfo::Order::none) {
      object.fail(fmt::format("'{}' has no order, so it cannot be a limit", name));
    }
  }
}

void read_metrics(const ObjectReader& object, BaselineEntry& entry) {
  if (entry.expectation == Expectation::unsupported) {
    if (object.has("metrics")) object.fail("an unsupported entry has no metrics");
    return;
  }
  const ObjectReader metrics = object.object("metrics");
  if (entry.expectation == Expectation::unstable) {
    read_intervals(metrics, entry);
  } else {
    entry.metrics = read_figures(metrics);
  }
  require_finite(metrics, entry.metrics);
  require_finite(metrics, entry.low);
  if (entry.expectation != Expectation::exact) require_ordered(metrics, entry.metrics);
  metrics.at("points");
  if (count_of(entry.metrics, "points") == 0)
    metrics.fail("'points' is 0: nothing would be compared");
  metrics.at("differing");
}

void read_budget(const ObjectReader& object, BaselineEntry& entry) {
  if (object.has("slack")) {
    if (entry.expectation != Expectation::budget) object.fail("only a budget has a slack");
    const ObjectReader slack = object.object("slack");
    entry.slack = read_figures(slack);
    require_finite(slack, entry.slack);
    require_ordered(slack, entry.slack);
    for (const auto& [name, value] : entry.slack) {
      if (!entry.metrics.contains(name)) slack.fail(fmt::format("'{}' has no limit", name));
    }
  }
  if (object.has("repeats")) entry.repeats = read_count(object, "repeats");
}

BaselineEntry read_entry(const ObjectReader& object, const Provenance& provenance) {
  object.allow_only({"case", "params", "dtype", "backend", "reference", "when", "expectation",
                     "metrics", "slack", "repeats", "affected", "witness", "reason", "link",
                     "comments", "provenance"});
  BaselineEntry entry;
  entry.key = read_key(object);
  entry.when = read_when(object);
  entry.expectation = read_expectation(object);
  read_metrics(object, entry);
  read_budget(object, entry);
  entry.affected = optional_text(object, "affected");
  entry.witness = read_witness(object, "witness");
  entry.reason = optional_text(object, "reason");
  entry.link = optional_text(object, "link");
  entry.comments = comments_of(object);
  entry.provenance = read_provenance(object, provenance);
  const bool needs_reason =
      entry.expectation == Expectation::unsupported || !is_clean(entry.metrics);
  if (needs_reason && entry.reason.find_first_not_of(" \t\n") == std::string::npos) {
    object.fail("'reason' is missing: say why results are expected to differ");
  }
  return entry;
}

/// Where points are recorded twice, they agree.
void check_points(const ObjectReader& object, const BaselineEntry& entry) {
  if (!object.has("provenance") || !object.object("provenance").has("points")) return;
  if (read_count(object.object("provenance"), "points") != count_of(entry.metrics, "points")) {
    object.fail("'points' of metrics and provenance differ");
  }
}

/// A key whose names are unknown stays as typed, so that a stale entry can be shown and pruned.
void normalise_where_known(Key& key) {
  Key normalised = key;
  try {
    normalise(normalised);
  } catch (const UsageError&) {
    return;
  }
  key = std::move(normalised);
}

void reject_duplicates(const Baseline& baseline) {
  std::map<std::string, std::size_t> seen;
  for (const BaselineEntry& entry : baseline.entries) {
    const auto [first, inserted] = seen.emplace(entry_text(entry), entry.line);
    if (inserted) continue;
    throw UsageError(fmt::format("{}:{}: a second entry for {}; the first is in line {}",
                                 baseline.file, entry.line, entry_text(entry), first->second));
  }
}

}  // namespace

Baseline read_baseline(const std::string& path) {
  const std::string text = read_text_file(path);
  const Json json = parse_json(text, path);
  const ObjectReader file(json, path);
  if (file.text("schema") != "halfulp-baseline/1") {
    file.fail(fmt::format("schema {} is not 'halfulp-baseline/1', the one that this version reads",
                          in_quotes(file.text("schema"))));
  }
  file.allow_only({"schema", "comments", "provenance", "entries"});
  Baseline baseline;
  baseline.file = path;
  baseline.comments = comments_of(file);
  baseline.provenance = read_provenance(file, {});
  const EntryLines lines(text);
  std::size_t number = 0;
  for (const Json& each : file.array("entries")) {
    const std::size_t line = lines[number];
    const ObjectReader object(each, line == 0 ? fmt::format("{}: entries[{}]", path, number)
                                              : fmt::format("{}:{}: entry", path, line));
    BaselineEntry& entry = baseline.entries.emplace_back(read_entry(object, baseline.provenance));
    check_points(object, entry);
    entry.file = path;
    entry.line = line;
    normalise_where_known(entry.key);
    ++number;
  }
  reject_duplicates(baseline);
  return baseline;
}

}  // namespace halfulp
