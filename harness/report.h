// The JSON report of a sweep (schema `halfulp-report/1`, reports/report.schema.json).
#pragma once

#include <string>

#include "harness/environment.h"
#include "harness/sweep.h"

namespace halfulp {

/// What the report says of the run; everything that may vary between equal runs is in `volatile_`.
struct ReportContext {
  SweepSpec spec;
  std::string command_line;
  RunEnvironment environment;
  double seconds = 0;
};

/// The report as JSON text, ending in a newline. Strict JSON: non-finite numbers and integers
/// beyond 2^53 are strings, encodings are hex strings. Defined in reports/.
std::string report_json(const SweepResult& result, const ReportContext& context);

/// Makes sure that `path` can be written without touching an existing file. Throws UsageError.
void check_writable(const std::string& path);
/// Writes text to a temporary file beside `path` and renames it. Throws UsageError.
void write_atomically(const std::string& path, const std::string& text);

}  // namespace halfulp
