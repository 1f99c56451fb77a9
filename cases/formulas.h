// Formulas over one vector that several cases share, in naive and in stable form. Every operation
// is typed in the case's dtype.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/case.h"
#include "harness/program.h"

namespace halfulp::cases {

/// The axis of a case over one vector.
inline constexpr AxisInfo vector_axis_info{.name = "width", .summary = "length of the vector"};

/// exp(x - shift) and its parts. The quotient exponentials / total is softmax(x) for every shift.
struct ShiftedExponentials {
  ValueId differences;   ///< x - shift
  ValueId exponentials;  ///< exp(x - shift)
  ValueId total;         ///< sum(exp(x - shift))
};
ShiftedExponentials shifted_exponentials(ProgramBuilder& b, ValueId x, ValueId shift);

/// exp(x) / sum(exp(x)) is the quotient of these two.
struct Exponentials {
  ValueId exponentials;
  ValueId total;
};
Exponentials exponentials(ProgramBuilder& b, ValueId x);

/// log(sum(exp(x))), which overflows where the largest element does.
ValueId naive_logsumexp(ProgramBuilder& b, ValueId x);

/// m + log(sum(exp(x - m))), m being the largest element where that is finite, else 0 (as
/// torch.logsumexp has it, so that infinities give infinities and not inf - inf).
ValueId stable_logsumexp(ProgramBuilder& b, ValueId x);

/// (x - m) - log(sum(exp(x - m))), m being the largest element.
ValueId stable_log_softmax(ProgramBuilder& b, ValueId x);

ValueId square(ProgramBuilder& b, ValueId x);

/// sum(x) / n
ValueId mean(ProgramBuilder& b, ValueId x);

enum class MomentForm : std::uint8_t {
  naive,     ///< mean(x^2) - mean(x)^2
  two_pass,  ///< sum of (x - mean)^2
  welford,   ///< Welford's update
  merge,     ///< parts merged by Chan's formula
};

/// Reads the form's name as on the command line; it is one of those.
MomentForm moment_form(const Params& params);

/// The variance with divisor n - correction (correction 0 or 1). For correction 1 the naive form is
/// (sum(x^2) - sum(x)^2 / n) / (n - 1).
ValueId variance_of(ProgramBuilder& b, ValueId x, MomentForm form, std::int64_t correction);

}  // namespace halfulp::cases
