// Random vectors with the same bits on every machine: no library's generator, no library's exp.
#pragma once

#include <cstdint>
#include <vector>

namespace halfulp::cases {

enum class Distribution : std::uint8_t {
  normal,       ///< the sum of 12 uniform numbers in [0, 1) less 6 (Irwin-Hall): variance 1
  uniform,      ///< low + u (high - low), u uniform in [0, 1)
  log_uniform,  ///< low (high / low)^u
  /// Values v (normal, times 2^-12 ... 2^3 with equal chances), then their negatives shuffled: the
  /// exact sum is 0. A second vector has its values repeated by the same shuffle with their sign,
  /// so that the exact dot product is 0. An odd length ends with a 0.
  cancelling,
  integers,  ///< 0, 1, 2, ...
};

/// One random vector, or one row of a batch.
struct Draw {
  Distribution distribution = Distribution::normal;
  double low = 0;  ///< of uniform and log_uniform; low < high, for log_uniform 0 < low
  double high = 1;
  std::uint64_t seed = 1;
  std::uint64_t vector = 0;  ///< which vector of the case; the first one has the negatives
  std::uint64_t row = 0;
};

/// `length` values in binary64. The numbers behind them are those of splitmix64 (Steele, Lea and
/// Flood 2014), started at a hash of seed, vector, row and length: vectors of two lengths have
/// nothing in common, except that `integers` are the same. Element i of a normal vector takes the
/// numbers 12 i to 12 i + 11, 50 bits of each; other elements take one, 53 bits; a cancelling value
/// takes 13, four bits of the last for the power of two.
std::vector<double> draw(const Draw& d, std::uint64_t length);

/// log2(x) for finite x > 0, and 2^x for |x| <= 1100, within a few ulps and with the same bits on
/// every machine: series in plain binary64.
double portable_log2(double x);
double portable_exp2(double x);

}  // namespace halfulp::cases
