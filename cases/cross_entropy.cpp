#include <fmt/format.h>

#include <string_view>

#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/vectors.h"
#include "harness/axis.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

ExactNumber target(const Params& params) {
  return parse_exact_number(params.find("target")->second);
}

/// -log(p[t]) of p = exp(x) / sum(exp(x)).
ValueId naive(ProgramBuilder& b, ValueId x, ValueId t) {
  const auto [e, total] = exponentials(b, x);
  const ValueId p = b.binary(Op::element, dtype_type, b.binary(Op::div, dtype_type, e, total), t);
  return b.unary(Op::neg, dtype_type, b.unary(Op::log, dtype_type, p));
}

Program build(const Params& params, std::uint64_t) {
  const std::string_view form = params.find("form")->second;
  ProgramBuilder b;
  const ValueId x = b.input(0);
  const ValueId t = b.literal(target(params));
  if (form == "naive") return b.finish(naive(b, x, t));
  if (form == "logsumexp-minus-logit") {
    const ValueId logit = b.binary(Op::element, dtype_type, x, t);
    return b.finish(b.binary(Op::sub, dtype_type, stable_logsumexp(b, x), logit));
  }
  const ValueId log_p = b.binary(Op::element, dtype_type, stable_log_softmax(b, x), t);
  return b.finish(b.unary(Op::neg, dtype_type, log_p));
}

void check_target(const Params& params, const ExactNumber& length) {
  const ExactNumber t = target(params);
  if (t.numerator < length.numerator) return;
  throw UsageError(
      fmt::format("cross-entropy: --target {} and a vector of {} values (the first "
                  "has index 0)",
                  t.numerator, length.numerator));
}

std::vector<InputVector> vectors(const Params& params, const Format& dtype,
                                 const ExactNumber& length) {
  check_target(params, length);
  return one_vector(params, dtype, length);
}

void check(const Params& params, const Format& dtype) {
  const ExactNumber t = target(params);
  if (!t.is_integer() || t.numerator < 0 || t.numerator >= static_cast<std::int64_t>(max_width)) {
    throw UsageError(fmt::format("cross-entropy: --target {} is not an integer from 0 to {}",
                                 to_string(t), max_width - 1));
  }
  check_vectors(params, dtype);
}

}  // namespace

Case cross_entropy() {
  return {
      .name = "cross-entropy",
      .summary = "log(sum(exp(x))) - x[target], the loss of one row of logits",
      .citation = "torch.nn.functional.cross_entropy with reduction='none'",
      .axis = vector_axis_info,
      .parameters = with_vectors(
          {{.name = "form",
            .kind = ParamKind::choice,
            .default_value = "log-softmax",
            .choices = {"naive", "logsumexp-minus-logit", "log-softmax"},
            .help = "naive: -log(softmax(x)[t]); logsumexp-minus-logit: the stable logsumexp less "
                    "the logit; log-softmax: -((x - m) - log(sum(exp(x - m))))[t]"},
           {.name = "target",
            .kind = ParamKind::number,
            .default_value = "0",
            .help = "index of the right class"}}),
      .formats = {binary32, binary16, bfloat16},
      .examples = {"halfulp eval cross-entropy --form logsumexp-minus-logit --dtype f32 --values "
                   "1e4,1e4 --backend stepwise"},
      .build = build,
      .axis_values = vector_axis,
      .vectors = vectors,
      .check = check,
  };
}

}  // namespace halfulp::cases
