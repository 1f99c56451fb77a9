// Every encoding of the formats of at most 16 bits, every pair of the 8-bit ones.
#include "harness/encoding.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace halfulp {
namespace {

const std::vector<Format> byte_formats{float8_e4m3fn, float8_e4m3fn_saturating, float8_e5m2,
                                       toy_e4m3};
const std::vector<Format> small_formats{
    binary16, bfloat16, float8_e4m3fn, float8_e4m3fn_saturating, float8_e5m2, toy_e4m3};

std::uint64_t encodings(const Format& f) { return f.encoding_mask() + 1; }

/// How many encodings satisfy a law; the callers require all of them to. Counting keeps 65,536
/// assertions a law out of the test's output.
template <typename Law>
std::uint64_t failures(const Format& f, const Law& law) {
  std::uint64_t failed = 0;
  for (std::uint64_t bits = 0; bits < encodings(f); ++bits) {
    if (!law(bits)) ++failed;
  }
  return failed;
}

template <typename Law>
std::uint64_t failing_pairs(const Format& f, const Law& law) {
  return failures(f, [&](std::uint64_t a) {
    return is_nan(a, f) ||
           failures(f, [&](std::uint64_t b) { return is_nan(b, f) || law(a, b); }) == 0;
  });
}

TEST_CASE("decoding and encoding are inverse on every encoding") {
  for (const Format& f : small_formats) {
    INFO(short_name(f));
    CHECK(failures(f, [&](std::uint64_t bits) {
            if (is_nan(bits, f)) return std::isnan(to_double(bits, f));
            return encode_exact(to_double(bits, f), f) == bits;
          }) == 0);
    CHECK(failures(f, [&](std::uint64_t bits) {
            if (!is_finite(bits, f)) return true;
            const Decoded d = decode(bits, f);
            const double value = std::ldexp(static_cast<double>(d.significand), d.exponent);
            return value == std::fabs(to_double(bits, f)) && d.negative == is_negative(bits, f) &&
                   d.significand < (std::uint64_t{1} << f.precision) &&
                   (classify(bits, f) != Class::normal || d.significand >= f.min_normal());
          }) == 0);
  }
}

TEST_CASE("specials encode to the format's own") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Format& f : small_formats) {
    INFO(short_name(f));
    CHECK(encode_exact(std::nan(""), f) == f.quiet_nan());
    CHECK(encode_exact(-0.0, f) == f.sign_mask());
    CHECK(encode_exact(infinity, f) == (f.has_infinity() ? f.infinity() : f.quiet_nan()));
  }
}

TEST_CASE("ordinals are a bijection of the number line in the order of the values") {
  for (const Format& f : small_formats) {
    INFO(short_name(f));
    CHECK(failures(f, [&](std::uint64_t bits) {
            if (is_nan(bits, f)) return true;
            const std::uint64_t back = from_ordinal(ordinal(bits, f), f);
            return back == bits || (bits == f.sign_mask() && back == 0);
          }) == 0);
    CHECK(failures(f, [&](std::uint64_t bits) {
            return is_nan(bits, f) || ordinal(bits ^ f.sign_mask(), f) == -ordinal(bits, f);
          }) == 0);
  }
  for (const Format& f : byte_formats) {
    INFO(short_name(f));
    CHECK(failing_pairs(f, [&](std::uint64_t a, std::uint64_t b) {
            return (ordinal(a, f) <=> ordinal(b, f)) == (to_double(a, f) <=> to_double(b, f));
          }) == 0);
  }
}

TEST_CASE("next_up and next_down are inverse and leave nothing out") {
  for (const Format& f : small_formats) {
    INFO(short_name(f));
    CHECK(failures(f, [&](std::uint64_t bits) {
            const std::uint64_t up = next_up(bits, f);
            if (is_nan(bits, f) || up == bits) return up == bits;
            const std::uint64_t back = next_down(up, f);
            return steps_between(bits, back, f) == 0 && ordinal(up, f) == ordinal(bits, f) + 1 &&
                   to_double(up, f) > to_double(bits, f);
          }) == 0);
    CHECK(failures(f, [&](std::uint64_t bits) {
            return next_down(bits, f) ==
                   (is_nan(bits, f) ? bits : next_up(bits ^ f.sign_mask(), f) ^ f.sign_mask());
          }) == 0);
    const std::uint64_t top = f.has_infinity() ? f.infinity() : f.max_finite();
    CHECK(next_up(top, f) == top);
    CHECK(next_down(f.sign_mask() | top, f) == (f.sign_mask() | top));
    CHECK(next_up(f.sign_mask(), f) == f.min_subnormal());
  }
}

TEST_CASE("steps_between is a metric, and adds up along the line") {
  for (const Format& f : byte_formats) {
    INFO(short_name(f));
    CHECK(failing_pairs(f, [&](std::uint64_t a, std::uint64_t b) {
            const std::uint64_t steps = steps_between(a, b, f);
            return steps == steps_between(b, a, f) &&
                   (steps == 0) == (to_double(a, f) == to_double(b, f));
          }) == 0);
    CHECK(failing_pairs(f, [&](std::uint64_t a, std::uint64_t b) {
            if (ordinal(a, f) > ordinal(b, f)) return true;
            return failures(f, [&](std::uint64_t c) {
                     if (is_nan(c, f)) return true;
                     const std::uint64_t through = steps_between(a, c, f) + steps_between(c, b, f);
                     const bool between =
                         ordinal(a, f) <= ordinal(c, f) && ordinal(c, f) <= ordinal(b, f);
                     return between ? through == steps_between(a, b, f)
                                    : through > steps_between(a, b, f);
                   }) == 0;
          }) == 0);
  }
}

TEST_CASE("the longest and the shortest distances across zero") {
  constexpr std::uint64_t minus = binary64.sign_mask();
  CHECK(steps_between(minus | binary64.max_finite(), binary64.max_finite(), binary64) ==
        18437736874454810622u);
  CHECK(steps_between(minus | binary64.infinity(), binary64.infinity(), binary64) ==
        18437736874454810624u);
  for (const NamedFormat& row : all_formats()) {
    const Format& f = row.format;
    CHECK(steps_between(f.sign_mask() | 1, 1, f) == 2);
    CHECK(steps_between(f.sign_mask(), 0, f) == 0);
  }
}

std::map<Class, std::uint64_t> census(const Format& f) {
  std::map<Class, std::uint64_t> counts;
  for (std::uint64_t bits = 0; bits < encodings(f); ++bits) ++counts[classify(bits, f)];
  return counts;
}

TEST_CASE("how many encodings there are of each class") {
  using Census = std::map<Class, std::uint64_t>;
  const auto expected = [](std::uint64_t subnormal, std::uint64_t normal, std::uint64_t infinity,
                           std::uint64_t nan) {
    Census counts{{Class::zero, 2}, {Class::subnormal, subnormal}, {Class::normal, normal}};
    if (infinity != 0) counts[Class::infinity] = infinity;
    counts[Class::nan] = nan;
    return counts;
  };
  CHECK(census(binary16) == expected(2046, 61440, 2, 2046));
  CHECK(census(bfloat16) == expected(254, 65024, 2, 254));
  CHECK(census(float8_e4m3fn) == expected(14, 238, 0, 2));
  CHECK(census(float8_e5m2) == expected(6, 240, 2, 6));
  CHECK(census(toy_e4m3) == expected(14, 224, 2, 14));
}

TEST_CASE("the ulp is the gap to the next value of larger magnitude") {
  for (const Format& f : small_formats) {
    INFO(short_name(f));
    CHECK(failures(f, [&](std::uint64_t bits) {
            const std::uint64_t magnitude = bits & f.magnitude_mask();
            if (magnitude >= f.max_finite()) return true;
            const double gap = to_double(magnitude + 1, f) - to_double(magnitude, f);
            return std::ldexp(1.0, ulp_exponent(bits, f)) == gap;
          }) == 0);
  }
}

static_assert(next_up(0x3c00, binary16) == 0x3c01 &&
              classify(0x0001, binary16) == Class::subnormal);

}  // namespace
}  // namespace halfulp
