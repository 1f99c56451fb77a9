#include "oracles/number.h"

namespace halfulp::oracles {
namespace {

/// `at_zero` at zeros, `below` at -inf, `above` at inf; NaN stays.
std::optional<ExactValue> pick(const ExactValue& x, const ExactValue& below,
                               const ExactValue& at_zero, const ExactValue& above) {
  if (x.is_nonzero()) return std::nullopt;
  if (x.is_nan()) return x;
  if (x.is_zero()) return at_zero;
  return x.is_negative() ? below : above;
}

}  // namespace

std::optional<ExactValue> exact_exp(const ExactValue& x) {
  return pick(x, ExactValue(), ExactValue(1), x);
}

std::optional<ExactValue> exact_log(const ExactValue& x) {
  if (x.is_nan()) return x;
  if (x.is_zero()) return ExactValue::infinity(true);
  if (x.is_negative()) return ExactValue::nan();
  if (x.is_infinite()) return x;
  return exact_log1p(x - ExactValue(1));
}

std::optional<ExactValue> exact_log1p(const ExactValue& x) {
  if (x.is_nonzero()) {
    const int order = x.compare(Fraction(-1));
    if (order > 0) return std::nullopt;
    return order == 0 ? ExactValue::infinity(true) : ExactValue::nan();
  }
  return pick(x, ExactValue::nan(), x, x);
}

std::optional<ExactValue> exact_expm1(const ExactValue& x) { return pick(x, ExactValue(-1), x, x); }

std::optional<ExactValue> exact_tanh(const ExactValue& x) {
  return pick(x, ExactValue(-1), x, ExactValue(1));
}

std::optional<ExactValue> exact_sigmoid(const ExactValue& x) {
  return pick(x, ExactValue(), ExactValue(Fraction(1, 2)), ExactValue(1));
}

std::optional<ExactValue> exact_erf(const ExactValue& x) { return exact_tanh(x); }

}  // namespace halfulp::oracles
