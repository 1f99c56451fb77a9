// The command-line options that say what a sweep runs over.
#pragma once

#include <string>

#include "harness/case_options.h"
#include "harness/commands.h"
#include "harness/sweep.h"

namespace halfulp {

/// A sweep as typed. Outlives the parser's callbacks.
struct SweepOptions {
  CaseOptions subject;
  std::string dtypes = "bf16";
  std::string widths;
  std::string backends = "all";
  std::string reference = "oracle";
  std::string isa;
  unsigned threads;

  SweepOptions();
  /// Adds CASE, its parameters, and the options above.
  void add_to(CLI::App& app);
  /// Throws UsageError for whatever makes no sense.
  SweepSpec specification() const;
};

/// Runs a sweep with progress on stderr. Ctrl-C stops it between blocks: a Failure that says how
/// far `what` came.
SweepResult run_with_progress(const SweepSpec& spec, const std::string& what,
                              const CommandContext& context);

/// Adds `--threads` (all cores unless given) and `--isa`.
void add_engine_options(CLI::App& app, unsigned& threads, std::string& isa);
/// All cores.
unsigned default_threads();

}  // namespace halfulp
