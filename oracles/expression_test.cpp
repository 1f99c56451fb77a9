#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/encoding.h"
#include "harness/error.h"
#include "harness/oracle.h"
#include "oracles/expression_parser.h"

namespace halfulp::oracles {
namespace {

std::uint64_t nearest(std::string_view text, const Format& format) {
  return round_expression(text, format, RoundingMode::to_nearest_even).bits;
}

TEST_CASE("expressions are read exactly", "[oracle]") {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"1/3", "1/3"},
      {"0.1", "1/10"},
      {"-0", "-0"},
      {"0x1.8p3", "12"},
      {"1e-3", "1/1000"},
      {".5", "1/2"},
      {"2^-2 + 2^2", "17/4"},
      {"-2^2", "-4"},
      {"(1 + 2) * 3 - 4 / 8", "17/2"},
      {"2^(-1)", "1/2"},
      {"sqrt(2)", "sqrt(2)"},
      {"sqrt(4)", "2"},
      {"sqrt(-1)", "nan"},
      {"inf", "inf"},
      {"-INF", "-inf"},
      {"nan", "nan"},
      {"1/0", "inf"},
      {" 1 - - 1 ", "2"},
      {"0x.8p-1", "1/4"},
      {"123456789012345678901", "123456789012345678901"},
      {"1.5e+2", "150"},
      {"(1 + sqrt(5)) / 2", "1/2 + sqrt(5)/2"},
  };
  for (const auto& [text, expected] : rows) {
    INFO(text);
    CHECK(parse_expression(text).text() == expected);
  }
}

TEST_CASE("traps for an oracle, as text", "[oracle]") {
  CHECK(nearest("1 + 2^-11 + 2^-40", binary16) == 0x3c01);
  CHECK(nearest("1 + 2^-8 + 2^-40", bfloat16) == 0x3f81);
  CHECK(nearest("4097*4097 + 2^-30", binary32) == 0x4b801001);
  CHECK(nearest("2^-14 - 2^-25 - 2^-65", binary16) == 0x03ff);
  CHECK(nearest("16973823", bfloat16) == 0x4b81);
}

TEST_CASE("locate says where a number lies", "[oracle]") {
  const UlpReport above = locate("1 + 2^-11 + 2^-40", binary16);
  CHECK(above.rounded.bits == 0x3c01);
  CHECK(above.lower == 0x3c00);
  CHECK(above.upper == 0x3c01);
  CHECK(above.ulp == 0x1p-10);
  CHECK(above.side_of_midpoint == 1);
  CHECK(above.ulps_from_midpoint == 0x1p-30);

  const UlpReport tie = locate("-(1 + 2^-11)", binary16);
  CHECK(tie.rounded.tie);
  CHECK(tie.rounded.bits == 0xbc00);
  CHECK(tie.lower == 0xbc01);
  CHECK(tie.side_of_midpoint == 0);

  const UlpReport negative = locate("-1/3", binary16);
  CHECK(negative.side_of_midpoint == 1);  // the magnitude is below its midpoint
  CHECK(negative.exact == "-1/3");

  const UlpReport one = locate("1", binary16);
  CHECK((one.rounded.exact && one.lower == 0x3c00 && one.upper == 0x3c00));
  CHECK(locate("nan", binary16).rounded.bits == binary16.quiet_nan());
  CHECK(locate("65520", binary16).rounded.bits == binary16.infinity());
  CHECK(locate("65519", binary16).side_of_midpoint == -1);
  CHECK(locate("0", binary16).ulp == 0x1p-24);
  CHECK(locate("2^-30", binary16).lower == 0);
}

TEST_CASE("bad expressions are refused in one line with the column", "[oracle]") {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"", "column 1"},
      {"1 +", "column 4"},
      {"abc", "column 1"},
      {"1 2", "column 3"},
      {"(1", "column 3"},
      {"1)", "column 2"},
      {"0x3c00", "hexadecimal"},
      {"0x1.8", "hexadecimal"},
      {"0xp3", "hexadecimal digits"},
      {"2^0.5", "whole number"},
      {"2^99999", "20000"},
      {"1e99999", "20000"},
      {"2^2^2", "parentheses"},
      {"3^20000*3^20000*3^20000", "bits"},
      {"1e", "column 2"},
      {"--", "column 3"},
      {"sqrt 2", "expected '('"},
      {"sqrt(sqrt(2))", "root"},
      {"sqrt(2)+sqrt(3)", "radicands"},
      {std::string("1\0", 2), "0x00"},
      {"1e5e5", "column 4"},
      {"nano", "column 1"},
      {"(12345678901234567890)^20000", "bits"},
  };
  for (const auto& [text, expected] : rows) {
    INFO(text);
    CHECK_THROWS_MATCHES(
        locate(text, binary16), UsageError,
        Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(expected) &&
                                        !Catch::Matchers::ContainsSubstring("\n")));
  }
}

TEST_CASE("hostile expressions end quickly", "[oracle]") {
  const auto repeated = [](std::string_view part, std::size_t length) {
    std::string out;
    while (out.size() + part.size() <= length) out += part;
    return out;
  };
  CHECK_THROWS_AS(locate(std::string(5000, '('), binary16), UsageError);
  CHECK_THROWS_AS(locate(std::string(1000, '('), binary16), UsageError);
  CHECK_THROWS_AS(locate(std::string(1000, '-'), binary16), UsageError);
  CHECK_THROWS_AS(locate(repeated("9^9999/7^9999*", 990) + "1", binary16), UsageError);
  CHECK(nearest(repeated("7^-9999+", 990) + "1", binary16) == 0x3c00);
  CHECK_THROWS_AS(locate(repeated("sqrt(3^19999)*", 990) + "1", binary16), UsageError);
  CHECK(nearest(repeated("sqrt(3^19999)+", 990) + "1", binary16) == 0x7c00);
  CHECK(nearest(std::string(999, '9'), bfloat16) == bfloat16.infinity());
  CHECK(nearest("1e20000", binary64) == binary64.infinity());
  CHECK(nearest("-1e-20000", binary64) == binary64.sign_mask());
}

}  // namespace
}  // namespace halfulp::oracles
