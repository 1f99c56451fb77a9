// Stored inputs of cases: lists of numbers and all encodings of a format.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/block.h"
#include "harness/exact_number.h"
#include "harness/format.h"

namespace halfulp::cases {

/// An input from the encodings of a format.
InputVector from_encodings(std::span<const std::uint64_t> encodings, const Format& format);

/// A value rounded once to the format, nearest-even. Infinities and NaN stay what they are; where
/// the format has no infinity they become NaN.
std::uint64_t rounded(double value, const Format& format);

/// Values rounded once to the format.
InputVector from_values(std::span<const double> values, const Format& format);

/// Numbers rounded once to the format, nearest-even, from their binary64 values.
InputVector from_numbers(std::span<const ExactNumber> numbers, const Format& format);

}  // namespace halfulp::cases
