#include "harness/format.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>

#include "harness/encoding.h"
#include "harness/error.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

struct Facts {
  Format format;
  double max_finite;
  double min_normal;
  double min_subnormal;
  std::uint64_t one;
};

TEST_CASE("derived figures of every format agree with its definition") {
  const Facts all[] = {
      {binary64, std::numeric_limits<double>::max(), 0x1p-1022, 0x1p-1074, 0x3ff0000000000000},
      {binary32, double{std::numeric_limits<float>::max()}, 0x1p-126, 0x1p-149, 0x3f800000},
      {tf32, 0x1.ffcp127, 0x1p-126, 0x1p-136, 0x1fc00},
      {binary16, 65504, 0x1p-14, 0x1p-24, 0x3c00},
      {bfloat16, 0x1.fep127, 0x1p-126, 0x1p-133, 0x3f80},
      {float8_e4m3fn, 448, 0x1p-6, 0x1p-9, 0x38},
      {float8_e4m3fn_saturating, 448, 0x1p-6, 0x1p-9, 0x38},
      {float8_e5m2, 57344, 0x1p-14, 0x1p-16, 0x3c},
      {toy_e4m3, 240, 0x1p-6, 0x1p-9, 0x38},
  };
  REQUIRE(std::size(all) == all_formats().size());
  for (const Facts& facts : all) {
    const Format& f = facts.format;
    INFO(short_name(f));
    CHECK(to_double(f.max_finite(), f) == facts.max_finite);
    CHECK(to_double(f.min_normal(), f) == facts.min_normal);
    CHECK(to_double(f.min_subnormal(), f) == facts.min_subnormal);
    CHECK(to_double(facts.one, f) == 1);
    CHECK(std::ilogb(facts.max_finite) == f.emax());
    CHECK(std::ilogb(facts.min_normal) == f.emin());
    CHECK(std::ilogb(facts.min_subnormal) == f.min_subnormal_exponent());
    CHECK(classify(f.quiet_nan(), f) == Class::nan);
    if (f.has_infinity()) CHECK(classify(f.infinity(), f) == Class::infinity);
  }
}

TEST_CASE("formats are found by both names, and names are distinct") {
  for (const NamedFormat& row : all_formats()) {
    CHECK(find_format(row.short_name)->format == row.format);
    CHECK(find_format(row.name)->format == row.format);
    CHECK(parse_format(row.name) == row.format);
    CHECK(short_name(row.format) == row.short_name);
  }
  CHECK(!find_format("half"));
  CHECK(short_name(Format{5, 5, 15, Specials::ieee, Overflow::infinity}) == "?");
}

TEST_CASE("an unknown dtype is answered with the nearest") {
  CHECK_THROWS_WITH(parse_format("BF61"), ContainsSubstring("did you mean 'bf16'?"));
  CHECK_THROWS_AS(parse_format(""), UsageError);
}

}  // namespace
}  // namespace halfulp
