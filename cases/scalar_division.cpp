#include <algorithm>
#include <cmath>

#include "cases/cases.h"
#include "cases/inputs.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

std::vector<ExactNumber> list(const Params& params, std::string_view name) {
  return parse_number_list(params.find(name)->second);
}

Program build(const Params&, std::uint64_t) {
  ProgramBuilder b;
  return b.finish(b.binary(Op::div, dtype_type, b.input(0), b.size()));
}

std::vector<ExactNumber> divisors(const Params& params, const Format&) { return list(params, "b"); }

std::uint64_t count(const Params& params, const Format&, const ExactNumber&) {
  return number_list_size(params.find("a")->second);
}

std::vector<InputVector> inputs(const Params& params, const Format& dtype) {
  return {from_numbers(list(params, "a"), dtype)};
}

double range_max(const Params&, const Format&, const ExactNumber& divisor, double largest_input) {
  return largest_input / std::fabs(to_double(divisor));
}

void check(const Params& params, const Format&) {
  for (const ExactNumber& b : list(params, "b")) {
    if (b.numerator == 0) throw UsageError("scalar-division: a divisor of zero in --b");
  }
}

}  // namespace

Case scalar_division() {
  return {
      .name = "scalar-division",
      .summary = "a / b for stored values a and a Python number b",
      .citation = "PyTorch on CUDA divides by a scalar by multiplying with its reciprocal",
      .axis = {.name = "b", .summary = "divisors, from --b"},
      .parameters = {{.name = "a",
                      .kind = ParamKind::list,
                      .default_value = "0..4096",
                      .help = "dividends: numbers and integer ranges, rounded to the dtype"},
                     {.name = "b",
                      .kind = ParamKind::list,
                      .default_value = "1..256",
                      .help = "divisors: numbers and integer ranges"}},
      .formats = {binary64, binary32, tf32, binary16, bfloat16},
      .examples = {"halfulp eval scalar-division --a 169 --b 13 --dtype f32 --backend cuda-aten",
                   "halfulp sweep scalar-division --a 0..4096 --b 1..1999 --dtype f32 --backend "
                   "cuda-aten"},
      .build = build,
      .axis_values = divisors,
      .count = count,
      .inputs = inputs,
      .range_max = range_max,
      .check = check,
  };
}

}  // namespace halfulp::cases
