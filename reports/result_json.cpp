#include "reports/result_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/suggest.h"

namespace halfulp {
namespace {

/// An axis value: digits as a number, other text as it is.
OrderedJson axis_value_json(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && read == end && value <= max_json_integer) return value;
  return text;
}

/// An integer, a boolean or text, as it is typed on the command line.
std::string scalar_text(const ObjectReader& object, std::string_view key) {
  const Json& value = object.at(key);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number_integer()) return value.dump();
  object.fail(
      fmt::format("'{}' must be text, an integer or a boolean, not {}", key, value.type_name()));
}

OrderedJson real_text_json(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || read != end) return text;
  return json_number(value);
}

/// `0:8 1:2 5..8:1`, in the order of the buckets.
std::string histogram_text(const ObjectReader& object) {
  std::vector<std::pair<std::uint64_t, std::string>> buckets;
  for (const auto& [name, count] : object.members()) {
    std::uint64_t first = 0;
    std::from_chars(name.data(), name.data() + name.size(), first);
    buckets.emplace_back(first, fmt::format("{}:{}", name, read_count(object, name)));
  }
  std::ranges::sort(buckets);
  std::string text;
  for (const auto& [first, bucket] : buckets) text += (text.empty() ? "" : " ") + bucket;
  return text;
}

OrderedJson histogram_json(std::string_view text) {
  OrderedJson json = OrderedJson::object();
  while (!text.empty()) {
    const std::string_view bucket = text.substr(0, text.find(' '));
    const std::size_t colon = bucket.rfind(':');
    json[std::string(bucket.substr(0, colon))] =
        axis_value_json(std::string(bucket.substr(colon + 1)));
    text.remove_prefix(std::min(text.size(), bucket.size() + 1));
  }
  return json;
}

}  // namespace

OrderedJson key_json(const Key& key) {
  const auto cases = all_cases();
  const auto subject = std::ranges::find(cases, key.subject, &Case::name);
  OrderedJson params = OrderedJson::object();
  if (subject != cases.end()) params = params_json(*subject, key.params);
  for (const auto& [name, value] : key.params) {
    if (!params.contains(name)) params[name] = value;
  }
  if (!key.widths.empty()) params["widths"] = key.widths;
  return {{"case", key.subject},
          {"params", std::move(params)},
          {"dtype", key.dtype},
          {"backend", key.backend},
          {"reference", key.reference}};
}

Key read_key(const ObjectReader& object) {
  Key key{.subject = object.text("case"),
          .params = {},
          .widths = {},
          .dtype = object.text("dtype"),
          .backend = object.text("backend"),
          .reference = object.text("reference")};
  const ObjectReader params = object.object("params");
  for (const auto& [name, value] : params.members()) {
    (name == "widths" ? key.widths : key.params[name]) = scalar_text(params, name);
  }
  return key;
}

OrderedJson figure_json(const FigureInfo& info, const FigureValue& value) {
  switch (info.kind) {
    case FigureKind::count:
      return json_integer(std::get<std::uint64_t>(value));
    case FigureKind::real:
      return json_number(std::get<double>(value));
    case FigureKind::text:
      break;
  }
  const auto& text = std::get<std::string>(value);
  if (info.name == "histogram") return histogram_json(text);
  return text.empty() ? OrderedJson(nullptr) : axis_value_json(text);
}

OrderedJson figures_json(const Figures& figures) {
  OrderedJson json = OrderedJson::object();
  for (const FigureInfo& info : all_figures()) {
    const auto found = figures.find(info.name);
    if (found != figures.end()) json[std::string(info.name)] = figure_json(info, found->second);
  }
  return json;
}

OrderedJson witness_json(const std::optional<WitnessText>& witness) {
  if (!witness) return nullptr;
  OrderedJson json = {
      {"width", witness->width.empty() ? OrderedJson(nullptr) : axis_value_json(witness->width)},
      {"index", json_integer(witness->index)},
      {"actual", witness->actual},
      {"expected", witness->expected},
      {"actual_value", real_text_json(witness->actual_value)},
      {"expected_value", real_text_json(witness->expected_value)}};
  if (!witness->exact.empty()) json["exact"] = witness->exact;
  return json;
}

std::uint64_t read_count(const ObjectReader& object, std::string_view key) {
  const Json& value = object.at(key);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    std::uint64_t count = 0;
    const auto [read, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool all = error == std::errc{} && read == text.data() + text.size();
    if (all && count > max_json_integer) return count;
  }
  object.fail(fmt::format("'{}' must be a count, not {}", key, in_quotes(value.dump())));
}

double read_real(const ObjectReader& object, std::string_view key) {
  const Json& value = object.at(key);
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
  }
  object.fail(fmt::format("'{}' must be a number, not {}", key, in_quotes(value.dump())));
}

FigureValue read_figure(const ObjectReader& object, const FigureInfo& info) {
  switch (info.kind) {
    case FigureKind::count:
      return read_count(object, info.name);
    case FigureKind::real:
      return read_real(object, info.name);
    case FigureKind::text:
      break;
  }
  if (info.name == "histogram") return histogram_text(object.object(info.name));
  return object.at(info.name).is_null() ? std::string{} : scalar_text(object, info.name);
}

Figures read_figures(const ObjectReader& object) {
  Figures figures;
  for (const auto& [name, value] : object.members()) {
    const FigureInfo* info = find_figure(name);
    if (info == nullptr) {
      std::vector<std::string_view> known;
      for (const FigureInfo& each : all_figures()) known.push_back(each.name);
      object.fail(unknown_name("metric", name, known));
    }
    figures[name] = read_figure(object, *info);
  }
  return figures;
}

std::optional<WitnessText> read_witness(const ObjectReader& object, std::string_view key) {
  if (!object.has(key) || object.at(key).is_null()) return std::nullopt;
  const ObjectReader w = object.object(key);
  w.allow_only({"width", "index", "actual", "expected", "actual_value", "expected_value", "exact"});
  const auto number = [&w](std::string_view name) {
    return w.has(name) ? fmt::format("{}", read_real(w, name)) : std::string{};
  };
  return WitnessText{.width = w.at("width").is_null() ? "" : scalar_text(w, "width"),
                     .index = read_count(w, "index"),
                     .actual = w.text("actual"),
                     .expected = w.text("expected"),
                     .actual_value = number("actual_value"),
                     .expected_value = number("expected_value"),
                     .exact = w.has("exact") ? w.text("exact") : std::string{}};
}

}  // namespace halfulp
