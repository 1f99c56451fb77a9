#include "backends/rewrites.h"

#include <catch2/catch_test_macros.hpp>

#include "harness/case.h"

namespace halfulp::backends {
namespace {

Program grid(const std::string& form, bool align_corners = true) {
  const Case& c = find_case("meshgrid");
  return c.build(
      complete_params(c, {{"form", form}, {"align_corners", align_corners ? "true" : "false"}}), 2);
}

Program quotient_plus(Type type, Op op, bool quotient_first) {
  ProgramBuilder b;
  const ValueId q = b.binary(Op::div, type, b.input(0), b.input(1));
  const ValueId x = b.input(0);
  return b.finish(quotient_first ? b.binary(op, type, q, x) : b.binary(op, type, x, q));
}

}  // namespace

TEST_CASE("programs print", "[rewrites]") {
  CHECK(to_expression(grid("arange")) == "T(T(T(arange<T>(0, 1) / (n-1)) - 0.5) * 2)");
  CHECK(to_expression(grid("arange", false)) == "T(T(T(T(arange<T>(0, 1) * 2) + 1) / n) - 1)");
  CHECK(to_expression(grid("float32-once")) ==
        "T(opmath(opmath(opmath(arange<opmath>(0, 1) / (n-1)) - 0.5) * 2))");
}

TEST_CASE("fold-casts leaves one narrowing, at the result", "[rewrites]") {
  CHECK(to_expression(fold_casts(grid("arange"), Casts::folded)) ==
        to_expression(grid("float32-once")));
  CHECK(to_expression(fold_casts(grid("arange"), Casts::kept)) ==
        "T(opmath(opmath(opmath(arange<T>(0, 1) / (n-1)) - 0.5) * 2))");
  CHECK(to_expression(fold_casts(grid("arange-size-tensor"), Casts::kept)) ==
        "T(opmath(opmath(opmath(arange<T>(0, 1) / opmath(T(n) - 1)) - 0.5) * 2))");
  CHECK(to_expression(fold_casts(grid("linspace"), Casts::kept)) ==
        "T(opmath(opmath(opmath(linspace<opmath>(0, n-1) / (n-1)) - 0.5) * 2))");
}

TEST_CASE("fold-casts folds an explicit cast down and up", "[rewrites]") {
  ProgramBuilder b;
  const ValueId narrow =
      b.cast(fixed_type(binary16), b.binary(Op::mul, opmath_type, b.input(0), b.literal(3)));
  const Program p = b.finish(b.binary(Op::add, opmath_type, narrow, b.literal(1)));
  CHECK(to_expression(p) == "opmath(f16(opmath(x0 * 3)) + 1)");
  CHECK(to_expression(fold_casts(p, Casts::folded)) == "opmath(opmath(x0 * 3) + 1)");
}

TEST_CASE("fold-casts keeps the conversion of an integer", "[rewrites]") {
  CHECK(to_expression(fold_casts(grid("exact-numerator"), Casts::folded)) ==
        to_expression(grid("exact-numerator")));
}

TEST_CASE("reciprocal-divisors multiplies by a constant's reciprocal", "[rewrites]") {
  const Program p = grid("arange");
  CHECK(to_expression(reciprocal_divisors(p, Sizes::constant, false)) ==
        "T(T(T(arange<T>(0, 1) * reciprocal<opmath>(n-1)) - 0.5) * 2)");
  CHECK(reciprocal_divisors(p, Sizes::runtime, false) == p);
  const Program tensor = grid("arange-size-tensor");
  CHECK(reciprocal_divisors(tensor, Sizes::constant, false) == tensor);
  CHECK(reciprocal_divisors(tensor, Sizes::constant, true) != tensor);
}

TEST_CASE("round-size-divisors rounds a divisor from a shape", "[rewrites]") {
  CHECK(to_expression(round_size_divisors(grid("arange"))) ==
        "T(T(T(arange<T>(0, 1) / T(n-1)) - 0.5) * 2)");
  ProgramBuilder b;
  const Program literal = b.finish(b.binary(Op::div, dtype_type, b.input(0), b.literal(3)));
  CHECK(round_size_divisors(literal) == without_dead_code(literal));
}

TEST_CASE("reciprocal-dividend is PyTorch's scalar / x", "[rewrites]") {
  ProgramBuilder b;
  const Program p = b.finish(b.binary(Op::div, dtype_type, b.literal(3), b.input(0)));
  CHECK(to_expression(reciprocal_dividend(p)) == "T(reciprocal<T>(x0) * 3)");
}

TEST_CASE("contract-multiply-add: both orders, both signs", "[rewrites]") {
  const auto contracted = [](Op op, bool product_first, Type type) {
    ProgramBuilder b;
    const ValueId product = b.binary(Op::mul, type, b.input(0), b.literal(3));
    const ValueId one = b.literal(1);
    const Program p = b.finish(product_first ? b.binary(op, type, product, one)
                                             : b.binary(op, type, one, product));
    return to_expression(contract_multiply_add(p));
  };
  CHECK(contracted(Op::add, true, opmath_type) == "fma<opmath>(x0, 3, 1)");
  CHECK(contracted(Op::add, false, opmath_type) == "fma<opmath>(x0, 3, 1)");
  CHECK(contracted(Op::sub, true, opmath_type) == "fma<opmath>(x0, 3, -1)");
  CHECK(contracted(Op::sub, false, opmath_type) == "fma<opmath>(neg<opmath>(x0), 3, 1)");
  CHECK(contracted(Op::add, true, dtype_type) == "T(T(x0 * 3) + 1)");
}

TEST_CASE("contract-multiply-add takes the first product of a sum of two", "[rewrites]") {
  ProgramBuilder b;
  const ValueId p = b.binary(Op::mul, opmath_type, b.input(0), b.input(1));
  const ValueId q = b.binary(Op::mul, opmath_type, b.input(2), b.input(3));
  CHECK(to_expression(contract_multiply_add(b.finish(b.binary(Op::add, opmath_type, p, q)))) ==
        "fma<opmath>(x0, x1, opmath(x2 * x3))");
}

TEST_CASE("contract-divide-add: only where the quotient has no other use", "[rewrites]") {
  CHECK(to_expression(contract_divide_add(quotient_plus(opmath_type, Op::add, true))) ==
        "div_add<opmath>(x0, x1, x0)");
  CHECK(to_expression(contract_divide_add(quotient_plus(opmath_type, Op::sub, false))) ==
        "div_add<opmath>(neg<opmath>(x0), x1, x0)");
  const Program narrow = quotient_plus(dtype_type, Op::add, true);
  CHECK(contract_divide_add(narrow) == without_dead_code(narrow));
  ProgramBuilder b;
  const ValueId q = b.binary(Op::div, opmath_type, b.input(0), b.input(1));
  const ValueId sum = b.binary(Op::add, opmath_type, q, b.literal(1));
  const Program twice = b.finish(b.binary(Op::mul, opmath_type, sum, q));
  CHECK(contract_divide_add(twice) == without_dead_code(twice));
}

TEST_CASE("what each backend makes of the grid", "[rewrites]") {
  const auto low = [](const std::string& backend) {
    return to_expression(lowered(find_backend(backend), grid("arange")));
  };
  CHECK(low("eager-cpu") == to_expression(grid("arange")));
  CHECK(low("triton-const") ==
        "T(opmath(fma<opmath>(arange<opmath>(0, 1), reciprocal<opmath>(n-1), -0.5) * 2))");
  CHECK(low("triton-div") == "T(opmath(div_add<opmath>(arange<opmath>(0, 1), n-1, -0.5) * 2))");
  CHECK(low("inductor-cpu-dynamic") ==
        "T(opmath(opmath(opmath(arange<T>(0, 1) / T(n-1)) - 0.5) * 2))");
  CHECK(low("fused-fp32") == low("triton-div+contraction=off+division=ieee"));
}

TEST_CASE("rewrites are pure and hashes are stable", "[rewrites]") {
  const Program p = grid("arange");
  const Program before = p;
  fold_casts(p, Casts::folded);
  CHECK(p == before);
  CHECK(stable_hash(p) == stable_hash(grid("arange")));
  CHECK(stable_hash(p) != stable_hash(grid("arange", false)));
}

}  // namespace halfulp::backends
