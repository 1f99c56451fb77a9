#include "harness/baseline.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>

#include "harness/axis.h"
#include "harness/backend.h"
#include "harness/case_options.h"
#include "harness/error.h"
#include "harness/evaluate.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

using Order = FigureInfo::Order;

constexpr std::array figures{
    FigureInfo{"points", FigureKind::count, Order::must_equal},
    FigureInfo{"differing", FigureKind::count, Order::less_is_better},
    FigureInfo{"first_width", FigureKind::text, Order::none},
    FigureInfo{"widths_affected", FigureKind::count, Order::less_is_better},
    FigureInfo{"steps_max", FigureKind::count, Order::less_is_better},
    FigureInfo{"ulp_error_max", FigureKind::real, Order::less_is_better},
    FigureInfo{"range_ulp_max", FigureKind::real, Order::less_is_better},
    FigureInfo{"abs_max", FigureKind::real, Order::less_is_better},
    FigureInfo{"rel_max", FigureKind::real, Order::less_is_better},
    FigureInfo{"zero_lost", FigureKind::count, Order::less_is_better},
    FigureInfo{"zero_sign", FigureKind::count, Order::less_is_better},
    FigureInfo{"nonfinite", FigureKind::count, Order::less_is_better},
    FigureInfo{"unwritten", FigureKind::count, Order::less_is_better},
    FigureInfo{"tensor_differing", FigureKind::count, Order::less_is_better},
    FigureInfo{"tensor_points", FigureKind::count, Order::must_equal},
    FigureInfo{"histogram", FigureKind::text, Order::none},
};

std::string params_text(const Key& key) {
  std::string text;
  for (const auto& [name, value] : key.params) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  }
  if (!key.widths.empty()) {
    text += fmt::format("{}widths={}", text.empty() ? "" : ",", key.widths);
  }
  return text;
}

/// Parameters that are not the case's defaults, as options.
std::string parameter_options(const Key& key) {
  const auto cases = all_cases();
  const auto subject = std::ranges::find(cases, key.subject, &Case::name);
  std::string text;
  for (const auto& [name, value] : key.params) {
    if (subject != cases.end()) {
      const auto p = std::ranges::find(subject->parameters, name, &Parameter::name);
      if (p != subject->parameters.end() && p->default_value == value) continue;
    }
    std::string option = name;
    std::ranges::replace(option, '_', '-');
    text += fmt::format(" --{} {}", option, shell_word(value));
  }
  return text;
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_=./,:%@";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string key_text(const Key& key) {
  return fmt::format("{}/{}/{}/{}/{}", key.subject, params_text(key), key.dtype, key.backend,
                     key.reference);
}

std::string sweep_text(const Key& key) {
  return fmt::format("{}/{}/{}/{}", key.subject, params_text(key), key.dtype, key.reference);
}

std::string text_hash(std::string_view text) {
  return fmt::format("xxh3:{:016x}", XXH3_64bits(text.data(), text.size()));
}

std::string sweep_hash(const Key& key) { return text_hash(sweep_text(key)); }

std::string reproduce_command(const Key& key) {
  return fmt::format("halfulp sweep {}{} --dtype {}{} --backend {} --reference {}",
                     shell_word(key.subject), parameter_options(key), shell_word(key.dtype),
                     key.widths.empty() ? "" : " --widths " + shell_word(key.widths),
                     shell_word(key.backend), shell_word(key.reference));
}

void normalise(Key& key) {
  const Case& subject = find_case(key.subject);
  key.params = complete_params(subject, key.params);
  const Format dtype = parse_format(key.dtype);
  check_dtype(subject, dtype);
  key.dtype = short_name(dtype);
  const bool own_axis = has_own_axis(subject, key.params, dtype);
  if (own_axis && !key.widths.empty()) {
    throw UsageError(fmt::format("{} has no widths to sweep", key.subject));
  }
  if (!own_axis) {
    if (key.widths.empty()) throw UsageError(fmt::format("{} needs 'widths'", key.subject));
    key.widths = Widths::parse(key.widths).text();
  }
  key.backend = find_backend(key.backend).name;
  const std::optional<Backend> reference = parse_backend_or_oracle(key.reference);
  key.reference = reference ? reference->name : "oracle";
}

std::span<const FigureInfo> all_figures() { return figures; }

const FigureInfo* find_figure(std::string_view name) {
  const auto found = std::ranges::find(figures, name, &FigureInfo::name);
  return found == figures.end() ? nullptr : &*found;
}

std::string figure_text(const FigureValue& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return grouped(*count);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  const auto& text = std::get<std::string>(value);
  return text.empty() ? "none" : text;
}

std::uint64_t count_of(const Figures& figures, std::string_view name) {
  const auto found = figures.find(name);
  if (found == figures.end()) return 0;
  const auto* count = std::get_if<std::uint64_t>(&found->second);
  return count == nullptr ? 0 : *count;
}

bool is_clean(const Figures& figures) {
  for (const std::string_view name : {"differing", "steps_max", "zero_lost", "zero_sign",
                                      "nonfinite", "unwritten", "tensor_differing"}) {
    if (count_of(figures, name) != 0) return false;
  }
  return true;
}

std::string witness_text(const WitnessText& w) {
  const std::string place =
      w.width.empty() ? fmt::format("({})", w.index) : fmt::format("({}, {})", w.width, w.index);
  return fmt::format("{}: {} {}, expected {} {}{}", place, w.actual, w.actual_value, w.expected,
                     w.expected_value, w.exact.empty() ? "" : fmt::format(" (exact {})", w.exact));
}

std::string_view expectation_name(Expectation expectation) {
  switch (expectation) {
    case Expectation::exact:
      return "exact";
    case Expectation::budget:
      return "budget";
    case Expectation::unstable:
      return "unstable";
    case Expectation::unsupported:
      return "unsupported";
  }
  return "?";
}

std::string entry_text(const BaselineEntry& entry) {
  std::string text = key_text(entry.key);
  char separator = '?';
  for (const auto& [name, value] : entry.when) {
    text += fmt::format("{}{}={}", separator, name, value);
    separator = '&';
  }
  return text;
}

}  // namespace halfulp
