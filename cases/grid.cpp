#include "cases/grid.h"

#include <algorithm>

namespace halfulp::cases {
namespace {

/// The ramp, the type in which the formula works and the divisor of a form.
struct Axis {
  ValueId x;
  Type type;
  ValueId divisor;  ///< n - 1, or n when corners are not aligned
};

bool is_true_or_absent(const Params& params, std::string_view name) {
  return params.find(name) == params.end() || flag(params, name);
}

Axis typed_axis(ProgramBuilder& b, std::string_view form, std::int64_t offset) {
  const ValueId x = form == "linspace" ? b.linspace(dtype_type, b.literal(0), b.size(1, -1))
                                       : b.arange(dtype_type, b.literal(0), b.literal(1));
  if (form == "arange-size-tensor") {
    const ValueId size = b.cast(dtype_type, b.size());
    return {x, dtype_type, offset == 0 ? size : b.binary(Op::sub, dtype_type, size, b.literal(1))};
  }
  if (form == "divisor-in-dtype") return {x, dtype_type, b.cast(dtype_type, b.size(1, offset))};
  return {x, dtype_type, b.size(1, offset)};
}

/// (x / m - 0.5) * 2 or (2 x + 1) / n - 1 in the axis' type.
ValueId normalised(ProgramBuilder& b, const Axis& axis, bool align_corners) {
  const Type t = axis.type;
  if (align_corners) {
    const ValueId quotient = b.binary(Op::div, t, axis.x, axis.divisor);
    const ValueId centred =
        b.binary(Op::sub, t, quotient, b.literal({.numerator = 5, .decimal_exponent = -1}));
    return b.binary(Op::mul, t, centred, b.literal(2));
  }
  const ValueId doubled = b.binary(Op::mul, t, axis.x, b.literal(2));
  const ValueId odd = b.binary(Op::add, t, doubled, b.literal(1));
  return b.binary(Op::sub, t, b.binary(Op::div, t, odd, axis.divisor), b.literal(1));
}

/// (2 i - m) / m or (2 i + 1 - n) / n with an integer numerator.
ValueId exact_numerator(ProgramBuilder& b, bool align_corners) {
  const ValueId doubled = b.binary(Op::mul, integer_type, b.index(), b.literal(2));
  const ValueId numerator =
      b.binary(Op::sub, integer_type, doubled, b.size(1, -1));  // 2 i - (n - 1) in both
  return b.binary(Op::div, opmath_type, b.cast(opmath_type, numerator),
                  b.size(1, align_corners ? -1 : 0));
}

}  // namespace

Parameter form_parameter() {
  return {.name = "form",
          .kind = ParamKind::choice,
          .default_value = "float32-once",
          .choices = {"float32-once", "arange", "linspace", "arange-size-tensor",
                      "divisor-in-dtype", "exact-numerator"},
          .help =
              "how the library computes it: in float32, narrowed once (kornia since 0.9.0); on "
              "an arange or linspace in the dtype; with the size, or just the divisor, as a "
              "tensor of the dtype; from the exact integer numerator in float32"};
}

std::vector<Format> grid_formats() { return {binary64, binary32, tf32, binary16, bfloat16}; }

Program grid_axis(const Params& params, std::uint64_t count) {
  ProgramBuilder b;
  if (count == 1) return b.finish(b.arange(dtype_type, b.literal(0), b.literal(1)));
  const std::string_view form = params.find("form")->second;
  const bool align_corners = is_true_or_absent(params, "align_corners");
  const bool is_normalized = is_true_or_absent(params, "normalized");
  if (form == "exact-numerator" && is_normalized) {
    return b.finish(b.cast(dtype_type, exact_numerator(b, align_corners)));
  }
  const std::int64_t offset = align_corners ? -1 : 0;
  const bool in_opmath = form == "float32-once" || form == "exact-numerator";
  const Axis axis = in_opmath ? Axis{b.arange(opmath_type, b.literal(0), b.literal(1)), opmath_type,
                                     b.size(1, offset)}
                              : typed_axis(b, form, offset);
  const ValueId result = is_normalized ? normalised(b, axis, align_corners) : axis.x;
  return without_dead_code(b.finish(in_opmath ? b.cast(dtype_type, result) : result));
}

double grid_range_max(const Params& params, const Format&, const ExactNumber& n, double) {
  if (is_true_or_absent(params, "normalized")) return 1;
  return std::max(1.0, to_double(n) - 1);
}

}  // namespace halfulp::cases
