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

/// Beyond the largest finite value, whose spacing goes on to the point from where values overflow.
bool is_beyond_finite(const ExactValue& value, const Format& format) {
  const Fraction limit = Fraction::from_double(to_double(format.max_finite(), format));
  return value.is_negative() ? value.compare(-limit) < 0 : value.compare(limit) > 0;
}

/// Half way between the two neighbours of a magnitude, the largest finite one being the lower of
/// the last two.
ExactValue midpoint(const ExactValue& value, std::int64_t ulp, const Format& format) {
  const Fraction half_ulp = Fraction::power_of_two(ulp - 1);
  const std::uint64_t floor = is_beyond_finite(value, format)
                                  ? decode(format.max_finite(), format).significand
                              : value.is_zero() ? 0
                                                : value.position(ulp).floor;
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
  const std::int64_t ulp = is_beyond_finite(value, format)
                               ? ulp_exponent(format.max_finite(), format)
                               : ulp_exponent_at(value, format);
  const ExactValue one_ulp(Fraction::power_of_two(ulp));
  report.ulp = approximate(one_ulp).value;
  if (report.rounded.exact) return report;
  const ExactValue distance = value - midpoint(value, ulp, format);
  report.side_of_midpoint = distance.is_zero() ? 0 : distance.is_negative() ? -1 : 1;
  report.ulps_from_midpoint = approximate(distance / one_ulp).value;
  return report;
}

Rounded round_expression(std::string_view expression, const Format& format, RoundingMode mode) {
  return round_once(parse_expression(expression), format, mode);
}

}  // namespace halfulp
