// `halfulp sweep`: backends over widths against a reference, as a table and a report.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "harness/case_options.h"
#include "harness/commands.h"
#include "harness/environment.h"
#include "harness/error.h"
#include "harness/report.h"
#include "harness/sweep.h"
#include "harness/sweep_options.h"
#include "harness/sweep_table.h"

namespace halfulp {
namespace {

struct SweepCommandOptions {
  SweepOptions sweep;
  std::string json;
};

/// What makes a finished sweep a failure all the same.
ExitCode verdict(const SweepResult& result) {
  if (result.points == 0) throw Failure(ExitCode::empty, "nothing was evaluated");
  for (const SweepRow& row : result.rows) {
    if (!row.unavailable.empty()) continue;
    if (row.metrics.points != row.announced) {
      throw Failure(ExitCode::empty, fmt::format("{}: {} points evaluated, {} announced",
                                                 row.backend, row.metrics.points, row.announced));
    }
    if (row.tiers.disagreements > 0) {
      throw Failure(ExitCode::oracle_failure,
                    fmt::format("the oracles disagree at {} points", row.tiers.disagreements));
    }
    if (row.lanes.changed > 0) {
      throw Failure(ExitCode::oracle_failure,
                    fmt::format("{}: {} results depend on the lane that computes them", row.backend,
                                row.lanes.changed));
    }
  }
  return ExitCode::as_expected;
}

ExitCode sweep(const SweepCommandOptions& o, const CommandContext& context) {
  const SweepSpec spec = o.sweep.specification();
  if (!o.sweep.isa.empty()) select_isa(o.sweep.isa);
  if (!o.json.empty()) check_writable(o.json);
  const auto start = std::chrono::steady_clock::now();
  const SweepResult result = run_with_progress(spec, "sweep", context);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // A report on standard output is alone there.
  const bool report_to_stdout = o.json == "-" || o.json == "/dev/stdout";
  fmt::print(report_to_stdout ? stderr : stdout, "{}", sweep_table(result, spec));
  const ExitCode code = verdict(result);
  if (!o.json.empty()) {
    write_atomically(o.json, report_json(result, {.spec = spec,
                                                  .command_line = context.command_line,
                                                  .environment = run_environment(),
                                                  .seconds = seconds}));
  }
  return code;
}

}  // namespace

void add_sweep_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<SweepCommandOptions>();
  CLI::App* command =
      app.add_subcommand("sweep", "how backends differ from a reference over a range of sizes");
  options->sweep.add_to(*command);
  command->add_option("--json", options->json, "write the report to this file, or - for stdout");
  command->footer(
      "Examples:\n"
      "  halfulp sweep meshgrid --form arange --dtype bf16 --widths 300 --height 2 --backend "
      "eager-cpu --reference fused-fp32 --json out.json\n"
      "  halfulp sweep meshgrid --form arange,float32-once --dtype f16,bf16 --widths 2..4096\n"
      "  halfulp sweep scalar-division --a 0..4096 --b 1..1999 --dtype f32 --backend cuda-aten\n"
      "  halfulp sweep softmax --form naive,stable --dtype f16,bf16 --widths 1..512 --distribution "
      "normal --seed 1 --backend stepwise,fused-fp32\n"
      "  halfulp sweep sum --dtype f32 --widths 2..300 --distribution cancelling --backend "
      "stepwise+order=any\n"
      "Reports and exits with 0 whatever it finds; 5 if nothing was evaluated.");
  command->callback([command, options, &context] {
    context.action = [command, options, &context] {
      check_options(*command);
      return sweep(*options, context);
    };
  });
}

}  // namespace halfulp
