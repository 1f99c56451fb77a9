#include <fmt/format.h>

#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/vectors.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

Program build(const Params& params, std::uint64_t) {
  const std::string& form = params.find("form")->second;
  const Type to = fixed_type(parse_format(params.find("to")->second));
  ProgramBuilder b;
  const ValueId x = b.input(0);
  if (form == "nearest") return b.finish(b.cast(to, x));
  if (form == "truncate") return b.finish(b.unary(Op::cast_truncate, to, x));
  const ValueId seed = b.literal(parse_exact_number(params.find("rounding_seed")->second));
  return b.finish(b.binary(Op::cast_stochastic, to, x, seed));
}

void check(const Params& params, const Format& dtype) {
  const std::string& text = params.find("rounding_seed")->second;
  const ExactNumber seed = parse_exact_number(text);
  if (!seed.is_integer() || seed.numerator < 0) {
    throw UsageError(fmt::format("--rounding-seed {} is not an integer from 0 to 2^63 - 1", text));
  }
  check_vectors(params, dtype);
}

}  // namespace

Case convert() {
  return {
      .name = "convert",
      .summary = "values rounded to a narrower format",
      .citation = "IEEE 754-2019, section 5.4.2; stochastic rounding: Gupta et al. 2015",
      .axis = vector_axis_info,
      .parameters = with_vectors({{.name = "form",
                                   .kind = ParamKind::choice,
                                   .default_value = "nearest",
                                   .choices = {"nearest", "truncate", "stochastic"},
                                   .help = "ties to even; towards zero; to a neighbour at random"},
                                  {.name = "to",
                                   .kind = ParamKind::choice,
                                   .default_value = "bf16",
                                   .choices = {"f16", "bf16", "e4m3", "e5m2", "f32"},
                                   .help = "the format"},
                                  {.name = "rounding_seed",
                                   .kind = ParamKind::number,
                                   .default_value = "1",
                                   .help = "of stochastic rounding, an integer from 0"}}),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval convert --form nearest --to bf16 --dtype f32 --values 3.14,1e-8 "
                   "--backend stepwise"},
      .build = build,
      .axis_values = vector_axis,
      .vectors = one_vector,
      .check = check,
  };
}

}  // namespace halfulp::cases
