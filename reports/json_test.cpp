#include "reports/json.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdlib>
#include <random>

#include "harness/error.h"

namespace halfulp {
namespace {

std::string refusal(std::string_view text, const JsonLimits& limits = {}) {
  try {
    parse_json(text, "f.json", 1, limits);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

bool is_refused(std::string_view text) { return refusal(text) != "accepted"; }

TEST_CASE("strict JSON is read as written") {
  const Json value = parse_json(R"( {"a": [1, -2, 0.5, true, null, "x\u00e9"], "b": {}} )", "f");
  CHECK(value["a"][1] == -2);
  CHECK(value["a"][2] == 0.5);
  CHECK(value["a"][5] == "x\xc3\xa9");
  CHECK(value["b"].is_object());
  CHECK(parse_json("9007199254740992", "f") == max_json_integer);
  CHECK(parse_json("-9007199254740992", "f").get<std::int64_t>() == -(std::int64_t{1} << 53));
}

TEST_CASE("whatever JSON readers disagree about is refused") {
  const std::string_view text = GENERATE(
      "", "NaN", "[NaN]", "Infinity", "-Infinity", "[1,]", "{\"a\":1,}", "01", "+1", ".5", "1.",
      "0x10", "'a'", "{a:1}", "[1] [2]", "[1]x", "// c\n1", "\"\x01\"", "\"\xff\"", "tru", "[", "{",
      "{\"a\"", "{\"a\":", "\"abc", "1e999", "-1e999", "9007199254740993", "-9007199254740993",
      "18446744073709551616", "-18446744073709551616", "123456789012345678901234567890");
  CAPTURE(text);
  CHECK(is_refused(text));
}

TEST_CASE("a NUL byte does not end the text") {
  CHECK(is_refused(std::string_view("{}\0", 3)));
  CHECK(is_refused(std::string_view("{}\0garbage", 10)));
}

TEST_CASE("messages name line and column") {
  CHECK(refusal("{\"a\": 1,\n \"a\": 2}") == "f.json:2:4: duplicate key 'a'");
  CHECK(refusal("[\n9007199254740993\n]").starts_with("f.json:2:"));
  CHECK(refusal("[1,\n2,\n?]").starts_with("f.json:3:1: syntax error"));
  CHECK(refusal("[1,\n2").starts_with("f.json:2:1: syntax error"));
  CHECK(refusal(std::string("[1, tru") + std::string(100'000, '\x07')).size() < 200);
}

TEST_CASE("limits of depth, values and duplicate keys hold at any depth") {
  const std::string deep(64, '[');
  CHECK(parse_json(deep + std::string(64, ']'), "f").is_array());
  CHECK(refusal(deep + "[").ends_with("nested deeper than 64 levels"));
  CHECK(refusal(std::string(8'000'000, '[')).ends_with("nested deeper than 64 levels"));
  CHECK(refusal("[1, 2, 3]", {.values = 3}).ends_with("more than 3 values"));
  CHECK(refusal(R"([{"x": {"k": 1, "l": [{}], "k": 2}}])").ends_with("duplicate key 'k'"));
  CHECK(parse_json(R"([{"k": 1}, {"k": {"k": 2}}])", "f").size() == 2);
}

TEST_CASE("files that are no files are refused") {
  CHECK_THROWS_AS(read_text_file("/"), UsageError);
  CHECK_THROWS_AS(read_text_file("/nonexistent/file"), UsageError);
  CHECK_THROWS_AS(read_text_file("/dev/zero", {.bytes = 1 << 20}), UsageError);
}

TEST_CASE("accessors check presence, type and spelling") {
  const Json value = parse_json(R"({"name": "x", "flag": true, "list": [1], "in": {}})", "f");
  const ObjectReader object(value, "f:1");
  CHECK(object.text("name") == "x");
  CHECK(object.boolean("flag"));
  CHECK(object.array("list").size() == 1);
  CHECK(object.object("in").where() == "f:1: 'in'");
  CHECK_THROWS_WITH(object.text("flag"), "f:1: 'flag' must be a string, not boolean");
  CHECK_THROWS_WITH(object.boolean("name"), "f:1: 'name' must be true or false, not string");
  CHECK_THROWS_WITH(object.array("name"), "f:1: 'name' must be a list, not string");
  CHECK_THROWS_WITH(object.at("none"), "f:1: missing key 'none'");
  CHECK_THROWS_WITH(object.object("list"), "f:1: 'list': expected an object, found array");
  CHECK_NOTHROW(object.allow_only({"name", "flag", "list", "in"}));
  CHECK_THROWS_WITH(object.allow_only({"name", "flags", "list", "in"}),
                    Catch::Matchers::StartsWith("f:1: unknown key 'flag'; did you mean 'flags'?"));
}

TEST_CASE("integers beyond 2^53 and non-finite numbers are written as strings") {
  CHECK(json_text(json_integer(9007199254740992)) == "9007199254740992\n");
  CHECK(json_text(json_integer(9007199254740993)) == "\"9007199254740993\"\n");
  CHECK(json_text(json_integer(18437736874454810622U)) == "\"18437736874454810622\"\n");
  CHECK(json_text(json_number(NAN)) == "\"nan\"\n");
  CHECK(json_text(json_number(-INFINITY)) == "\"-inf\"\n");
  CHECK(json_text(json_number(0)) == "0.0\n");
  CHECK(json_text(json_number(0.01171875)) == "0.01171875\n");
  CHECK(json_text(json_number(1e300)) == "1e+300\n");
}

TEST_CASE("doubles read back equal") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = json_text(json_number(value));
    REQUIRE(std::bit_cast<std::uint64_t>(parse_json(text, "f").get<double>()) ==
            std::bit_cast<std::uint64_t>(value));
  }
}

TEST_CASE("text fits its lines and stays JSON") {
  OrderedJson value = {{"z", 1}, {"a", {1, 2}}, {"empty", OrderedJson::array()}};
  CHECK(json_text(value) == "{\"z\": 1, \"a\": [1, 2], \"empty\": []}\n");
  value["long"] = std::string(90, 'x');
  value["bytes"] = "\xff\n\"";
  const std::string text = json_text(value);
  CHECK(text.starts_with("{\n  \"z\": 1,\n  \"a\": [1, 2],\n  \"empty\": [],\n  \"long\": \"xxx"));
  CHECK(parse_json(text, "f")["bytes"] == "\xef\xbf\xbd\n\"");
}

}  // namespace
}  // namespace halfulp
