#include "backends/elementary.h"

#include <array>
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "backends/elementary_double_double.h"
#include "harness/encoding.h"
#include "harness/format.h"

namespace halfulp::backends {
namespace {

namespace mp = boost::multiprecision;
using Big = mp::number<mp::cpp_bin_float<512, mp::digit_base_2>, mp::et_off>;
using Limits = std::numeric_limits<float>;

constexpr std::array functions{Op::exp,  Op::log,     Op::log1p, Op::expm1,
                               Op::tanh, Op::sigmoid, Op::erf};
constexpr float infinity = Limits::infinity();

/// 2/sqrt(pi) (x - x^3/3 + x^5/(2! 5) - …), for |x| <= 10 with 200 of its bits to spare.
Big big_erf(const Big& x) {
  Big power = x;
  Big sum = 0;
  for (int n = 0; n < 500; ++n) {
    sum += power / (2 * n + 1);
    power *= -x * x / (n + 1);
  }
  const Big pi = 4 * mp::atan(Big(1));
  return 2 / mp::sqrt(pi) * sum;
}

/// With 512 bits, 1 + 2^-149 and exp(2^-149) - 1 need no care.
Big big(Op op, float argument) {
  const Big x = argument;
  switch (op) {
    case Op::exp:
      return mp::exp(x);
    case Op::log:
      return mp::log(x);
    case Op::log1p:
      return mp::log(1 + x);
    case Op::expm1:
      return mp::exp(x) - 1;
    case Op::tanh:
      return 1 - 2 / (mp::exp(2 * x) + 1);
    case Op::sigmoid:
      return 1 / (1 + mp::exp(-x));
    case Op::erf:
      return std::fabs(argument) > 10 ? Big(std::copysign(1.0f, argument)) : big_erf(x);
    default:
      throw std::logic_error("not an elementary function");
  }
}

long double in_long_double(Op op, float argument) {
  const auto x = static_cast<long double>(argument);
  switch (op) {
    case Op::exp:
      return std::exp(x);
    case Op::log:
      return std::log(x);
    case Op::log1p:
      return std::log1p(x);
    case Op::expm1:
      return std::expm1(x);
    case Op::tanh:
      return std::tanh(x);
    case Op::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Op::erf:
      return std::erf(x);
    default:
      throw std::logic_error("not an elementary function");
  }
}

/// The next value above, with 2^128 above the largest finite one.
Big next_above(float y) {
  return y == Limits::max() ? Big(0x1p128) : Big(std::nextafter(y, infinity));
}
Big next_below(float y) { return -next_above(-y); }

/// Is y the float nearest to v, by the definition? No v here is a midpoint.
bool is_nearest(float y, const Big& v) {
  if (y == infinity) return v > (Big(Limits::max()) + Big(0x1p128)) / 2;
  if (y == -infinity) return is_nearest(-y, -v);
  return (next_below(y) + y) / 2 < v && v < (next_above(y) + y) / 2;
}

/// Is y right, by a long double where its error cannot matter, else by 512 bits?
bool is_right(Op op, float x, float y) {
  const long double v = in_long_double(op, x);
  if (std::isnan(v)) return std::isnan(y);
  const long double error = std::ldexp(1.0L, 6 - std::numeric_limits<long double>::digits);
  if (static_cast<float>(v * (1 - error)) == y && static_cast<float>(v * (1 + error)) == y) {
    return std::signbit(v) == std::signbit(y);
  }
  return is_nearest(y, big(op, x));
}

std::vector<float> values_of(const Format& format) {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits <= format.encoding_mask(); ++bits) {
    values.push_back(static_cast<float>(to_double(bits, format)));
  }
  return values;
}

/// Any sign and fraction, exponents in which the functions are neither saturated nor the identity.
std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    const auto bits = static_cast<std::uint32_t>(random());
    const std::uint32_t exponent = 103 + (bits >> 8) % 32;  // 2^-24 to 2^7
    value = std::bit_cast<float>((bits & 0x80000000) | exponent << 23 |
                                 static_cast<std::uint32_t>(random() >> 41));
  }
  return values;
}

/// Finite arguments of which f is finite, neither zero nor exact.
bool has_digits(Op op, float x) {
  if (!std::isfinite(x) || x == 0 || (op == Op::log && (x < 0 || x == 1))) return false;
  if (op == Op::log1p && x <= -1) return false;
  const float y = correctly_rounded(op, x);
  return std::isfinite(y) && y != 0;
}

std::size_t wrong_results(Op op, const std::vector<float>& arguments) {
  std::size_t wrong = 0;
  for (const float x : arguments) wrong += is_right(op, x, correctly_rounded(op, x)) ? 0 : 1;
  return wrong;
}

float next_to(Op op, Elementary elementary, float x) {
  float y = 0;
  elementary_kernel(op, elementary, Narrowing::Kind::none)({&x, 0}, {}, {}, {}, 1, &y);
  return y;
}

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// The binary32 arguments, of all, whose exact results lie nearest to a midpoint, relative to it.
struct Hard {
  Op op;
  std::uint32_t argument;
  int distance_exponent;  ///< nearer than 2^this
};
constexpr std::array hard_cases{
    Hard{Op::sigmoid, 0xb3800000, -76},  // -2^-24, moved by x^3/48 alone
    Hard{Op::sigmoid, 0x34000000, -73},  // 2^-23
    Hard{Op::sigmoid, 0xb4400000, -71}, Hard{Op::log1p, 0xb53ffffd, -66},
    Hard{Op::log1p, 0x35400003, -66},   Hard{Op::log1p, 0x3efd81ad, -56},
    Hard{Op::log, 0x65d890d3, -57},     Hard{Op::log, 0x4c5d65a5, -56},
    Hard{Op::erf, 0x3940ead6, -56},     Hard{Op::tanh, 0x3ac37de2, -50},
    Hard{Op::exp, 0xc16912cd, -52},     Hard{Op::exp, 0xbbf0edf1, -51},
    Hard{Op::expm1, 0x3dc252dd, -52},   Hard{Op::expm1, 0xb675cbfc, -52},
};

}  // namespace

TEST_CASE("elementary functions are correctly rounded for every half value", "[elementary]") {
  for (const Format& format : {binary16, bfloat16}) {
    const std::vector<float> values = values_of(format);
    for (const Op op : functions) {
      INFO(name(op) << ' ' << short_name(format));
      CHECK(wrong_results(op, values) == 0);
    }
  }
}

TEST_CASE("elementary functions are correctly rounded for random binary32 values", "[elementary]") {
  const std::vector<float> values = random_values(600000, 1);
  for (const Op op : functions) {
    INFO(name(op));
    CHECK(wrong_results(op, values) == 0);
  }
}

TEST_CASE("the hardest binary32 arguments are rounded correctly", "[elementary]") {
  for (const Hard& hard : hard_cases) {
    INFO(name(hard.op) << " of 0x" << std::hex << hard.argument);
    const float x = from_bits(hard.argument);
    const float y = correctly_rounded(hard.op, x);
    const Big v = big(hard.op, x);
    CHECK(is_nearest(y, v));
    const Big midpoint = (y + (v < y ? next_below(y) : next_above(y))) / 2;
    CHECK(abs(v - midpoint) < abs(v) * mp::ldexp(Big(1), hard.distance_exponent));
    // What the first tier assumes of a double cannot tell the sides of the midpoint apart.
    CHECK_FALSE(nearest_float({v.convert_to<double>(), 0}, 0x1p-45).has_value());
  }
}

TEST_CASE("double-double decides every binary32 argument", "[.exhaustive]") {
  for (const Op op : functions) {
    INFO(name(op));
    float greatest = -infinity;
    const auto try_all = [&] {
      for (std::uint64_t bits = 0; bits <= 0xffffffff; ++bits) {
        const float x = from_bits(static_cast<std::uint32_t>(bits));
        greatest = std::fmax(greatest, correctly_rounded(op, x));
      }
    };
    CHECK_NOTHROW(try_all());
    CHECK(greatest == (op == Op::tanh || op == Op::sigmoid || op == Op::erf ? 1 : infinity));
  }
}

TEST_CASE("double-double evaluations are as accurate as claimed", "[elementary]") {
  std::vector<float> values = random_values(200, 2);
  for (const float special : {0x1p-149f, -0x1p-149f, 0x1.fffffep-127f, 0.25f, -0.25f, 0.3466f,
                              0x1.6a09e6p-1f, 0x1.6a09e8p-1f, 0x1.fffffep-1f, 0x1.000002p0f}) {
    values.push_back(special);
  }
  for (const Op op : functions) {
    Big worst = 0;
    for (const float x : values) {
      if (!has_digits(op, x) || (op == Op::tanh && std::fabs(x) > 16) ||
          (op == Op::erf && std::fabs(x) > 4) || std::fabs(x) > 128) {
        continue;
      }
      const DoubleDouble v = elementary_double_double(op, x);
      const Big expected = big(op, x);
      worst = std::max<Big>(worst, abs((Big(v.high) + v.low - expected) / expected));
    }
    INFO(name(op));
    CHECK(worst < 0x1p-100);
    CHECK(worst > 0);
  }
}

TEST_CASE("an interval that holds a midpoint has no nearest float", "[elementary]") {
  constexpr double midpoint = 1 + 0x1p-24;
  CHECK(nearest_float({midpoint, 0x1p-80}, 0x1p-90) == 1 + 0x1p-23f);
  CHECK(nearest_float({midpoint, -0x1p-80}, 0x1p-90) == 1.0f);
  CHECK_FALSE(nearest_float({midpoint, 0x1p-80}, 0x1p-79).has_value());
  CHECK_FALSE(nearest_float({midpoint, -0x1p-80}, 0x1p-79).has_value());
  CHECK(nearest_float({-midpoint, -0x1p-80}, 0x1p-90) == -(1 + 0x1p-23f));
  // Subnormals are rounded once, at their own spacing; halfway below the first one too.
  CHECK(nearest_float({0x1p-150, 0x1p-220}, 0x1p-95) == 0x1p-149f);
  CHECK(nearest_float({0x1p-150, -0x1p-220}, 0x1p-95) == 0.0f);
  CHECK_FALSE(nearest_float({0x1p-150, 0}, 0x1p-95).has_value());
}

TEST_CASE("elementary functions have IEEE's special values", "[elementary]") {
  const float nan = Limits::quiet_NaN();
  for (const Op op : functions) CHECK(std::isnan(correctly_rounded(op, nan)));
  CHECK(correctly_rounded(Op::exp, -infinity) == 0);
  CHECK(correctly_rounded(Op::exp, infinity) == infinity);
  CHECK(correctly_rounded(Op::exp, -0.0f) == 1);
  CHECK(correctly_rounded(Op::log, 0.0f) == -infinity);
  CHECK(correctly_rounded(Op::log, -0.0f) == -infinity);
  CHECK(correctly_rounded(Op::log, infinity) == infinity);
  CHECK(std::isnan(correctly_rounded(Op::log, -0x1p-149f)));
  CHECK(std::isnan(correctly_rounded(Op::log, -infinity)));
  CHECK_FALSE(std::signbit(correctly_rounded(Op::log, 1)));
  CHECK(correctly_rounded(Op::log, 1) == 0);
  CHECK(correctly_rounded(Op::log1p, -1) == -infinity);
  CHECK(correctly_rounded(Op::log1p, infinity) == infinity);
  CHECK(std::isnan(correctly_rounded(Op::log1p, -0x1.000002p0f)));
  CHECK(correctly_rounded(Op::expm1, -infinity) == -1);
  CHECK(correctly_rounded(Op::expm1, infinity) == infinity);
  CHECK(correctly_rounded(Op::sigmoid, -infinity) == 0);
  CHECK(correctly_rounded(Op::sigmoid, infinity) == 1);
  CHECK(correctly_rounded(Op::sigmoid, -0.0f) == 0.5f);
  for (const Op op : {Op::tanh, Op::erf}) {
    CHECK(correctly_rounded(op, infinity) == 1);
    CHECK(correctly_rounded(op, -infinity) == -1);
  }
  for (const Op op : {Op::log1p, Op::expm1, Op::tanh, Op::erf}) {
    for (const float zero : {0.0f, -0.0f}) {
      CHECK(correctly_rounded(op, zero) == 0);
      CHECK(std::signbit(correctly_rounded(op, zero)) == std::signbit(zero));
    }
  }
}

TEST_CASE("exp overflows and underflows where it should", "[elementary]") {
  const auto exp_of = [](float x) { return correctly_rounded(Op::exp, x); };
  CHECK(exp_of(89) == infinity);
  CHECK(exp_of(-104) == 0);
  CHECK(std::bit_cast<std::uint32_t>(exp_of(-103)) == 1);
  CHECK(exp_of(Limits::max()) == infinity);
  CHECK(exp_of(-Limits::max()) == 0);
  const float last = from_bits(0x42b17217);  // the largest argument with a finite result
  CHECK(std::isfinite(exp_of(last)));
  CHECK(exp_of(std::nextafter(last, infinity)) == infinity);
  CHECK(correctly_rounded(Op::sigmoid, -104) == 0);
  CHECK(std::bit_cast<std::uint32_t>(correctly_rounded(Op::sigmoid, -103)) == 1);
  CHECK(correctly_rounded(Op::log, 0x1p-149f) == -0x1.9d1dap+6f);
}

TEST_CASE("results next to a midpoint that only a third-order term moves", "[elementary]") {
  // sigmoid(x) = 1/2 + x/4 - x^3/48 + …: x/4 is half the spacing above 1/2, times an odd number.
  CHECK(correctly_rounded(Op::sigmoid, 0x1p-23f) == 0.5f);
  CHECK(correctly_rounded(Op::sigmoid, 3 * 0x1p-23f) == 0.5f + 0x1p-24f);
  CHECK(correctly_rounded(Op::sigmoid, -0x1p-24f) == 0.5f);
  CHECK(correctly_rounded(Op::sigmoid, -3 * 0x1p-24f) == 0.5f - 0x1p-25f);
  // exp(x) = 1 + x + x^2/2 + …: up from 1 + 2^-24, and up from 1 - 2^-25.
  CHECK(correctly_rounded(Op::exp, 0x1p-24f) == 1 + 0x1p-23f);
  CHECK(correctly_rounded(Op::exp, -0x1p-25f) == 1);
}

TEST_CASE("tiny arguments", "[elementary]") {
  for (const float x : {0x1p-149f, -0x1p-149f, 0x1.8p-140f, -0x1p-126f, 0x1p-60f}) {
    for (const Op op : {Op::log1p, Op::expm1, Op::tanh}) CHECK(correctly_rounded(op, x) == x);
    CHECK(correctly_rounded(Op::exp, x) == 1);
    CHECK(correctly_rounded(Op::sigmoid, x) == 0.5f);
  }
  CHECK(correctly_rounded(Op::erf, 0x1p-149f) == 0x1p-149f);      // 1.128 of them
  CHECK(correctly_rounded(Op::erf, 0x1p-147f) == 5 * 0x1p-149f);  // 4.51
  CHECK(correctly_rounded(Op::erf, -0x1p-147f) == -5 * 0x1p-149f);
}

TEST_CASE("a neighbour is one ulp from the correctly rounded result", "[elementary]") {
  for (const Op op : functions) {
    for (const float x : random_values(2000, 3)) {
      const float y = correctly_rounded(op, x);
      const bool saturated = y == 0 || std::fabs(y) == 1 || !std::isfinite(y);
      if (saturated) continue;
      CHECK(next_to(op, Elementary::correct, x) == y);
      CHECK(next_to(op, Elementary::ulp_below, x) == std::nextafter(y, -infinity));
      CHECK(next_to(op, Elementary::ulp_above, x) == std::nextafter(y, infinity));
    }
  }
}

TEST_CASE("a neighbour is not taken of what is exact, overflowed or at a bound", "[elementary]") {
  const auto below = [](Op op, float x) { return next_to(op, Elementary::ulp_below, x); };
  const auto above = [](Op op, float x) { return next_to(op, Elementary::ulp_above, x); };
  for (const Op op : functions) {
    for (const float x : {op == Op::log ? 1.0f : 0.0f, infinity, -infinity, Limits::quiet_NaN()}) {
      const auto expected = std::bit_cast<std::uint32_t>(correctly_rounded(op, x));
      CHECK(std::bit_cast<std::uint32_t>(below(op, x)) == expected);
      CHECK(std::bit_cast<std::uint32_t>(above(op, x)) == expected);
    }
  }
  CHECK(below(Op::exp, 89) == infinity);
  const float last = from_bits(0x42b17217);
  CHECK(below(Op::exp, last) < correctly_rounded(Op::exp, last));
  CHECK_FALSE(std::signbit(below(Op::exp, -200)));
  CHECK(below(Op::exp, -200) == 0);
  CHECK(above(Op::exp, -200) == 0x1p-149f);
  CHECK_FALSE(std::signbit(below(Op::exp, -103)));
  CHECK(below(Op::exp, -103) == 0);
  CHECK(std::signbit(above(Op::expm1, -0x1p-149f)));
  CHECK(above(Op::expm1, -0x1p-149f) == 0);
  CHECK(below(Op::expm1, -30) == -1);
  CHECK(above(Op::expm1, -30) == -0x1.fffffep-1f);
  CHECK(above(Op::sigmoid, 30) == 1);
  CHECK(below(Op::sigmoid, 30) == 0x1.fffffep-1f);
  for (const Op op : {Op::tanh, Op::erf}) {
    CHECK(above(op, 20) == 1);
    CHECK(below(op, -20) == -1);
    CHECK(below(op, 20) == 0x1.fffffep-1f);
  }
}

TEST_CASE("elementary kernels narrow, and write exactly their lanes", "[elementary]") {
  const std::vector<float> values = random_values(100, 4);
  for (const NamedFormat& row : all_formats()) {
    if (row.format == binary64) continue;
    const Narrowing to = narrowing_to(row.format);
    INFO(row.short_name);
    for (const Op op : functions) {
      const KernelF32 kernel = elementary_kernel(op, Elementary::correct, to.kind);
      std::vector<float> out(60, -7);
      kernel({values.data() + 3, ~std::size_t{0}}, {}, {}, to, 50, out.data() + 1);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool inside = i >= 1 && i < 51;
        const float expected = inside ? narrow(correctly_rounded(op, values[i + 2]), to) : -7.0f;
        CHECK((out[i] == expected || (std::isnan(out[i]) && std::isnan(expected))));
      }
    }
  }
}

TEST_CASE("an elementary kernel takes a splat, and writes over its operand", "[elementary]") {
  const KernelF32 kernel = elementary_kernel(Op::exp, Elementary::correct, Narrowing::Kind::none);
  const float two = 2;
  std::vector<float> out(9, -7);
  kernel({&two, 0}, {}, {}, {}, 8, out.data());
  for (std::size_t i = 0; i < 8; ++i) CHECK(out[i] == correctly_rounded(Op::exp, 2));
  CHECK(out[8] == -7);
  std::vector<float> values = random_values(20, 5);
  const std::vector<float> before = values;
  kernel({values.data(), ~std::size_t{0}}, {}, {}, {}, 20, values.data());
  for (std::size_t i = 0; i < 20; ++i) CHECK(values[i] == correctly_rounded(Op::exp, before[i]));
}

TEST_CASE("what is no single result has no elementary kernel", "[elementary]") {
  constexpr auto none = Narrowing::Kind::none;
  CHECK_THROWS_AS(elementary_kernel(Op::exp, Elementary::unmodelled, none), std::logic_error);
  CHECK_THROWS_AS(elementary_kernel(Op::exp, Elementary::within_ulp, none), std::logic_error);
  CHECK_THROWS_AS(elementary_kernel(Op::add, Elementary::correct, none), std::logic_error);
  CHECK_THROWS_AS(correctly_rounded(Op::sqrt, 2), std::logic_error);
}

}  // namespace halfulp::backends
