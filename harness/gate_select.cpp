#include "harness/gate_select.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/error.h"
#include "harness/gate.h"

namespace halfulp {
namespace {

/// `12.2` holds for `12.2.0`, `GNU` for `GNU 12.2.0`; not `1` for `12`.
bool holds(const std::string& wanted, const std::string& fact) {
  if (!fact.starts_with(wanted)) return false;
  return fact.size() == wanted.size() || fact[wanted.size()] == '.' || fact[wanted.size()] == ' ';
}

/// Number of predicates, then of their components; empty when one does not hold.
std::optional<std::pair<std::size_t, std::size_t>> specificity(
    const BaselineEntry& entry, const std::map<std::string, std::string>& facts) {
  std::size_t components = 0;
  for (const auto& [name, wanted] : entry.when) {
    const auto fact = facts.find(name);
    if (fact == facts.end() || !holds(wanted, fact->second)) return std::nullopt;
    components += static_cast<std::size_t>(
        std::ranges::count_if(wanted, [](char c) { return c == '.' || c == ' '; }));
  }
  return std::pair{entry.when.size(), components};
}

/// Iterative: `*` backtracks to the last one only, so the time is at most the product of the
/// lengths.
bool glob(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++t;
      ++p;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool matches_only(std::string_view key, std::string_view pattern) {
  if (pattern.empty() || glob(key, pattern)) return true;
  while (!key.empty()) {
    const std::size_t end = std::min(key.find_first_of("/,?&"), key.size());
    const std::string_view part = key.substr(0, end);
    if (glob(part, pattern)) return true;
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && glob(part.substr(equals + 1), pattern)) return true;
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return false;
}

Selection select_entries(const Baseline& baseline, const std::map<std::string, std::string>& facts,
                         const std::string& only) {
  Selection selection;
  using Best = std::pair<std::pair<std::size_t, std::size_t>, std::size_t>;
  std::map<Key, Best> best;
  for (std::size_t e = 0; e < baseline.entries.size(); ++e) {
    const BaselineEntry& entry = baseline.entries[e];
    if (!matches_only(entry_text(entry), only)) {
      ++selection.filtered;
      continue;
    }
    ++selection.matching;
    const auto rank = specificity(entry, facts);
    if (!rank) continue;
    const auto [place, inserted] = best.try_emplace(entry.key, *rank, e);
    if (inserted) continue;
    if (place->second.first == *rank) {
      const BaselineEntry& other = baseline.entries[place->second.second];
      throw UsageError(fmt::format("{}:{}: a tie: {}:{} is as specific for {}", entry.file,
                                   entry.line, other.file, other.line, key_text(entry.key)));
    }
    place->second = std::max(place->second, Best{*rank, e});
  }
  for (const auto& [key, entry] : best) selection.entries.push_back(entry.second);
  std::ranges::sort(selection.entries);
  selection.not_applicable = selection.matching - selection.entries.size();
  return selection;
}

std::string entry_problem(const BaselineEntry& entry) {
  Key key = entry.key;
  try {
    normalise(key);
  } catch (const UsageError& error) {
    return error.what();
  }
  const std::string hash = sweep_hash(key);
  if (entry.provenance.sweep.empty() || entry.provenance.sweep == hash) return {};
  return fmt::format("recorded for another sweep: its hash is {}, not {}", hash,
                     entry.provenance.sweep);
}

}  // namespace halfulp
