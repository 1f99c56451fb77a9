#include "harness/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace halfulp {
namespace {

constexpr std::size_t longest_name = 60;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_letter(char a, char b) { return lower(a) == lower(b); }

bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), same_letter);
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, no letter
/// edited twice (optimal string alignment). Both at most `longest_name` long.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, longest_name + 1>, longest_name + 1> d{};
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = d[i - 1][j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, substituted});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1])) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  if (name.empty() || name.size() > longest_name) return {};
  std::string_view nearest;
  std::size_t least = (name.size() + 2) / 3 + 1;
  for (const std::string_view candidate : known) {
    if (candidate.size() > longest_name) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  if (!nearest.empty()) return nearest;
  const auto longer =
      std::ranges::find_if(known, [&](std::string_view k) { return begins_with(k, name); });
  return longer == known.end() ? std::string_view{} : *longer;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(name, known);
  const std::string hint =
      nearest.empty() ? std::string{} : fmt::format("; did you mean '{}'?", nearest);
  return fmt::format("unknown {} {}{} (known: {})", kind, in_quotes(name), hint,
                     fmt::join(known, ", "));
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, longest_name)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + (text.size() > longest_name ? "...'" : "'");
}

}  // namespace halfulp
