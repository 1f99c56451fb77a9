#include "harness/value_text.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>

#include "harness/encoding.h"
#include "harness/error.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("values as encodings, decimals and hexadecimal floats") {
  CHECK(describe(0x3f7e, bfloat16) == "0x3f7e 0.9921875 0x1.fcp-1");
  CHECK(describe(0x6800, binary16) == "0x6800 2048 0x1p+11");
  CHECK(describe(0x41500001, binary32) == "0x41500001 13.000000953674316 0x1.a00002p+3");
  CHECK(describe(0x8000, binary16) == "0x8000 -0 -0x0p+0");
  CHECK(describe(0x7f80, bfloat16) == "0x7f80 inf inf");
  CHECK(describe(0xff80, bfloat16) == "0xff80 -inf -inf");
  CHECK(describe(0x7f, float8_e4m3fn) == "0x7f nan nan");
  CHECK(describe(0x01, toy_e4m3) == "0x01 0.001953125 0x1p-9");
  CHECK(describe(1, binary64) == "0x0000000000000001 5e-324 0x1p-1074");
  CHECK(describe(0x7fefffffffffffff, binary64) ==
        "0x7fefffffffffffff 1.7976931348623157e+308 0x1.fffffffffffffp+1023");
  CHECK(decimal(0x322bcc77, binary32) == "9.99999993922529e-09");
  CHECK(hex(0x12345, tf32) == "0x12345");
}

TEST_CASE("every half value reads back from its texts") {
  for (const Format& f : {binary16, bfloat16}) {
    for (std::uint64_t bits = 0; bits <= f.encoding_mask(); ++bits) {
      if (!is_finite(bits, f)) continue;
      REQUIRE(parse_encoding(hex(bits, f), f) == bits);
      REQUIRE(encode_exact(std::strtod(decimal(bits, f).c_str(), nullptr), f) == bits);
      REQUIRE(encode_exact(std::strtod(hex_float(bits, f).c_str(), nullptr), f) == bits);
    }
  }
}

TEST_CASE("bad encodings") {
  CHECK(parse_encoding("0xF", bfloat16) == 15);
  CHECK_THROWS_WITH(parse_encoding("0x10000", bfloat16), ContainsSubstring("too wide for bf16"));
  CHECK_THROWS_WITH(parse_encoding("0x" + std::string(100, '1'), binary64),
                    ContainsSubstring("too wide for f64, which has 64 bits"));
  for (const char* text : {"", "0x", "3f7e", "0x3g", "-0x1", "0x-1", "0x1.8", "0x 1"}) {
    CHECK_THROWS_AS(parse_encoding(text, bfloat16), UsageError);
  }
}

TEST_CASE("counts have thousands separators") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(8390655) == "8,390,655");
  CHECK(grouped(18437736874454810622u) == "18,437,736,874,454,810,622");
}

}  // namespace
}  // namespace halfulp
