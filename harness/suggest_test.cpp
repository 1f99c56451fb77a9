#include "harness/suggest.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace halfulp {
namespace {

const std::vector<std::string_view> known{
    "eager-cpu", "inductor-cpu", "inductor-cpu-dynamic", "fused-fp32", "bf16", "f16", ""};

TEST_CASE("the nearest name, if one is near") {
  CHECK(nearest_name("eager-cpu", known) == "eager-cpu");
  CHECK(nearest_name("eagre-cpu", known) == "eager-cpu");
  CHECK(nearest_name("eagercpu", known) == "eager-cpu");
  CHECK(nearest_name("BF61", known) == "bf16");
  CHECK(nearest_name("inductor-cpu-dynamik", known) == "inductor-cpu-dynamic");
  CHECK(nearest_name("fused", known) == "fused-fp32");
  CHECK(nearest_name("cuda", known).empty());
  CHECK(nearest_name("", known).empty());
  CHECK(nearest_name(std::string(1'000'000, 'e'), known).empty());
  CHECK(nearest_name("x", {}).empty());
}

TEST_CASE("ties go to the first name in the list") {
  const std::vector<std::string_view> names{"abcd", "abce"};
  CHECK(nearest_name("abcf", names) == "abcd");
}

TEST_CASE("the message names what was given, the nearest and all known") {
  const std::vector<std::string_view> names{"f16", "bf16"};
  CHECK(unknown_name("dtype", "bf61", names) ==
        "unknown dtype 'bf61'; did you mean 'bf16'? (known: f16, bf16)");
  CHECK(unknown_name("dtype", "posit", names) == "unknown dtype 'posit' (known: f16, bf16)");
}

TEST_CASE("quoted input stays on one short line") {
  CHECK(in_quotes("a b") == "'a b'");
  CHECK(in_quotes("a\nb\x80") == "'a\\x0ab\\x80'");
  CHECK(in_quotes(std::string(70, 'x')) == "'" + std::string(60, 'x') + "...'");
}

}  // namespace
}  // namespace halfulp
