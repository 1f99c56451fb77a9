#include "cases/distributions.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <numeric>
#include <utility>

#include "harness/splitmix64.h"

namespace halfulp::cases {
namespace {

/// splitmix64 with random access to its numbers.
class Stream {
 public:
  explicit Stream(std::initializer_list<std::uint64_t> parts) {
    for (const std::uint64_t part : parts) start_ = splitmix64(start_ ^ part);
  }
  std::uint64_t operator[](std::uint64_t j) const {
    return splitmix64(start_ + j * splitmix64_step);
  }

 private:
  std::uint64_t start_ = 0;
};

/// The streams of a seed: one for each vector, and one for the shuffle that they share.
constexpr std::uint64_t shuffle_stream = ~std::uint64_t{0};

Stream stream_of(const Draw& d, std::uint64_t length) {
  return Stream{d.seed, d.vector, d.row, length};
}

double unit(std::uint64_t number) { return std::ldexp(static_cast<double>(number >> 11), -53); }

/// Exact: the sum has at most 53 bits.
double normal(const Stream& numbers, std::uint64_t first) {
  constexpr int bits = 50;
  std::int64_t sum = -(std::int64_t{6} << bits);
  for (std::uint64_t k = 0; k < 12; ++k) {
    sum += static_cast<std::int64_t>(numbers[first + k] >> (64 - bits));
  }
  return std::ldexp(static_cast<double>(sum), -bits);
}

/// Fisher and Yates' shuffle of 0 ... size - 1, from the end; item k changes places with item
/// floor(number * (k + 1) / 2^64).
std::vector<std::uint64_t> shuffled(std::uint64_t size, const Stream& numbers) {
  std::vector<std::uint64_t> order(size);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::uint64_t k = size; k-- > 1;) {
    const auto product = static_cast<unsigned __int128>(numbers[k]) * (k + 1);
    std::swap(order[k], order[static_cast<std::uint64_t>(product >> 64)]);
  }
  return order;
}

std::vector<double> cancelling(const Draw& d, std::uint64_t length) {
  const Stream numbers = stream_of(d, length);
  const std::uint64_t half = length / 2;
  std::vector<double> out(length);
  for (std::uint64_t j = 0; j < half; ++j) {
    const int exponent = static_cast<int>(numbers[13 * j + 12] >> 60) - 12;
    out[j] = std::ldexp(normal(numbers, 13 * j), exponent);
  }
  const auto order = shuffled(half, Stream{d.seed, shuffle_stream, 0, length});
  for (std::uint64_t j = 0; j < half; ++j) {
    out[half + j] = d.vector == 0 ? -out[order[j]] : out[order[j]];
  }
  return out;
}

double log_uniform(const Draw& d, double u) {
  const double low = portable_log2(d.low);
  const double value = portable_exp2(low + u * (portable_log2(d.high) - low));
  return std::clamp(value, d.low, d.high);
}

}  // namespace

std::vector<double> draw(const Draw& d, std::uint64_t length) {
  if (d.distribution == Distribution::cancelling) return cancelling(d, length);
  const Stream numbers = stream_of(d, length);
  std::vector<double> out(length);
  for (std::uint64_t i = 0; i < length; ++i) {
    switch (d.distribution) {
      case Distribution::normal:
        out[i] = normal(numbers, 12 * i);
        break;
      case Distribution::uniform:
        out[i] = d.low + unit(numbers[i]) * (d.high - d.low);
        break;
      case Distribution::log_uniform:
        out[i] = log_uniform(d, unit(numbers[i]));
        break;
      case Distribution::cancelling:
        break;
      case Distribution::integers:
        out[i] = static_cast<double>(i);
        break;
    }
  }
  return out;
}

// With x = m 2^e and t = (m - 1) / (m + 1), |t| < 0.172: log(m) = 2 (t + t^3/3 + t^5/5 + ...). The
// terms left out are below 2^-64 of the first.
double portable_log2(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  const double t = (m - 1) / (m + 1);
  const double t2 = t * t;
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * t2 + 1.0 / k;
  return exponent + 2 * std::numbers::log2e * t * series;
}

// The series of exp at (x - k) log(2), at most 0.347 in magnitude; what is left out is below 2^-62.
double portable_exp2(double x) {
  const double k = std::floor(x + 0.5);
  const double r = (x - k) * std::numbers::ln2;
  double series = 1;
  for (int n = 14; n >= 1; --n) series = 1 + series * r / n;
  return std::ldexp(series, static_cast<int>(k));
}

}  // namespace halfulp::cases
