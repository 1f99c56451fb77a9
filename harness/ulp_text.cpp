#include "harness/ulp_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/encoding.h"
#include "harness/oracle.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

std::string_view class_name(Class c) {
  switch (c) {
    case Class::zero:
      return "zero";
    case Class::subnormal:
      return "subnormal";
    case Class::normal:
      return "normal";
    case Class::infinity:
      return "infinity";
    case Class::nan:
      return "nan";
  }
  return "";
}

bool is_encoding(std::string_view text) {
  return (text.starts_with("0x") || text.starts_with("0X")) &&
         text.find_first_of("pP") == std::string_view::npos;
}

/// A value as given: an encoding, or a number with where it lies.
struct Given {
  std::string_view text;
  std::uint64_t bits = 0;
  std::optional<UlpReport> report;  ///< empty for an encoding
};

Given read(std::string_view text, const Format& format) {
  if (is_encoding(text)) return {text, parse_encoding(text, format), std::nullopt};
  UlpReport report = locate(text, format);
  const std::uint64_t bits = report.rounded.bits;
  return {text, bits, std::move(report)};
}

class Lines {
 public:
  template <typename Value>
  void add(std::string_view key, const Value& value) {
    fmt::format_to(std::back_inserter(text_), "{:<13} {}\n", key, value);
  }
  void end_block() { text_ += '\n'; }
  std::string take() && {
    text_.pop_back();  // blocks are separated by empty lines, not followed by one
    return std::move(text_);
  }

 private:
  std::string text_;
};

std::string neighbour(std::uint64_t bits, std::uint64_t from, const Format& format) {
  return bits == from ? "none" : describe(bits, format);
}

/// The rounding of a number that is not a value of the format.
void add_rounding(Lines& lines, const UlpReport& report, const Format& format) {
  lines.add("lower", describe(report.lower, format));
  lines.add("upper", describe(report.upper, format));
  lines.add("side", report.side_of_midpoint == 0  ? "tie"
                    : report.side_of_midpoint < 0 ? "below"
                                                  : "above");
  lines.add("from_midpoint", report.ulps_from_midpoint);
}

void add_value(Lines& lines, const Given& given, const Format& format) {
  lines.add("input", given.text);
  lines.add("dtype", short_name(format));
  if (given.report) lines.add("exact", given.report->exact);
  lines.add("encoding", hex(given.bits, format));
  lines.add("decimal", decimal(given.bits, format));
  lines.add("hex_float", hex_float(given.bits, format));
  lines.add("class", class_name(classify(given.bits, format)));
  if (!is_nan(given.bits, format)) {
    lines.add("previous", neighbour(next_down(given.bits, format), given.bits, format));
    lines.add("next", neighbour(next_up(given.bits, format), given.bits, format));
  }
  if (given.report && !given.report->rounded.exact && given.report->ulp > 0) {
    lines.add("ulp", given.report->ulp);
    add_rounding(lines, *given.report, format);
  } else if (is_finite(given.bits, format)) {
    lines.add("ulp", std::ldexp(1.0, ulp_exponent(given.bits, format)));
  }
  lines.end_block();
}

/// |a - b| in ulps of the format at the one of larger magnitude, both finite; rounded to binary64.
double ulps_between(std::uint64_t a, std::uint64_t b, const Format& format) {
  const int ulp = std::max(ulp_exponent(a, format), ulp_exponent(b, format));
  return std::fabs(std::ldexp(to_double(a, format), -ulp) - std::ldexp(to_double(b, format), -ulp));
}

void add_distance(Lines& lines, const Given& from, const Given& to, const Format& format) {
  lines.add("from", describe(from.bits, format));
  lines.add("to", describe(to.bits, format));
  if (is_nan(from.bits, format) || is_nan(to.bits, format)) {
    lines.add("steps", "none: NaN is not on the number line");
  } else {
    lines.add("steps", steps_between(from.bits, to.bits, format));
  }
  if (is_finite(from.bits, format) && is_finite(to.bits, format)) {
    lines.add("ulps", ulps_between(from.bits, to.bits, format));
  }
  lines.end_block();
}

}  // namespace

std::string ulp_text(std::span<const std::string> values, const Format& format) {
  std::vector<Given> given;
  for (const std::string& value : values) given.push_back(read(value, format));
  Lines lines;
  for (const Given& g : given) add_value(lines, g, format);
  for (std::size_t i = 1; i < given.size(); ++i) {
    add_distance(lines, given[i - 1], given[i], format);
  }
  return std::move(lines).take();
}

}  // namespace halfulp
