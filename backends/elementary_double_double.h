// The second tier of the elementary functions: where a double evaluation cannot decide.
#pragma once

#include <optional>

#include "backends/double_double.h"
#include "harness/program.h"

namespace halfulp::backends {

/// f(x) for an elementary operation and a finite x with f(x) finite and neither 0 nor exact.
/// Relative error at most `double_double_error` (derived where it is computed); arguments beyond
/// which the binary32 result no longer changes (|x| > 128 for exp, |x| > 4 for erf, …) are replaced
/// by that limit. Uses no mathematical library: IEEE + - * / and fma only.
DoubleDouble elementary_double_double(Op op, float x);
inline constexpr double double_double_error = 0x1p-95;

/// The binary32 value nearest to every number within `relative_error` of `value`; empty if there is
/// no such value.
std::optional<float> nearest_float(DoubleDouble value, double relative_error);

}  // namespace halfulp::backends
