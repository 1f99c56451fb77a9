#include "cases/inputs.h"

#include <cmath>

#include "harness/encoding.h"
#include "harness/rounding.h"

namespace halfulp::cases {

std::uint64_t rounded(double value, const Format& format) {
  if (!std::isfinite(value) || value == 0) return encode_exact(value, format);
  const Decoded d = decode(encode_exact(value, binary64), binary64);
  return round_dyadic({d.negative, d.significand, d.exponent, false}, format,
                      RoundingMode::to_nearest_even);
}

InputVector from_encodings(std::span<const std::uint64_t> encodings, const Format& format) {
  InputVector out;
  if (format == binary64) {
    for (const std::uint64_t bits : encodings) out.f64.push_back(to_double(bits, format));
  } else {
    for (const std::uint64_t bits : encodings) {
      out.f32.push_back(static_cast<float>(to_double(bits, format)));
    }
  }
  return out;
}

InputVector from_values(std::span<const double> values, const Format& format) {
  std::vector<std::uint64_t> encodings;
  encodings.reserve(values.size());
  for (const double value : values) encodings.push_back(rounded(value, format));
  return from_encodings(encodings, format);
}

InputVector from_numbers(std::span<const ExactNumber> numbers, const Format& format) {
  std::vector<double> values;
  values.reserve(numbers.size());
  for (const ExactNumber& n : numbers) values.push_back(to_double(n));
  return from_values(values, format);
}

}  // namespace halfulp::cases
