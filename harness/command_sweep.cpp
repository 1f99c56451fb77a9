// `halfulp sweep`: backends over widths against a reference, as a table and a report.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "harness/case_options.h"
#include "harness/commands.h"
#include "harness/environment.h"
#include "harness/error.h"
#include "harness/progress.h"
#include "harness/report.h"
#include "harness/suggest.h"
#include "harness/sweep.h"
#include "harness/sweep_table.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

struct SweepOptions {
  CaseOptions subject;
  std::string dtypes = "bf16";
  std::string widths;
  std::string backends = "all";
  std::string reference = "oracle";
  std::string json;
  std::string isa;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
};

/// `oracle` or a backend.
Reference parse_reference(const std::string& name) {
  if (name == "oracle") return {};
  try {
    return {find_backend(name)};
  } catch (const UsageError& error) {
    constexpr std::array<std::string_view, 1> oracle{"oracle"};
    if (nearest_name(name, oracle).empty()) throw;
    throw UsageError(fmt::format("unknown reference '{}'; did you mean 'oracle'?", name));
  }
}

SweepSpec specification(const SweepOptions& o) {
  SweepSpec spec;
  spec.subject = &o.subject.subject();
  spec.params = o.subject.combinations();
  spec.dtypes = parse_dtypes(o.dtypes, *spec.subject);
  spec.backends = parse_backends(o.backends);
  spec.reference = parse_reference(o.reference);
  spec.threads = o.threads;
  const bool has_own_axis = spec.subject->axis_values != nullptr;
  if (has_own_axis && !o.widths.empty()) {
    throw UsageError(fmt::format("{} has no widths to sweep", spec.subject->name));
  }
  if (!has_own_axis) {
    if (o.widths.empty()) throw UsageError("give --widths, such as 2..4096 or 300 or 3,5..9:2");
    spec.widths = Widths::parse(o.widths);
  }
  return spec;
}

/// What makes a finished sweep a failure all the same.
ExitCode verdict(const SweepResult& result) {
  if (result.points == 0) throw Failure(ExitCode::empty, "nothing was evaluated");
  for (const SweepRow& row : result.rows) {
    if (!row.unavailable.empty()) continue;
    if (row.metrics.points != row.announced) {
      throw Failure(ExitCode::empty, fmt::format("{}: {} points evaluated, {} announced", row.backend,
                                                 row.metrics.points, row.announced));
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

ExitCode sweep(const SweepOptions& o, const CommandContext& context) {
  const SweepSpec spec = specification(o);
  if (!o.isa.empty()) select_isa(o.isa);
  if (!o.json.empty()) check_writable(o.json);
  const auto start = std::chrono::steady_clock::now();
  ProgressLine line("sweep", context.quiet);
  std::uint64_t points_done = 0;
  std::uint64_t points_total = 0;
  const SweepResult result =
      run_sweep(spec, context.interrupted, [&](std::uint64_t done, std::uint64_t total) {
        points_done = done;
        points_total = total;
        line.show(done, total);
      });
  line.finish();
  if (!result.complete) {
    throw Failure(ExitCode::interrupted, fmt::format("interrupted after {} of {} points; no report written",
                                                     grouped(points_done), grouped(points_total)));
  }
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
  auto options = std::make_shared<SweepOptions>();
  CLI::App* command =
      app.add_subcommand("sweep", "how backends differ from a reference over a range of sizes");
  options->subject.add_to(*command);
  command->add_option("--dtype", options->dtypes, "dtypes, or all [bf16]");
  command->add_option("--widths", options->widths, "300, 2..4096, 2..4096:7 or a list");
  command->add_option("--backend", options->backends, "backends with +field=value, or all [all]");
  command->add_option("--reference", options->reference, "oracle or a backend [oracle]");
  command->add_option("--json", options->json, "write the report to this file");
  command->add_option("--threads", options->threads, "threads [all cores]")
      ->check(CLI::Range(1u, 1024u));
  command->add_option("--isa", options->isa, "restrict the kernels to an instruction set");
  command->footer(
      "Examples:\n"
      "  halfulp sweep meshgrid --form arange --dtype bf16 --widths 300 --height 2 --backend "
      "eager-cpu --reference fused-fp32 --json out.json\n"
      "  halfulp sweep meshgrid --form arange,float32-once --dtype f16,bf16 --widths 2..4096\n"
      "  halfulp sweep scalar-division --a 0..4096 --b 1..1999 --dtype f32 --backend cuda-aten\n"
      "Reports and exits with 0 whatever it finds; 5 if nothing was evaluated.");
  command->callback([command, options, &context] {
    context.action = [command, options, &context] {
      reject_unknown_options(*command);
      return sweep(*options, context);
    };
  });
}

}  // namespace halfulp
