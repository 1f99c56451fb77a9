// `halfulp baseline export`: expected failures of a test with a tolerance, from numbers.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/baseline.h"
#include "harness/export_template.h"
#include "harness/sweep.h"
#include "harness/tolerance.h"

namespace halfulp {

/// An axis value of an entry and how its results stand.
struct ExportSize {
  ExactNumber n;
  WidthTolerance found;
  /// A test of this size is expected to fail.
  bool is_listed() const { return !found.backend.meets; }
};

/// One (case, parameters, dtype, backend) of the baseline.
struct ExportSubject {
  Key key;  ///< its reference is the oracle: a test compares with the exact result
  std::vector<ExportSize> sizes;  ///< those that were evaluated
  std::string skipped;            ///< why there are none
};

/// What a test asks of its results, as written and as numbers.
struct ExportTolerance {
  std::string atol;
  std::string rtol;
  Tolerance numbers;
};

/// Evaluates what the entries name, each distinct key once, in their order; `only` as in `gate`.
/// Throws Failure: empty when nothing was evaluated, oracle_failure, interrupted.
std::vector<ExportSubject> evaluate_export(const Baseline& baseline, std::string_view only,
                                           const ExportTolerance& tolerance,
                                           const std::atomic<bool>& stop, const Progress& progress);

/// A test that is expected to fail.
struct ExpectedFailure {
  std::string id;
  std::string reason;  ///< with the numbers
};
struct ExpectedFailures {
  std::vector<ExpectedFailure> listed;  ///< ids are distinct, in the order of their bytes
  std::size_t ids = 0;                  ///< with those that meet the tolerance
  /// What varies between entries and is not in the template, so that one id stands for several
  /// results. Such an id is listed if any of them misses.
  std::vector<std::string> merged;
};
ExpectedFailures expected_failures(const std::vector<ExportSubject>& subjects,
                                   const NodeTemplate& node_template);

/// `unreachable in this dtype (smallest attainable tolerance 0.00195)` or `this backend misses it
/// (0.00781; correctly rounded 0.00195)`.
std::string miss_reason(const WidthTolerance& found);

/// Keys and values that say what the tolerance can reach: for each subject, whose number ends the
/// key, which sizes are unreachable, which its backend misses, and, a line for every range of sizes
/// between powers of two, the smallest atol that all of them would meet.
std::vector<std::pair<std::string, std::string>> attainable_summary(
    const std::vector<ExportSubject>& subjects, const ExportTolerance& tolerance);

/// What the writers need beside the failures.
struct ExportContext {
  std::vector<std::pair<std::string, std::string>>
      header;             ///< key and value; equal keys are one line
  std::string phase;      ///< of the test: `call`
  std::string exception;  ///< `AssertionError`, `module.Name`
};

/// `# key: value` lines, then `phase TAB exception TAB node id`.
std::string pytest_manifest(const ExpectedFailures& failures, const ExportContext& context);
/// Node ids, one a line.
std::string node_id_list(const ExpectedFailures& failures, const ExportContext& context);
/// A Python file that marks the node ids as strict expected failures.
std::string conftest_file(const ExpectedFailures& failures, const ExportContext& context);

}  // namespace halfulp
