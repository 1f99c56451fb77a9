#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "cases/cases.h"
#include "cases/formulas.h"
#include "cases/inputs.h"
#include "harness/axis.h"
#include "harness/encoding.h"
#include "harness/error.h"
#include "harness/values.h"

namespace halfulp::cases {
namespace {

constexpr Type t = dtype_type;

/// What an operation is applied to.
enum class Layout : std::uint8_t {
  single,  ///< every special value x
  pairs,   ///< every ordered pair of them, as two vectors x and y
  rows,    ///< every ordered pair, as a batch of vectors (x, y)
};

/// Operands of min and max change places for `--arguments yx`.
struct Builder {
  ProgramBuilder b;
  bool is_swapped;

  ValueId extreme(Op op, ValueId first, ValueId second) {
    return is_swapped ? b.binary(op, t, second, first) : b.binary(op, t, first, second);
  }
};

struct Operation {
  std::string_view name;
  Layout layout;
  ValueId (*build)(Builder&);
};

template <Op op>
ValueId extreme_of_pair(Builder& s) {
  const ValueId x = s.b.input(0);
  return s.extreme(op, x, s.b.input(1));
}
/// min(max(x, y), 1)
ValueId clamp(Builder& s) {
  const ValueId at_least_y = extreme_of_pair<Op::max>(s);
  return s.extreme(Op::min, at_least_y, s.b.literal(1));
}
/// max(x, 0)
ValueId relu(Builder& s) {
  const ValueId x = s.b.input(0);
  return s.extreme(Op::max, x, s.b.literal(0));
}
template <Op op>
ValueId reduction_of_row(Builder& s) {
  return s.b.reduce(op, t, s.b.input(0, Rows::each));
}
ValueId softmax_of_row(Builder& s) {
  const ValueId x = s.b.input(0, Rows::each);
  const auto e = shifted_exponentials(s.b, x, s.b.reduce(Op::largest, t, x));
  return s.b.binary(Op::div, t, e.exponentials, e.total);
}
ValueId logsumexp_of_row(Builder& s) { return stable_logsumexp(s.b, s.b.input(0, Rows::each)); }

constexpr std::array<Operation, 11> operations{{
    {"max", Layout::pairs, extreme_of_pair<Op::max>},
    {"min", Layout::pairs, extreme_of_pair<Op::min>},
    {"clamp", Layout::pairs, clamp},
    {"relu", Layout::single, relu},
    {"sum", Layout::rows, reduction_of_row<Op::sum>},
    {"product", Layout::rows, reduction_of_row<Op::product>},
    {"largest", Layout::rows, reduction_of_row<Op::largest>},
    {"smallest", Layout::rows, reduction_of_row<Op::smallest>},
    {"index-of-largest", Layout::rows, reduction_of_row<Op::index_of_largest>},
    {"softmax", Layout::rows, softmax_of_row},
    {"logsumexp", Layout::rows, logsumexp_of_row},
}};

const Operation& operation(const Params& params) {
  return *std::ranges::find(operations, std::string_view(params.find("op")->second),
                            &Operation::name);
}

bool is_swapped(const Params& params) { return params.find("arguments")->second == "yx"; }

Program build(const Params& params, std::uint64_t) {
  Builder s{.b = {}, .is_swapped = is_swapped(params)};
  const ValueId result = operation(params).build(s);
  return s.b.finish(result);
}

std::vector<double> specials(const Params& params, const Format& dtype) {
  if (is_set(params, "values")) return parse_values(params.find("values")->second);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {std::numeric_limits<double>::quiet_NaN(),
          infinity,
          -infinity,
          0.0,
          -0.0,
          1,
          -1,
          to_double(dtype.max_finite(), dtype),
          to_double(dtype.min_subnormal(), dtype)};
}

std::uint64_t number_of_specials(const Params& params) {
  return is_set(params, "values") ? values_size(params.find("values")->second) : 9;
}

std::uint64_t rows(const Params& params) {
  const std::uint64_t n = number_of_specials(params);
  return operation(params).layout == Layout::rows ? n * n : 1;
}

std::vector<ExactNumber> axis_values(const Params& params, const Format&) {
  const auto n = static_cast<std::int64_t>(number_of_specials(params));
  switch (operation(params).layout) {
    case Layout::single:
      return {exact(n)};
    case Layout::pairs:
      return {exact(n * n)};
    case Layout::rows:
      return {exact(2)};
  }
  return {};
}

/// x and y of every pair, x the slower.
std::vector<InputVector> inputs(const Params& params, const Format& dtype) {
  const std::vector<double> values = specials(params, dtype);
  const Layout layout = operation(params).layout;
  if (layout == Layout::single) return {from_values(values, dtype)};
  std::vector<double> xs;
  std::vector<double> ys;
  std::vector<double> both;
  for (const double x : values) {
    for (const double y : values) {
      xs.push_back(x);
      ys.push_back(y);
      both.push_back(is_swapped(params) ? y : x);
      both.push_back(is_swapped(params) ? x : y);
    }
  }
  if (layout == Layout::rows) return {from_values(both, dtype)};
  return {from_values(xs, dtype), from_values(ys, dtype)};
}

void check(const Params& params, const Format&) {
  const std::uint64_t n = number_of_specials(params);
  if (operation(params).layout != Layout::single && 2 * n * n > max_width) {
    throw UsageError(fmt::format("nan-inf: {} values have more than {} pairs", n, max_width / 2));
  }
}

std::vector<std::string_view> operation_names() {
  std::vector<std::string_view> names;
  for (const Operation& op : operations) names.push_back(op.name);
  return names;
}

std::vector<Parameter> parameters() {
  return {{.name = "op",
           .kind = ParamKind::choice,
           .default_value = "max",
           .choices = operation_names(),
           .help = "max(x, y), min(x, y), clamp: min(max(x, y), 1), relu: max(x, 0); the others of "
                   "the vector (x, y), one a row"},
          {.name = "arguments",
           .kind = ParamKind::choice,
           .default_value = "xy",
           .choices = {"xy", "yx"},
           .help = "order of the arguments of each max and min, or of the vector"},
          {.name = "values",
           .kind = ParamKind::values,
           .default_value = "",
           .help = "in place of NaN, infinities, zeros, 1, -1, the largest and the smallest "
                   "positive number; x runs over them, and for each x so does y"}};
}

}  // namespace

Case nan_inf() {
  return {
      .name = "nan-inf",
      .summary = "how NaN and infinities propagate, over all pairs of special values",
      .citation = "IEEE 754-2019, section 9.6; torch.maximum against torch.fmax",
      .axis = {.name = "", .summary = "all pairs at once"},
      .parameters = parameters(),
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval nan-inf --op max --arguments yx --dtype f16 "
                   "--backend stepwise+extremes=select"},
      .build = build,
      .axis_values = axis_values,
      .rows = rows,
      .inputs = inputs,
      .check = check,
  };
}

}  // namespace halfulp::cases
