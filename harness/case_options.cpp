#include "harness/case_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

std::string option_name(std::string_view parameter) {
  std::string name = "--" + std::string(parameter);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string help_text(const Parameter& p) {
  std::string help(p.help);
  if (!p.choices.empty()) help += fmt::format("; one of {}", fmt::join(p.choices, ", "));
  if (!p.default_value.empty()) help += fmt::format(" [{}]", p.default_value);
  return help;
}

/// Kinds whose values may be listed with commas to sweep over each.
bool is_listable(ParamKind kind) {
  switch (kind) {
    case ParamKind::choice:
    case ParamKind::boolean:
    case ParamKind::size:
    case ParamKind::number:
    case ParamKind::size_expr:
    case ParamKind::value:
      return true;
    case ParamKind::list:
    case ParamKind::values:
    case ParamKind::text:
      return false;
  }
  return false;
}

const Parameter* find_parameter(const Case& c, std::string_view name) {
  const auto found = std::ranges::find(c.parameters, name, &Parameter::name);
  return found == c.parameters.end() ? nullptr : &*found;
}

}  // namespace

void CaseOptions::add_to(CLI::App& app) {
  app.add_option("CASE", case_name_, "the case; `halfulp list cases` shows them")->required();
  add_parameters_to(app);
}

void CaseOptions::add_parameters_to(CLI::App& app) {
  for (const Case& c : all_cases()) {
    for (const Parameter& p : c.parameters) {
      const std::string option = option_name(p.name);
      if (app.get_option_no_throw(option) != nullptr) continue;
      const std::string name(p.name);
      auto* added = app.add_option_function<std::string>(
          option, [this, name](const std::string& value) { given_[name] = value; }, help_text(p));
      added->group("Parameters of cases");
      if (p.kind == ParamKind::boolean) {
        added->type_name("BOOL");
        app.add_flag_callback(
               "--no-" + option.substr(2), [this, name] { given_[name] = "false"; },
               "the same as " + option + " false")
            ->group("Parameters of cases");
      }
    }
  }
  app.allow_extras();
}

std::vector<Params> CaseOptions::combinations() const {
  const Case& c = subject();
  std::vector<Params> out{{}};
  for (const auto& [name, text] : given_) {
    const Parameter* parameter = find_parameter(c, name);
    const bool split = parameter != nullptr && is_listable(parameter->kind);
    const auto values = split ? split_list(text, option_name(name)) : std::vector{text};
    std::vector<Params> longer;
    for (const Params& params : out) {
      for (const std::string& value : values) {
        longer.push_back(params);
        longer.back()[name] = value;
      }
    }
    out = std::move(longer);
    if (out.size() > 4096) throw UsageError("more than 4096 combinations of parameters");
  }
  for (Params& params : out) params = complete_params(c, params);
  return out;
}

Params CaseOptions::single() const {
  const auto all = combinations();
  if (all.size() != 1) {
    throw UsageError(fmt::format("expected one value for each parameter; these are {} combinations",
                                 all.size()));
  }
  return all.front();
}

std::vector<std::string> split_list(const std::string& list, const std::string& what) {
  std::vector<std::string> items;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end == begin) throw UsageError(fmt::format("{}: an empty item in '{}'", what, list));
    items.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

std::vector<Format> parse_dtypes(const std::string& list, const Case& c) {
  if (list == "all") return c.formats;
  std::vector<Format> out;
  for (const std::string& name : split_list(list, "--dtype")) {
    const Format format = parse_format(name);
    check_dtype(c, format);
    if (std::ranges::find(out, format) != out.end()) {
      throw UsageError(fmt::format("--dtype: {} is listed twice", name));
    }
    out.push_back(format);
  }
  return out;
}

std::vector<Backend> parse_backends(const std::string& list) {
  const auto all = all_backends();
  if (list == "all") return {all.begin(), all.end()};
  std::vector<Backend> out;
  for (const std::string& name : split_list(list, "--backend")) {
    out.push_back(find_backend(name));
    if (std::ranges::count(out, name, &Backend::name) > 1) {
      throw UsageError(fmt::format("--backend: {} is listed twice", name));
    }
  }
  return out;
}

std::optional<Backend> parse_backend_or_oracle(const std::string& name) {
  if (name == "oracle") return std::nullopt;
  try {
    return find_backend(name);
  } catch (const UsageError&) {
    if (name.find('+') != std::string::npos) throw;  // a field or its value
    std::vector<std::string_view> known{"oracle"};
    for (const Backend& b : all_backends()) known.push_back(b.name);
    throw UsageError(unknown_name("backend", name, known));
  }
}

void check_options(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.empty()) throw UsageError(fmt::format("{}: an empty value", option->get_name()));
    }
  }
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return;
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) names.push_back("--" + option->get_lnames().front());
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string typed = extras.front().substr(0, extras.front().find('='));
  if (typed.rfind('-', 0) != 0) throw UsageError(fmt::format("unexpected argument '{}'", typed));
  const std::string_view near = nearest_name(typed, known);
  throw UsageError(fmt::format("unknown option '{}'{} (see --help)", typed,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace halfulp
