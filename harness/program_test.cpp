#include "harness/program.h"

#include <catch2/catch_test_macros.hpp>

#include "harness/error.h"

namespace halfulp {
namespace {

/// (x / (n-1) - 0.5) * 2 with a value that nothing uses.
Program sample() {
  ProgramBuilder b;
  const ValueId x = b.arange(dtype_type, b.literal(0), b.literal(1));
  b.unary(Op::neg, dtype_type, x);
  const ValueId q = b.binary(Op::div, dtype_type, x, b.size(1, -1));
  const ValueId two = b.literal(2);  // written before it is needed
  const ValueId half = b.literal({.numerator = 5, .decimal_exponent = -1});
  return b.finish(b.binary(Op::mul, dtype_type, b.binary(Op::sub, dtype_type, q, half), two));
}

}  // namespace

TEST_CASE("dead code goes and nothing else changes", "[program]") {
  const Program p = sample();
  const Program q = without_dead_code(p);
  CHECK(q.instructions.size() == p.instructions.size() - 1);
  CHECK(to_expression(q) == to_expression(p));
  CHECK(without_dead_code(q) == q);
  CHECK(to_string(q) ==
        "%2 = arange<T> 0, 1\n"
        "%4 = div<T> %2, n-1\n"
        "%6 = sub<T> %4, 0.5\n"
        "%8 = mul<T> %6, 2\n"
        "return %8\n");
}

TEST_CASE("shapes and uses", "[program]") {
  const Program p = without_dead_code(sample());
  const auto shape = shapes(p);
  CHECK(shape[0] == Shape::uniform);
  CHECK(shape[2] == Shape::map);
  CHECK(shape[p.output] == Shape::map);
  CHECK(use_counts(p)[2] == 1);
  CHECK(use_counts(p)[p.output] == 1);
}

TEST_CASE("constants refer to the size", "[program]") {
  const Constant minus_one{.scale = 1, .offset = exact(-1), .origin = Origin::size};
  CHECK(bind(minus_one, exact(300)) == exact(299));
  CHECK(bind({.scale = -2, .offset = exact(1)}, exact(5)) == exact(-9));
  CHECK(bind({.offset = exact(7)}, exact(5)) == exact(7));
  const ExactNumber third{.numerator = 1, .denominator = 3};
  CHECK(bind({.scale = 1, .offset = exact(0)}, third) == third);  // a divisor that is no size
  CHECK_THROWS_AS(bind(minus_one, third), UsageError);
}

TEST_CASE("types resolve by dtype", "[program]") {
  CHECK(resolve(dtype_type, binary16) == binary16);
  CHECK(resolve(opmath_type, binary16) == binary32);
  CHECK(resolve(opmath_type, binary64) == binary64);
  CHECK(resolve(fixed_type(float8_e5m2), binary16) == float8_e5m2);
  CHECK(!resolve(integer_type, binary16).has_value());
}

TEST_CASE("hashes tell programs apart", "[program]") {
  const Program p = sample();
  CHECK(stable_hash(p) == stable_hash(sample()));
  CHECK(stable_hash(p) == stable_hash(without_dead_code(p)));
  Program other = p;
  other.output = p.at(p.output).operands[0];
  CHECK(stable_hash(p) != stable_hash(other));
}

}  // namespace halfulp
