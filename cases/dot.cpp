#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/vectors.h"

namespace halfulp::cases {
namespace {

/// The products, what their rounding lost, and both added up (Ogita, Rump, Oishi 2005, with
/// Neumaier's sum of the products).
ValueId compensated_dot(ProgramBuilder& b, ValueId x, ValueId y) {
  const Type t = dtype_type;
  const ValueId products = b.binary(Op::mul, t, x, y);
  const ValueId lost = b.ternary(Op::fma, t, x, y, b.unary(Op::neg, t, products));
  return b.binary(Op::add, t, b.sum(t, products, Algorithm::neumaier), b.sum(t, lost));
}

Program dot_program(const Params& params, Rows rows_of_x) {
  ProgramBuilder b;
  const ValueId x = b.input(0, rows_of_x);
  const ValueId y = b.input(1);
  return b.finish(params.find("form")->second == "naive" ? b.binary(Op::dot, dtype_type, x, y)
                                                         : compensated_dot(b, x, y));
}

std::uint64_t matrix_rows(const Params& params) {
  return static_cast<std::uint64_t>(parse_exact_number(params.find("rows")->second).numerator);
}

void check_two_vectors(const Params& params, const Format& dtype) {
  check_vectors(params, dtype, {}, 2);
}

Parameter form_parameter_of_products() {
  return {.name = "form",
          .kind = ParamKind::choice,
          .default_value = "naive",
          .choices = {"naive", "compensated"},
          .help =
              "in the engine's order; or the products summed by Neumaier's method and what "
              "their rounding lost, found by fma, added"};
}

}  // namespace

Case dot() {
  return {
      .name = "dot",
      .summary = "the dot product of two vectors",
      .citation = "Ogita, Rump, Oishi: Accurate sum and dot product",
      .axis = vector_axis_info,
      .parameters = with_vectors({form_parameter_of_products()}, {}, 2),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval dot --dtype f16 --values 1,2,3 --values-y 4,5,6 "
                   "--backend stepwise",
                   "halfulp sweep dot --form naive,compensated --dtype f32 --distribution "
                   "cancelling --widths 1..512 --backend stepwise,fused-fp32"},
      .build = [](const Params& params,
                  std::uint64_t) { return dot_program(params, Rows::shared); },
      .axis_values = vector_axis,
      .vectors = two_vectors,
      .check = check_two_vectors,
  };
}

Case matvec() {
  return {
      .name = "matvec",
      .summary = "a small matrix (the first vector, row by row) times a vector (the second)",
      .citation = "a dot product a row",
      .axis = {.name = "width", .summary = "columns of the matrix, the length of the vector"},
      .parameters = with_vectors({form_parameter_of_products(),
                                  {.name = "rows",
                                   .kind = ParamKind::size,
                                   .default_value = "4",
                                   .help = "rows of the matrix"}},
                                 {}, 2),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval matvec --rows 2 --values 1,2,3,4 --values-y 5,6 --dtype f32 "
                   "--backend stepwise"},
      .build = [](const Params& params, std::uint64_t) { return dot_program(params, Rows::each); },
      .axis_values = vector_axis,
      .rows = matrix_rows,
      .vectors = two_vectors,
      .check = check_two_vectors,
  };
}

}  // namespace halfulp::cases
