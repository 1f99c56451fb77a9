// The gate: results against the expectations of a baseline, in both directions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/baseline.h"
#include "harness/error.h"

namespace halfulp {

/// What was found for an entry of the baseline, or for a result that no entry names.
enum class Status : std::uint8_t {
  pass,         ///< as expected, and nothing differs from the reference
  fail,         ///< worse than expected, or not the same points
  xfail,        ///< as expected: differs from the reference as recorded, with a reason
  xpass,        ///< expected to differ (or to be unavailable) and does not any more
  changed,      ///< other than expected: better, or neither better nor worse
  unavailable,  ///< the backend cannot run; as expected only where the entry says `unsupported`
  missing,      ///< the run should have produced this result and did not
  unmatched,    ///< an entry that names nothing that exists, or a result that no entry names
};
inline constexpr std::size_t status_count = 8;
std::string_view status_name(Status status);

/// Results to be judged, from a sweep or read back from a report.
struct Observation {
  Key key;
  std::string unavailable;      ///< why there are no metrics
  std::uint64_t announced = 0;  ///< points known before the run
  Figures metrics;
  std::string affected;                ///< digest of the list of affected widths
  std::optional<WitnessText> witness;  ///< of the largest steps, else of the first differing point
  std::uint64_t disagreements = 0;     ///< of the oracles
  std::uint64_t lane_changes = 0;      ///< results that depend on the lane that computes them
};
/// What a sweep or a report says.
struct Observations {
  std::string source;                        ///< the report's file; empty for a run
  std::map<std::string, std::string> facts;  ///< `isa`, `version`, `compiler`: what `when` asks for
  bool complete = true;
  std::vector<Observation> results;
};

/// One line of the gate's verdict. Every entry that `--only` left has exactly one.
struct Finding {
  Status status = Status::pass;
  ExitCode exit = ExitCode::as_expected;  ///< what this finding alone would exit with
  std::string key;       ///< as printed: `entry_text`, or `key_text` of a result without an entry
  std::string file;      ///< of the entry; the report for a result without one
  std::size_t line = 0;  ///< of the entry in the file; 0: none
  std::string message;   ///< one line
  Figures expected;      ///< old metrics; empty when unknown
  Figures actual;        ///< new metrics; empty when there are none
  std::optional<WitnessText> expected_witness;
  std::optional<WitnessText> witness;  ///< of the new result, all bits
  std::string reason;                  ///< of the entry
  std::string link;                    ///< of the entry
  std::string command;                 ///< reproduces the result
  std::string fingerprint;             ///< stable over time: a hash of the key
  std::optional<std::size_t> entry;    ///< position in the baseline's entries

  bool as_expected() const { return exit == ExitCode::as_expected; }
};

struct GateResult {
  std::vector<Finding> findings;      ///< in the order of the file, results without an entry last
  std::vector<std::string> problems;  ///< what is wrong with the run as a whole, one line each
  std::array<std::size_t, status_count> counts{};  ///< findings by status
  std::size_t filtered = 0;                        ///< entries that `--only` left out
  std::size_t not_applicable = 0;                  ///< entries whose `when` does not hold here
  std::uint64_t points = 0;                        ///< compared
  std::vector<std::string> baselines;              ///< files
  std::string source;                              ///< the report judged; empty for a run
  ExitCode exit = ExitCode::as_expected;

  std::size_t count(Status status) const { return counts[static_cast<std::size_t>(status)]; }
};

/// The worse of two codes: 4 (oracles disagree), 1 (regression), 2 (mismatch), 5 (empty or
/// incomplete), 3 (improvement), 0.
ExitCode worse(ExitCode a, ExitCode b);

/// Glob match of `*` and `?` over the whole printed key or one of its parts (`bf16`, `eager-*`,
/// `form=arange`, `arange`).
bool matches_only(std::string_view key, std::string_view pattern);

enum class Unavailable : std::uint8_t { is_red, is_allowed };
struct GateOptions {
  std::string only;  ///< empty: everything
  Unavailable unavailable = Unavailable::is_red;
};

/// Judges results: every finding, the counts and the exit code. Pure.
GateResult judge(const Baseline& baseline, const Observations& observations,
                 const GateOptions& options);

// Defined in reports/.

/// Results of a `halfulp-report/1`; `file` names it in messages. Throws UsageError `FILE…: …` for
/// anything else.
Observations parse_report(std::string_view text, const std::string& file);
Observations read_report(const std::string& path);
/// The verdict as JSON (schema `halfulp-gate/1`).
std::string gate_json(const GateResult& result);

}  // namespace halfulp
