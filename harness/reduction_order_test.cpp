#include "harness/reduction_order.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/error.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Kind = ReductionOrder::Kind;
using Tail = ReductionOrder::Tail;

void check_rejected(const std::string& text, const std::string& message) {
  CAPTURE(text);
  CHECK_THROWS_MATCHES(parse_order(text), UsageError, MessageMatches(ContainsSubstring(message)));
}

/// `levels` orders, one within another.
std::string nested(int levels) {
  std::string text;
  for (int i = 1; i < levels; ++i) text += "narrowed(";
  text += "tree";
  for (int i = 1; i < levels; ++i) text += ')';
  return text;
}

}  // namespace

TEST_CASE("an order's text is read as a tree", "[order]") {
  CHECK(parse_order("sequential") == ReductionOrder{.kind = Kind::sequential});
  CHECK(parse_order("random:18446744073709551615") ==
        ReductionOrder{.kind = Kind::random, .size = 18446744073709551615u});
  const ReductionOrder sequential{.kind = Kind::sequential};
  const ReductionOrder tree{.kind = Kind::tree};
  CHECK(parse_order("lanes:8(sequential/tree)") ==
        ReductionOrder{.kind = Kind::lanes, .size = 8, .parts = {sequential, tree}});
  CHECK(parse_order("lanes:8:before:group=16(tree)") ==
        ReductionOrder{
            .kind = Kind::lanes, .tail = Tail::before, .size = 8, .group = 16, .parts = {tree}});
  CHECK(parse_order("halves:5:2(tree)") ==
        ReductionOrder{.kind = Kind::halves, .size = 5, .group = 2, .parts = {tree}});
  CHECK(
      parse_order("below:3(reversed(tree)/kahan)") ==
      ReductionOrder{.kind = Kind::below,
                     .size = 3,
                     .parts = {{.kind = Kind::reversed, .parts = {tree}}, {.kind = Kind::kahan}}});
}

TEST_CASE("an order's canonical text reads back", "[order]") {
  for (const std::string_view text :
       {"unmodelled",
        "any",
        "sequential",
        "reversed",
        "reversed(pairs)",
        "random:0",
        "random:7(pairwise)",
        "lanes:8",
        "lanes:8(sequential/tree)",
        "lanes:8(tree)",
        "lanes:4:first(cascade:4)",
        "lanes:4:before",
        "lanes:4:after:group=16(pairs/tree)",
        "blocks:4096(sequential/counter)",
        "halves:128:8",
        "halves:1:1(tree)",
        "pairs",
        "tree",
        "cascade:16",
        "counter",
        "counter(reversed)",
        "windows:32",
        "windows:2(pairs)",
        "below:8(sequential/warp)",
        "narrowed",
        "narrowed(kahan)",
        "kahan",
        "neumaier",
        "pairwise",
        "warp",
        "below:16(lanes:4:first(cascade:4)/lanes:8:before:group=16(tree))"}) {
    CAPTURE(text);
    CHECK(to_string(parse_order(text)) == text);
    CHECK(parse_order(to_string(parse_order(text))) == parse_order(text));
  }
  for (const ReductionOrder& order : sample_orders()) {
    CHECK(parse_order(to_string(order)) == order);
  }
}

TEST_CASE("what goes without saying makes no difference", "[order]") {
  for (const auto& [written, canonical] : std::vector<std::pair<std::string, std::string>>{
           {"reversed(sequential)", "reversed"},
           {"random:07(sequential)", "random:7"},
           {"lanes:8:own(sequential/sequential)", "lanes:8"},
           {"lanes:8(tree/sequential)", "lanes:8(tree)"},
           {"lanes:8:group=16", "lanes:8"},
           {"lanes:8:first:group=8", "lanes:8:first"},
           {"halves:128:8(lanes:8:after(sequential/pairs))", "pairwise"},
           {"blocks:2(lanes:32(pairs/tree)/tree)", "blocks:2(warp/tree)"}}) {
    CAPTURE(written);
    CHECK(parse_order(written) == parse_order(canonical));
    CHECK(to_string(parse_order(written)) == canonical);
  }
  CHECK(parse_order("lanes:8(tree)") != parse_order("lanes:8(sequential/tree)"));
  CHECK(parse_order("lanes:8:first:group=16") != parse_order("lanes:8:first"));
}

TEST_CASE("an unknown order names the nearest", "[order]") {
  check_rejected("sequental", "unknown order 'sequental'; did you mean 'sequential'?");
  check_rejected("lanes:8(sequential/tre)", "did you mean 'tree'?");
  check_rejected("Pairwise", "did you mean 'pairwise'?");
  check_rejected("kahn", "known: unmodelled, any, sequential");
  check_rejected("abracadabra", "unknown order 'abracadabra' (known");
}

TEST_CASE("senseless orders name the part", "[order]") {
  check_rejected("", "order: empty");
  check_rejected(" sequential", "' sequential'");
  check_rejected("sequential ", "'sequential '");
  check_rejected("lanes", "order 'lanes' lacks a number: write lanes:K");
  check_rejected("reversed(lanes/tree)", "'lanes' lacks a number");
  check_rejected("lanes:", "'' is no number");
  check_rejected("lanes:x", "'x' is no number");
  check_rejected("lanes:-4", "'-4' is no number");
  check_rejected("lanes:4.5", "'4.5' is no number");
  check_rejected("lanes:0", "'0' is out of range");
  check_rejected("blocks:0", "'0' is out of range");
  check_rejected("windows:1", "'1' is out of range");
  check_rejected("cascade:17", "'17' is out of range");
  check_rejected("lanes:4294967297", "is out of range");
  check_rejected("random:18446744073709551616", "is out of range");
  check_rejected("random", "lacks a number: write random:SEED");
  check_rejected("halves:128", "'halves:128' lacks M");
  check_rejected("halves:128:65", "M is at most (N + 1) / 2");
  check_rejected("halves:128:0", "'0' is out of range");
  check_rejected("lanes:8:last", "'last' is no tail");
  check_rejected("lanes:8:first:last", "'last' is no group");
  check_rejected("lanes:8:group=", "'group=' is no number");
  check_rejected("lanes:8:group=12", "no multiple of K");
  check_rejected("lanes:8:first:group=16:2", "left over");
  check_rejected("lanes:8:group=16:first", "left over");
  check_rejected("sequential:3", "':3' is left over at the end");
  check_rejected("sequential(tree)", "'(tree)' is left over at the end");
  check_rejected("pairwise(tree)", "left over");
  check_rejected("cascade:4(tree)", "left over");
}

TEST_CASE("malformed parts are named", "[order]") {
  check_rejected("lanes:8(", "'lanes:8(' ends where a part should begin");
  check_rejected("lanes:8()", "')' should begin with the name of an order");
  check_rejected("lanes:8(/tree)", "'/tree)' should begin with the name of an order");
  check_rejected("lanes:8(tree", "lacks a ')' at the end");
  check_rejected("lanes:8(tree/", "ends where a part should begin");
  check_rejected("lanes:8(tree))", "')' is left over");
  check_rejected("lanes:8(tree:1)", "':1)' should be '/' or ')'");
  check_rejected("lanes:8(tree/tree/tree)", "'lanes:8(tree/tree/' has too many parts");
  check_rejected("reversed(tree/tree)", "has too many parts: write reversed(part)");
  check_rejected("reversed(any)", "'any' stands alone");
  check_rejected("below:4(tree/unmodelled)", "'unmodelled' stands alone");
  check_rejected(std::string("tree") + '\0', "\\x00");
}

TEST_CASE("hostile depth and length are refused", "[order]") {
  CHECK(to_string(parse_order(nested(16))) == nested(16));
  check_rejected(nested(17), "is more than 16 levels deep");
  check_rejected(std::string(257, 'x'), "is longer than 256");
  check_rejected(std::string(1'000'000, '('), "is longer than 256");
  check_rejected(std::string(256, '('), "should begin with the name of an order");
  const std::string just_fits = "random:" + std::string(249, '0');
  CHECK(parse_order(just_fits) == ReductionOrder{.kind = Kind::random});
}

TEST_CASE("the orders of `any` are many, different and uncompensated", "[order]") {
  std::set<std::string> names;
  for (const ReductionOrder& order : sample_orders()) names.insert(to_string(order));
  CHECK(names.size() == sample_orders().size());
  for (const char* name : {"sequential", "reversed", "pairwise", "pairs", "warp", "cascade:4",
                           "lanes:8", "lanes:16(sequential/tree)", "random:1", "random:8"}) {
    CHECK(names.contains(name));
  }
  CHECK(std::ranges::none_of(names, [](const std::string& name) {
    return name.find("kahan") != std::string::npos || name.find("neumaier") != std::string::npos ||
           name == "any" || name == "unmodelled";
  }));
}

}  // namespace halfulp
