// `halfulp gate`: results against a baseline; the exit code says what happened.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "harness/case_options.h"
#include "harness/commands.h"
#include "harness/gate_run.h"
#include "harness/gate_text.h"
#include "harness/gate_writers.h"
#include "harness/report.h"

namespace halfulp {
namespace {

struct GateCommand {
  GateInputs inputs;
  std::string json;
  std::string junit;
  std::string sarif;
  std::string markdown;
  Lines lines = Lines::capped;
  Unavailable unavailable = Unavailable::is_red;
  enum class Annotations : std::uint8_t { none, github } annotations = Annotations::none;
};

/// An output file and what writes it.
struct Output {
  const std::string* path;
  std::string (*write)(const GateResult&);
};

std::array<Output, 4> outputs_of(const GateCommand& command) {
  return {{{&command.json, gate_json},
           {&command.junit, junit_xml},
           {&command.sarif, sarif_json},
           {&command.markdown, markdown_summary}}};
}

ExitCode gate(GateCommand& command, const CommandContext& context) {
  for (const Output& output : outputs_of(command)) {
    if (!output.path->empty()) check_writable(*output.path);
  }
  Baseline baseline = command.inputs.read_baselines();
  const std::size_t dropped = command.inputs.apply_settings(baseline);
  const Observations observations = command.inputs.observe(baseline, context);
  GateResult result = judge(baseline, observations,
                            {.only = command.inputs.only, .unavailable = command.unavailable});
  result.baselines = command.inputs.baselines;
  result.filtered += dropped;
  fmt::print("{}", gate_text(result, command.lines));
  if (command.annotations == GateCommand::Annotations::github) {
    fmt::print("{}", github_annotations(result));
  }
  for (const Output& output : outputs_of(command)) {
    if (!output.path->empty()) write_atomically(*output.path, output.write(result));
  }
  return result.exit;
}

void add_outputs(CLI::App& app, GateCommand& command) {
  app.add_option("--json", command.json, "write the verdict as JSON");
  app.add_option("--junit", command.junit, "write it as JUnit XML");
  app.add_option("--sarif", command.sarif, "write it as SARIF 2.1.0");
  app.add_option("--markdown", command.markdown, "write it as Markdown, for a job summary");
  app.add_flag_callback(
      "--annotations", [&command] { command.annotations = GateCommand::Annotations::github; },
      "print GitHub annotations");
  app.add_flag_callback(
      "--all", [&command] { command.lines = Lines::all; }, "print every row and finding");
  app.add_flag_callback(
      "--allow-unavailable", [&command] { command.unavailable = Unavailable::is_allowed; },
      "entries whose backend cannot run here are not red, as long as something is compared");
}

}  // namespace

void add_gate_command(CLI::App& app, CommandContext& context) {
  const auto command = std::make_shared<GateCommand>();
  CLI::App* sub = app.add_subcommand("gate", "judge results against a baseline");
  sub->allow_extras();
  command->inputs.add_to(*sub, GateInputs::Files::several);
  sub->add_option("--set", command->inputs.settings,
                  "NAME=VALUE: judge with another parameter or backend than was recorded");
  add_outputs(*sub, *command);
  sub->footer(
      "Runs what the baseline names, or reads --report, and never changes the baseline.\n"
      "Exit codes: 0 as expected, 1 regression, 2 mismatch, 3 improvement to be recorded, "
      "4 contradictory results, 5 empty or incomplete; of several the first of 4, 1, 2, 5, 3.\n"
      "Examples:\n"
      "  halfulp gate --baseline base.json\n"
      "  halfulp gate --baseline base.json --only 'bf16' --junit gate.xml --markdown gate.md\n"
      "  halfulp gate --baseline base.json --report out.json\n"
      "  halfulp gate --baseline base.json --only arange --set form=float32-once");
  sub->callback([sub, command, &context] {
    context.action = [sub, command, &context] {
      check_options(*sub);
      return gate(*command, context);
    };
  });
}

}  // namespace halfulp
