// `halfulp compare`: what changed between two reports.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "harness/case_options.h"
#include "harness/commands.h"
#include "harness/compare.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

constexpr std::size_t max_lines = 40;

struct CompareCommand {
  std::string old_report;
  std::string new_report;
  enum class Shown : std::uint8_t { changes, all } shown = Shown::changes;
};

Observations read_results(const std::string& path) {
  Observations report = read_report(path);
  if (report.results.empty()) throw Failure(ExitCode::empty, path + " has no results");
  if (!report.complete) throw Failure(ExitCode::empty, path + " is incomplete");
  return report;
}

void print_results(const Comparing& comparing, CompareCommand::Shown shown) {
  const bool all = shown == CompareCommand::Shown::all;
  std::size_t count = 0;
  for (const Compared& each : comparing.results) {
    if (!all && each.movement == Movement::same) continue;
    if (all || count < max_lines) {
      fmt::print("{:<7} {}: {}\n", movement_name(each.movement), each.key, each.text);
    }
    ++count;
  }
  if (!all && count > max_lines) fmt::print("and {} more: --all shows them\n", count - max_lines);
}

ExitCode compare(const CompareCommand& command) {
  const Comparing comparing =
      compare_reports(read_results(command.old_report), read_results(command.new_report));
  print_results(comparing, command.shown);
  std::string counts;
  for (const Movement movement : {Movement::same, Movement::worse, Movement::better,
                                  Movement::changed, Movement::added, Movement::removed}) {
    if (comparing.count(movement) == 0) continue;
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", comparing.count(movement),
                          movement_name(movement));
  }
  fmt::print("{}; {} points in both\n", counts, grouped(comparing.points));
  if (comparing.points == 0) fmt::print("nothing was compared: no result is in both reports\n");
  return comparing.exit;
}

}  // namespace

void add_compare_command(CLI::App& app, CommandContext& context) {
  const auto command = std::make_shared<CompareCommand>();
  CLI::App* sub = app.add_subcommand("compare", "what changed between two reports");
  sub->allow_extras();
  sub->add_option("OLD", command->old_report, "a report of `sweep --json`")->required();
  sub->add_option("NEW", command->new_report, "another")->required();
  sub->add_flag_callback(
      "--all", [command] { command->shown = CompareCommand::Shown::all; },
      "print every result, also those that are the same");
  sub->footer(
      "Exit codes: 0 same, 1 worse or changed, 2 other results or points, 3 only better, 5 "
      "nothing in common.\nExample: halfulp compare old.json new.json");
  sub->callback([sub, command, &context] {
    context.action = [sub, command] {
      check_options(*sub);
      return compare(*command);
    };
  });
}

}  // namespace halfulp
