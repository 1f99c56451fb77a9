#include "cases/norm.h"

#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/vectors.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

constexpr Type t = dtype_type;

ValueId magnitudes(ProgramBuilder& b, ValueId x) { return b.unary(Op::abs, t, x); }

Program build(const Params& params, std::uint64_t) {
  const std::string& order = params.find("norm")->second;
  const bool is_stable = params.find("form")->second == "stable";
  ProgramBuilder b;
  const ValueId x = b.input(0);
  if (order == "1") return b.finish(b.sum(t, magnitudes(b, x)));
  if (order == "inf") return b.finish(norm_inf(b, x));
  return b.finish(is_stable ? scaled_norm2(b, x) : naive_norm2(b, x));
}

void check(const Params& params, const Format& dtype) {
  if (params.find("form")->second == "stable" && params.find("norm")->second != "2") {
    throw UsageError("norm: only --norm 2 has a stable form; the others are stable as they are");
  }
  check_vectors(params, dtype);
}

}  // namespace

ValueId naive_norm2(ProgramBuilder& b, ValueId x) {
  return b.unary(Op::sqrt, t, b.sum(t, square(b, x)));
}

ValueId scaled_norm2(ProgramBuilder& b, ValueId x) {
  const ValueId m = norm_inf(b, x);
  const ValueId is_zero = b.binary(Op::equal, t, m, b.literal(0));
  const ValueId divisor = b.binary(Op::add, t, m, is_zero);
  const ValueId scaled = b.binary(Op::div, t, x, divisor);
  return b.binary(Op::mul, t, m, naive_norm2(b, scaled));
}

ValueId norm_inf(ProgramBuilder& b, ValueId x) {
  return b.binary(Op::max, t, b.reduce(Op::largest, t, magnitudes(b, x)), b.literal(0));
}

Case norm() {
  return {
      .name = "norm",
      .summary = "a norm of a vector",
      .citation = "Higham: Accuracy and stability of numerical algorithms, section 27.5",
      .axis = vector_axis_info,
      .parameters = with_vectors({{.name = "form",
                                   .kind = ParamKind::choice,
                                   .default_value = "naive",
                                   .choices = {"naive", "stable"},
                                   .help = "of the 2-norm: sqrt(sum(x^2)), or scaled by the "
                                           "largest magnitude (NaN where that is infinite)"},
                                  {.name = "norm",
                                   .kind = ParamKind::choice,
                                   .default_value = "2",
                                   .choices = {"2", "1", "inf"},
                                   .help = "which norm"}}),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval norm --form naive --dtype f16 --values 300,400 "
                   "--backend stepwise"},
      .build = build,
      .axis_values = vector_axis,
      .vectors = one_vector,
      .check = check,
  };
}

}  // namespace halfulp::cases
