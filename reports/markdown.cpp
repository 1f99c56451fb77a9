// The gate's verdict as Markdown for a job summary (GitHub's dialect).
#include <fmt/format.h>

#include <algorithm>

#include "harness/gate_text.h"
#include "harness/gate_writers.h"
#include "harness/value_text.h"
#include "reports/gate_parts.h"

namespace halfulp {
namespace {

/// A job summary holds one MiB; this many findings stay well below it.
constexpr std::size_t most_findings = 100;

/// Text in a paragraph or a table cell: one line, nothing in it is markup.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : safe_line(text)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '~':
      case '#':
      case '!':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// A block that shows the text as it is: its fence is longer than any run of backticks within.
std::string code_block(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  const std::string line = safe_line(text);
  for (const char c : line) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}sh\n{}\n{}\n", fence, line, fence);
}

std::string counts_table(const GateResult& result) {
  std::string text = "| status | entries |\n| --- | ---: |\n";
  for (std::size_t s = 0; s < status_count; ++s) {
    if (result.counts[s] == 0) continue;
    text += fmt::format("| {} | {} |\n", status_name(static_cast<Status>(s)), result.counts[s]);
  }
  return text;
}

std::string figures_table(const Finding& finding) {
  const auto moved = moved_figures(finding);
  if (moved.empty()) return "";
  std::string text = "\n| metric | old | new |\n| --- | ---: | ---: |\n";
  for (const MovedFigure& figure : moved) {
    text += fmt::format("| {} | {} | {} |\n", plain(figure.name), plain(figure.old_value),
                        plain(figure.new_value));
  }
  return text;
}

std::string finding_section(const Finding& finding) {
  std::string text =
      fmt::format("\n### {}: {}\n\n", status_name(finding.status), plain(finding.key));
  const std::string place = place_of(finding);
  text += (place.empty() ? "" : plain(place) + ": ") + plain(finding.message) + "\n";
  text += figures_table(finding);
  if (finding.witness) text += "\nWitness: " + plain(witness_text(*finding.witness)) + "\n";
  if (finding.expected_witness && finding.expected_witness != finding.witness) {
    text += "\nOld witness: " + plain(witness_text(*finding.expected_witness)) + "\n";
  }
  if (!finding.reason.empty()) text += "\nReason of the entry: " + plain(finding.reason) + "\n";
  if (!finding.command.empty()) text += "\n" + code_block(finding.command);
  return text;
}

/// What is as expected and yet not a pass.
std::string accepted_table(const std::vector<const Finding*>& accepted) {
  if (accepted.empty()) return "";
  std::string text =
      "\n### Expected to differ\n\n| status | entry | differing | reason |\n"
      "| --- | --- | ---: | --- |\n";
  for (std::size_t k = 0; k < std::min(accepted.size(), most_findings); ++k) {
    const Finding& finding = *accepted[k];
    const bool has_metrics = finding.actual.contains("differing");
    text += fmt::format("| {} | {} | {} | {} |\n", status_name(finding.status), plain(finding.key),
                        has_metrics ? grouped(count_of(finding.actual, "differing")) : "",
                        plain(finding.reason.empty() ? finding.message : finding.reason));
  }
  return text;
}

std::string cut_note(std::size_t count) {
  if (count <= most_findings) return "";
  return fmt::format("\nand {} more: `halfulp gate --all` shows them.\n", count - most_findings);
}

}  // namespace

std::string markdown_summary(const GateResult& result) {
  std::vector<const Finding*> red;
  std::vector<const Finding*> accepted;
  for (const Finding& finding : result.findings) {
    if (!finding.as_expected()) red.push_back(&finding);
    if (finding.as_expected() && finding.status != Status::pass) accepted.push_back(&finding);
  }
  const bool is_green = result.exit == ExitCode::as_expected;
  std::string text = fmt::format("## halfulp gate: {}\n\n{}; {} points compared; exit code {}.\n",
                                 is_green ? "as expected" : "not as expected", counts_text(result),
                                 grouped(result.points), static_cast<int>(result.exit));
  if (!result.findings.empty()) text += "\n" + counts_table(result);
  for (const std::string& problem : result.problems) {
    text += fmt::format("\n**{}**\n", plain(problem));
  }
  for (std::size_t k = 0; k < std::min(red.size(), most_findings); ++k) {
    text += finding_section(*red[k]);
  }
  text += cut_note(red.size());
  return text + accepted_table(accepted) + cut_note(accepted.size());
}

}  // namespace halfulp
