#include <CLI/CLI.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "harness/commands.h"
#include "harness/error.h"
#include "harness/ulp_text.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string text(const std::vector<std::string>& values, const Format& format) {
  return ulp_text(values, format);
}

TEST_CASE("an encoding: its value, class, neighbours and spacing") {
  CHECK(text({"0x3f7e"}, bfloat16) ==
        "input         0x3f7e\n"
        "dtype         bf16\n"
        "encoding      0x3f7e\n"
        "decimal       0.9921875\n"
        "hex_float     0x1.fcp-1\n"
        "class         normal\n"
        "previous      0x3f7d 0.98828125 0x1.fap-1\n"
        "next          0x3f7f 0.99609375 0x1.fep-1\n"
        "ulp           0.00390625\n");
}

TEST_CASE("a number that is not a value: neighbours, and which side of their midpoint") {
  const std::string above = text({"1 + 2^-11 + 2^-40"}, binary16);
  CHECK_THAT(above, ContainsSubstring("encoding      0x3c01\n"));
  CHECK_THAT(above, ContainsSubstring("lower         0x3c00 1 0x1p+0\n"));
  CHECK_THAT(above, ContainsSubstring("upper         0x3c01 1.0009765625 0x1.004p+0\n"));
  CHECK_THAT(above, ContainsSubstring("side          above\n"));
  CHECK_THAT(above, ContainsSubstring("from_midpoint 9.313225746154785e-10\n"));
  const std::string tie = text({"1 + 2^-11"}, binary16);
  CHECK_THAT(tie, ContainsSubstring("encoding      0x3c00\n"));
  CHECK_THAT(tie, ContainsSubstring("side          tie\n"));
  const std::string below = text({"-0.1"}, bfloat16);
  CHECK_THAT(below, ContainsSubstring("exact         -1/10\n"));
  CHECK_THAT(below, ContainsSubstring("encoding      0xbdcd\n"));
  CHECK_THAT(below, ContainsSubstring("side          below\n"));
}

TEST_CASE("a number that is a value has no rounding to report") {
  const std::string half = text({"0.5"}, binary16);
  CHECK_THAT(half, ContainsSubstring("encoding      0x3800\n"));
  CHECK_THAT(half, !ContainsSubstring("side"));
}

TEST_CASE("the ends of the number line") {
  CHECK_THAT(text({"inf"}, binary16), ContainsSubstring("next          none\n"));
  CHECK_THAT(text({"inf"}, binary16), ContainsSubstring("previous      0x7bff 65504"));
  CHECK_THAT(text({"0x7e"}, float8_e4m3fn), ContainsSubstring("next          none\n"));
  CHECK_THAT(text({"nan"}, float8_e4m3fn), ContainsSubstring("class         nan\n"));
  CHECK_THAT(text({"inf"}, float8_e4m3fn), !ContainsSubstring("side"));
  CHECK_THAT(text({"1/0"}, binary16), ContainsSubstring("encoding      0x7c00\n"));
  CHECK_THAT(text({"1e10"}, binary16), ContainsSubstring("encoding      0x7c00\n"));
  CHECK_THAT(text({"464"}, float8_e4m3fn), ContainsSubstring("encoding      0x7e\n"));
  CHECK_THAT(text({"0x0000000000000001"}, binary64),
             ContainsSubstring("class         subnormal\n"));
}

TEST_CASE("distances of consecutive values") {
  const std::string three = text({"0x3f7e", "1", "0x3f82"}, bfloat16);
  CHECK_THAT(three, ContainsSubstring("from          0x3f7e 0.9921875 0x1.fcp-1\n"
                                      "to            0x3f80 1 0x1p+0\n"
                                      "steps         2\n"
                                      "ulps          1\n"));
  CHECK_THAT(three, ContainsSubstring("to            0x3f82 1.015625 0x1.04p+0\n"
                                      "steps         2\n"
                                      "ulps          2\n"));
  const std::string ends = text({"0xffefffffffffffff", "0x7fefffffffffffff"}, binary64);
  CHECK_THAT(ends, ContainsSubstring("steps         18437736874454810622\n"));
  CHECK_THAT(ends, ContainsSubstring("ulps          1.8014398509481982e+16\n"));
  CHECK_THAT(text({"0x8001", "0x0001"}, binary16), ContainsSubstring("steps         2\n"));
  CHECK_THAT(text({"nan", "1"}, binary16), ContainsSubstring("steps         none"));
}

TEST_CASE("bad values") {
  CHECK_THROWS_WITH(text({"0x10000"}, bfloat16), ContainsSubstring("too wide for bf16"));
  CHECK_THROWS_AS(text({"0x1.8"}, bfloat16), UsageError);
  CHECK_THROWS_AS(text({"one"}, bfloat16), UsageError);
  CHECK_THROWS_AS(text({""}, bfloat16), UsageError);
}

/// Parses a command line up to the chosen action, which is not run.
void parse(std::vector<std::string> arguments, CommandContext& context) {
  CLI::App app;
  add_ulp_command(app, context);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  app.parse(reversed);
}

TEST_CASE("negative numbers can be given with and without --") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"ulp", "-0.1"},
                                                    {"ulp", "--dtype", "f16", "-0.1", "0.1"},
                                                    {"ulp", "-1/3", "--dtype", "f16"},
                                                    {"ulp", "--dtype", "f16", "--", "-inf"}}) {
    CommandContext context;
    CHECK_NOTHROW(parse(arguments, context));
    CHECK(context.action);
  }
  CommandContext context;
  CHECK_THROWS_AS(parse({"ulp"}, context), CLI::ParseError);
}

TEST_CASE("an unknown dtype suggests the nearest") {
  CommandContext context;
  parse({"ulp", "1", "--dtype", "bf61"}, context);
  CHECK_THROWS_WITH(context.action(), ContainsSubstring("did you mean 'bf16'?"));
}

}  // namespace
}  // namespace halfulp
