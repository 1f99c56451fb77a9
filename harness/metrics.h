// How much two sets of results differ: several measures, each with a name and a witness.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

namespace halfulp {

/// Where a point lies in a sweep: axis value (its number where it is an integer, else its position
/// in the list) and index. Points compare in sweep order.
struct Point {
  std::uint64_t width = 0;
  std::uint64_t index = 0;
  constexpr auto operator<=>(const Point&) const = default;
};

/// A point with the encodings on both sides.
struct Witness {
  Point at;
  std::uint64_t actual = 0;
  std::uint64_t expected = 0;
  constexpr bool operator==(const Witness&) const = default;
};

/// A maximum with its witness: the smallest point among equal values. Empty until a value above
/// zero was offered.
template <typename T>
struct Extreme {
  T value{};
  std::optional<Witness> witness;

  constexpr bool operator==(const Extreme&) const = default;
  void offer(T candidate, const Witness& w) {
    if (candidate > value || (candidate == value && witness && w.at < witness->at)) {
      value = candidate;
      witness = w;
    }
  }
  void merge(const Extreme& other) {
    if (other.witness) offer(other.value, *other.witness);
  }
};

/// Counts of `steps`: exact buckets 0 to 4, then (4, 8], (8, 16], … in powers of two.
class StepsHistogram {
 public:
  static constexpr std::size_t exact_buckets = 5;
  static constexpr std::size_t buckets = exact_buckets + 62;

  static constexpr std::size_t bucket(std::uint64_t steps) {
    if (steps < exact_buckets) return static_cast<std::size_t>(steps);
    return exact_buckets + static_cast<std::size_t>(std::bit_width(steps - 1)) - 3;
  }
  /// Largest `steps` that falls into a bucket.
  static constexpr std::uint64_t upper_bound(std::size_t b) {
    return b < exact_buckets             ? b
           : b - exact_buckets + 3 >= 64 ? ~std::uint64_t{0}
                                         : std::uint64_t{1} << (b - exact_buckets + 3);
  }
  void add(std::uint64_t steps, std::uint64_t times = 1) { counts_[bucket(steps)] += times; }
  /// Takes back points that were counted in the bucket of 0.
  void remove_zeros(std::uint64_t times) { counts_[0] -= times; }
  std::uint64_t count(std::size_t b) const { return counts_[b]; }
  void merge(const StepsHistogram& other) {
    for (std::size_t b = 0; b < buckets; ++b) counts_[b] += other.counts_[b];
  }
  bool operator==(const StepsHistogram&) const = default;

 private:
  std::array<std::uint64_t, buckets> counts_{};
};

/// What a comparison found. `merge` is associative and commutative, so the result does not depend
/// on how points are dealt out to threads and shards.
struct Metrics {
  std::uint64_t points = 0;
  /// Points whose values differ. NaN equals NaN; the two zeros are equal here (see zero_sign).
  std::uint64_t differing = 0;
  std::uint64_t widths_affected = 0;  ///< axis values with a differing point
  std::optional<Witness> first;       ///< the first differing point

  std::uint64_t zero_lost = 0;  ///< exact zeros that became non-zero (also among `differing`)
  std::uint64_t zero_sign = 0;  ///< zeros of different sign (not among `differing`)
  std::uint64_t nonfinite =
      0;  ///< NaN or infinity on one side only, or unlike infinities (differing)
  std::uint64_t unwritten = 0;  ///< outputs that the backend left untouched (also nonfinite)

  Extreme<std::uint64_t> steps;  ///< ordinals, both finite
  Extreme<double> ulp_error;     ///< |actual - exact| in ulps of the format at the exact value
  Extreme<double> range_ulp;     ///< |actual - exact| in ulps at the top of the output range
  Extreme<double> abs;           ///< |actual - exact|
  Extreme<double> rel;           ///< |actual - exact| / |exact|, exact non-zero
  StepsHistogram histogram;      ///< of `steps`, both finite

  void merge(const Metrics& other);
  bool operator==(const Metrics&) const = default;
};

}  // namespace halfulp
