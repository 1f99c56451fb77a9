#include "oracles/exact_value.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "harness/backend.h"

namespace halfulp::oracles {
namespace {

using boost::multiprecision::cpp_rational;

cpp_rational to_rational(const Fraction& x) {
  const auto [n, d] = x.parts();
  return cpp_rational(boost::multiprecision::cpp_int(n), boost::multiprecision::cpp_int(d));
}

ExactValue ratio(std::int64_t n, std::int64_t d) { return ExactValue(Fraction(n, d)); }
ExactValue integer(std::int64_t n) { return ExactValue(n); }

TEST_CASE("fractions agree with cpp_rational, small and long", "[oracle]") {
  std::mt19937_64 random(1);
  const auto draw = [&] {
    const int bits = static_cast<int>(random() % 63) + 1;
    const auto n = static_cast<std::int64_t>(random() >> (64 - bits));
    const Fraction f(random() % 2 == 0 ? n : -n, static_cast<std::int64_t>(random() >> 2) + 1);
    return random() % 3 == 0 ? f * Fraction::power_of_two(static_cast<int>(random() % 200) - 100)
                             : f;
  };
  for (int i = 0; i < 6000; ++i) {
    const Fraction a = draw();
    const Fraction b = draw();
    const cpp_rational x = to_rational(a);
    const cpp_rational y = to_rational(b);
    REQUIRE(to_rational(a + b) == x + y);
    REQUIRE(to_rational(a - b) == x - y);
    REQUIRE(to_rational(a * b) == x * y);
    if (b.sign() != 0) REQUIRE(to_rational(a / b) == x / y);
    if (a.sign() == 0) continue;
    const auto e = a.floor_log2();
    REQUIRE(to_rational(Fraction::power_of_two(e)) <= abs(x));
    REQUIRE(to_rational(Fraction::power_of_two(e + 1)) > abs(x));
    const Position p = a.position(e - 10);
    const cpp_rational ulps = abs(x) / to_rational(Fraction::power_of_two(e - 10));
    const cpp_rational rest = ulps - p.floor;
    const Part part = rest == 0                    ? Part::zero
                      : rest < cpp_rational(1, 2)  ? Part::below_half
                      : rest == cpp_rational(1, 2) ? Part::half
                                                   : Part::above_half;
    REQUIRE((rest >= 0 && rest < 1));
    REQUIRE(part == p.part);
  }
}

TEST_CASE("every class of double is read exactly", "[oracle]") {
  for (const double x : {1.0, -0.1, 0x1p-1074, -0x1.fffffffffffffp1023, 0x1.8p62, 0x1p63, 0x1p-70,
                         9007199254740993.0, -0x1.23456789abcdep-1000}) {
    const Fraction f = Fraction::from_double(x);
    CHECK(to_rational(f) == cpp_rational(x));
  }
}

TEST_CASE("zeros, infinities and NaN follow IEEE 754", "[oracle]") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{0.0, -0.0, 1.0, -1.0, 2.5, -2.5, inf, -inf, nan};
  const auto same = [](const ExactValue& actual, double expected) {
    if (std::isnan(expected)) return actual.is_nan();
    const ExactValue e = ExactValue::from_double(expected);
    return actual.text() == e.text();
  };
  for (const double x : values) {
    const ExactValue a = ExactValue::from_double(x);
    CHECK(same(-a, -x));
    CHECK(same(abs(a), std::fabs(x)));
    CHECK(same(floor(a), std::floor(x)));
    if (x != 2.5) CHECK(same(sqrt(a), std::sqrt(x)));
    if (std::fabs(x) != 2.5) CHECK(same(reciprocal(a), 1 / x));
    for (const double y : values) {
      INFO(x << " and " << y);
      const ExactValue b = ExactValue::from_double(y);
      CHECK(same(a + b, x + y));
      CHECK(same(a - b, x - y));
      CHECK(same(a * b, x * y));
      if (std::fabs(y) != 2.5 || x == 0 || !std::isfinite(x)) CHECK(same(a / b, x / y));
      const bool any_nan = std::isnan(x) || std::isnan(y);
      const bool x_lower = x < y || (x == y && std::signbit(x));
      CHECK(same(min(a, b), any_nan ? nan : x_lower ? x : y));
      CHECK(same(max(a, b), any_nan ? nan : x_lower ? y : x));
      for (const double z : values)
        CHECK(same(fma(a, b, ExactValue::from_double(z)), std::fma(x, y, z)));
    }
  }
  CHECK(rsqrt(ExactValue::zero(true)).text() == "-inf");
  CHECK(div_add(integer(1), integer(3), ratio(-1, 3)).text() == "0");
  CHECK(floor(ratio(-1, 2)).text() == "-1");
  CHECK(floor(ratio(1, 2)).text() == "0");
}

TEST_CASE("square roots are exact", "[oracle]") {
  const ExactValue root2 = sqrt(integer(2));
  CHECK(root2.text() == "sqrt(2)");
  CHECK(sqrt(ratio(9, 4)).text() == "3/2");
  CHECK(sqrt(integer(8)).text() == "2*sqrt(2)");
  CHECK((root2 * root2).text() == "2");
  CHECK((root2 - root2).text() == "0");
  CHECK((sqrt(integer(8)) - root2).text() == "sqrt(2)");
  CHECK((root2 * sqrt(integer(3))).text() == "sqrt(6)");
  CHECK((root2 * sqrt(ratio(1, 2))).text() == "1");
  CHECK(rsqrt(integer(2)).text() == "sqrt(2)/2");
  CHECK(reciprocal(integer(1) + root2).text() == "-1 + sqrt(2)");
  CHECK(floor(root2 * integer(10)).text() == "14");
  CHECK(floor(-root2).text() == "-2");
  CHECK(floor(integer(3) - root2).text() == "1");
  CHECK(min(root2, ratio(3, 2)).text() == "sqrt(2)");
  CHECK(max(-root2, ratio(-3, 2)).text() == "-sqrt(2)");
  CHECK_THROWS_AS(root2 + sqrt(integer(3)), Unsupported);
  CHECK_THROWS_AS(sqrt(root2), Unsupported);
}

TEST_CASE("logarithm and position of a root survive cancellation", "[oracle]") {
  // p/q is a convergent of sqrt(2), so sqrt(2) - p/q is about 1 / (2 sqrt(2) q^2).
  const ExactValue tiny = sqrt(integer(2)) - ratio(1855077841, 1311738121);
  CHECK(tiny.is_negative() != (tiny.compare(Fraction(0)) > 0));
  const auto e = tiny.floor_log2();
  CHECK(abs(tiny).compare(Fraction::power_of_two(e)) > 0);
  CHECK(abs(tiny).compare(Fraction::power_of_two(e + 1)) < 0);
  CHECK(tiny.position(e).floor == 1);
}

TEST_CASE("constants are read exactly", "[oracle]") {
  CHECK(ExactValue(ExactNumber{3, 10, 0, 0}).text() == "3/10");
  CHECK(ExactValue(ExactNumber{3, 1, 0, -1}).text() == "3/10");
  CHECK(ExactValue(ExactNumber{3, 1, -2, 1}).text() == "15/2");
  CHECK(ExactValue(ExactNumber{std::numeric_limits<std::int64_t>::min()}).text() ==
        "-9223372036854775808");
}

}  // namespace
}  // namespace halfulp::oracles
