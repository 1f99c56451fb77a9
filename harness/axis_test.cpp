#include "harness/axis.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "harness/error.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

std::vector<std::uint64_t> sizes(const Widths& widths) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < widths.size(); ++i) all.push_back(widths[i]);
  return all;
}

TEST_CASE("lists and ranges keep the order given") {
  const Widths widths = Widths::parse("3..9:3,300,1..2,8");
  CHECK(sizes(widths) == std::vector<std::uint64_t>{3, 6, 9, 300, 1, 2, 8});
  CHECK(widths.total() == 329);
  CHECK(sizes(Widths::parse("2..5:2")) == std::vector<std::uint64_t>{2, 4});
}

TEST_CASE("figures of large ranges need no expansion") {
  const Widths widths = Widths::parse("2..4096");
  CHECK(widths.size() == 4095);
  CHECK(widths.total() == 8390655);
  const Widths all = Widths::parse("1..16777216");
  CHECK(all.size() == 16777216);
  CHECK(all[16777215] == 16777216);
  CHECK(all.total() == 140737496743936);
  CHECK(Widths::parse("3..4095:2,8193,9001,32769").size() == 2050);
}

TEST_CASE("the canonical text reads back alike") {
  CHECK(Widths::parse("0300").text() == "300");
  CHECK(Widths::parse("5..5").text() == "5");
  CHECK(Widths::parse("2..4096:1,8193").text() == "2..4096,8193");
  CHECK(Widths::parse("2..4096:7").text() == "2..4096:7");
  CHECK(Widths::parse("2..5:100").text() == "2");
}

TEST_CASE("bad lists name the part and what would be right") {
  const auto rejects = [](const std::string& text, const char* why) {
    INFO(text.substr(0, 80));
    CHECK_THROWS_AS(Widths::parse(text), UsageError);
    CHECK_THROWS_WITH(Widths::parse(text), ContainsSubstring(why));
  };
  rejects("", "empty");
  rejects("0", "'0' is out of range: sizes go from 1 to 16777216");
  rejects("-3", "'-3' is negative");
  rejects("5..2", "'5..2' runs backwards: write 2..5");
  rejects("2..", "'2..' has no last size");
  rejects("..5", "'..5' has no first size");
  rejects("2..5:", "'2..5:' has no step");
  rejects("2..5:0", "'2..5:0' has a zero step");
  rejects("2..5:-1", "'2..5:-1' has no step");
  rejects("abc", "'abc' has no size");
  rejects("3,,4", "nothing between commas");
  rejects("3,", "nothing between commas");
  rejects("3, 4", "' 4' has no size");
  rejects("2...5", "'2...5' has no last size");
  rejects("1.5", "'1.5' has no size");
  rejects("1e3", "'1e3' has no size");
  rejects("16777217", "out of range");
  rejects("2..99999999999999999999999", "out of range");
  rejects("3,4,3", "'3' lists the size 3 a second time");
  rejects("2..100:2,3..99:3", "'3..99:3' lists the size 6 a second time");
  rejects("1..16777216,1..16777216", "lists the size 1 a second time");
  rejects("1..16777216,16777216", "lists the size 16777216 a second time");
}

TEST_CASE("overlapping ranges without a common size are not duplicates") {
  CHECK(Widths::parse("2..100:2,3..99:2").size() == 99);
  CHECK(Widths::parse("2..16777216:2,1..16777215:2").size() == 16777216);
}

TEST_CASE("very long texts are refused, quickly") {
  CHECK_THROWS_AS(Widths::parse(std::string(10'000'000, ',')), UsageError);
  CHECK_THROWS_AS(Widths::parse(std::string(10'000'000, '9')), UsageError);
  std::string many = "1";
  for (int i = 2; i <= 65537; ++i) many += "," + std::to_string(i);
  CHECK_THROWS_WITH(Widths::parse(many), ContainsSubstring("more than 65536 parts"));
}

}  // namespace
}  // namespace halfulp
