// The gate's verdict as JSON, schema `halfulp-gate/1`.
#include <fmt/format.h>

#include "harness/gate.h"
#include "reports/result_json.h"

namespace halfulp {
namespace {

void add_text(OrderedJson& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = text;
}

OrderedJson finding_json(const Finding& finding) {
  OrderedJson json = {{"status", status_name(finding.status)},
                      {"exit", static_cast<int>(finding.exit)},
                      {"key", finding.key},
                      {"file", finding.file},
                      {"line", json_integer(finding.line)},
                      {"message", finding.message},
                      {"expected", figures_json(finding.expected)},
                      {"actual", figures_json(finding.actual)},
                      {"expected_witness", witness_json(finding.expected_witness)},
                      {"witness", witness_json(finding.witness)}};
  add_text(json, "reason", finding.reason);
  add_text(json, "link", finding.link);
  json["command"] = finding.command;
  json["fingerprint"] = finding.fingerprint;
  return json;
}

}  // namespace

std::string gate_json(const GateResult& result) {
  OrderedJson counts = OrderedJson::object();
  for (std::size_t s = 0; s < status_count; ++s) {
    counts[std::string(status_name(static_cast<Status>(s)))] = json_integer(result.counts[s]);
  }
  OrderedJson findings = OrderedJson::array();
  for (const Finding& finding : result.findings) findings.push_back(finding_json(finding));
  return json_text(
      {{"schema", "halfulp-gate/1"},
       {"baselines", result.baselines},
       {"source", result.source.empty() ? OrderedJson(nullptr) : OrderedJson(result.source)},
       {"exit", static_cast<int>(result.exit)},
       {"counts", std::move(counts)},
       {"filtered", json_integer(result.filtered)},
       {"not_applicable", json_integer(result.not_applicable)},
       {"points", json_integer(result.points)},
       {"problems", result.problems},
       {"findings", std::move(findings)}});
}

}  // namespace halfulp
