#include "oracles/rational_oracle.h"

#include "harness/encoding.h"
#include "oracles/round_once.h"

namespace halfulp {

TierCounts& TierCounts::operator+=(const TierCounts& o) {
  certified += o.certified;
  exact += o.exact;
  ziv += o.ziv;
  checked += o.checked;
  disagreements += o.disagreements;
  return *this;
}

namespace oracles {

Format output_format(const Program& program, const Format& dtype) {
  const auto format = resolve(program.output_type(), dtype);
  if (!format) throw Unsupported("the oracle rounds to a floating-point format, not to an integer");
  return *format;
}

RationalOracle::RationalOracle(const Program& program, const Format& dtype)
    : evaluator_(program), output_(output_format(program, dtype)) {}

void RationalOracle::bind(const Binding& binding) { evaluator_.bind(binding); }

void RationalOracle::evaluate(std::uint64_t first, OracleBlock& out) {
  out.rounded.carrier = carrier_of(output_);
  for (std::size_t lane = 0; lane < out.rounded.size; ++lane) {
    decide_exactly(first + lane, lane, out);
  }
  tiers_.exact += out.rounded.size;
}

void RationalOracle::decide_exactly(std::uint64_t index, std::size_t lane, OracleBlock& out) {
  const ExactValue& value = evaluator_.evaluate(index);
  const Rounded rounded = oracles::round_once(value, output_, RoundingMode::to_nearest_even);
  Approximation near;
  if (output_ == binary64) {
    near = approximate(rounded);
    out.rounded.f64[lane] = near.value;
  } else {
    const double carried = to_double(rounded.bits, output_);
    out.rounded.f32[lane] = static_cast<float>(carried);
    // A result that is exact in the format is a double: no second rounding.
    near = rounded.exact ? Approximation{carried, 0} : approximate(value);
  }
  out.value[lane] = near.value;
  out.radius[lane] = near.radius;
}

Rounded RationalOracle::round_once(std::uint64_t index, RoundingMode mode) {
  return oracles::round_once(evaluator_.evaluate(index), output_, mode);
}

ExactErrors RationalOracle::exact_errors(std::uint64_t index, double candidate) {
  return oracles::exact_errors(evaluator_.evaluate(index), candidate, output_);
}

std::string RationalOracle::exact_text(std::uint64_t index) {
  return evaluator_.evaluate(index).text();
}

}  // namespace oracles
}  // namespace halfulp
