#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/inputs.h"
#include "cases/vectors.h"
#include "harness/values.h"

namespace halfulp::cases {
namespace {

constexpr Type f64 = fixed_type(binary64);

struct Function {
  std::string_view name;
  ValueId (*value)(ProgramBuilder&, Type, ValueId x);
  ValueId (*derivative)(ProgramBuilder&, ValueId x);  ///< in binary64
};

template <Op op>
ValueId of_x(ProgramBuilder& b, Type type, ValueId x) {
  return b.unary(op, type, x);
}
ValueId square_of(ProgramBuilder& b, Type type, ValueId x) { return b.binary(Op::mul, type, x, x); }
ValueId cube(ProgramBuilder& b, Type type, ValueId x) {
  return b.binary(Op::mul, type, square_of(b, type, x), x);
}

ValueId times(ProgramBuilder& b, std::int64_t factor, ValueId x) {
  return b.binary(Op::mul, f64, x, b.literal(factor));
}
/// y (1 - y)
ValueId logistic(ProgramBuilder& b, ValueId y) {
  return b.binary(Op::sub, f64, y, square_of(b, f64, y));
}

constexpr std::array<Function, 8> functions{{
    {"cube", cube, [](ProgramBuilder& b, ValueId x) { return times(b, 3, square_of(b, f64, x)); }},
    {"square", square_of, [](ProgramBuilder& b, ValueId x) { return times(b, 2, x); }},
    {"reciprocal", of_x<Op::reciprocal>,
     [](ProgramBuilder& b, ValueId x) {
       const ValueId squared = square_of(b, f64, x);
       return b.unary(Op::neg, f64, b.unary(Op::reciprocal, f64, squared));
     }},
    {"sqrt", of_x<Op::sqrt>,
     [](ProgramBuilder& b, ValueId x) {
       const ValueId doubled = times(b, 2, b.unary(Op::sqrt, f64, x));
       return b.unary(Op::reciprocal, f64, doubled);
     }},
    {"exp", of_x<Op::exp>, [](ProgramBuilder& b, ValueId x) { return b.unary(Op::exp, f64, x); }},
    {"log", of_x<Op::log>,
     [](ProgramBuilder& b, ValueId x) { return b.unary(Op::reciprocal, f64, x); }},
    {"tanh", of_x<Op::tanh>,
     [](ProgramBuilder& b, ValueId x) {
       const ValueId squared = square_of(b, f64, b.unary(Op::tanh, f64, x));
       const ValueId difference = b.binary(Op::sub, f64, squared, b.literal(1));
       return b.unary(Op::neg, f64, difference);
     }},
    {"sigmoid", of_x<Op::sigmoid>,
     [](ProgramBuilder& b, ValueId x) { return logistic(b, b.unary(Op::sigmoid, f64, x)); }},
}};

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  for (const Function& f : functions) names.push_back(f.name);
  return names;
}

const std::string& text(const Params& params, std::string_view name) {
  return params.find(name)->second;
}

/// (f(x + h) - f(x)) / h or (f(x + h) - f(x - h)) / (2 h), in the dtype.
ValueId quotient(ProgramBuilder& b, const Params& params, const Function& f, ValueId at) {
  const Type t = dtype_type;
  const ValueId h = b.input(0);
  const ValueId x = b.cast(t, at);
  const ValueId right = f.value(b, t, b.binary(Op::add, t, x, h));
  if (text(params, "form") == "forward") {
    return b.binary(Op::div, t, b.binary(Op::sub, t, right, f.value(b, t, x)), h);
  }
  const ValueId left = f.value(b, t, b.binary(Op::sub, t, x, h));
  const ValueId doubled = b.binary(Op::mul, t, h, b.literal(2));
  return b.binary(Op::div, t, b.binary(Op::sub, t, right, left), doubled);
}

Program build(const Params& params, std::uint64_t) {
  const Function& f =
      *std::ranges::find(functions, std::string_view(text(params, "function")), &Function::name);
  ProgramBuilder b;
  const ValueId at = b.literal(parse_exact_number(text(params, "at")));
  const ValueId estimate = quotient(b, params, f, at);
  const std::string_view output = text(params, "output");
  if (output == "derivative") return b.finish(estimate);
  const ValueId derivative = f.derivative(b, b.cast(f64, at));
  const ValueId error = b.binary(Op::sub, f64, b.cast(f64, estimate), derivative);
  if (output == "error") return b.finish(error);
  const ValueId closeness = b.unary(Op::neg, f64, b.unary(Op::abs, f64, error));
  return b.finish(b.reduce(Op::index_of_largest, f64, closeness));
}

std::vector<ExactNumber> axis_values(const Params& params, const Format&) {
  if (!is_set(params, "values")) return {};
  return {exact(static_cast<std::int64_t>(values_size(text(params, "values"))))};
}

/// The steps: as given, or 2^-1, 2^-2, ... (0 from where the dtype has no smaller number).
std::vector<InputVector> vectors(const Params& params, const Format& dtype,
                                 const ExactNumber& length) {
  if (is_set(params, "values")) return one_vector(params, dtype, length);
  constexpr std::int64_t below_every_subnormal = 1100;
  std::vector<ExactNumber> steps;
  for (std::int64_t k = 1; k <= length.numerator; ++k) {
    const auto exponent = static_cast<std::int32_t>(-std::min(k, below_every_subnormal));
    steps.push_back({.numerator = 1, .binary_exponent = exponent});
  }
  return {from_numbers(steps, dtype)};
}

std::vector<Parameter> parameters() {
  return {{.name = "form",
           .kind = ParamKind::choice,
           .default_value = "central",
           .choices = {"forward", "central"},
           .help = "(f(x + h) - f(x)) / h or (f(x + h) - f(x - h)) / (2 h)"},
          {.name = "function",
           .kind = ParamKind::choice,
           .default_value = "cube",
           .choices = function_names(),
           .help = "f; the error of exp, tanh and sigmoid needs them in binary64, which the oracle "
                   "has and engines do not"},
          {.name = "at", .kind = ParamKind::number, .default_value = "1", .help = "x"},
          {.name = "values",
           .kind = ParamKind::values,
           .default_value = "",
           .help = "the steps h; without them 2^-1, 2^-2, ..., as many as the width"},
          {.name = "output",
           .kind = ParamKind::choice,
           .default_value = "derivative",
           .choices = {"derivative", "error", "best-step"},
           .help = "the estimate; the estimate less the derivative, in binary64; the index of the "
                   "step with the smallest error, which is i for h = 2^-(i+1)"}};
}

}  // namespace

Case finite_difference() {
  return {
      .name = "finite-difference",
      .summary = "a derivative estimated by differences, over steps",
      .citation = "Nocedal, Wright: Numerical optimization, section 8.1",
      .axis = {.name = "width", .summary = "number of steps"},
      .parameters = parameters(),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval finite-difference --form forward --values 1e-4 --dtype f16 "
                   "--backend stepwise",
                   "halfulp eval finite-difference --output best-step --width 23 --dtype f32 "
                   "--backend stepwise"},
      .build = build,
      .axis_values = axis_values,
      .vectors = vectors,
  };
}

}  // namespace halfulp::cases
