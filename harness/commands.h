// The commands of the program. Each lives in command_<name>.cpp and registers itself with the
// parser.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "harness/error.h"

namespace CLI {
class App;
}

namespace halfulp {

/// What main() hands to the commands.
struct CommandContext {
  std::string command_line;              ///< as typed, for reports
  bool quiet = false;                    ///< --quiet: no progress
  std::atomic<bool> interrupted{false};  ///< set by the first Ctrl-C
  /// A loop looks at `interrupted`; until one does, Ctrl-C ends the program at once.
  mutable std::atomic<bool> is_polled{false};
  std::function<ExitCode()> action;  ///< set by the chosen subcommand's callback, run after parsing
};

void add_list_command(CLI::App& app, CommandContext& context);
void add_eval_command(CLI::App& app, CommandContext& context);
void add_sweep_command(CLI::App& app, CommandContext& context);
void add_fidelity_command(CLI::App& app, CommandContext& context);
void add_ulp_command(CLI::App& app, CommandContext& context);
void add_selftest_command(CLI::App& app, CommandContext& context);
void add_gate_command(CLI::App& app, CommandContext& context);
void add_baseline_command(CLI::App& app, CommandContext& context);
void add_export_command(CLI::App& baseline, CommandContext& context);  ///< `baseline export`
void add_compare_command(CLI::App& app, CommandContext& context);

}  // namespace halfulp
