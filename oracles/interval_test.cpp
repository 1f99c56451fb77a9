// Intervals against exact arithmetic, and elementary functions against Boost's at 600 bits, which
// are computed another way.
#include "oracles/interval.h"

#include <boost/math/constants/constants.hpp>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "oracles/number.h"

namespace halfulp::oracles {
namespace {

constexpr unsigned P = 192;
using Reference = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<600, boost::multiprecision::backends::digit_base_2>,
    boost::multiprecision::et_off>;

ExactValue number(std::int64_t numerator, std::int64_t denominator, int exponent = 0) {
  return ExactValue(Fraction(numerator, denominator) * Fraction::power_of_two(exponent));
}

/// Random rationals, most of which 192 bits do not hold.
ExactValue random_rational(std::mt19937_64& random) {
  const auto n = static_cast<std::int64_t>(random() >> 2) - (std::int64_t{1} << 61);
  const auto d = static_cast<std::int64_t>(random() >> 20) | 1;
  return number(n, d, static_cast<int>(random() % 400) - 200);
}

bool contains(const Interval<P>& interval, const ExactValue& x) {
  return !(x - to_exact<P>(interval.low)).is_negative() &&
         !(to_exact<P>(interval.high) - x).is_negative();
}

/// Is the interval at most 2^-bits wide, relative to its larger end?
bool is_narrow(const Interval<P>& interval, int bits) {
  const Float<P> size = std::max(Float<P>(abs(interval.low)), Float<P>(abs(interval.high)));
  return interval.high - interval.low <= scaled<P>(size, -bits);
}

TEST_CASE("intervals contain what they enclose, and little else", "[interval]") {
  std::mt19937_64 random(5);
  for (int k = 0; k < 2000; ++k) {
    const ExactValue x = random_rational(random);
    const ExactValue y = random_rational(random);
    const Interval<P> a = enclose<P>(x);
    const Interval<P> b = enclose<P>(y);
    REQUIRE(contains(a, x));
    REQUIRE(is_narrow(a, 180));
    REQUIRE(contains(a + b, x + y));
    REQUIRE(contains(a - b, x - y));
    REQUIRE(contains(a * b, x * y));
    REQUIRE(is_narrow(a * b, 180));
    REQUIRE(contains(a / b, x / y));
    REQUIRE(is_narrow(a / b, 180));
    REQUIRE(contains(min(a, b), min(x, y)));
    REQUIRE(contains(max(a, b), max(x, y)));
    const Interval<P> root = sqrt(abs(a));
    REQUIRE(contains(root * root, abs(x)));
    REQUIRE(is_narrow(root, 180));
  }
  CHECK(enclose<P>(number(3, 4)).low == enclose<P>(number(3, 4)).high);
  const Interval<P> around_zero = enclose<P>(number(1, 3)) - enclose<P>(number(1, 3));
  CHECK(contains(around_zero, ExactValue()));
  CHECK_THROWS_AS(inverse(around_zero), Undecided);
}

TEST_CASE("ends beyond every exponent become bounds", "[interval]") {
  const Interval<P> huge = image<P>(enclose<P>(ExactValue(std::int64_t{1} << 61)), Point<P>::exp);
  CHECK(is_infinite(huge.high));
  CHECK(huge.is_positive());
  const Interval<P> tiny = inverse(huge);
  CHECK(tiny.low.is_zero());
  CHECK(tiny.high.sign() > 0);
  CHECK((tiny * tiny).high.sign() > 0);
  CHECK((tiny * huge).low.is_zero());
  CHECK(is_infinite((tiny * huge).high));
  CHECK(is_infinite((huge + huge).high));
  CHECK((huge - huge).low.sign() < 0);
  Interval<P> power = enclose<P>(number(1, 1, -8000));
  for (int k = 0; k < 60; ++k) {
    power = power * power;
    REQUIRE(power.low.sign() >= 0);
    REQUIRE(power.high.sign() > 0);
  }
  CHECK(to_exact<P>(power.high).is_nonzero());
  CHECK(to_exact<P>(huge.high).floor_log2() == capped_exponent);
}

/// 2 / sqrt(pi) * sum of (-1)^k x^(2k+1) / (k! (2k+1)), which loses up to 180 bits for |x| < 11.
Reference alternating_erf(const Reference& x) {
  Reference power = x;
  Reference sum = x;
  for (unsigned k = 1; abs(power) > ldexp(Reference(1), -700); ++k) {
    power *= -x * x / k;
    sum += power / (2 * k + 1);
  }
  return 2 * sum / sqrt(boost::math::constants::pi<Reference>());
}

struct Function {
  std::string name;
  Number<P> (*of)(const Number<P>&);
  std::function<Reference(const Reference&)> reference;
  double low;
  double high;
};

std::vector<Function> functions() {
  const auto r_exp = [](const Reference& x) { return Reference(exp(x)); };
  return {
      {"exp", exp<P>, r_exp, -800, 800},
      {"expm1", expm1<P>, [=](const Reference& x) { return Reference(r_exp(x) - 1); }, -800, 800},
      {"log", log<P>, [](const Reference& x) { return Reference(log(x)); }, 0, 1e6},
      {"log1p", log1p<P>, [](const Reference& x) { return Reference(log(Reference(1 + x))); }, -1,
       1e6},
      {"tanh", tanh<P>,
       [=](const Reference& x) {
         const Reference y = r_exp(2 * x);
         return Reference((y - 1) / (y + 1));
       },
       -60, 60},
      {"sigmoid", sigmoid<P>, [=](const Reference& x) { return Reference(1 / (1 + r_exp(-x))); },
       -500, 500},
      {"erf", erf<P>, alternating_erf, -11, 11},
  };
}

/// Arguments in a function's range: anywhere, next to 0, next to 1, next to -1.
std::vector<double> arguments(const Function& f, std::mt19937_64& random, int count) {
  std::vector<double> out;
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto offer = [&](double x) {
    if (x > f.low && x < f.high && x != 0) out.push_back(x);
  };
  for (int k = 0; k < count; ++k) {
    offer(f.low + (f.high - f.low) * unit());
    const double small = std::ldexp(unit() - 0.5, -static_cast<int>(random() % 100));
    offer(small);
    offer(1 + small);
    offer(-1 + small);
  }
  return out;
}

TEST_CASE("elementary functions contain Boost's and are narrow", "[interval]") {
  std::mt19937_64 random(6);
  for (const Function& f : functions()) {
    for (const double x : arguments(f, random, 60)) {
      INFO(f.name << "(" << x << ")");
      const Number<P> result = f.of(ExactValue::from_double(x));
      if (result.is_exact()) continue;  // log(1)
      const Reference expected = f.reference(Reference(x));
      // Boost's result is right to 2^-400 relative: up to 180 of the 600 bits cancel.
      const Reference slack = abs(expected) * Reference(ldexp(Reference(1), -400));
      REQUIRE(Reference(result.interval().low) <= expected + slack);
      REQUIRE(Reference(result.interval().high) >= expected - slack);
      REQUIRE(is_narrow(result.interval(), 150));
    }
  }
}

TEST_CASE("elementary functions are exact where they are rational", "[number]") {
  const auto is = [](const Number<P>& x, const ExactValue& y) {
    return x.is_exact() && x.exact().text() == y.text();
  };
  const ExactValue inf = ExactValue::infinity(false);
  const ExactValue minus_inf = ExactValue::infinity(true);
  const ExactValue zero;
  const ExactValue minus_zero = ExactValue::zero(true);
  const ExactValue one(1);
  const ExactValue minus_one(-1);
  const ExactValue nan = ExactValue::nan();
  using N = Number<P>;
  CHECK(is(exp(N(zero)), one));
  CHECK(is(exp(N(minus_inf)), zero));
  CHECK(is(exp(N(inf)), inf));
  CHECK(is(expm1(N(minus_zero)), minus_zero));
  CHECK(is(expm1(N(minus_inf)), minus_one));
  CHECK(is(log(N(one)), zero));
  CHECK(is(log(N(minus_zero)), minus_inf));
  CHECK(is(log(N(minus_one)), nan));
  CHECK(is(log(N(minus_inf)), nan));
  CHECK(is(log(N(inf)), inf));
  CHECK(is(log1p(N(minus_zero)), minus_zero));
  CHECK(is(log1p(N(minus_one)), minus_inf));
  CHECK(is(log1p(N(ExactValue(-2))), nan));
  CHECK(is(tanh(N(minus_zero)), minus_zero));
  CHECK(is(tanh(N(minus_inf)), minus_one));
  CHECK(is(erf(N(inf)), one));
  CHECK(is(sigmoid(N(minus_zero)), number(1, 2)));
  CHECK(is(sigmoid(N(minus_inf)), zero));
  for (const auto& f : functions()) CHECK(f.of(N(nan)).is_nan());
  CHECK(is(sqrt(N(number(9, 4))), number(3, 2)));
  CHECK_FALSE(sqrt(N(ExactValue(2))).is_exact());
}

TEST_CASE("intervals and specials combine as IEEE numbers do", "[number]") {
  using N = Number<P>;
  const N e = exp(N(ExactValue(1)));
  const N inf(ExactValue::infinity(false));
  const N zero{ExactValue()};
  CHECK((e * zero).is_exact_zero());
  CHECK((-e * zero).exact().is_negative());
  CHECK((e + inf).exact().is_infinite());
  CHECK((-e * inf).exact().is_negative());
  CHECK((e / inf).is_exact_zero());
  CHECK((e / zero).exact().is_infinite());
  CHECK(((e - e) * zero).is_exact_zero());
  CHECK_THROWS_AS((e - e) * inf, Undecided);
  CHECK_THROWS_AS(inf / (e - e), Undecided);
  CHECK((e + zero).interval().low == e.interval().low);
  CHECK(max(e, zero).interval().low == e.interval().low);
  CHECK(min(e, zero).is_exact_zero());
  CHECK(min(e, inf).interval().low == e.interval().low);
  CHECK(max(e, N(ExactValue::nan())).is_nan());
  CHECK(floor(e).exact().text() == "2");
  CHECK_THROWS_AS(floor(log(e)), Undecided);
  CHECK(compare(e, N(ExactValue(3))) == -1);
  CHECK(compare(e, inf) == -1);
  CHECK(compare(inf, inf) == 0);
  CHECK_THROWS_AS(compare(e, e), Undecided);
  CHECK(log(-e).is_nan());
  CHECK(sqrt(-e).is_nan());
}

}  // namespace
}  // namespace halfulp::oracles
