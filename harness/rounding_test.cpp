// Rounding against listing all values and picking the nearest, and against the hardware.
#include "harness/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cfenv>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/encoding.h"
#include "harness/oracle.h"

namespace halfulp {
namespace {

constexpr RoundingMode modes[] = {RoundingMode::to_nearest_even, RoundingMode::toward_zero,
                                  RoundingMode::upward, RoundingMode::downward,
                                  RoundingMode::to_odd};
const std::vector<Format> byte_formats{float8_e4m3fn, float8_e4m3fn_saturating, float8_e5m2,
                                       toy_e4m3};

/// Rounds by looking through all values of an 8-bit format. The value one spacing above the largest
/// finite one stands for overflow. Arithmetic on the doubles here is exact.
class Lister {
 public:
  explicit Lister(const Format& f) : format_(f) {
    for (std::uint64_t bits = 0; bits <= f.max_finite(); ++bits) {
      magnitudes_.push_back(to_double(bits, f));
    }
    const double spacing = std::ldexp(1.0, ulp_exponent(f.max_finite(), f));
    magnitudes_.push_back(magnitudes_.back() + spacing);
  }

  std::uint64_t round(double value, RoundingMode mode) const {
    const bool negative = std::signbit(value);
    const double x = std::fabs(value);
    const auto above = std::ranges::upper_bound(magnitudes_, x);
    if (above == magnitudes_.end()) return overflow(negative, mode);
    const auto upper = static_cast<std::uint64_t>(above - magnitudes_.begin());
    const std::uint64_t lower = upper - 1;
    const std::uint64_t magnitude =
        magnitudes_[lower] == x ? lower : pick(lower, x, negative, mode);
    if (magnitude > format_.max_finite()) return overflow(negative, mode);
    return sign(negative) | magnitude;
  }

 private:
  std::uint64_t sign(bool negative) const { return negative ? format_.sign_mask() : 0; }

  std::uint64_t pick(std::uint64_t lower, double x, bool negative, RoundingMode mode) const {
    const double below = x - magnitudes_[lower];
    const double above = magnitudes_[lower + 1] - x;
    const std::uint64_t even = lower + lower % 2;
    switch (mode) {
      case RoundingMode::to_nearest_even:
        return below < above ? lower : above < below ? lower + 1 : even;
      case RoundingMode::toward_zero:
        return lower;
      case RoundingMode::upward:
        return negative ? lower : lower + 1;
      case RoundingMode::downward:
        return negative ? lower + 1 : lower;
      case RoundingMode::to_odd:
        return lower % 2 == 1 ? lower : lower + 1;
    }
    return lower;
  }

  std::uint64_t overflow(bool negative, RoundingMode mode) const {
    const bool towards_zero = mode == RoundingMode::toward_zero || mode == RoundingMode::to_odd ||
                              mode == (negative ? RoundingMode::upward : RoundingMode::downward);
    if (towards_zero || format_.overflow == Overflow::saturate) {
      return sign(negative) | format_.max_finite();
    }
    return format_.overflow == Overflow::nan ? format_.quiet_nan()
                                             : sign(negative) | format_.infinity();
  }

  Format format_;
  std::vector<double> magnitudes_;
};

Dyadic dyadic(double value) {
  const Decoded d = decode(std::bit_cast<std::uint64_t>(value), binary64);
  return {.negative = d.negative, .significand = d.significand, .exponent = d.exponent};
}

TEST_CASE("every sum and product of two values of an 8-bit format, in every mode") {
  for (const Format& f : byte_formats) {
    const Lister lister(f);
    std::uint64_t failed = 0;
    for (std::uint64_t a = 0; a <= f.encoding_mask(); ++a) {
      for (std::uint64_t b = 0; b <= f.encoding_mask(); ++b) {
        if (!is_finite(a, f) || !is_finite(b, f)) continue;
        const double sum = to_double(a, f) + to_double(b, f);
        const double product = to_double(a, f) * to_double(b, f);
        for (const RoundingMode mode : modes) {
          if (round_dyadic(exact_sum(a, b, f), f, mode) != lister.round(sum, mode)) ++failed;
          if (round_dyadic(exact_product(a, b, f), f, mode) != lister.round(product, mode))
            ++failed;
        }
      }
    }
    INFO(short_name(f));
    CHECK(failed == 0);
  }
}

TEST_CASE("every value of 16 bits rounds into the 8-bit formats") {
  for (const Format& f : byte_formats) {
    const Lister lister(f);
    std::uint64_t failed = 0;
    for (const Format& from : {binary16, bfloat16}) {
      for (std::uint64_t bits = 0; bits <= from.encoding_mask(); ++bits) {
        if (!is_finite(bits, from)) continue;
        const double value = to_double(bits, from);
        for (const RoundingMode mode : modes) {
          if (round_dyadic(dyadic(value), f, mode) != lister.round(value, mode)) ++failed;
        }
      }
    }
    INFO(short_name(f));
    CHECK(failed == 0);
  }
}

TEST_CASE("a value of the format rounds to itself in every mode") {
  for (const Format& f : {binary16, bfloat16, tf32}) {
    std::uint64_t failed = 0;
    for (std::uint64_t bits = 0; bits <= f.encoding_mask(); ++bits) {
      if (!is_finite(bits, f)) continue;
      const Decoded d = decode(bits, f);
      for (const RoundingMode mode : modes) {
        if (round_dyadic({d.negative, d.significand, d.exponent}, f, mode) != bits) ++failed;
      }
    }
    INFO(short_name(f));
    CHECK(failed == 0);
  }
}

std::uint64_t nearest(const Dyadic& value, const Format& f) {
  return round_dyadic(value, f, RoundingMode::to_nearest_even);
}

TEST_CASE("traps: a second rounding, or a sticky bit forgotten") {
  CHECK(nearest(dyadic(1 + 0x1p-11 + 0x1p-40), binary16) == 0x3c01);
  CHECK(nearest(dyadic(1 + 0x1p-11), binary16) == 0x3c00);
  CHECK(nearest(dyadic(1 + 0x1p-8 + 0x1p-40), bfloat16) == 0x3f81);
  CHECK(nearest({.significand = (1ull << 51) - (1ull << 40) - 1, .exponent = -65}, binary16) ==
        0x03ff);
  CHECK(nearest({.significand = 16973823}, bfloat16) == 0x4b81);
  CHECK(nearest({.significand = 259, .sticky = true}, bfloat16) == 0x4382);
  // 7 * 37 - 2^-100 in bfloat16 and 4097 * 4097 + 2^-30 in binary32.
  CHECK(nearest({.significand = ((unsigned __int128){259} << 100) - 1, .exponent = -100},
                bfloat16) == 0x4381);
  CHECK(nearest({.significand = (std::uint64_t{4097 * 4097} << 30) + 1, .exponent = -30},
                binary32) == 0x4b801001);
}

TEST_CASE("overflow of the 8-bit formats") {
  CHECK(nearest(dyadic(464), float8_e4m3fn) == 0x7e);
  CHECK(nearest(dyadic(double{std::nextafter(464.0f, 1000.0f)}), float8_e4m3fn) == 0x7f);
  CHECK(nearest(dyadic(-465), float8_e4m3fn) == 0x7f);
  CHECK(nearest(dyadic(double{std::nextafter(464.0f, 1000.0f)}), float8_e4m3fn_saturating) == 0x7e);
  CHECK(nearest(dyadic(-1e300), float8_e4m3fn_saturating) == 0xfe);
  CHECK(nearest(dyadic(61439), float8_e5m2) == 0x7b);
  CHECK(nearest(dyadic(61440), float8_e5m2) == 0x7c);
  CHECK(nearest(dyadic(-61440), float8_e5m2) == 0xfc);
  CHECK(round_dyadic(dyadic(1e300), float8_e4m3fn, RoundingMode::toward_zero) == 0x7e);
  CHECK(round_dyadic(dyadic(1e300), binary16, RoundingMode::to_odd) == 0x7bff);
  CHECK(round_dyadic(dyadic(-1e300), binary16, RoundingMode::upward) == 0xfbff);
}

TEST_CASE("underflow keeps the sign") {
  const Dyadic tiny{.negative = true, .significand = 1, .exponent = -5000};
  CHECK(nearest(tiny, binary16) == 0x8000);
  CHECK(round_dyadic(tiny, binary16, RoundingMode::downward) == 0x8001);
  CHECK(round_dyadic(tiny, binary16, RoundingMode::to_odd) == 0x8001);
  CHECK(nearest({.negative = true}, binary16) == 0x8000);
  CHECK(nearest({.significand = 0, .exponent = -40, .sticky = true}, binary16) == 0);
  CHECK(round_dyadic({.significand = 0, .exponent = -40, .sticky = true}, binary16,
                     RoundingMode::upward) == 1);
}

/// A random finite double whose exponent is near that of `near`, or anywhere.
double random_double(std::mt19937_64& random, std::optional<double> near) {
  const std::uint64_t bits = random();
  const auto biased =
      near ? (std::bit_cast<std::uint64_t>(*near) >> 52 & 0x7ff) + (bits >> 55) - 256 : bits >> 52;
  const double value =
      std::bit_cast<double>((bits & 0x800fffffffffffff) | ((biased & 0x7ff) << 52));
  return std::isfinite(value) ? value : 1.0;
}

TEST_CASE("binary64 and binary32 against the hardware, in its four modes") {
  constexpr std::pair<int, RoundingMode> pairs[] = {{FE_TONEAREST, RoundingMode::to_nearest_even},
                                                    {FE_TOWARDZERO, RoundingMode::toward_zero},
                                                    {FE_UPWARD, RoundingMode::upward},
                                                    {FE_DOWNWARD, RoundingMode::downward}};
  std::mt19937_64 random(20240501);
  std::uint64_t failed = 0;
  for (int i = 0; i < 200'000; ++i) {
    volatile double a = random_double(random, std::nullopt);
    volatile double b = random_double(random, i % 2 == 0 ? std::optional<double>(a) : std::nullopt);
    if (i % 4 == 0) b = std::ldexp(b, -std::ilogb(a));  // products near one
    if (std::isinf(b)) continue;
    const auto x = std::bit_cast<std::uint64_t>(double{a});
    const auto y = std::bit_cast<std::uint64_t>(double{b});
    for (const auto& [hardware, mode] : pairs) {
      std::fesetround(hardware);
      volatile double sum = a + b;
      volatile double product = a * b;
      volatile auto narrow = static_cast<float>(a);
      std::fesetround(FE_TONEAREST);
      const auto differs = [&](const Dyadic& exact, double result) {
        return exact.significand != 0 &&
               round_dyadic(exact, binary64, mode) != std::bit_cast<std::uint64_t>(result);
      };
      if (differs(exact_sum(x, y, binary64), sum)) ++failed;
      if (differs(exact_product(x, y, binary64), product)) ++failed;
      if (round_dyadic(dyadic(a), binary32, mode) != std::bit_cast<std::uint32_t>(float{narrow})) {
        ++failed;
      }
    }
  }
  CHECK(failed == 0);
}

TEST_CASE("exact sums of distant operands keep what lies below as a sticky bit") {
  const auto one = std::bit_cast<std::uint64_t>(1.0);
  const auto tiny = std::bit_cast<std::uint64_t>(0x1p-1074);
  const auto minus_tiny = tiny | binary64.sign_mask();
  CHECK(round_dyadic(exact_sum(one, tiny, binary64), binary64, RoundingMode::upward) == one + 1);
  CHECK(round_dyadic(exact_sum(minus_tiny, one, binary64), binary64, RoundingMode::downward) ==
        one - 1);
  CHECK(nearest(exact_sum(one, minus_tiny, binary64), binary64) == one);
  CHECK(nearest(exact_sum(one, one ^ binary64.sign_mask(), binary64), binary64) == 0);
  CHECK(nearest(exact_sum(binary64.sign_mask(), binary64.sign_mask(), binary64), binary64) ==
        binary64.sign_mask());
}

/// Within the format's range, beyond both ends of it, or near a midpoint of two of its values.
Dyadic random_dyadic(std::mt19937_64& random, const Format& f) {
  const auto range = static_cast<unsigned>(f.emax() - f.min_subnormal_exponent() + 8);
  Dyadic value{.negative = random() % 2 == 0, .significand = random() >> (1 + random() % 63)};
  value.exponent = f.min_subnormal_exponent() - 40 + static_cast<int>(random() % range);
  if (random() % 2 == 0 && f.precision < 53) {
    value.significand = ((random() & f.fraction_mask()) | f.min_normal()) * 2 + random() % 2;
    value.significand = (value.significand << 9) + random() % 3 - 1;
  }
  return value;
}

TEST_CASE("the oracle, which compares distances, rounds every dyadic value alike") {
  std::mt19937_64 random(20240502);
  for (const NamedFormat& row : all_formats()) {
    std::uint64_t failed = 0;
    for (int i = 0; i < 4000; ++i) {
      const Dyadic value = random_dyadic(random, row.format);
      const std::string text =
          fmt::format("{}{} * 2^{}", value.negative ? "-" : "",
                      static_cast<std::uint64_t>(value.significand), value.exponent);
      for (const RoundingMode mode : modes) {
        if (value.significand == 0) continue;
        const std::uint64_t expected = round_expression(text, row.format, mode).bits;
        if (round_dyadic(value, row.format, mode) != expected) ++failed;
      }
    }
    INFO(row.short_name);
    CHECK(failed == 0);
  }
}

}  // namespace
}  // namespace halfulp
