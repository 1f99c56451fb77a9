#include <algorithm>

#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/vectors.h"

namespace halfulp::cases {
namespace {

Program build(const Params& params, std::uint64_t) {
  ProgramBuilder b;
  const ValueId x = b.input(0);
  const bool is_naive = params.find("form")->second == "naive";
  return b.finish(is_naive ? naive_logsumexp(b, x) : stable_logsumexp(b, x));
}

double range_max(const Params&, const Format&, const ExactNumber&, double largest_input) {
  return std::max(1.0, largest_input);
}

}  // namespace

Case logsumexp() {
  return {
      .name = "logsumexp",
      .summary = "log(sum(exp(x))), as written and shifted by the largest element",
      .citation =
          "Blanchard, Higham, Higham: Accurately computing the log-sum-exp and softmax "
          "functions (2021)",
      .axis = vector_axis_info,
      .parameters = with_vectors(
          {{.name = "form",
            .kind = ParamKind::choice,
            .default_value = "stable",
            .choices = {"naive", "stable"},
            .help = "naive: log(sum(exp(x))); stable: m + log(sum(exp(x - m))), m being the "
                    "largest element, or 0 where that is infinite"}}),
      .formats = {binary32, binary16, bfloat16},
      .examples = {"halfulp eval logsumexp --form naive --dtype f32 --values 500..502 --backend "
                   "stepwise"},
      .build = build,
      .axis_values = vector_axis,
      .vectors = one_vector,
      .range_max = range_max,
      .check = check_vectors,
  };
}

}  // namespace halfulp::cases
