#include "reports/gate_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace halfulp {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

/// Length of the UTF-8 sequence at the start of the text (Unicode 15, table 3-7); 0 if there is
/// none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  // The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF.
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

bool is_noncharacter(std::string_view sequence) {
  return sequence == "\xef\xbf\xbe" || sequence == "\xef\xbf\xbf";  // U+FFFE, U+FFFF
}

void add_figure_lines(const Finding& finding, std::string& text) {
  for (const MovedFigure& figure : moved_figures(finding)) {
    text += fmt::format("{}: {} -> {}\n", figure.name, figure.old_value, figure.new_value);
  }
}

}  // namespace

std::string safe_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    const auto lead = static_cast<unsigned char>(text.front());
    if (length == 0 || is_noncharacter(sequence)) {
      out += replacement;
    } else if ((lead < 0x20 && lead != '\n' && lead != '\t') || lead == 0x7f) {
      out += fmt::format("\\x{:02x}", lead);
    } else {
      out += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::string safe_line(std::string_view text) {
  std::string out = safe_text(text);
  std::ranges::replace_if(
      out, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return out;
}

std::vector<MovedFigure> moved_figures(const Finding& finding) {
  const auto text_of = [](const Figures& figures, std::string_view name) {
    const auto found = figures.find(name);
    return found == figures.end() ? std::string("-") : figure_text(found->second);
  };
  std::vector<MovedFigure> moved;
  for (const FigureInfo& info : all_figures()) {
    MovedFigure figure{std::string(info.name), text_of(finding.expected, info.name),
                       text_of(finding.actual, info.name)};
    const bool differs = figure.old_value != figure.new_value;
    if (differs && (info.name != "histogram" || moved.empty())) moved.push_back(std::move(figure));
  }
  return moved;
}

std::string place_of(const Finding& finding) {
  return finding.line == 0 ? finding.file : fmt::format("{}:{}", finding.file, finding.line);
}

std::string details_of(const Finding& finding) {
  std::string text;
  if (!finding.file.empty()) text += place_of(finding) + "\n";
  if (!finding.as_expected()) add_figure_lines(finding, text);
  if (finding.witness) text += "witness " + witness_text(*finding.witness) + "\n";
  if (finding.expected_witness && finding.expected_witness != finding.witness) {
    text += "old witness " + witness_text(*finding.expected_witness) + "\n";
  }
  if (!finding.reason.empty()) text += "reason: " + finding.reason + "\n";
  if (!finding.link.empty()) text += "link: " + finding.link + "\n";
  if (!finding.command.empty()) text += "reproduce: " + finding.command + "\n";
  return text;
}

}  // namespace halfulp
