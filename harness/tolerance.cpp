#include "harness/tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "harness/encoding.h"
#include "harness/error.h"
#include "harness/evaluate.h"
#include "harness/suggest.h"
#include "harness/sweep_table.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double below(double value) { return value > 0 ? std::nextafter(value, 0.0) : 0; }
double above(double value) { return std::nextafter(value, infinity); }

ExactNumber parse_limit(std::string_view option, std::string_view text) {
  ExactNumber number;
  try {
    number = parse_exact_number(text);
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("{} takes a finite number of at least 0: {}", option, error.what()));
  }
  const double value = to_double(number);
  if (number.numerator < 0) {
    throw UsageError(fmt::format("{} is negative: {}", option, in_quotes(text)));
  }
  if (number.numerator != 0 && !std::isnormal(value)) {
    throw UsageError(
        fmt::format("{} is beyond the range of binary64: {}", option, in_quotes(text)));
  }
  return number;
}

/// A tolerance in binary64: atol within [low, high].
struct Limits {
  explicit Limits(const Tolerance& t)
      : exact(t),
        low(below(to_double(t.atol))),
        high(t.atol.numerator == 0 ? 0 : above(to_double(t.atol))),
        rtol(to_double(t.rtol)),
        underflow(t.rtol.numerator == 0 ? 0 : 0x1p-1060) {}
  Tolerance exact;
  double low;
  double high;
  double rtol;
  double underflow;  ///< bound of what rtol * |exact| may lose below the normal range
};

/// The smallest atol that a point meets lies in [lower, upper].
struct Need {
  double lower = 0;
  double upper = 0;
};

/// Bounds of |actual - exact| - rtol * |exact|, not below 0, for an exact result within `radius` of
/// `value`. Four roundings to binary64, each at most 2^-53 relative to `error + part`, are covered
/// by 2^-50 of it; differences do not underflow inexactly. Equal infinities need nothing; any other
/// infinity, and NaN, cannot be met.
Need need_of(double actual, double value, double radius, const Limits& limits) {
  const double error = std::fabs(actual - value);
  if (!(error < infinity)) return actual == value ? Need{} : Need{infinity, infinity};
  const double part = limits.rtol * std::fabs(value);
  const double slack =
      radius * (1 + limits.rtol) * (1 + 0x1p-50) + 0x1p-50 * (error + part) + limits.underflow;
  return {std::max(error - part - slack, 0.0), std::max(error - part + slack, 0.0)};
}

/// Sign of an exact expression.
int sign_of(const std::string& expression) {
  const Rounded rounded = round_expression(expression, binary64, RoundingMode::toward_zero);
  if (rounded.zero) return 0;
  return is_negative(rounded.bits, binary64) ? -1 : 1;
}

std::string magnitude(const std::string& expression) {
  return sign_of(expression) < 0 ? "-(" + expression + ")" : expression;
}

/// The definition, over the real numbers.
bool meets_exactly(double actual, const std::string& exact, const Tolerance& tolerance) {
  const std::string candidate = hex_float(encode_exact(actual, binary64), binary64);
  const std::string error = magnitude(fmt::format("({}) - ({})", candidate, exact));
  return sign_of(fmt::format("({}) + ({}) * ({}) - ({})", to_string(tolerance.atol),
                             to_string(tolerance.rtol), magnitude(exact), error)) >= 0;
}

}  // namespace

Tolerance parse_tolerance(std::string_view atol, std::string_view rtol) {
  return {parse_limit("--atol", atol), parse_limit("--rtol", rtol)};
}

/// One set of results over an axis.
struct ToleranceAnalyzer::Tally {
  Need need;
  bool meets = true;

  /// Adds a block of results that starts at index `first`.
  void add(const Block& results, const OracleBlock& exact, std::uint64_t first,
           OracleEvaluator& oracle, const Limits& limits) {
    Need worst;
    for (std::size_t lane = 0; lane < results.size; ++lane) {
      const Need n = need_of(results.value(lane), exact.value[lane], exact.radius[lane], limits);
      worst.lower = std::max(worst.lower, n.lower);
      worst.upper = std::max(worst.upper, n.upper);
    }
    need.lower = std::max(need.lower, worst.lower);
    need.upper = std::max(need.upper, worst.upper);
    if (worst.upper <= limits.low || !meets) return;
    meets = worst.lower <= limits.high && decide(results, exact, first, oracle, limits);
  }

 private:
  static bool decide(const Block& results, const OracleBlock& exact, std::uint64_t first,
                     OracleEvaluator& oracle, const Limits& limits) {
    for (std::size_t lane = 0; lane < results.size; ++lane) {
      const double actual = results.value(lane);
      const Need n = need_of(actual, exact.value[lane], exact.radius[lane], limits);
      if (n.upper <= limits.low) continue;
      if (!meets_exactly(actual, oracle.exact_text(first + lane), limits.exact)) return false;
    }
    return true;
  }
};

struct ToleranceAnalyzer::Tallies {
  std::uint64_t points = 0;
  Tally backend;
  Tally rounded;
};

ToleranceAnalyzer::ToleranceAnalyzer(const Case& c, const Params& params, const Format& dtype,
                                     const Backend& backend)
    : case_(c),
      params_(params),
      dtype_(dtype),
      binder_(c, params, dtype),
      expected_(std::make_unique<OracleBlock>()),
      actual_(std::make_unique<Block>()) {
  check_dtype(c, dtype);
  if (c.check != nullptr) c.check(params, dtype);
  const Program general = c.build(params, 2);
  const Program singleton = c.build(params, 1);
  output_ = resolve(general.output_type(), dtype).value_or(binary64);
  shape_ = shapes(general)[general.output];
  for (const Backend& world : worlds(backend, general, dtype)) {
    worlds_.push_back(
        {world.compile(world, general, dtype), world.compile(world, singleton, dtype)});
  }
  general_oracle_ = make_oracle(OracleKind::checked, general, dtype);
  singleton_oracle_ = make_oracle(OracleKind::checked, singleton, dtype);
}

TierCounts ToleranceAnalyzer::tiers() const {
  TierCounts counts = general_oracle_->tiers();
  counts += singleton_oracle_->tiers();
  return counts;
}

/// The admitted worlds, bound.
std::vector<Evaluator*> ToleranceAnalyzer::bind(const Binding& binding) {
  std::vector<Evaluator*> bound;
  for (Engine& engine : worlds_) {
    Evaluator& evaluator = binding.count == 1 ? *engine.singleton : *engine.general;
    evaluator.bind(binding);
    if (evaluator.admitted()) bound.push_back(&evaluator);
  }
  return bound;
}

ToleranceAnalyzer::Tallies ToleranceAnalyzer::measure(const Binding& binding,
                                                      const Tolerance& tolerance) {
  const std::vector<Evaluator*> evaluators = bind(binding);
  Tallies tallies;
  if (evaluators.empty()) return tallies;
  const Limits limits(tolerance);
  OracleEvaluator& oracle = binding.count == 1 ? *singleton_oracle_ : *general_oracle_;
  oracle.bind(binding);
  const std::uint64_t results = binding.rows * (shape_ == Shape::map ? binding.count : 1);
  for (std::uint64_t first = 0; first < results; first += block_lanes) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(block_lanes, results - first));
    poison(expected_->rounded, carrier_of(output_), size);
    oracle.evaluate(first, *expected_);
    tallies.rounded.add(expected_->rounded, *expected_, first, oracle, limits);
    for (Evaluator* evaluator : evaluators) {
      poison(*actual_, carrier_of(output_), size);
      evaluator->evaluate(first, *actual_);
      tallies.backend.add(*actual_, *expected_, first, oracle, limits);
    }
    tallies.points += size;
  }
  return tallies;
}

/// Where both bounds round up to the same decimal, that is the smallest. Where they do not, a
/// second pass decides exactly whether the lower one is met.
Attainment ToleranceAnalyzer::settle(const Tally& tally, Tally Tallies::*which,
                                     const Binding& binding, const Tolerance& tolerance) {
  const auto [lower, upper] = tally.need;
  if (upper == 0 || lower == infinity) return {tally.meets, lower};
  std::string smallest = rounded_up(above(upper));
  const std::string other = rounded_up(below(lower));
  if (smallest != other) {
    const Tolerance smaller{parse_exact_number(other), tolerance.rtol};
    if ((measure(binding, smaller).*which).meets) smallest = other;
  }
  return {tally.meets, std::strtod(smallest.c_str(), nullptr)};
}

std::optional<WidthTolerance> ToleranceAnalyzer::at(const ExactNumber& axis_value,
                                                    const Tolerance& tolerance) {
  const Binding binding = binder_.binding(axis_value);
  const Tallies tallies = measure(binding, tolerance);
  if (tallies.points == 0) return std::nullopt;
  return WidthTolerance{settle(tallies.backend, &Tallies::backend, binding, tolerance),
                        settle(tallies.rounded, &Tallies::rounded, binding, tolerance)};
}

}  // namespace halfulp
