// `halfulp baseline`: recording expectations, and changing them on purpose.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "harness/baseline_edit.h"
#include "harness/commands.h"
#include "harness/environment.h"
#include "harness/gate_run.h"
#include "harness/gate_text.h"
#include "harness/report.h"
#include "harness/suggest.h"
#include "harness/sweep_options.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

enum class Writing : std::uint8_t { file, nothing };

/// What a person says of the numbers.
struct Words {
  std::string reason;
  std::string link;
  std::string date;

  void add_to(CLI::App& app) {
    app.add_option("--reason", reason, "why results differ; kept in the entries");
    app.add_option("--link", link, "where the reason is discussed");
    app.add_option("--date", date, "the date to record [today, UTC]");
  }
  Record record(const std::string& command_line) const {
    if (!date.empty()) check_date(date);
    return {.reason = reason,
            .link = link,
            .expectation = Expectation::exact,
            .provenance = {.sweep = {},
                           .oracle = {},
                           .version = run_environment().version,
                           .date = date.empty() ? today() : date,
                           .command_line = command_line}};
  }
  /// The options as a canonical command line has them.
  std::string text() const {
    return fmt::format(" --reason {}{}", shell_word(reason),
                       link.empty() ? "" : " --link " + shell_word(link));
  }
};

bool is_stream(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

/// Before any work is done, and again before writing.
void refuse_to_overwrite(const std::string& path) {
  if (is_stream(path) || access(path.c_str(), F_OK) != 0) return;
  throw UsageError(
      fmt::format("{} exists: nothing is overwritten; change it with `halfulp baseline "
                  "update`",
                  in_quotes(path)));
}

void write_new(const std::string& path, const Baseline& baseline) {
  refuse_to_overwrite(path);
  write_atomically(path, baseline_text(baseline));
  if (!is_stream(path)) {
    fmt::print("{}: entries recorded: {}\n", path, baseline.entries.size());
  }
}

struct RecordCommand {
  SweepOptions sweep;
  Words words;
  std::string expectation = "exact";
  std::uint64_t repeats = 1;
  std::string out;
};

Expectation parse_expectation(const std::string& name) {
  constexpr std::array<std::string_view, 3> known{"exact", "budget", "unstable"};
  for (const Expectation each : {Expectation::exact, Expectation::budget, Expectation::unstable}) {
    if (expectation_name(each) == name) return each;
  }
  throw UsageError("--expectation: " + unknown_name("expectation", name, known));
}

ExitCode record(const RecordCommand& command, const CommandContext& context) {
  const SweepSpec spec = command.sweep.specification();
  Record words = command.words.record({});
  words.expectation = parse_expectation(command.expectation);
  words.provenance.command_line = record_command(spec, words);
  if (command.repeats > 1 && words.expectation != Expectation::unstable) {
    throw UsageError("--repeats is for --expectation unstable");
  }
  if (!command.sweep.isa.empty()) select_isa(command.sweep.isa);
  refuse_to_overwrite(command.out);
  check_writable(command.out);
  Baseline baseline = recorded(run_and_observe(spec, "record", context), words);
  for (std::uint64_t r = 1; r < command.repeats; ++r) {
    widen(baseline, run_and_observe(spec, "record again", context));
  }
  write_new(command.out, baseline);
  return ExitCode::as_expected;
}

void add_record(CLI::App& baseline, CommandContext& context,
                const std::function<void(CLI::App*, std::function<ExitCode()>)>& run) {
  const auto command = std::make_shared<RecordCommand>();
  CLI::App* sub = baseline.add_subcommand("record", "run a sweep and expect what it finds");
  command->sweep.add_to(*sub);
  command->words.add_to(*sub);
  sub->add_option("--expectation", command->expectation, "exact, budget or unstable [exact]");
  sub->add_option("--repeats", command->repeats, "runs behind an unstable interval [1]")
      ->check(CLI::Range(1, 1000));
  sub->add_option("--out", command->out, "the new file; never overwritten")->required();
  sub->footer(
      "Example:\n  halfulp baseline record meshgrid --form arange,float32-once --dtype f16,bf16 "
      "--widths 2..4096 --backend eager-cpu,fused-fp32,cuda-aten --reference oracle --reason "
      "'typed ramp and per-op rounding' --out base.json");
  run(sub, [command, &context] { return record(*command, context); });
}

struct UpdateCommand {
  GateInputs inputs;
  Words words;
  std::vector<Which> which;
  Writing writing = Writing::file;
};

std::string_view which_option(Which which) {
  switch (which) {
    case Which::only_worse:
      return "--only-worse";
    case Which::only_better:
      return "--only-better";
    case Which::all:
      return "--all";
  }
  return "?";
}

/// The verdict that an edit starts from. Throws Failure where the results cannot be trusted.
GateResult verdict_for_edit(const Baseline& baseline, const Observations& observations,
                            const GateInputs& inputs) {
  GateResult verdict = judge(baseline, observations, {.only = inputs.only});
  if (!observations.complete) {
    throw Failure(ExitCode::empty, observations.source + " is incomplete; nothing changed");
  }
  if (verdict.exit == ExitCode::oracle_failure) {
    throw Failure(ExitCode::oracle_failure, "the results contradict themselves; nothing changed");
  }
  if (!verdict.problems.empty()) throw Failure(ExitCode::empty, verdict.problems.front());
  return verdict;
}

ExitCode update(const UpdateCommand& command, const CommandContext& context) {
  if (command.which.size() != 1) {
    throw UsageError("say what to update: one of --only-worse, --only-better, --all");
  }
  const std::string& path = command.inputs.baselines.front();
  if (command.writing == Writing::file) check_writable(path);
  Baseline baseline = command.inputs.read_baselines();
  const Observations observations = command.inputs.observe(baseline, context);
  const GateResult verdict = verdict_for_edit(baseline, observations, command.inputs);
  const Record record = command.words.record(
      fmt::format("halfulp baseline update --baseline {} {}{}", shell_word(path),
                  which_option(command.which.front()), command.words.text()));
  const std::vector<Edit> all =
      edits(baseline, observations, verdict, command.which.front(), record);
  for (const Edit& edit : all) fmt::print("{}", edit.text);
  if (all.empty()) {
    fmt::print("nothing to update ({})\n", counts_text(verdict));
    return ExitCode::as_expected;
  }
  if (command.words.reason.empty()) {
    throw UsageError(
        fmt::format("give --reason to update entries ({}); nothing changed", all.size()));
  }
  if (command.writing == Writing::nothing) return ExitCode::as_expected;
  apply(baseline, all);
  write_atomically(path, baseline_text(baseline));
  fmt::print("{}: entries updated: {} (before: {})\n", path, all.size(), counts_text(verdict));
  return ExitCode::as_expected;
}

void add_dry_run(CLI::App& app, Writing& writing) {
  app.add_flag_callback(
      "--dry-run", [&writing] { writing = Writing::nothing; }, "show what would change");
}

void add_update(CLI::App& baseline, CommandContext& context,
                const std::function<void(CLI::App*, std::function<ExitCode()>)>& run) {
  const auto command = std::make_shared<UpdateCommand>();
  CLI::App* sub = baseline.add_subcommand("update", "expect what the results are now");
  command->inputs.add_to(*sub, GateInputs::Files::one);
  command->words.add_to(*sub);
  for (const Which which : {Which::only_worse, Which::only_better, Which::all}) {
    sub->add_flag_callback(
        std::string(which_option(which)), [command, which] { command->which.push_back(which); },
        "which findings become expected");
  }
  add_dry_run(*sub, command->writing);
  sub->footer(
      "Shows each change first, and refuses without a reason.\nExample:\n  halfulp baseline "
      "update --baseline base.json --all --reason 'the fix of issue 4030'");
  run(sub, [command, &context] { return update(*command, context); });
}

struct PruneCommand {
  GateInputs inputs;
  Writing writing = Writing::file;
};

ExitCode prune_stale(const PruneCommand& command, const CommandContext& context) {
  const std::string& path = command.inputs.baselines.front();
  if (command.writing == Writing::file) check_writable(path);
  Baseline baseline = command.inputs.read_baselines();
  const Observations observations = command.inputs.observe(baseline, context);
  const GateResult verdict = judge(baseline, observations, {.only = command.inputs.only});
  if (!observations.complete) {
    throw Failure(ExitCode::empty, observations.source + " is incomplete; nothing changed");
  }
  const std::vector<Finding> all = stale(verdict);
  for (const Finding& finding : all) fmt::print("{}\n", finding_line(finding));
  if (all.empty()) {
    fmt::print("nothing to prune\n");
    return ExitCode::as_expected;
  }
  prune(baseline, all);
  if (command.writing == Writing::nothing) return ExitCode::as_expected;
  write_atomically(path, baseline_text(baseline));
  fmt::print("{}: entries removed: {}, left: {}\n", path, all.size(), baseline.entries.size());
  return ExitCode::as_expected;
}

void add_prune(CLI::App& baseline, CommandContext& context,
               const std::function<void(CLI::App*, std::function<ExitCode()>)>& run) {
  const auto command = std::make_shared<PruneCommand>();
  CLI::App* sub = baseline.add_subcommand("prune", "remove entries that name nothing that exists");
  command->inputs.add_to(*sub, GateInputs::Files::one);
  add_dry_run(*sub, command->writing);
  run(sub, [command, &context] { return prune_stale(*command, context); });
}

struct ShowCommand {
  std::string file;
  std::string only;
};

ExitCode show(const ShowCommand& command) {
  const Baseline baseline = read_baseline(command.file);
  std::vector<std::vector<std::string>> rows{
      {"expectation", "line", "points", "differing", "widths", "steps", "entry and reason"}};
  for (const BaselineEntry& entry : baseline.entries) {
    const std::string text = entry_text(entry);
    if (!matches_only(text, command.only)) continue;
    const auto cell = [&entry](std::string_view name) {
      const auto found = entry.metrics.find(name);
      return found == entry.metrics.end() ? std::string{} : figure_text(found->second);
    };
    rows.push_back({std::string(expectation_name(entry.expectation)), fmt::format("{}", entry.line),
                    cell("points"), cell("differing"), cell("widths_affected"), cell("steps_max"),
                    entry.reason.empty() ? text : fmt::format("{}: {}", text, entry.reason)});
  }
  if (rows.size() == 1) {
    throw Failure(ExitCode::empty,
                  baseline.entries.empty()
                      ? command.file + " holds no entry"
                      : fmt::format("--only '{}' matches none of the {} entries of {}",
                                    command.only, baseline.entries.size(), command.file));
  }
  fmt::print("{}", columns_text(rows));
  const Provenance& p = baseline.provenance;
  fmt::print("recorded {} with halfulp {}: {}\n", p.date, p.version, p.command_line);
  return ExitCode::as_expected;
}

void add_show(CLI::App& baseline,
              const std::function<void(CLI::App*, std::function<ExitCode()>)>& run) {
  const auto command = std::make_shared<ShowCommand>();
  CLI::App* sub = baseline.add_subcommand("show", "list the entries");
  sub->add_option("--baseline", command->file, "the file")->required();
  sub->add_option("--only", command->only, "entries whose key, or a part of it, matches this glob");
  run(sub, [command] { return show(*command); });
}

struct MergeCommand {
  std::vector<std::string> files;
  Words words;
  std::string out;
};

ExitCode merge(const MergeCommand& command) {
  if (command.files.size() < 2) throw UsageError("give two or more baselines to merge");
  refuse_to_overwrite(command.out);
  check_writable(command.out);
  std::string line = "halfulp baseline merge";
  std::vector<Baseline> all;
  for (const std::string& file : command.files) {
    all.push_back(read_baseline(file));
    if (all.back().entries.empty()) throw Failure(ExitCode::empty, file + " holds no entry");
    line += " " + shell_word(file);
  }
  write_new(command.out, merged_by_maximum(all, command.words.record(line)));
  return ExitCode::as_expected;
}

void add_merge(CLI::App& baseline,
               const std::function<void(CLI::App*, std::function<ExitCode()>)>& run) {
  const auto command = std::make_shared<MergeCommand>();
  CLI::App* sub =
      baseline.add_subcommand("merge", "expect at most the maximum of several baselines");
  sub->add_option("FILE", command->files, "two or more baselines")->required();
  command->words.add_to(*sub);
  sub->add_option("--out", command->out, "the new file; never overwritten")->required();
  run(sub, [command] { return merge(*command); });
}

}  // namespace

void add_baseline_command(CLI::App& app, CommandContext& context) {
  CLI::App* baseline = app.add_subcommand("baseline", "record and change what a gate expects");
  baseline->require_subcommand(1);
  const auto run = [&context](CLI::App* sub, std::function<ExitCode()> action) {
    sub->allow_extras();
    sub->add_flag("--quiet,-q", context.quiet, "no progress on stderr");
    sub->callback([sub, action = std::move(action), &context] {
      context.action = [sub, action] {
        check_options(*sub);
        return action();
      };
    });
  };
  add_record(*baseline, context, run);
  add_update(*baseline, context, run);
  add_show(*baseline, run);
  add_prune(*baseline, context, run);
  add_merge(*baseline, run);
  add_export_command(*baseline, context);
}

}  // namespace halfulp
