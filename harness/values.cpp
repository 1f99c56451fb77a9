#include "harness/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "harness/error.h"
#include "harness/exact_number.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

constexpr std::uint64_t max_values = std::uint64_t{1} << 24;

std::optional<double> special(std::string_view text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::array<std::pair<std::string_view, double>, 4> specials{
      {{"inf", infinity},
       {"+inf", infinity},
       {"-inf", -infinity},
       {"nan", std::numeric_limits<double>::quiet_NaN()}}};
  for (const auto& [name, value] : specials) {
    if (text == name) return value;
  }
  return std::nullopt;
}

/// `-0`, `-0.0`, …, which exact numbers do not have.
bool is_negative_zero(std::string_view text) {
  return (text.starts_with("-0") || text.starts_with("-.")) &&
         parse_exact_number(text.substr(1)).numerator == 0;
}

bool is_range(std::string_view part) { return part.find("..") != std::string_view::npos; }

/// Calls `use` with each part between commas and the number of values in it.
template <typename Use>
std::uint64_t for_each_part(std::string_view text, const Use& use) {
  std::uint64_t total = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (part.empty()) {
      throw UsageError("values: nothing between commas: write 1,2.5,3..9,inf,nan,-0");
    }
    total += is_range(part) ? number_list_size(part) : 1;
    if (total > max_values) {
      throw UsageError(fmt::format("values: more than {} in {}", max_values, in_quotes(text)));
    }
    use(part);
    begin = end + 1;
  }
  return total;
}

}  // namespace

double parse_value(std::string_view text) {
  if (const auto value = special(text)) return *value;
  if (is_negative_zero(text)) return -0.0;
  return to_double(parse_exact_number(text));
}

std::uint64_t values_size(std::string_view text) {
  return for_each_part(text, [](std::string_view part) {
    if (!is_range(part)) parse_value(part);
  });
}

std::vector<double> parse_values(std::string_view text) {
  std::vector<double> values;
  for_each_part(text, [&](std::string_view part) {
    if (!is_range(part)) {
      values.push_back(parse_value(part));
      return;
    }
    for (const ExactNumber& n : parse_number_list(part)) values.push_back(to_double(n));
  });
  return values;
}

}  // namespace halfulp
