#include "cases/inputs.h"

#include "harness/encoding.h"
#include "harness/rounding.h"

namespace halfulp::cases {
namespace {

std::uint64_t rounded(double value, const Format& format) {
  const Decoded d = decode(encode_exact(value, binary64), binary64);
  return round_dyadic({d.negative, d.significand, d.exponent, false}, format,
                      RoundingMode::to_nearest_even);
}

}  // namespace

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

InputVector from_numbers(std::span<const ExactNumber> numbers, const Format& format) {
  std::vector<std::uint64_t> encodings;
  encodings.reserve(numbers.size());
  for (const ExactNumber& n : numbers) encodings.push_back(rounded(to_double(n), format));
  return from_encodings(encodings, format);
}

}  // namespace halfulp::cases
