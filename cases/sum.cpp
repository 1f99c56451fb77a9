#include <algorithm>
#include <array>

#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/vectors.h"

namespace halfulp::cases {
namespace {

struct Form {
  std::string_view name;
  Algorithm algorithm;
};
constexpr std::array<Form, 4> forms{{{"naive", Algorithm::engine},
                                     {"pairwise", Algorithm::pairwise},
                                     {"kahan", Algorithm::kahan},
                                     {"neumaier", Algorithm::neumaier}}};

Program build(const Params& params, std::uint64_t) {
  const Form& form =
      *std::ranges::find(forms, std::string_view(params.find("form")->second), &Form::name);
  ProgramBuilder b;
  return b.finish(b.sum(dtype_type, b.input(0), form.algorithm));
}

Parameter form_parameter_of_sums() {
  std::vector<std::string_view> names;
  for (const Form& form : forms) names.push_back(form.name);
  return {.name = "form",
          .kind = ParamKind::choice,
          .default_value = "naive",
          .choices = names,
          .help =
              "in the engine's order; pairwise; with Kahan's or Neumaier's compensation, "
              "whatever the engine's order is"};
}

}  // namespace

Case sum() {
  return {
      .name = "sum",
      .summary = "the sum of a vector",
      .citation = "Higham: Accuracy and stability of numerical algorithms, chapter 4",
      .axis = vector_axis_info,
      .parameters = with_vectors({form_parameter_of_sums()}),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval sum --form naive --dtype f16 --fill 1 --width 3000 "
                   "--backend stepwise",
                   "halfulp sweep sum --form naive,kahan --dtype f32 --distribution cancelling "
                   "--seed 7 --widths 1..1000 --backend fused-fp32+order=pairwise"},
      .build = build,
      .axis_values = vector_axis,
      .vectors = one_vector,
      .check = check_vectors,
  };
}

}  // namespace halfulp::cases
