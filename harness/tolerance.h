// Which sizes can meet a test's tolerance, and whether the correctly rounded answer could.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/case.h"
#include "harness/evaluate.h"
#include "harness/exact_number.h"
#include "harness/oracle.h"

namespace halfulp {

/// A point meets it when |actual - exact| <= atol + rtol * |exact|, `exact` being the unrounded
/// result. Both numbers are exactly what was written, not the doubles nearest to it: 1e-4 is
/// 1/10000. Both may be 0: then only results without any error meet it.
struct Tolerance {
  ExactNumber atol;
  ExactNumber rtol;
};

/// Reads the values of --atol and --rtol. Throws UsageError, naming the option, for text that is no
/// number, for negative numbers, infinities and NaN, and beyond the normal range of binary64.
Tolerance parse_tolerance(std::string_view atol, std::string_view rtol);

/// How one set of results stands at one axis value.
struct Attainment {
  bool meets = true;  ///< every point meets the tolerance; decided exactly
  /// The smallest decimal of three significant digits that every point would meet as atol, with the
  /// rtol given; infinity if none (a result is not finite).
  double attainable = 0;
};

/// A backend and the correctly rounded answer at one axis value.
struct WidthTolerance {
  Attainment backend;  ///< of the worst world, if the backend stands for several
  Attainment rounded;
};

/// Checks one (case, parameters, dtype, backend) against tolerances. Owned by one thread.
///
/// Errors are bounded in binary64 from the oracle's certified interval; a point whose interval
/// leaves the verdict open is decided by exact arithmetic on its exact result, so that a verdict
/// does not depend on how good the bounds are.
class ToleranceAnalyzer {
 public:
  /// Throws Unsupported where the backend, or the oracle, cannot run the case; UsageError for a
  /// wrong dtype.
  ToleranceAnalyzer(const Case& c, const Params& params, const Format& dtype,
                    const Backend& backend);

  /// Nothing where no point is evaluated: an empty axis, or one that the backend's world is not
  /// admitted for.
  std::optional<WidthTolerance> at(const ExactNumber& axis_value, const Tolerance& tolerance);

  /// Of the oracle, over all calls of `at`.
  TierCounts tiers() const;

 private:
  /// The program compiled for axes of two or more points and for axes of one.
  struct Engine {
    std::unique_ptr<Evaluator> general;
    std::unique_ptr<Evaluator> singleton;
  };
  struct Tally;
  struct Tallies;

  std::vector<Evaluator*> bind(const Binding& binding);
  Tallies measure(const Binding& binding, const Tolerance& tolerance);
  Attainment settle(const Tally& tally, Tally Tallies::*which, const Binding& binding,
                    const Tolerance& tolerance);

  const Case& case_;
  Params params_;
  Format dtype_;
  Format output_;
  AxisBinder binder_;
  Shape shape_;  ///< of the result
  std::vector<Engine> worlds_;
  std::unique_ptr<OracleEvaluator> general_oracle_;
  std::unique_ptr<OracleEvaluator> singleton_oracle_;
  std::unique_ptr<OracleBlock> expected_;
  std::unique_ptr<Block> actual_;
};

}  // namespace halfulp
