#include "cases/cases.h"
#include "cases/vectors.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

constexpr VectorDefaults defaults{.distribution = "integers"};

std::uint64_t rows(const Params& params) {
  return static_cast<std::uint64_t>(parse_exact_number(params.find("rows")->second).numerator);
}

Program build(const Params& params, std::uint64_t) {
  const bool sums = params.find("output")->second == "sums";
  ProgramBuilder b;
  const ValueId k = b.input(0, sums ? Rows::each : Rows::shared);
  const ValueId divisor = b.literal(parse_exact_number(params.find("divisor")->second));
  ValueId quotient = b.binary(Op::div, dtype_type, k, divisor);
  if (params.find("form")->second == "kept") {
    const Type through = fixed_type(parse_format(params.find("through")->second));
    quotient = b.cast(dtype_type, b.cast(through, quotient));
  }
  return b.finish(sums ? b.sum(dtype_type, quotient) : quotient);
}

/// Row r gets the elements r, r + rows, r + 2 rows, ... of the vector.
template <typename T>
std::vector<T> dealt(const std::vector<T>& vector, std::uint64_t rows) {
  std::vector<T> out;
  out.reserve(vector.size());
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t i = r; i < vector.size(); i += rows) out.push_back(vector[i]);
  }
  return out;
}

std::vector<InputVector> vectors(const Params& params, const Format& dtype,
                                 const ExactNumber& length) {
  const InputVector all = vector_of(params, dtype, static_cast<std::uint64_t>(length.numerator));
  return {{dealt(all.f32, rows(params)), dealt(all.f64, rows(params))}};
}

void check(const Params& params, const Format& dtype) {
  if (params.find("output")->second == "values" && rows(params) != 1) {
    throw UsageError("cast-chain: --rows is for --output sums, one sum a row");
  }
  if (parse_exact_number(params.find("divisor")->second).numerator == 0) {
    throw UsageError("cast-chain: --divisor 0: a number other than 0 is needed");
  }
  check_vectors(params, dtype, defaults);
}

std::vector<Parameter> parameters() {
  return with_vectors({{.name = "form",
                        .kind = ParamKind::choice,
                        .default_value = "kept",
                        .choices = {"kept", "folded"},
                        .help = "the quotient cast to a narrower format and back; or the casts "
                                "folded away as a compiler may do"},
                       {.name = "divisor",
                        .kind = ParamKind::number,
                        .default_value = "7",
                        .help = "what the vector is divided by"},
                       {.name = "through",
                        .kind = ParamKind::choice,
                        .default_value = "f16",
                        .choices = {"f16", "bf16"},
                        .help = "the narrower format"},
                       {.name = "output",
                        .kind = ParamKind::choice,
                        .default_value = "values",
                        .choices = {"values", "sums"},
                        .help = "the quotients, or their sum in each row"},
                       {.name = "rows",
                        .kind = ParamKind::size,
                        .default_value = "1",
                        .help = "with sums: row r has the elements r, r + rows, r + 2 rows, ... "
                                "(the width is the length of a row)"}},
                      defaults);
}

}  // namespace

Case cast_chain() {
  return {
      .name = "cast-chain",
      .summary = "x / 7 with a narrow-then-widen cast, kept or folded",
      .citation = "emulated precision casts of compilers (PyTorch Inductor)",
      .axis = {.name = "width", .summary = "length of the vector, or of a row"},
      .parameters = parameters(),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval cast-chain --form kept --dtype f32 --values 0..19 "
                   "--backend stepwise",
                   "halfulp eval cast-chain --form kept --output sums --rows 4 --dtype f32 "
                   "--values 0..19 --backend stepwise"},
      .build = build,
      .axis_values = vector_axis,
      .rows = rows,
      .vectors = vectors,
      .check = check,
  };
}

}  // namespace halfulp::cases
