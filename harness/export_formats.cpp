// Expected failures as the consumers' own files.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/export.h"

namespace halfulp {
namespace {

/// One comment line a key; values of consecutive equal keys are joined.
std::string header_lines(const ExportContext& context) {
  std::string text;
  std::string_view last;
  for (const auto& [key, value] : context.header) {
    std::string line = key == last ? "; " + value : fmt::format("\n# {}: {}", key, value);
    std::ranges::replace_if(
        line.begin() + 1, line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    text += line;
    last = key;
  }
  return text.empty() ? "" : text.substr(1) + "\n";
}

/// A Python string literal, all ASCII but for UTF-8 text as it is.
std::string python_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Reasons with their node ids, in the order of the first id.
std::vector<std::pair<std::string, std::vector<std::string>>> by_reason(
    const ExpectedFailures& failures) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::map<std::string, std::size_t> position;
  for (const ExpectedFailure& failure : failures.listed) {
    const auto [found, inserted] = position.emplace(failure.reason, groups.size());
    if (inserted) groups.emplace_back(failure.reason, std::vector<std::string>{});
    groups[found->second].second.push_back(failure.id);
  }
  return groups;
}

/// The module of `module.Name`; empty for a builtin.
std::string module_of(const std::string& exception) {
  const std::size_t dot = exception.rfind('.');
  return dot == std::string::npos ? "" : exception.substr(0, dot);
}

constexpr std::string_view hook = R"(
EXPECTED_FAILURES = {{node_id: reason for reason, ids in _REASONS.items() for node_id in ids}}


def pytest_collection_modifyitems(items):
    for item in items:
        reason = EXPECTED_FAILURES.get(item.nodeid)
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, raises={}, strict=True))
)";

}  // namespace

std::string pytest_manifest(const ExpectedFailures& failures, const ExportContext& context) {
  std::string text = header_lines(context);
  for (const ExpectedFailure& failure : failures.listed) {
    text += fmt::format("{}\t{}\t{}\n", context.phase, context.exception, failure.id);
  }
  return text;
}

std::string node_id_list(const ExpectedFailures& failures, const ExportContext&) {
  std::string text;
  for (const ExpectedFailure& failure : failures.listed) text += failure.id + "\n";
  return text;
}

std::string conftest_file(const ExpectedFailures& failures, const ExportContext& context) {
  const std::string module = module_of(context.exception);
  std::string text = header_lines(context) + "\n";
  if (!module.empty()) text += fmt::format("import {}\n", module);
  text += "import pytest\n\n# Reason to node ids.\n_REASONS = {\n";
  for (const auto& [reason, ids] : by_reason(failures)) {
    text += fmt::format("    {}: [\n", python_literal(reason));
    for (const std::string& id : ids) text += fmt::format("        {},\n", python_literal(id));
    text += "    ],\n";
  }
  return text + "}\n" + fmt::format(hook, context.exception);
}

}  // namespace halfulp
