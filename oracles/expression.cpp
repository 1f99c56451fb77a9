// Where an exact expression lies in a format: `halfulp ulp`.
#include "harness/encoding.h"
#include "harness/oracle.h"
#include "oracles/expression_parser.h"
#include "oracles/round_once.h"

namespace halfulp {
namespace {

using oracles::ExactValue;
using oracles::Fraction;
using oracles::parse_expression;

/// Half way between the two neighbours of a magnitude, as if the exponent range had no end.
ExactValue midpoint(const ExactValue& value, std::int64_t ulp) {
  const Fraction half_ulp = Fraction::power_of_two(ulp - 1);
  const std::uint64_t floor = value.is_zero() ? 0 : value.position(ulp).floor;
  const ExactValue magnitude(Fraction(static_cast<std::int64_t>(2 * floor + 1)) * half_ulp);
  return value.is_negative() ? -magnitude : magnitude;
}

}  // namespace

UlpReport locate(std::string_view expression, const Format& format) {
  const ExactValue value = parse_expression(expression);
  UlpReport report{.rounded = round_once(value, format, RoundingMode::to_nearest_even),
                   .lower = round_once(value, format, RoundingMode::downward).bits,
                   .upper = round_once(value, format, RoundingMode::upward).bits,
                   .exact = value.text()};
  if (!value.is_finite()) return report;
  const std::int64_t ulp = ulp_exponent_at(value, format);
  const ExactValue one_ulp(Fraction::power_of_two(ulp));
  report.ulp = approximate(one_ulp).value;
  if (report.rounded.exact) return report;
  const ExactValue distance = value - midpoint(value, ulp);
  report.side_of_midpoint = distance.is_zero() ? 0 : distance.is_negative() ? -1 : 1;
  report.ulps_from_midpoint = approximate(distance / one_ulp).value;
  return report;
}

Rounded round_expression(std::string_view expression, const Format& format, RoundingMode mode) {
  return round_once(parse_expression(expression), format, mode);
}

}  // namespace halfulp
