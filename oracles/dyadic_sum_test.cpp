// Exact sums against sums of fractions.
#include "oracles/dyadic_sum.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "oracles/exact_value.h"
#include "oracles/rational_sum.h"

namespace halfulp::oracles {
namespace {

double random_double(std::mt19937_64& random) {
  for (;;) {
    const auto x = std::bit_cast<double>(random());
    if (std::isfinite(x)) return x;
  }
}

bool same(const Fraction& a, const Fraction& b) { return (a - b).sign() == 0; }

TEST_CASE("sums of doubles of any exponent are those of fractions", "[dyadic_sum]") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 5; ++round) {
    DyadicSum sum;
    Fraction expected;
    for (int k = 0; k < 40; ++k) {
      const double x = random_double(random);
      const double y = random_double(random);
      sum.add(x);
      sum.add_product(x, y);
      const Integer n = -7 * (Integer(1) << static_cast<unsigned>(random() % 300));
      sum.add(n, k - 3000);
      const Fraction a = Fraction::from_double(x);
      expected = expected + a + a * Fraction::from_double(y) +
                 Fraction(n, Integer(1)) * Fraction::power_of_two(k - 3000);
    }
    CHECK(same(sum.value(), expected));
  }
}

TEST_CASE("terms of every size are held exactly", "[dyadic_sum]") {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  DyadicSum sum;
  for (int k = 0; k < 1000; ++k) sum.add_product(largest, largest);
  sum.add_product(smallest, smallest);
  const Fraction square = Fraction::from_double(largest) * Fraction::from_double(largest);
  CHECK(same(sum.value(), Fraction(1000) * square + Fraction::power_of_two(-2148)));
  for (int k = 0; k < 1000; ++k) sum.add_product(-largest, largest);
  CHECK(same(sum.value(), Fraction::power_of_two(-2148)));
  sum.add_product(smallest, -smallest);
  CHECK(sum.value().sign() == 0);

  sum.add(Integer(5), 1 << 14);
  sum.add(Integer(-5), -(1 << 14));
  const Fraction five(5);
  CHECK(same(sum.value(),
             five * Fraction::power_of_two(1 << 14) - five * Fraction::power_of_two(-(1 << 14))));
}

TEST_CASE("a shuffled vector and its negative cancel", "[dyadic_sum]") {
  std::mt19937_64 random(2);
  std::vector<double> terms;
  for (int k = 0; k < 5000; ++k) {
    terms.push_back(random_double(random));
    terms.push_back(-terms.back());
  }
  std::shuffle(terms.begin(), terms.end(), random);
  DyadicSum sum;
  for (const double x : terms) sum.add(x);
  CHECK(sum.value().sign() == 0);
  sum.add(0x1p-1074);
  CHECK(same(sum.value(), Fraction::power_of_two(-1074)));
}

TEST_CASE("sums of rationals collect denominators and keep specials", "[rational_sum]") {
  RationalSum sum;
  Fraction expected;
  for (std::int64_t k = 1; k <= 60; ++k) {
    const Fraction term(k % 2 == 0 ? k : -k, 3 * (k % 7 + 1));
    CHECK(sum.add(ExactValue(term)));
    expected = expected + term;
  }
  CHECK(same(sum.value().rational(), expected));
  for (std::int64_t prime : {101, 103, 107}) CHECK(sum.add(ExactValue(Fraction(1, prime))));
  std::int64_t refused = 0;
  for (std::int64_t d = 1001; d < 1201; d += 2) {
    if (!sum.add(ExactValue(Fraction(1, d)))) ++refused;
  }
  CHECK(refused > 0);
  sum.add(std::numeric_limits<double>::infinity());
  CHECK(sum.value().is_infinite());
  CHECK(sum.add(ExactValue::infinity(true)));
  CHECK(sum.value().is_nan());

  RationalSum zeros;
  zeros.add(-0.0);
  CHECK(zeros.add(ExactValue::zero(true)));
  CHECK(zeros.value().is_zero());
  CHECK_FALSE(zeros.value().is_negative());
}

}  // namespace
}  // namespace halfulp::oracles
