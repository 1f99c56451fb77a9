// The gate's verdict as SARIF 2.1.0 (OASIS standard, 27 March 2020).
#include <fmt/format.h>

#include <array>
#include <cctype>

#include "harness/environment.h"
#include "harness/gate_writers.h"
#include "reports/gate_parts.h"
#include "reports/json.h"

namespace halfulp {
namespace {

struct Rule {
  Status status;
  std::string_view summary;
};

/// In the order of Status: a rule's index is its status.
constexpr std::array<Rule, status_count> rules{{
    {Status::pass, "The result is as expected and equal to the reference."},
    {Status::fail, "The result is worse than the baseline says, or of other points."},
    {Status::xfail, "The result differs from the reference as the baseline says."},
    {Status::xpass, "The result was expected to differ and does not any more."},
    {Status::changed, "The result is other than the baseline says."},
    {Status::unavailable, "The backend cannot run here."},
    {Status::missing, "The run has no result for an entry of the baseline."},
    {Status::unmatched, "An entry without anything to compare with, or a result without an entry."},
}};

std::string rule_id(Status status) { return fmt::format("gate/{}", status_name(status)); }

OrderedJson rules_json() {
  OrderedJson json = OrderedJson::array();
  for (const Rule& rule : rules) {
    json.push_back({{"id", rule_id(rule.status)},
                    {"name", std::string(status_name(rule.status))},
                    {"shortDescription", {{"text", std::string(rule.summary)}}}});
  }
  return json;
}

std::string_view level_of(const Finding& finding) {
  if (finding.as_expected()) return "note";
  return finding.exit == ExitCode::improvement ? "warning" : "error";
}

/// A red finding is `absent`, which viewers hide, only when the difference is gone.
std::string_view baseline_state(const Finding& finding) {
  switch (finding.status) {
    case Status::pass:
    case Status::xfail:
      return "unchanged";
    case Status::xpass:
      return "absent";
    case Status::changed:
      return "updated";
    case Status::unavailable:
      return finding.as_expected() ? "unchanged" : "new";
    case Status::fail: {
      const bool differed = !finding.expected.empty() && !is_clean(finding.expected);
      return differed ? "updated" : "new";
    }
    case Status::missing:
    case Status::unmatched:
      return "new";
  }
  return "new";
}

/// A path as a URI reference (RFC 3986): absolute paths get the scheme `file`.
std::string uri_of(const std::string& path) {
  constexpr std::string_view unreserved = "-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto u = static_cast<unsigned char>(c);
    const bool is_plain =
        (u < 0x80 && std::isalnum(u) != 0) || unreserved.find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", u);
  }
  return uri;
}

OrderedJson location(const Finding& finding) {
  OrderedJson json = OrderedJson::object();
  if (!finding.file.empty()) {
    json["physicalLocation"]["artifactLocation"]["uri"] = uri_of(finding.file);
    if (finding.line > 0) json["physicalLocation"]["region"]["startLine"] = finding.line;
  }
  const OrderedJson logical = {{"fullyQualifiedName", safe_line(finding.key)}};
  json["logicalLocations"] = OrderedJson::array({logical});
  return json;
}

OrderedJson figures_json(const Figures& figures) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, value] : figures) {
    if (const auto* count = std::get_if<std::uint64_t>(&value)) {
      json[name] = json_integer(*count);
    } else if (const auto* real = std::get_if<double>(&value)) {
      json[name] = json_number(*real);
    } else {
      json[name] = safe_line(std::get<std::string>(value));
    }
  }
  return json;
}

/// Where any result of a run has `suppressions`, all must (3.27.23).
OrderedJson suppressions(const Finding& finding) {
  OrderedJson json = OrderedJson::array();
  if (!finding.as_expected()) return json;
  json.push_back(
      {{"kind", "external"},
       {"status", "accepted"},
       {"justification", safe_line(finding.reason.empty() ? finding.message : finding.reason)}});
  return json;
}

OrderedJson result_json(const Finding& finding) {
  const std::string text =
      fmt::format("{}: {}\n{}", finding.key, finding.message, details_of(finding));
  OrderedJson properties = {{"status", std::string(status_name(finding.status))},
                            {"expected", figures_json(finding.expected)},
                            {"actual", figures_json(finding.actual)}};
  if (!finding.command.empty()) properties["command"] = safe_line(finding.command);
  if (!finding.reason.empty()) properties["reason"] = safe_line(finding.reason);
  OrderedJson json = {{"ruleId", rule_id(finding.status)},
                      {"ruleIndex", static_cast<std::size_t>(finding.status)},
                      {"level", std::string(level_of(finding))},
                      {"message", {{"text", safe_text(text)}}},
                      {"locations", OrderedJson::array({location(finding)})}};
  if (!finding.fingerprint.empty()) {
    json["partialFingerprints"] = {{"halfulpKey/v1", safe_line(finding.fingerprint)}};
  }
  json["baselineState"] = std::string(baseline_state(finding));
  json["suppressions"] = suppressions(finding);
  json["properties"] = std::move(properties);
  return json;
}

OrderedJson invocation(const GateResult& result) {
  OrderedJson notifications = OrderedJson::array();
  for (const std::string& problem : result.problems) {
    notifications.push_back({{"level", "error"}, {"message", {{"text", safe_text(problem)}}}});
  }
  const bool judged = result.exit == ExitCode::as_expected || result.exit == ExitCode::regression ||
                      result.exit == ExitCode::improvement;
  return {{"executionSuccessful", judged},
          {"exitCode", static_cast<int>(result.exit)},
          {"toolExecutionNotifications", std::move(notifications)}};
}

}  // namespace

std::string sarif_json(const GateResult& result) {
  OrderedJson results = OrderedJson::array();
  for (const Finding& finding : result.findings) {
    if (finding.as_expected() && finding.status == Status::pass) continue;
    results.push_back(result_json(finding));
  }
  const OrderedJson driver = {
      {"name", "halfulp"}, {"version", run_environment().version}, {"rules", rules_json()}};
  const OrderedJson run = {{"tool", {{"driver", driver}}},
                           {"invocations", OrderedJson::array({invocation(result)})},
                           {"results", std::move(results)}};
  return json_text({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", OrderedJson::array({run})}});
}

}  // namespace halfulp
