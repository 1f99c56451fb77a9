#include "cases/formulas.h"

#include <array>
#include <string_view>

#include "cases/vectors.h"

namespace halfulp::cases {
namespace {

/// m where it is finite, else 0 (NaN stays NaN). No step of it rounds on any engine: the arithmetic
/// is in binary32, which holds every dtype that has an exponential here.
ValueId finite_or_zero(ProgramBuilder& b, ValueId m) {
  const Type f32 = fixed_type(binary32);
  const ValueId wide = b.cast(f32, m);
  const ValueId zero_or_nan = b.binary(Op::sub, f32, wide, wide);
  const ValueId is_finite = b.binary(Op::equal, f32, zero_or_nan, b.literal(0));
  const ExactNumber max_finite{.numerator = (1 << 24) - 1, .binary_exponent = 127 - 23};
  const ValueId bound = b.binary(Op::mul, f32, is_finite, b.literal(max_finite));
  const ValueId below = b.binary(Op::min, f32, wide, bound);
  return b.cast(dtype_type, b.binary(Op::max, f32, below, b.unary(Op::neg, f32, bound)));
}

ValueId largest(ProgramBuilder& b, ValueId x) { return b.reduce(Op::largest, dtype_type, x); }

ValueId log(ProgramBuilder& b, ValueId x) { return b.unary(Op::log, dtype_type, x); }

ValueId over_size(ProgramBuilder& b, ValueId x, std::int64_t correction = 0) {
  return b.binary(Op::div, dtype_type, x, b.size(1, -correction));
}

ValueId naive_variance(ProgramBuilder& b, ValueId x, std::int64_t correction) {
  const ValueId squares = b.sum(dtype_type, square(b, x));
  if (correction == 0) {
    const ValueId mean_square = over_size(b, squares);
    return b.binary(Op::sub, dtype_type, mean_square, square(b, mean(b, x)));
  }
  const ValueId square_of_sum = square(b, b.sum(dtype_type, x));
  const ValueId m2 = b.binary(Op::sub, dtype_type, squares, over_size(b, square_of_sum));
  return over_size(b, m2, correction);
}

}  // namespace

ShiftedExponentials shifted_exponentials(ProgramBuilder& b, ValueId x, ValueId shift) {
  const ValueId differences = b.binary(Op::sub, dtype_type, x, shift);
  const auto [e, total] = exponentials(b, differences);
  return {differences, e, total};
}

Exponentials exponentials(ProgramBuilder& b, ValueId x) {
  const ValueId e = b.unary(Op::exp, dtype_type, x);
  return {e, b.sum(dtype_type, e)};
}

ValueId naive_logsumexp(ProgramBuilder& b, ValueId x) { return log(b, exponentials(b, x).total); }

ValueId stable_logsumexp(ProgramBuilder& b, ValueId x) {
  const ValueId m = finite_or_zero(b, largest(b, x));
  const ValueId total = shifted_exponentials(b, x, m).total;
  return b.binary(Op::add, dtype_type, m, log(b, total));
}

ValueId stable_log_softmax(ProgramBuilder& b, ValueId x) {
  const ShiftedExponentials e = shifted_exponentials(b, x, largest(b, x));
  return b.binary(Op::sub, dtype_type, e.differences, log(b, e.total));
}

ValueId square(ProgramBuilder& b, ValueId x) { return b.binary(Op::mul, dtype_type, x, x); }

ValueId mean(ProgramBuilder& b, ValueId x) { return over_size(b, b.sum(dtype_type, x)); }

MomentForm moment_form(const Params& params) {
  const std::string_view form = params.find("form")->second;
  if (form == "naive") return MomentForm::naive;
  if (form == "two-pass") return MomentForm::two_pass;
  if (form == "welford") return MomentForm::welford;
  return MomentForm::merge;
}

ValueId variance_of(ProgramBuilder& b, ValueId x, MomentForm form, std::int64_t correction) {
  switch (form) {
    case MomentForm::naive:
      return naive_variance(b, x, correction);
    case MomentForm::two_pass: {
      const ValueId deviations = b.binary(Op::sub, dtype_type, x, mean(b, x));
      return over_size(b, b.sum(dtype_type, square(b, deviations)), correction);
    }
    case MomentForm::welford:
      return over_size(b, b.reduce(Op::welford_m2, dtype_type, x), correction);
    case MomentForm::merge:
      return over_size(b, b.reduce(Op::chan_m2, dtype_type, x), correction);
  }
  return x;
}

}  // namespace halfulp::cases
