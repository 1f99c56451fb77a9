#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/vectors.h"

namespace halfulp::cases {
namespace {

const std::string& form(const Params& params) { return params.find("form")->second; }

Program softmax_program(const Params& params, std::uint64_t) {
  ProgramBuilder b;
  const ValueId x = b.input(0);
  if (form(params) == "naive") {
    const auto [e, total] = exponentials(b, x);
    return b.finish(b.binary(Op::div, dtype_type, e, total));
  }
  const auto e = shifted_exponentials(b, x, b.reduce(Op::largest, dtype_type, x));
  return b.finish(b.binary(Op::div, dtype_type, e.exponentials, e.total));
}

Program log_softmax_program(const Params& params, std::uint64_t) {
  ProgramBuilder b;
  if (form(params) == "stable") return b.finish(stable_log_softmax(b, b.input(0)));
  const auto [e, total] = exponentials(b, b.input(0));
  return b.finish(b.unary(Op::log, dtype_type, b.binary(Op::div, dtype_type, e, total)));
}

double one(const Params&, const Format&, const ExactNumber&, double) { return 1; }

Parameter form_parameter(std::string_view help) {
  return {.name = "form",
          .kind = ParamKind::choice,
          .default_value = "stable",
          .choices = {"naive", "stable"},
          .help = help};
}

}  // namespace

Case softmax() {
  return {
      .name = "softmax",
      .summary = "exp(x) / sum(exp(x)), as written and shifted by the largest element",
      .citation = "Goodfellow, Bengio, Courville: Deep Learning, section 4.1",
      .axis = vector_axis_info,
      .parameters = with_vectors({form_parameter(
          "naive: exp(x) / sum(exp(x)); stable: the same of x - m, m being the largest element")}),
      .formats = {binary32, binary16, bfloat16},
      .examples = {"halfulp eval softmax --form naive --dtype f32 --values 100,101,102 --backend "
                   "stepwise",
                   "halfulp sweep softmax --form naive,stable --dtype f16,bf16 --widths 1..512 "
                   "--backend stepwise,fused-fp32"},
      .build = softmax_program,
      .axis_values = vector_axis,
      .vectors = one_vector,
      .range_max = one,
      .check = check_vectors,
  };
}

Case log_softmax() {
  return {
      .name = "log-softmax",
      .summary = "x - log(sum(exp(x))), as the logarithm of softmax and shifted",
      .citation = "Goodfellow, Bengio, Courville: Deep Learning, section 6.2.2.3",
      .axis = vector_axis_info,
      .parameters = with_vectors(
          {form_parameter("naive: log(exp(x) / sum(exp(x))); stable: (x - m) - log(sum(exp(x - "
                          "m))), m being the largest element")}),
      .formats = {binary32, binary16, bfloat16},
      .examples = {"halfulp eval log-softmax --form naive --dtype f32 --values 0,200 --backend "
                   "stepwise"},
      .build = log_softmax_program,
      .axis_values = vector_axis,
      .vectors = one_vector,
      .check = check_vectors,
  };
}

}  // namespace halfulp::cases
