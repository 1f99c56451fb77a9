#include "harness/exact_number.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>
#include <limits>
#include <random>

#include "harness/error.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Known {
  ExactNumber number;
  double value;
};

// Random parts; the values are those of CPython 3.11's integer division, which rounds once:
// from fractions import Fraction as F; f = F(n, d) * F(2)**b * F(10)**e; f.numerator /
// f.denominator
const Known python[] = {
    {{111013882591, 1, 829, 0}, 0x1.9d8f16adf0000p865},
    {{-1399285261, 211351947417901, -1051, 0}, -0x0.0000000000038p-1022},
    {{6694808586877392117, 1, 593, 0}, 0x1.73a2f3c1b03f5p655},
    {{10024191316240624, 2577, -1065, 0}, 0x0.7135c781d892dp-1022},
    {{23306848631084583, 1, 717, 0}, 0x1.4b35d245f558ap771},
    {{-18204768386135205, 12254778440, -1047, 0}, -0x0.0b556a0963628p-1022},
    {{-3226263500440, 28, -1109, 0}, -0x0.0000000000003p-1022},
    {{-6674741644254649, 66048134101382, 1168, -400}, -0x1.d9b1bc03dccb9p-155},
    {{739466019150, 7106821628136665677, -1010, 0}, 0x0.001bee45ffe21p-1022},
    {{-34478632, 1, 247, 0}, -0x1.070d140000000p272},
    {{5358177844328, 26295106, 0, 0}, 0x1.8dfd7549f1c6bp17},
    {{-231355119380012, 1109345251993983162, 1070, -400}, -0x1.0041e99dc8bd1p-271},
    {{-953235605166578771, 1, 217, 0}, -0x1.a752577026ab9p276},
    {{-28447670569, 644089601, -475, -176}, -0x0.00000000dfb8cp-1022},
    {{32642000629388886, 1, 0, -228}, 0x1.5fa4f65ab93f7p-703},
    {{-1410, 5, 960, -400}, -0x1.4a74ada927184p-361},
    {{-5700593760381, 1, 118, 0}, -0x1.4bd1776e1f400p160},
    {{117941, 1, 0, -322}, 0x0.0000000246cd0p-1022},
    {{36, 378282265, -1041, 0}, 0x0.0000000000331p-1022},
    {{-17599634465175963, 17167, 1158, -400}, -0x1.17b6afedd5e65p-131},
    {{3752216349838, 35374633152661, 0, 0}, 0x1.b27750f764ab8p-4},
    {{27, 961729, 0, 0}, 0x1.d702c9abe403ep-16},
    {{-8666738131730443, 1695, 348, -400}, -0x1.5cc351710f568p-939},
    {{830684, 1, 573, 0}, 0x1.959b800000000p592},
    {{-75825060, 1, 1096, 0}, -infinity},
    {{536479575039, 1, 987, 0}, infinity},
    {{-6, 11520661, -1084, 0}, -0x0.0p0},
    {{-218062000636701736, 48333028506, -1125, 0}, -0x0.0p0},
    {{-1399285261, 211351947417901, -1051, 0}, -0x0.0000000000038p-1022},
    {{10024191316240624, 2577, -1065, 0}, 0x0.7135c781d892dp-1022},
    {{-18204768386135205, 12254778440, -1047, 0}, -0x0.0b556a0963628p-1022},
    {{-3226263500440, 28, -1109, 0}, -0x0.0000000000003p-1022},
    {{739466019150, 7106821628136665677, -1010, 0}, 0x0.001bee45ffe21p-1022},
    {{-28447670569, 644089601, -475, -176}, -0x0.00000000dfb8cp-1022},
};

TEST_CASE("any exact number is rounded once to binary64, as Python does") {
  for (const auto& [number, value] : python) {
    INFO(to_string(number));
    CHECK(std::bit_cast<std::uint64_t>(to_double(number)) == std::bit_cast<std::uint64_t>(value));
  }
}

TEST_CASE("texts and the values that Python gives them") {
  const auto value = [](std::string_view text) { return to_double(parse_exact_number(text)); };
  CHECK(value("0.1") == 0.1);
  CHECK(value("-12") == -12);
  CHECK(value("1e-8") == 1e-8);
  CHECK(value("+.5") == 0.5);
  CHECK(value("5.") == 5);
  CHECK(value("2/3") == 2.0 / 3);
  CHECK(value("0x1.8p-3") == 0.1875);
  CHECK(value("0X.8P+1") == 1);
  CHECK(value("9007199254740993") == 9007199254740992);
  CHECK(value("9007199254740993/2") == 4503599627370496);
  CHECK(value("27021597764222977/3") == 9007199254740992);
  CHECK(value("5e-324") == 0x1p-1074);
  CHECK(value("2.4703282292062327e-324") == 0);
  CHECK(value("2.4703282292062328e-324") == 0x1p-1074);
  CHECK(value("1.7976931348623158e308") == 0x1.fffffffffffffp1023);
  CHECK(value("1.7976931348623159e308") == infinity);
  CHECK(value("-1e400") == -infinity);
  CHECK(value("0x1p-1075") == 0);
  CHECK(value("0x3p-1075") == 0x1p-1073);
  CHECK(value("2/3*2^-5*10^7") == 2e7 / 96);
  CHECK(value("-9223372036854775808") == -0x1p63);
}

TEST_CASE("reading gives the canonical form") {
  const auto read = [](std::string_view text) { return parse_exact_number(text); };
  CHECK(read("1e3") == exact(1000));
  CHECK(read("0x1.8p3") == exact(12));
  CHECK(read("4/2") == exact(2));
  CHECK(read("0e300") == exact(0));
  CHECK(read("0000000000000000000000000012") == exact(12));
  CHECK(read("1.00000000000000000000000000") == exact(1));
  CHECK(read("0.30") == ExactNumber{.numerator = 3, .decimal_exponent = -1});
  CHECK(read("-20/40") == ExactNumber{.numerator = -1, .denominator = 2});
  CHECK(read("0xcp-6") == ExactNumber{.numerator = 3, .binary_exponent = -4});
  CHECK(read("120e20") == ExactNumber{.numerator = 12, .decimal_exponent = 21});
  CHECK(read("100/3") == ExactNumber{.numerator = 100, .denominator = 3});
}

TEST_CASE("text is canonical and short") {
  for (const std::string_view text : {"0",
                                      "-12",
                                      "0.3",
                                      "0.00001",
                                      "1e-6",
                                      "1.5e-7",
                                      "1e-8",
                                      "12.5",
                                      "2/3",
                                      "-7/3",
                                      "0x1.8p-3",
                                      "-0x1p-1074",
                                      "0x1.fffffffffffffp1023",
                                      "1e21",
                                      "1.2e22",
                                      "5/3*2^-5*10^7",
                                      "3*2^-5*10^-7",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "1e400",
                                      "0x1.fffffffffffffffcp0"}) {
    CHECK(to_string(parse_exact_number(text)) == text);
  }
  CHECK(to_string({.numerator = 6, .denominator = 4}) == "3/2");
  CHECK(to_string({.numerator = 5, .binary_exponent = 1, .decimal_exponent = 1}) == "100");
}

TEST_CASE("what is written is read back") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto part = [&] { return static_cast<std::int64_t>(random() >> (1 + random() % 63)); };
    const auto exponent = [&](int limit) {
      return static_cast<std::int32_t>(random() % static_cast<unsigned>(2 * limit + 1)) - limit;
    };
    const ExactNumber number{.numerator = i % 2 == 0 ? part() : -part(),
                             .denominator = i % 3 == 0 ? 1 : part() + (part() == 0 ? 1 : 0) + 1,
                             .binary_exponent = i % 5 < 2 ? 0 : exponent(1100),
                             .decimal_exponent = i % 7 < 3 ? 0 : exponent(370)};
    if (number.denominator < 1) continue;
    const ExactNumber back = parse_exact_number(to_string(number));
    REQUIRE(std::bit_cast<std::uint64_t>(to_double(back) + 0.0) ==
            std::bit_cast<std::uint64_t>(to_double(number) + 0.0));
    REQUIRE(parse_exact_number(to_string(back)) == back);
  }
}

TEST_CASE("bad numbers say what is wrong") {
  const auto rejects = [](const std::string& text, const char* why) {
    INFO(text.substr(0, 80));
    CHECK_THROWS_AS(parse_exact_number(text), UsageError);
    CHECK_THROWS_WITH(parse_exact_number(text), ContainsSubstring(why));
  };
  rejects("", "empty");
  rejects("abc", "not a number");
  rejects("nan", "not a number");
  rejects("inf", "not a number");
  rejects("--3", "not a number");
  rejects(".", "not a number");
  rejects("1e", "no digits in its exponent");
  rejects("1e+-3", "no digits in its exponent");
  rejects("1.2.3", "trailing characters '.3'");
  rejects("3 ", "trailing characters");
  rejects("1/2/3", "trailing characters '/3'");
  rejects("1/0", "zero denominator");
  rejects("1/", "not a number");
  rejects("1/2.5", "denominator that is not an integer");
  rejects("1.5/2", "trailing characters '/2'");
  rejects("0x12", "without an exponent");
  rejects("0xp3", "not a number");
  rejects("1e401", "decimal exponent beyond");
  rejects("1e-99999999999999999999999", "decimal exponent beyond");
  rejects("0x1p-1201", "binary exponent beyond");
  rejects("12345678901234567891", "more significant digits");
  rejects("0x1ffffffffffffffffp0", "more significant digits");
  rejects("1" + std::string(1'000'000, '0'), "decimal exponent beyond");
  rejects(std::string(1'000'000, '9'), "more significant digits");
  rejects("1/1" + std::string(1'000'000, '0'), "more significant digits");
  rejects(std::string("1\0002", 3), "trailing characters '\\x002'");
}

TEST_CASE("lists of numbers and integer ranges") {
  const auto numbers = parse_number_list("1,2.5,-1..2");
  REQUIRE(numbers.size() == 6);
  CHECK(numbers[1] == parse_exact_number("2.5"));
  CHECK(numbers[2] == exact(-1));
  CHECK(numbers[5] == exact(2));
  CHECK(number_list_size("1..16777216") == 16777216);
  CHECK_THROWS_WITH(number_list_size("0..16777216"), ContainsSubstring("more than 16777216"));
  CHECK_THROWS_WITH(number_list_size("-9223372036854775808..9223372036854775807"),
                    ContainsSubstring("more than 16777216"));
  CHECK_THROWS_WITH(number_list_size("1,,2"), ContainsSubstring("nothing between commas"));
  CHECK_THROWS_WITH(number_list_size(""), ContainsSubstring("nothing between commas"));
  CHECK_THROWS_WITH(number_list_size("5..2"), ContainsSubstring("write 2..5"));
  CHECK_THROWS_WITH(number_list_size("0.5..2"), ContainsSubstring("not a range of integers"));
  CHECK_THROWS_WITH(number_list_size("1,x"), ContainsSubstring("'x' is not a number"));
}

}  // namespace
}  // namespace halfulp
