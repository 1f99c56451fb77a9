// Writing JSON: numbers that read back equal, and a layout that a person can review.
#include <fmt/format.h>

#include <cmath>

#include "reports/json.h"

namespace halfulp {
namespace {

constexpr std::size_t max_columns = 100;
constexpr std::size_t indent_step = 2;

std::string float_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string scalar_text(const OrderedJson& value) {
  if (value.is_number_float()) return float_text(value.get<double>());
  return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// The value on one line, or a text longer than `longest` as soon as it does not fit.
std::string one_line(const OrderedJson& value, std::size_t longest) {
  if (!value.is_structured()) return scalar_text(value);
  std::string text(1, value.is_object() ? '{' : '[');
  for (const auto& [key, element] : value.items()) {
    if (text.size() > longest) return text;
    if (text.size() > 1) text += ", ";
    if (value.is_object()) text += scalar_text(key) + ": ";
    text += one_line(element, longest);
  }
  return text + (value.is_object() ? '}' : ']');
}

void write(const OrderedJson& value, std::size_t indent, std::size_t column, std::string& out) {
  const std::size_t room = max_columns > column ? max_columns - column : 0;
  const std::string line = one_line(value, room);
  if (!value.is_structured() || value.empty() || line.size() <= room) {
    out += line;
    return;
  }
  const std::string margin(indent + indent_step, ' ');
  out += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, element] : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    const std::string prefix = value.is_object() ? scalar_text(key) + ": " : "";
    out += margin + prefix;
    write(element, indent + indent_step, margin.size() + prefix.size() + 1, out);
  }
  out += '\n' + std::string(indent, ' ');
  out += value.is_object() ? '}' : ']';
}

}  // namespace

OrderedJson json_integer(std::uint64_t value) {
  if (value > max_json_integer) return std::to_string(value);
  return value;
}

OrderedJson json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

std::string json_text(const OrderedJson& value) {
  std::string text;
  write(value, 0, 0, text);
  return text + '\n';
}

}  // namespace halfulp
