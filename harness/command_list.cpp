// `halfulp list`: cases, backends and formats.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "harness/case_options.h"
#include "harness/commands.h"
#include "harness/error.h"

namespace halfulp {
namespace {

struct ListOptions {
  std::string what = "all";
  bool verbose = false;
  std::string case_name = "meshgrid";
  CaseOptions params;
};

void print_cases(bool verbose) {
  fmt::print("cases\n");
  for (const Case& c : all_cases()) {
    fmt::print("  {:<18} {}\n", c.name, c.summary);
    if (!verbose) continue;
    std::vector<std::string_view> dtypes;
    for (const Format& f : c.formats) dtypes.push_back(short_name(f));
    fmt::print("    source: {}\n    dtypes: {}\n", c.citation, fmt::join(dtypes, ", "));
    if (!c.axis.name.empty()) fmt::print("    axis: {}, {}\n", c.axis.name, c.axis.summary);
    for (const Parameter& p : c.parameters) {
      fmt::print("    {}{}: {}\n", p.name,
                 p.default_value.empty() ? "" : fmt::format(" [{}]", p.default_value), p.help);
      if (!p.choices.empty()) fmt::print("      one of {}\n", fmt::join(p.choices, ", "));
    }
    for (const auto example : c.examples) fmt::print("    example: {}\n", example);
  }
}

void print_program(const Backend& backend, const Program& program, const std::string& indent) {
  const Program low = lowered(backend, program);
  std::string listing = to_string(low);
  for (std::size_t at = 0;
       (at = listing.find('\n', at)) != std::string::npos && at + 1 < listing.size();) {
    listing.insert(++at, indent);
  }
  fmt::print("{}{}", indent, listing);
}

void print_backend_details(const Backend& b, const ListOptions& options) {
  std::string fields;
  for (const FieldInfo& f : backend_fields()) {
    fields += fmt::format(" {}={}", f.name, field_value(b, f.name));
  }
  fmt::print("    fields:{}\n", fields);
  if (!b.varies.empty()) fmt::print("    made to vary: {}\n", fmt::join(b.varies, ", "));
  const Case& c = options.params.subject();
  for (const Params& params : options.params.combinations()) {
    std::string text;
    for (const auto& [name, value] : params) text += fmt::format(" {}={}", name, value);
    const Program program = c.build(params, 2);
    fmt::print("    {}{}\n", c.name, text);
    print_program(b, program, "      ");
  }
}

void print_backends(const ListOptions& options) {
  fmt::print("backends\n");
  for (const Backend& b : all_backends()) {
    const Availability reason = availability_of(b);
    fmt::print("  {:<22} {}{}\n", b.name, b.summary,
               reason ? fmt::format(" (unavailable: {})", *reason) : "");
    if (options.verbose) print_backend_details(b, options);
  }
  if (!options.verbose) {
    fmt::print(
        "  any field can be varied: eager-cpu+arange_lanes=8+linspace=stepwise; --verbose shows "
        "fields and programs\n");
    return;
  }
  fmt::print("fields\n");
  for (const FieldInfo& f : backend_fields()) {
    fmt::print("  {:<18} {:<34} {}\n", f.name, fmt::format("{}", fmt::join(f.values, "|")),
               f.summary);
  }
}

void print_formats() {
  fmt::print("formats\n");
  for (const NamedFormat& f : all_formats()) {
    fmt::print("  {:<8} {:<26} p={:<2} emin={:<5} emax={:<4} {}\n", f.short_name, f.name,
               f.format.precision, f.format.emin(), f.format.emax(), f.summary);
  }
}

ExitCode list(ListOptions& options) {
  options.params.set_case(options.case_name);
  options.params.subject();  // an unknown one is refused before anything is printed
  if (options.what == "cases" || options.what == "all") print_cases(options.verbose);
  if (options.what == "backends" || options.what == "all") print_backends(options);
  if (options.what == "formats" || options.what == "all") print_formats();
  return ExitCode::as_expected;
}

}  // namespace

void add_list_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = app.add_subcommand("list", "cases, backends and formats");
  command->add_option("WHAT", options->what, "cases, backends, formats or all")
      ->check(CLI::IsMember({"cases", "backends", "formats", "all"}));
  command->add_flag(
      "--verbose,-v", options->verbose,
      "parameters and examples; fields of backends and the program that each makes of "
      "a case");
  command->add_option("--case", options->case_name, "the case to show programs of [meshgrid]");
  options->params.add_parameters_to(*command);
  command->footer(
      "Examples:\n  halfulp list backends\n"
      "  halfulp list backends --verbose --case meshgrid --form arange");
  command->callback([command, options, &context] {
    context.action = [command, options] {
      check_options(*command);
      return list(*options);
    };
  });
}

}  // namespace halfulp
