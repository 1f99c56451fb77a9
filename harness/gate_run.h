// Results for a gate: from sweeps that are run now, or from reports.
#pragma once

#include <string>
#include <vector>

#include "harness/gate.h"
#include "harness/sweep.h"

namespace CLI {
class App;
}

namespace halfulp {

struct CommandContext;

/// Runs a sweep and reads its results as a report would have them. Throws Failure when interrupted;
/// `what` names the sweep on the progress line.
Observations run_and_observe(const SweepSpec& spec, const std::string& what,
                             const CommandContext& context);

/// Runs the sweeps that the selected entries name: one for all backends that share it. Entries with
/// a problem (`entry_problem`) are left out.
Observations run_entries(const Baseline& baseline, const std::vector<std::size_t>& entries,
                         unsigned threads, const CommandContext& context);

/// What `when` asks for, of this machine and build.
std::map<std::string, std::string> facts_here();

/// The options that say which expectations meet which results. Outlives the parser's callbacks.
struct GateInputs {
  std::vector<std::string> baselines;
  std::vector<std::string> reports;
  std::string only;
  std::vector<std::string> settings;  ///< `form=float32-once`
  std::string isa;
  unsigned threads;

  GateInputs();
  enum class Files : std::uint8_t { one, several };
  void add_to(CLI::App& app, Files baselines_allowed);
  /// The entries of all files, in their order.
  Baseline read_baselines() const;
  /// Judge the expectations with other parameters or another backend than they were recorded with:
  /// drops the entries that `only` leaves out, and returns how many.
  std::size_t apply_settings(Baseline& baseline);
  /// Reads the reports, or runs what the baseline names.
  Observations observe(const Baseline& baseline, const CommandContext& context) const;
};

}  // namespace halfulp
