// The gate's verdict as JUnit XML (the dialect of Jenkins' junit-10.xsd).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/gate_writers.h"
#include "reports/gate_parts.h"

namespace halfulp {
namespace {

/// Character data: safe text holds nothing else that XML 1.0 does not allow.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : safe_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// An attribute's value; readers turn its white space into spaces unless it is written as numbers.
std::string attribute(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) {
    out += c == '\n' ? "&#10;" : c == '\t' ? "&#9;" : std::string(1, c);
  }
  return out;
}

enum class Outcome : std::uint8_t { passed, skipped, failed, broken };

Outcome outcome_of(const Finding& finding) {
  switch (finding.exit) {
    case ExitCode::as_expected:
      return finding.status == Status::pass ? Outcome::passed : Outcome::skipped;
    case ExitCode::regression:
    case ExitCode::improvement:
      return Outcome::failed;
    case ExitCode::usage:
    case ExitCode::oracle_failure:
    case ExitCode::empty:
    case ExitCode::interrupted:
      return Outcome::broken;
  }
  return Outcome::broken;
}

/// Test cases and how many there are of each kind.
struct Suite {
  std::string cases;
  std::size_t tests = 0;
  std::size_t skipped = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;

  void add(std::string_view group, std::string_view name, std::string_view inside) {
    ++tests;
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"", attribute(group),
                         attribute(name));
    cases += inside.empty() ? "/>\n" : fmt::format(">\n{}    </testcase>\n", inside);
  }
};

std::string with_details(std::string_view element, const Finding& finding) {
  return fmt::format("      <{} type=\"{}\" message=\"{}\">{}</{}>\n", element,
                     status_name(finding.status), attribute(finding.message),
                     escaped(finding.message + "\n" + details_of(finding)), element);
}

/// Xfail: why the difference is accepted. Otherwise what was found.
std::string skipped_text(const Finding& finding) {
  const std::string why = finding.reason.empty() ? finding.message : finding.reason;
  return fmt::format("      <skipped message=\"{}\">{}</skipped>\n",
                     attribute(fmt::format("{}: {}", status_name(finding.status), why)),
                     escaped(finding.message + "\n" + details_of(finding)));
}

/// `meshgrid`: the part of the key before the parameters.
std::string_view case_of(const Finding& finding) {
  return std::string_view(finding.key).substr(0, finding.key.find('/'));
}

void add_finding(const Finding& finding, Suite& suite) {
  std::string inside;
  switch (outcome_of(finding)) {
    case Outcome::passed:
      break;
    case Outcome::skipped:
      ++suite.skipped;
      inside = skipped_text(finding);
      break;
    case Outcome::failed:
      ++suite.failures;
      inside = with_details("failure", finding);
      break;
    case Outcome::broken:
      ++suite.errors;
      inside = with_details("error", finding);
      break;
  }
  suite.add(fmt::format("halfulp.{}", case_of(finding)), finding.key, inside);
}

void add_problem(const std::string& problem, std::size_t number, Suite& suite) {
  ++suite.errors;
  suite.add("halfulp.run", fmt::format("problem {}", number),
            fmt::format("      <error type=\"run\" message=\"{}\"/>\n", attribute(problem)));
}

std::string properties(const GateResult& result) {
  const auto line = [](std::string_view name, const auto& value) {
    return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name,
                       attribute(fmt::format("{}", value)));
  };
  return "    <properties>\n" + line("points", result.points) + line("filtered", result.filtered) +
         line("not_applicable", result.not_applicable) +
         line("exit_code", static_cast<int>(result.exit)) + "    </properties>\n";
}

}  // namespace

std::string junit_xml(const GateResult& result) {
  Suite suite;
  for (const Finding& finding : result.findings) add_finding(finding, suite);
  for (std::size_t k = 0; k < result.problems.size(); ++k) {
    add_problem(result.problems[k], k + 1, suite);
  }
  // A red verdict is red here too, whatever it came from.
  const bool is_green = suite.failures + suite.errors == 0;
  if (is_green && result.exit != ExitCode::as_expected) {
    add_problem(fmt::format("exit code {}", static_cast<int>(result.exit)), 1, suite);
  }
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", suite.tests,
                                         suite.failures, suite.errors);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"halfulp gate\" {} time=\"0\">\n"
      "  <testsuite name=\"{}\" {} skipped=\"{}\" time=\"0\">\n{}{}"
      "  </testsuite>\n</testsuites>\n",
      counts, attribute(fmt::format("{}", fmt::join(result.baselines, ", "))), counts,
      suite.skipped, properties(result), suite.cases);
}

}  // namespace halfulp
