#include "harness/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "harness/axis.h"
#include "harness/error.h"
#include "harness/suggest.h"
#include "harness/values.h"

namespace halfulp {
namespace {

std::string checked_choice(const Parameter& p, const std::string& value) {
  if (std::ranges::find(p.choices, value) != p.choices.end()) return value;
  throw UsageError(unknown_name("value", value, p.choices));
}

std::string checked_boolean(const std::string& value) {
  constexpr std::array<std::string_view, 3> yes{"true", "1", "yes"};
  constexpr std::array<std::string_view, 3> no{"false", "0", "no"};
  if (std::ranges::find(yes, value) != yes.end()) return "true";
  if (std::ranges::find(no, value) != no.end()) return "false";
  throw UsageError(fmt::format("{} is neither true nor false", in_quotes(value)));
}

std::string checked_size(const std::string& value) {
  const ExactNumber size = parse_exact_number(value);
  if (!size.is_integer() || size.numerator < 1 ||
      static_cast<std::uint64_t>(size.numerator) > max_width) {
    throw UsageError(fmt::format("{} is not an integer from 1 to {}", in_quotes(value), max_width));
  }
  return to_string(size);
}

std::string checked_size_expr(const std::string& value) {
  if (value == "n" || value == "n-1") return value;
  try {
    return to_string(parse_exact_number(value));
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}, or n or n-1", error.what()));
  }
}

/// The value as it is kept: booleans as true and false, numbers in canonical form.
std::string checked(const Parameter& p, const std::string& value) {
  switch (p.kind) {
    case ParamKind::choice:
      return checked_choice(p, value);
    case ParamKind::boolean:
      return checked_boolean(value);
    case ParamKind::size:
      return checked_size(value);
    case ParamKind::size_expr:
      return checked_size_expr(value);
    case ParamKind::number:
      return to_string(parse_exact_number(value));
    case ParamKind::list:
      number_list_size(value);
      return value;
    case ParamKind::values:
      values_size(value);
      return value;
    case ParamKind::value:
      parse_value(value);
      return value;
    case ParamKind::text:
      return value;
  }
  return value;
}

const Parameter& find_parameter(const Case& c, std::string_view name) {
  const auto found = std::ranges::find(c.parameters, name, &Parameter::name);
  if (found != c.parameters.end()) return *found;
  std::vector<std::string_view> known;
  for (const Parameter& p : c.parameters) known.push_back(p.name);
  throw UsageError(fmt::format("{}: {}", c.name, unknown_name("parameter", name, known)));
}

}  // namespace

Params complete_params(const Case& c, const Params& given) {
  Params params;
  for (const auto& [name, value] : given) {
    const Parameter& p = find_parameter(c, name);
    try {
      params[name] = checked(p, value);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}: {}", c.name, name, error.what()));
    }
  }
  for (const Parameter& p : c.parameters) {
    if (!p.default_value.empty()) params.try_emplace(std::string(p.name), p.default_value);
  }
  return params;
}

void check_dtype(const Case& c, const Format& dtype) {
  if (std::ranges::find(c.formats, dtype) != c.formats.end()) return;
  std::vector<std::string_view> supported;
  for (const Format& f : c.formats) supported.push_back(short_name(f));
  throw UsageError(fmt::format("{} does not support {} (supported: {})", c.name, short_name(dtype),
                               fmt::join(supported, ", ")));
}

bool is_set(const Params& params, std::string_view name) {
  return params.find(name) != params.end();
}

bool flag(const Params& params, std::string_view name) {
  const auto found = params.find(name);
  return found != params.end() && found->second == "true";
}

}  // namespace halfulp
