#include "harness/values.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "harness/error.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_negative_zero(double value) { return value == 0 && std::signbit(value); }

TEST_CASE("a list of values has numbers, ranges, infinities, NaN and zeros of both signs") {
  const std::vector<double> values = parse_values("1,2.5,-2..1,inf,+inf,-inf,-0,0,1/3,0x1p-1074");
  REQUIRE(values.size() == 13);
  CHECK(values[0] == 1);
  CHECK(values[1] == 2.5);
  CHECK(values[2] == -2);
  CHECK(values[5] == 1);
  CHECK(values[6] == infinity);
  CHECK(values[7] == infinity);
  CHECK(values[8] == -infinity);
  CHECK(is_negative_zero(values[9]));
  CHECK(std::bit_cast<std::uint64_t>(values[10]) == 0);
  CHECK(values[11] == 1.0 / 3);
  CHECK(values[12] == std::numeric_limits<double>::denorm_min());
  CHECK(std::isnan(parse_values("nan").front()));
  CHECK(values_size("1,2.5,-2..1,inf,+inf,-inf,-0,0,1/3,0x1p-1074") == 13);
}

TEST_CASE("every way to write a negative zero, and what only looks like one") {
  for (const std::string text : {"-0", "-0.0", "-.0", "-0e5", "-0/7", "-0x0p0"}) {
    INFO(text);
    CHECK(is_negative_zero(parse_value(text)));
  }
  CHECK(parse_value("-0.5") == -0.5);
  CHECK(parse_value("-.5") == -0.5);
  CHECK(parse_value("-0x1p-3") == -0.125);
  CHECK(parse_value("-0xep0") == -14);
  CHECK(is_negative_zero(parse_value("-1e-400")));  // rounded once to binary64
}

TEST_CASE("what is not a list of values is refused by name") {
  CHECK_THROWS_WITH(parse_values(""), ContainsSubstring("nothing between commas"));
  CHECK_THROWS_WITH(parse_values("1,,2"), ContainsSubstring("nothing between commas"));
  CHECK_THROWS_WITH(parse_values("1,"), ContainsSubstring("nothing between commas"));
  CHECK_THROWS_WITH(parse_values("1,abc"), ContainsSubstring("'abc'"));
  CHECK_THROWS_WITH(parse_values("1,--0"), ContainsSubstring("'--0'"));
  CHECK_THROWS_WITH(parse_values("1,Inf"), ContainsSubstring("'Inf'"));
  CHECK_THROWS_WITH(parse_values("1, 2"), ContainsSubstring("' 2'"));
  CHECK_THROWS_WITH(parse_values("inf..3"), ContainsSubstring("'inf'"));
  CHECK_THROWS_WITH(parse_values("3..1"), ContainsSubstring("'3..1'"));
  CHECK_THROWS_AS(parse_value("1,2"), UsageError);
  CHECK_THROWS_AS(parse_value(""), UsageError);
  CHECK_THROWS_AS(parse_value("1..2"), UsageError);
}

TEST_CASE("at most 2^24 values") {
  CHECK(values_size("1..16777216") == 16777216);
  CHECK_THROWS_WITH(values_size("1..16777216,nan"), ContainsSubstring("more than 16777216"));
  CHECK_THROWS_WITH(values_size("0..9223372036854775807"), ContainsSubstring("more than 16777216"));
}

}  // namespace
}  // namespace halfulp
