#include "harness/gate_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/value_text.h"

namespace halfulp {
namespace {

constexpr std::size_t max_rows = 40;
constexpr std::size_t max_findings = 10;

/// `3,753`, or `3,753 -> 0` where it moved.
std::string moved(const Finding& finding, std::string_view name) {
  const auto old = finding.expected.find(name);
  const auto now = finding.actual.find(name);
  const bool has_old = old != finding.expected.end();
  const bool has_now = now != finding.actual.end();
  if (!has_old && !has_now) return "";
  if (!has_old) return figure_text(now->second);
  if (!has_now) return figure_text(old->second) + " -> ?";
  if (old->second == now->second) return figure_text(now->second);
  return fmt::format("{} -> {}", figure_text(old->second), figure_text(now->second));
}

using Row = std::vector<std::string>;

Row row_of(const Finding& finding) {
  return {std::string(status_name(finding.status)),
          moved(finding, "points"),
          moved(finding, "differing"),
          moved(finding, "widths_affected"),
          moved(finding, "steps_max"),
          finding.key};
}

std::string table(const GateResult& result, Lines lines) {
  if (result.findings.empty()) return "";
  std::vector<const Finding*> shown;
  for (const Finding& finding : result.findings) shown.push_back(&finding);
  const bool cut = lines == Lines::capped && shown.size() > max_rows;
  if (cut) {
    std::ranges::stable_sort(shown, {}, [](const Finding* f) { return f->as_expected(); });
    shown.resize(max_rows);
  }
  std::vector<Row> rows{{"status", "points", "differing", "widths", "steps", "entry"}};
  for (const Finding* finding : shown) rows.push_back(row_of(*finding));
  std::string text = columns_text(rows);
  if (cut) {
    text += fmt::format("and {} more rows: --all shows them\n", result.findings.size() - max_rows);
  }
  return text;
}

/// What is red first, then what is not compared.
std::string findings_text(const GateResult& result, Lines lines) {
  std::vector<const Finding*> shown;
  for (const Finding& finding : result.findings) {
    if (!finding.as_expected() || finding.status == Status::unavailable) shown.push_back(&finding);
  }
  std::ranges::stable_sort(shown, {}, [](const Finding* f) { return f->as_expected(); });
  const bool cut = lines == Lines::capped && shown.size() > max_findings;
  const std::size_t more = cut ? shown.size() - max_findings : 0;
  shown.resize(shown.size() - more);
  std::string text;
  for (const Finding* finding : shown) text += finding_line(*finding) + '\n';
  if (cut) text += fmt::format("and {} more findings: --all shows them\n", more);
  return text;
}

/// What an exit code means, after the counts.
std::string_view meaning(ExitCode code) {
  switch (code) {
    case ExitCode::as_expected:
      return "as expected";
    case ExitCode::regression:
      return "a regression";
    case ExitCode::usage:
      return "the baseline does not fit";
    case ExitCode::improvement:
      return "an improvement that must be recorded (halfulp baseline update --only-better)";
    case ExitCode::oracle_failure:
      return "the results contradict themselves";
    case ExitCode::empty:
      return "empty or incomplete";
    case ExitCode::interrupted:
      return "interrupted";
  }
  return "?";
}

}  // namespace

std::string columns_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{:<{}}", row.front(), widths.front());
    for (std::size_t c = 1; c + 1 < row.size(); ++c) {
      text += fmt::format("  {:>{}}", row[c], widths[c]);
    }
    text += fmt::format("  {}\n", row.back());
  }
  return text;
}

std::string finding_line(const Finding& finding) {
  std::string text = fmt::format("{} ", status_name(finding.status));
  if (finding.line > 0) text += fmt::format("{}:{} ", finding.file, finding.line);
  text += fmt::format("{}: {}", finding.key, finding.message);
  if (finding.witness) text += "; at " + witness_text(*finding.witness);
  if (!finding.witness && finding.expected_witness) {
    text += "; was at " + witness_text(*finding.expected_witness);
  }
  if (!finding.reason.empty() && !finding.message.ends_with(finding.reason))
    text += fmt::format("; reason: {}", finding.reason);
  std::ranges::replace(text, '\n', ' ');
  if (finding.status == Status::unmatched) return text;
  return text + "; run: " + finding.command;
}

std::string counts_text(const GateResult& result) {
  std::string text;
  for (std::size_t s = 0; s < status_count; ++s) {
    if (result.counts[s] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", result.counts[s],
                        status_name(static_cast<Status>(s)));
  }
  return text.empty() ? "no findings" : text;
}

std::string gate_text(const GateResult& result, Lines lines) {
  const std::string rows = table(result, lines);
  const std::string findings = findings_text(result, lines);
  std::string text = rows + (rows.empty() || findings.empty() ? "" : "\n") + findings;
  if (!text.empty()) text += '\n';
  for (const std::string& problem : result.problems) text += problem + '\n';
  text += fmt::format("{}: {}; {} points compared", counts_text(result), meaning(result.exit),
                      grouped(result.points));
  if (result.filtered > 0) text += fmt::format("; left out by --only: {}", result.filtered);
  if (result.not_applicable > 0) {
    text += fmt::format("; 'when' does not hold here: {}", result.not_applicable);
  }
  return text + '\n';
}

}  // namespace halfulp
