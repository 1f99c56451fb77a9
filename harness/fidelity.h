// Are the models right? Checks backends against recordings of real engines, bit for bit.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/evaluate.h"
#include "harness/fidelity_digest.h"
#include "harness/recording.h"
#include "harness/sweep.h"

namespace halfulp {

/// Parameters of the case `scalar-op` that a scalar record speaks of.
Params scalar_params(const ScalarRecord& record);

/// A list of digests to be reproduced: a backend on a case over axis values. Refers to its record.
struct Claim {
  std::size_t record = 0;  ///< position of the record that makes it
  const Case* subject = nullptr;
  std::string backend;
  Params params;
  Format dtype{};
  const Widths* widths = nullptr;  ///< null: the single axis value of the case
  std::vector<std::uint32_t> digests;
  bool modelled = true;

  ExactNumber axis_value(std::uint64_t position) const;
  /// Points of the axis values from `first` up to `last`.
  std::uint64_t points(std::uint64_t first, std::uint64_t last) const;
};

/// The claims of all records in their order. A scalar record with a second digest, of machines
/// without AVX2, makes a second claim.
std::vector<Claim> claims_of(std::span<const Record> records);

/// A claim under one backend, compiled once. Owned by one thread.
class ClaimChecker {
 public:
  /// Throws Unsupported where the backend cannot run the case.
  ClaimChecker(const Claim& claim, const Backend& backend);

  /// Does the axis value at `position` give its digest? A run that delivers another number of
  /// points than announced does not.
  bool matches(std::uint64_t position);

 private:
  const Claim& claim_;
  AxisRunner runner_;
  EncodingDigest digest_;
};

enum class Fidelity : std::uint8_t { ok, differs, not_modelled, unavailable };

/// What checking one claim found.
struct ClaimResult {
  Fidelity verdict = Fidelity::ok;
  std::uint64_t points = 0;                ///< evaluated
  std::vector<std::uint64_t> differing{};  ///< positions of axis values that differ, ascending
  std::string note{};  ///< why it is unavailable, or which variant reproduces all digests
};

/// Checks every claim, in parallel; looks for a variant of the backend where one differs. Results
/// do not depend on the number of threads. Incomplete when `stop` became true.
std::vector<ClaimResult> check_claims(std::span<const Claim> claims, unsigned threads,
                                      const std::atomic<bool>& stop, const Progress& progress);

/// Text that names the nearest backend that reproduces every digest of a claim: one field varied,
/// another backend, or two fields varied, in this order; or says that none was found. Tries the
/// `differing` axis values first and gives up after a fixed number of points.
std::string describe_nearest_variant(const Claim& claim, std::span<const std::uint64_t> differing,
                                     const std::atomic<bool>& stop);

}  // namespace halfulp
