#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cases/cases.h"
#include "cases/inputs.h"
#include "harness/encoding.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

enum class Arguments : std::uint8_t { x, x_and_scalar, x_and_y };

struct Operation {
  std::string_view name;
  Arguments arguments;
  ValueId (*build)(ProgramBuilder&, ValueId x, ValueId other);
};

template <Op op>
ValueId x_op_other(ProgramBuilder& b, ValueId x, ValueId other) {
  return b.binary(op, dtype_type, x, other);
}
template <Op op>
ValueId other_op_x(ProgramBuilder& b, ValueId x, ValueId other) {
  return b.binary(op, dtype_type, other, x);
}
template <Op op>
ValueId of_x(ProgramBuilder& b, ValueId x, ValueId) {
  return b.unary(op, dtype_type, x);
}
template <Format format>
ValueId cast_to(ProgramBuilder& b, ValueId x, ValueId) {
  return b.cast(fixed_type(format), x);
}
ValueId square(ProgramBuilder& b, ValueId x, ValueId) {
  return b.binary(Op::mul, dtype_type, x, x);
}

constexpr std::array<Operation, 32> operations{{
    {"x+s", Arguments::x_and_scalar, x_op_other<Op::add>},
    {"x-s", Arguments::x_and_scalar, x_op_other<Op::sub>},
    {"s-x", Arguments::x_and_scalar, other_op_x<Op::sub>},
    {"x*s", Arguments::x_and_scalar, x_op_other<Op::mul>},
    {"x/s", Arguments::x_and_scalar, x_op_other<Op::div>},
    {"s/x", Arguments::x_and_scalar, other_op_x<Op::div>},
    {"x+y", Arguments::x_and_y, x_op_other<Op::add>},
    {"x-y", Arguments::x_and_y, x_op_other<Op::sub>},
    {"x*y", Arguments::x_and_y, x_op_other<Op::mul>},
    {"x/y", Arguments::x_and_y, x_op_other<Op::div>},
    {"min", Arguments::x_and_y, x_op_other<Op::min>},
    {"max", Arguments::x_and_y, x_op_other<Op::max>},
    {"neg", Arguments::x, of_x<Op::neg>},
    {"abs", Arguments::x, of_x<Op::abs>},
    {"sqrt", Arguments::x, of_x<Op::sqrt>},
    {"rsqrt", Arguments::x, of_x<Op::rsqrt>},
    {"reciprocal", Arguments::x, of_x<Op::reciprocal>},
    {"square", Arguments::x, square},
    {"floor", Arguments::x, of_x<Op::floor>},
    {"exp", Arguments::x, of_x<Op::exp>},
    {"log", Arguments::x, of_x<Op::log>},
    {"log1p", Arguments::x, of_x<Op::log1p>},
    {"expm1", Arguments::x, of_x<Op::expm1>},
    {"tanh", Arguments::x, of_x<Op::tanh>},
    {"sigmoid", Arguments::x, of_x<Op::sigmoid>},
    {"erf", Arguments::x, of_x<Op::erf>},
    {"to_f32", Arguments::x, cast_to<binary32>},
    {"to_f16", Arguments::x, cast_to<binary16>},
    {"to_bf16", Arguments::x, cast_to<bfloat16>},
    {"to_e4m3fn", Arguments::x, cast_to<float8_e4m3fn>},
    {"to_e4m3sat", Arguments::x, cast_to<float8_e4m3fn_saturating>},
    {"to_e5m2", Arguments::x, cast_to<float8_e5m2>},
}};

const Operation& operation(const Params& params) {
  return *std::ranges::find(operations, std::string_view(params.find("op")->second),
                            &Operation::name);
}

Program build(const Params& params, std::uint64_t) {
  const Operation& op = operation(params);
  ProgramBuilder b;
  const ValueId x = b.input(0);
  ValueId other = x;
  if (op.arguments == Arguments::x_and_y) other = b.input(1);
  if (op.arguments == Arguments::x_and_scalar) {
    other = b.literal(parse_exact_number(params.find("scalar")->second));
  }
  return b.finish(op.build(b, x, other));
}

/// 131,072 binary32 patterns of a linear congruential generator (the recordings' own).
std::vector<std::uint64_t> binary32_patterns() {
  std::vector<std::uint64_t> out(131072);
  std::uint32_t state = 12345;
  for (auto& pattern : out) {
    state = 1664525u * state + 1013904223u;
    pattern = state;
  }
  return out;
}

std::uint64_t points(const Params& params, const Format& dtype) {
  if (is_set(params, "values")) return number_list_size(params.find("values")->second);
  if (dtype == binary64) {
    throw UsageError("scalar-op: f64 has too many encodings to try them all; give --values");
  }
  return dtype == binary32 ? 131072 : std::uint64_t{1} << dtype.width();
}

std::vector<ExactNumber> axis_values(const Params& params, const Format& dtype) {
  return {exact(static_cast<std::int64_t>(points(params, dtype)))};
}

std::uint64_t count(const Params& params, const Format& dtype, const ExactNumber&) {
  return points(params, dtype);
}

InputVector x_values(const Params& params, const Format& dtype) {
  if (is_set(params, "values")) {
    return from_numbers(parse_number_list(params.find("values")->second), dtype);
  }
  if (dtype == binary32) return from_encodings(binary32_patterns(), dtype);
  std::vector<std::uint64_t> all(points(params, dtype));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return from_encodings(all, dtype);
}

/// y[k] = x[(40503 k + 977) mod N].
template <typename T>
std::vector<T> permuted(const std::vector<T>& x) {
  std::vector<T> y(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) y[k] = x[(40503 * k + 977) % x.size()];
  return y;
}

std::vector<InputVector> inputs(const Params& params, const Format& dtype) {
  const InputVector x = x_values(params, dtype);
  return {x, {permuted(x.f32), permuted(x.f64)}};
}

double range_max(const Params& params, const Format& dtype, const ExactNumber&, double) {
  const Format output = *resolve(build(params, 2).output_type(), dtype);
  return to_double(output.max_finite(), output);
}

void check(const Params& params, const Format& dtype) {
  const Operation& op = operation(params);
  const bool takes_scalar = op.arguments == Arguments::x_and_scalar;
  if (takes_scalar != is_set(params, "scalar")) {
    throw UsageError(
        fmt::format("scalar-op: {} {} --scalar", op.name, takes_scalar ? "needs" : "takes no"));
  }
  points(params, dtype);
}

std::vector<std::string_view> operation_names() {
  std::vector<std::string_view> names;
  for (const Operation& op : operations) names.push_back(op.name);
  return names;
}

}  // namespace

Case scalar_op() {
  return {
      .name = "scalar-op",
      .summary = "one operation over all encodings of a format (131,072 patterns of f32)",
      .citation = "the scalar rules of PyTorch's elementwise operations",
      .axis = {.name = "", .summary = "all encodings at once"},
      .parameters = {{.name = "op",
                      .kind = ParamKind::choice,
                      .default_value = "x/s",
                      .choices = operation_names(),
                      .help = "x: the encodings; s: --scalar; y: the encodings in another order"},
                     {.name = "scalar",
                      .kind = ParamKind::number,
                      .default_value = "",
                      .help = "a Python number"},
                     {.name = "values",
                      .kind = ParamKind::list,
                      .default_value = "",
                      .help = "numbers to use for x in place of the encodings"}},
      .formats = {binary64, binary32, tf32, binary16, bfloat16, float8_e4m3fn,
                  float8_e4m3fn_saturating, float8_e5m2, toy_e4m3},
      .examples =
          {"halfulp sweep scalar-op --op s/x --scalar 257 --dtype bf16 --backend eager-cpu"},
      .build = build,
      .axis_values = axis_values,
      .count = count,
      .inputs = inputs,
      .range_max = range_max,
      .check = check,
  };
}

}  // namespace halfulp::cases
