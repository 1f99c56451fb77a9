// The correctly rounded answer, and the exact error of any other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/backend.h"
#include "harness/block.h"
#include "harness/format.h"
#include "harness/program.h"
#include "harness/rounding.h"

namespace halfulp {

/// The exact result of a point, rounded once.
struct Rounded {
  std::uint64_t bits = 0;  ///< encoding in the output format
  bool exact = false;      ///< the real result is a value of the format
  bool tie = false;        ///< the real result is half way between two neighbours
  bool zero = false;       ///< the real result is zero
};

/// Real-valued errors of a candidate against the unrounded exact result, each rounded once to
/// binary64. Infinite or NaN candidates and results have no errors: all fields are NaN.
struct ExactErrors {
  double abs = 0;  ///< |candidate - exact|
  double ulp_error =
      0;           ///< abs / ulp of the format at the exact value (oracle.h, "ulp at a value")
  double rel = 0;  ///< abs / |exact|; infinite for a lost zero
};
// ulp at a value v of a format: 2^(e - p + 1) with 2^e <= |v| < 2^(e+1), so at a power of two the
// spacing above it; never below the smallest subnormal, which is also the ulp at zero.

/// How many points each tier decided; `checked` of them were decided twice.
struct TierCounts {
  std::uint64_t certified = 0;  ///< double evaluation with an error bound
  std::uint64_t exact = 0;      ///< rational or quadratic-surd arithmetic
  std::uint64_t ziv = 0;        ///< intervals of growing precision (elementary functions)
  std::uint64_t checked = 0;    ///< certified points recomputed exactly
  std::uint64_t disagreements = 0;

  TierCounts& operator+=(const TierCounts& o);
};

/// A block of correctly rounded results with approximations of the unrounded ones.
struct OracleBlock {
  Block rounded;                           ///< the correctly rounded results
  alignas(64) double value[block_lanes];   ///< the exact result within `radius`
  alignas(64) double radius[block_lanes];  ///< certified bound of |value - exact|
};

/// The oracle of one program and output format, owned by one thread.
class OracleEvaluator {
 public:
  virtual ~OracleEvaluator() = default;
  virtual void bind(const Binding& binding) = 0;
  /// Correctly rounded results for [first, first + out.rounded.size); checked as the oracle's
  /// policy says. The result of an index does not depend on how blocks are cut.
  virtual void evaluate(std::uint64_t first, OracleBlock& out) = 0;
  /// One point by exact arithmetic alone.
  virtual Rounded round_once(std::uint64_t index, RoundingMode mode) = 0;
  /// Errors of the value `candidate` (exactly a double) at an index, by exact arithmetic.
  virtual ExactErrors exact_errors(std::uint64_t index, double candidate) = 0;
  /// The exact result as text: `-83/164`, `sqrt(2)`, `inf`.
  virtual std::string exact_text(std::uint64_t index) = 0;
  virtual const TierCounts& tiers() const = 0;
};

enum class OracleKind : std::uint8_t {
  exact,    ///< definitional: every point by exact arithmetic
  checked,  ///< certified fast path, exact where it cannot decide, and a sample of points twice
};

// Defined in oracles/.

/// Throws `Unsupported` for programs that it cannot evaluate exactly.
std::unique_ptr<OracleEvaluator> make_oracle(OracleKind kind, const Program& program,
                                             const Format& dtype);

/// What `halfulp ulp` says about a number given as text.
struct UlpReport {
  Rounded rounded;                ///< to nearest
  std::uint64_t lower = 0;        ///< largest value of the format <= the number (or equal)
  std::uint64_t upper = 0;        ///< smallest value of the format >= the number (or equal)
  double ulp = 0;                 ///< ulp of the format at the number
  int side_of_midpoint = 0;       ///< -1 below, 0 on, +1 above the midpoint of lower and upper
  double ulps_from_midpoint = 0;  ///< signed distance from that midpoint in ulps
  std::string exact;              ///< the number as an exact fraction
};
/// Reads an exact expression (`1/3`, `1 + 2^-11 + 2^-40`, `0x1.8p3`, `0.1`, `inf`, `nan`) and says
/// where it lies in the format. Throws UsageError for text that is not such an expression.
UlpReport locate(std::string_view expression, const Format& format);

/// An exact expression rounded once. Throws as `locate`.
Rounded round_expression(std::string_view expression, const Format& format, RoundingMode mode);

}  // namespace halfulp
