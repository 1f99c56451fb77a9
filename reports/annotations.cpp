// The gate's verdict as GitHub workflow commands.
#include <fmt/format.h>

#include "harness/gate_writers.h"
#include "reports/gate_parts.h"

namespace halfulp {
namespace {

/// The message of a command. GitHub decodes exactly these (actions/toolkit, command.ts).
std::string escaped_data(std::string_view text) {
  std::string out;
  for (const char c : safe_text(text)) {
    switch (c) {
      case '%':
        out += "%25";
        break;
      case '\r':
        out += "%0D";
        break;
      case '\n':
        out += "%0A";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// The value of a property.
std::string escaped_property(std::string_view text) {
  std::string out;
  for (const char c : escaped_data(text)) {
    switch (c) {
      case ':':
        out += "%3A";
        break;
      case ',':
        out += "%2C";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string annotation(const Finding& finding) {
  const bool improvement = finding.exit == ExitCode::improvement;
  const std::string_view command = finding.as_expected() ? "notice"
                                   : improvement         ? "warning"
                                                         : "error";
  std::string properties;
  if (!finding.file.empty()) {
    properties += fmt::format("file={},", escaped_property(finding.file));
    if (finding.line > 0) properties += fmt::format("line={},", finding.line);
  }
  properties += fmt::format(
      "title={}",
      escaped_property(fmt::format("halfulp {}: {}", status_name(finding.status), finding.key)));
  return fmt::format("::{} {}::{}\n", command, properties,
                     escaped_data(finding.message + "\n" + details_of(finding)));
}

}  // namespace

std::string github_annotations(const GateResult& result) {
  std::string text;
  for (const Finding& finding : result.findings) {
    const bool is_quiet = finding.status == Status::pass || finding.status == Status::xfail;
    if (!finding.as_expected() || !is_quiet) text += annotation(finding);
  }
  for (const std::string& problem : result.problems) {
    text += fmt::format("::error title=halfulp gate::{}\n", escaped_data(problem));
  }
  return text;
}

}  // namespace halfulp
