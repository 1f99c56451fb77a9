// `halfulp fidelity`: recordings of real engines against the models that they name.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "harness/commands.h"
#include "harness/environment.h"
#include "harness/fidelity.h"
#include "harness/progress.h"
#include "harness/sweep_options.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

struct FidelityOptions {
  std::vector<std::string> files;
  std::string isa;
  unsigned threads = default_threads();
};

struct Recordings {
  std::vector<Record> records;
  std::vector<std::string> empty_files;
};

Recordings read_all(const std::vector<std::string>& files) {
  Recordings all;
  for (const std::string& file : files) {
    std::vector<Record> records = read_recordings(file);
    if (records.empty()) all.empty_files.push_back(file);
    std::move(records.begin(), records.end(), std::back_inserter(all.records));
  }
  return all;
}

std::string params_text(const Case& c, const Params& params) {
  std::string text;
  for (const Parameter& parameter : c.parameters) {
    if (!is_set(params, parameter.name)) continue;
    if (!text.empty()) text += ',';
    text += fmt::format("{}={}", parameter.name, params.find(parameter.name)->second);
  }
  return text;
}

std::string difference_text(const Claim& claim, const ClaimResult& result) {
  if (claim.widths == nullptr) return "the digest differs; " + result.note;
  return fmt::format("first width {}, {} of {} widths differ; {}",
                     (*claim.widths)[result.differing.front()], result.differing.size(),
                     claim.digests.size(), result.note);
}

std::string points_text(const Claim& claim, std::uint64_t points) {
  const std::string widths =
      claim.widths == nullptr ? "" : fmt::format("{} widths ", claim.digests.size());
  return fmt::format("{}{} points", widths, grouped(points));
}

std::string verdict_tag(Fidelity verdict) {
  switch (verdict) {
    case Fidelity::ok:
      return "ok";
    case Fidelity::not_modelled:
      return "skip";
    case Fidelity::differs:
    case Fidelity::unavailable:
      break;
  }
  return "DIFF";
}

std::string verdict_text(const Claim& claim, const ClaimResult& result) {
  switch (result.verdict) {
    case Fidelity::ok:
      return points_text(claim, result.points);
    case Fidelity::differs:
      return difference_text(claim, result);
    case Fidelity::not_modelled:
      return "not modelled";
    case Fidelity::unavailable:
      break;
  }
  return "cannot run: " + result.note;
}

void print_claim(const Record& record, const Claim& claim, const ClaimResult& result) {
  fmt::print("{:<4} {} {} {} {} {} {}\n", verdict_tag(result.verdict), record.where, claim.backend,
             claim.subject->name, params_text(*claim.subject, claim.params),
             short_name(claim.dtype), verdict_text(claim, result));
}

/// Totals of a run.
struct Summary {
  std::uint64_t widths = 0;
  std::uint64_t points = 0;
  std::uint64_t differ = 0;
  std::uint64_t not_modelled = 0;

  void add(const Claim& claim, const ClaimResult& result) {
    points += result.points;
    if (claim.widths != nullptr && result.points > 0) widths += claim.digests.size();
    switch (result.verdict) {
      case Fidelity::ok:
        break;
      case Fidelity::not_modelled:
        ++not_modelled;
        break;
      case Fidelity::differs:
      case Fidelity::unavailable:
        ++differ;
        break;
    }
  }
};

std::vector<ClaimResult> check(std::span<const Claim> claims, const FidelityOptions& options,
                               const CommandContext& context) {
  ProgressLine line("fidelity", context.quiet);
  std::uint64_t points_done = 0;
  std::uint64_t points_total = 0;
  std::vector<ClaimResult> results = check_claims(claims, options.threads, context.interrupted,
                                                  [&](std::uint64_t done, std::uint64_t total) {
                                                    context.is_polled = true;
                                                    points_done = done;
                                                    points_total = total;
                                                    line.show(done, total);
                                                  });
  line.finish();
  if (context.interrupted) {
    throw Failure(ExitCode::interrupted,
                  fmt::format("interrupted after {} of {} points; no verdict", grouped(points_done),
                              grouped(points_total)));
  }
  return results;
}

ExitCode run_fidelity(const FidelityOptions& options, const CommandContext& context) {
  if (!options.isa.empty()) select_isa(options.isa);
  const Recordings recordings = read_all(options.files);
  const std::vector<Claim> claims = claims_of(recordings.records);
  const std::vector<ClaimResult> results = check(claims, options, context);
  Summary summary;
  for (std::size_t c = 0; c < claims.size(); ++c) {
    print_claim(recordings.records[claims[c].record], claims[c], results[c]);
    summary.add(claims[c], results[c]);
  }
  fmt::print("{} records, {} widths, {} points, {} differ, {} not modelled\n",
             grouped(recordings.records.size()), grouped(summary.widths), grouped(summary.points),
             summary.differ, summary.not_modelled);
  if (summary.differ > 0) return ExitCode::regression;
  if (!recordings.empty_files.empty()) {
    throw Failure(ExitCode::empty,
                  fmt::format("'{}' holds no record", recordings.empty_files.front()));
  }
  if (summary.points == 0) throw Failure(ExitCode::empty, "nothing was evaluated");
  return ExitCode::as_expected;
}

}  // namespace

void add_fidelity_command(CLI::App& app, CommandContext& context) {
  const auto options = std::make_shared<FidelityOptions>();
  CLI::App* command =
      app.add_subcommand("fidelity", "check the models against recordings of real engines");
  command->fallthrough();
  command->add_option("FILE", options->files, "recordings, .jsonl or scalar .json")->required();
  add_engine_options(*command, options->threads, options->isa);
  command->footer(
      "Prints `ok`, `DIFF` or `skip` (not modelled) for each record. Exit code 1 when one differs, "
      "2 for a malformed file, 5 for an empty one.\n"
      "Example: halfulp fidelity reports/recordings/*.jsonl reports/recordings/scalar_ops.json");
  command->callback([options, &context] {
    context.action = [options, &context] { return run_fidelity(*options, context); };
  });
}

}  // namespace halfulp
