#include <fmt/format.h>

#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/norm.h"
#include "cases/vectors.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

constexpr Type t = dtype_type;

ExactNumber number(const Params& params, std::string_view name) {
  return parse_exact_number(params.find(name)->second);
}

ValueId by_value(ProgramBuilder& b, ValueId x, const ExactNumber& limit) {
  ExactNumber negative = limit;
  negative.numerator = -negative.numerator;
  const ValueId above = b.binary(Op::max, t, x, b.literal(negative));
  return b.binary(Op::min, t, above, b.literal(limit));
}

/// x * min(limit / (norm + eps), 1)
ValueId by_norm(ProgramBuilder& b, ValueId x, ValueId norm, const Params& params) {
  const ValueId divisor = b.binary(Op::add, t, norm, b.literal(number(params, "eps")));
  const ValueId factor = b.binary(Op::div, t, b.literal(number(params, "limit")), divisor);
  return b.binary(Op::mul, t, x, b.binary(Op::min, t, factor, b.literal(1)));
}

Program build(const Params& params, std::uint64_t) {
  const std::string& form = params.find("form")->second;
  ProgramBuilder b;
  const ValueId x = b.input(0);
  if (form == "value") return b.finish(by_value(b, x, number(params, "limit")));
  const ValueId norm = form == "norm2"          ? naive_norm2(b, x)
                       : form == "norm2-stable" ? scaled_norm2(b, x)
                                                : norm_inf(b, x);
  return b.finish(by_norm(b, x, norm, params));
}

double range_max(const Params& params, const Format&, const ExactNumber&, double) {
  return to_double(number(params, "limit"));
}

void check(const Params& params, const Format& dtype) {
  if (number(params, "limit").numerator <= 0) {
    throw UsageError(fmt::format("--limit {} is not positive", params.find("limit")->second));
  }
  if (number(params, "eps").numerator < 0) {
    throw UsageError(fmt::format("--eps {} is negative", params.find("eps")->second));
  }
  check_vectors(params, dtype);
}

std::vector<Parameter> parameters() {
  return with_vectors({{.name = "form",
                        .kind = ParamKind::choice,
                        .default_value = "norm2",
                        .choices = {"value", "norm2", "norm2-stable", "norminf"},
                        .help = "each element to [-limit, limit]; or the vector times min(limit / "
                                "(norm + eps), 1) with the 2-norm, naive or scaled, or the "
                                "infinity norm"},
                       {.name = "limit",
                        .kind = ParamKind::number,
                        .default_value = "1",
                        .help = "the largest magnitude or norm"},
                       {.name = "eps",
                        .kind = ParamKind::number,
                        .default_value = "1e-6",
                        .help = "added to the norm"}});
}

}  // namespace

Case clip() {
  return {
      .name = "clip",
      .summary = "gradients clipped by value or by norm",
      .citation = "torch.nn.utils.clip_grad_norm_ and clip_grad_value_",
      .axis = vector_axis_info,
      .parameters = parameters(),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval clip --form norm2 --limit 5 --dtype f32 --values 3,4 "
                   "--backend stepwise"},
      .build = build,
      .axis_values = vector_axis,
      .vectors = one_vector,
      .range_max = range_max,
      .check = check,
  };
}

}  // namespace halfulp::cases
