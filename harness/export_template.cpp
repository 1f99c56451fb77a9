#include "harness/export_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

void check_printable(std::string_view what, std::string_view text) {
  if (std::ranges::any_of(text, is_control)) {
    throw UsageError(fmt::format("{} has control characters: {}", what, in_quotes(text)));
  }
}

/// Every placeholder that some result has a value for.
std::vector<std::string_view> known_placeholders() {
  std::vector<std::string_view> known{"case", "dtype", "torch_dtype", "backend", "width"};
  for (const Case& c : all_cases()) {
    for (const Parameter& parameter : c.parameters) known.push_back(parameter.name);
  }
  std::ranges::sort(known);
  const auto repeated = std::ranges::unique(known);
  known.erase(repeated.begin(), repeated.end());
  return known;
}

std::string checked_placeholder(std::string_view name) {
  const auto known = known_placeholders();
  if (std::ranges::find(known, name) == known.end()) {
    throw UsageError("--template: " + unknown_name("placeholder", name, known));
  }
  return std::string(name);
}

std::string torch_dtype(const std::string& dtype) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> names{
      {{"f64", "float64"},
       {"f32", "float32"},
       {"f16", "float16"},
       {"bf16", "bfloat16"},
       {"e4m3", "float8_e4m3fn"},
       {"e5m2", "float8_e5m2"}}};
  for (const auto& [short_name, torch_name] : names) {
    if (short_name == dtype) return std::string(torch_name);
  }
  throw UsageError(fmt::format("--template: torch has no dtype for '{}'", dtype));
}

std::string value_of(std::string_view placeholder, const Key& key, const ExactNumber& size) {
  if (placeholder == "case") return key.subject;
  if (placeholder == "dtype") return key.dtype;
  if (placeholder == "torch_dtype") return torch_dtype(key.dtype);
  if (placeholder == "backend") return key.backend;
  if (placeholder == "width") return to_string(size);
  if (const auto found = key.params.find(placeholder); found != key.params.end()) {
    return found->second;
  }
  throw UsageError(
      fmt::format("--template: {{{}}} has no value for {}", placeholder, key_text(key)));
}

}  // namespace

NodeTemplate NodeTemplate::parse(std::string_view text) {
  if (text.empty()) throw UsageError("--template is empty");
  check_printable("--template", text);
  NodeTemplate out;
  out.text_ = text;
  Part part;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      part.literal += c;
    } else if (i + 1 < text.size() && text[i + 1] == c) {
      part.literal += c;
      ++i;
    } else {
      const std::size_t end = text.find_first_of("{}", i + 1);
      if (c == '}' || end == std::string_view::npos || text[end] == '{') {
        throw UsageError(
            fmt::format("--template: stray '{}' at character {}; double it for a "
                        "brace of the node id",
                        c, i + 1));
      }
      part.placeholder = checked_placeholder(text.substr(i + 1, end - i - 1));
      out.parts_.push_back(std::exchange(part, {}));
      i = end;
    }
  }
  out.parts_.push_back(std::move(part));
  return out;
}

std::string NodeTemplate::expand(const Key& key, const ExactNumber& size) const {
  std::string id;
  for (const Part& part : parts_) {
    id += part.literal;
    if (!part.placeholder.empty()) id += value_of(part.placeholder, key, size);
  }
  check_printable("a node id", id);
  return id;
}

bool NodeTemplate::uses(std::string_view placeholder) const {
  return std::ranges::find(parts_, placeholder, &Part::placeholder) != parts_.end();
}

}  // namespace halfulp
