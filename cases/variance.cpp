#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/vectors.h"

namespace halfulp::cases {
namespace {

bool is_standard_deviation(const Params& params) { return params.find("output")->second == "std"; }

Program build(const Params& params, std::uint64_t) {
  ProgramBuilder b;
  const std::int64_t correction = params.find("correction")->second == "1" ? 1 : 0;
  const ValueId variance = variance_of(b, b.input(0), moment_form(params), correction);
  return b.finish(is_standard_deviation(params) ? b.unary(Op::sqrt, dtype_type, variance)
                                                : variance);
}

/// The population variance is at most the largest square.
double range_max(const Params& params, const Format&, const ExactNumber&, double largest_input) {
  return is_standard_deviation(params) ? largest_input : largest_input * largest_input;
}

}  // namespace

Case variance() {
  return {
      .name = "variance",
      .summary = "the mean squared deviation from the mean, or its square root",
      .citation = "Chan, Golub, LeVeque: Algorithms for computing the sample variance (1983)",
      .axis = vector_axis_info,
      .parameters = with_vectors(
          {{.name = "form",
            .kind = ParamKind::choice,
            .default_value = "two-pass",
            .choices = {"naive", "two-pass", "welford", "merge"},
            .help = "naive: mean(x^2) - mean(x)^2, or (sum(x^2) - sum(x)^2 / n) / (n - 1); "
                    "two-pass: sum((x - mean)^2) / n; welford: Welford's update; merge: parts "
                    "merged by Chan's formula"},
           {.name = "correction",
            .kind = ParamKind::choice,
            .default_value = "0",
            .choices = {"0", "1"},
            .help = "the divisor is n less this: 0 for a population, 1 for a sample"},
           {.name = "output",
            .kind = ParamKind::choice,
            .default_value = "variance",
            .choices = {"variance", "std"},
            .help = "std: its square root"}}),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval variance --form naive --dtype f32 --values "
                   "1000000,1000001,1000002 --backend stepwise"},
      .build = build,
      .axis_values = vector_axis,
      .vectors = one_vector,
      .range_max = range_max,
      .check = check_vectors,
  };
}

}  // namespace halfulp::cases
