#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/vectors.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

ExactNumber eps(const Params& params) { return parse_exact_number(params.find("eps")->second); }

Program build(const Params& params, std::uint64_t) {
  const MomentForm form = moment_form(params);
  ProgramBuilder b;
  const ValueId x = b.input(0);
  const ValueId centre =
      form == MomentForm::welford ? b.reduce(Op::welford_mean, dtype_type, x) : mean(b, x);
  const ValueId variance = variance_of(b, x, form, 0);
  const ValueId shifted = b.binary(Op::add, dtype_type, variance, b.literal(eps(params)));
  const ValueId deviation = b.unary(Op::sqrt, dtype_type, shifted);
  const ValueId centred = b.binary(Op::sub, dtype_type, x, centre);
  return b.finish(b.binary(Op::div, dtype_type, centred, deviation));
}

/// No deviation exceeds sqrt(n - 1) standard deviations (Samuelson's inequality).
double range_max(const Params&, const Format&, const ExactNumber& n, double) {
  return std::sqrt(std::max(1.0, to_double(n) - 1));
}

void check(const Params& params, const Format& dtype) {
  if (eps(params).numerator < 0) {
    throw UsageError(fmt::format("layer-norm: --eps {} is negative", to_string(eps(params))));
  }
  check_vectors(params, dtype);
}

}  // namespace

Case layer_norm() {
  return {
      .name = "layer-norm",
      .summary = "(x - mean) / sqrt(variance + eps), without scale and shift",
      .citation = "Ba, Kiros, Hinton: Layer normalization (2016)",
      .axis = vector_axis_info,
      .parameters = with_vectors({{.name = "form",
                                   .kind = ParamKind::choice,
                                   .default_value = "two-pass",
                                   .choices = {"naive", "two-pass", "welford"},
                                   .help = "how mean and variance are computed, as in `variance`"},
                                  {.name = "eps",
                                   .kind = ParamKind::number,
                                   .default_value = "1e-5",
                                   .help = "added to the variance"}}),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp sweep layer-norm --form naive,two-pass,welford --dtype f16 --widths "
                   "1..512 --backend stepwise,fused-fp32"},
      .build = build,
      .axis_values = vector_axis,
      .vectors = one_vector,
      .range_max = range_max,
      .check = check,
  };
}

}  // namespace halfulp::cases
