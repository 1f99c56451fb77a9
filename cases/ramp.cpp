#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cases/cases.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

std::string_view get(const Params& params, std::string_view name) {
  const auto found = params.find(name);
  if (found != params.end()) return found->second;
  return name == "step" ? "1" : "n-1";
}

ValueId size_expression(ProgramBuilder& b, std::string_view text) {
  if (text == "n") return b.size();
  if (text == "n-1") return b.size(1, -1);
  return b.literal(parse_exact_number(text));
}

Program build(const Params& params, std::uint64_t) {
  ProgramBuilder b;
  const ValueId start = size_expression(b, get(params, "start"));
  if (get(params, "kind") == "arange") {
    return b.finish(b.arange(dtype_type, start, size_expression(b, get(params, "step"))));
  }
  return b.finish(b.linspace(dtype_type, start, size_expression(b, get(params, "end"))));
}

double value_of(std::string_view text, double n) {
  if (text == "n") return n;
  if (text == "n-1") return n - 1;
  return to_double(parse_exact_number(text));
}

double range_max(const Params& params, const Format&, const ExactNumber& size, double) {
  const double n = to_double(size);
  const double start = value_of(get(params, "start"), n);
  const double end = get(params, "kind") == "arange"
                         ? start + value_of(get(params, "step"), n) * (n - 1)
                         : value_of(get(params, "end"), n);
  return std::max(std::fabs(start), std::fabs(end));
}

void check(const Params& params, const Format&) {
  const bool is_arange = get(params, "kind") == "arange";
  const std::string_view other = is_arange ? "end" : "step";
  if (is_set(params, other)) {
    throw UsageError(
        fmt::format("ramp: {} takes no --{}", is_arange ? "arange" : "linspace", other));
  }
}

}  // namespace

Case ramp() {
  return {
      .name = "ramp",
      .summary = "arange or linspace by itself, in the dtype",
      .citation = "torch.arange, torch.linspace",
      .axis = {.name = "width", .summary = "number of elements n"},
      .parameters = {{.name = "kind",
                      .kind = ParamKind::choice,
                      .default_value = "arange",
                      .choices = {"arange", "linspace"},
                      .help = "start + i * step, or start + i * (end - start) / (n - 1)"},
                     {.name = "start",
                      .kind = ParamKind::size_expr,
                      .default_value = "0",
                      .help = "first element: a number, n or n-1"},
                     {.name = "step",
                      .kind = ParamKind::size_expr,
                      .default_value = "",
                      .help = "of an arange: a number, n or n-1 [1]"},
                     {.name = "end",
                      .kind = ParamKind::size_expr,
                      .default_value = "",
                      .help = "last element of a linspace: a number, n or n-1 [n-1]"}},
      .formats = {binary64, binary32, tf32, binary16, bfloat16},
      .examples = {"halfulp eval ramp --kind arange --dtype bf16 --width 8256 --backend eager-cpu",
                   "halfulp sweep ramp --kind linspace --start -1 --end 1 --dtype f32 --widths "
                   "2..4096 --backend eager-cpu"},
      .build = build,
      .range_max = range_max,
      .check = check,
  };
}

}  // namespace halfulp::cases
