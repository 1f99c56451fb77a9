// A small exact number: what a person can write down as a constant of a formula.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halfulp {

/// numerator / denominator * 2^binary_exponent * 10^decimal_exponent, exactly. Holds every integer,
/// decimal with at most 18 digits, rational and hexadecimal float that a formula needs, without
/// allocating. Invariant: denominator > 0.
struct ExactNumber {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  std::int32_t binary_exponent = 0;
  std::int32_t decimal_exponent = 0;

  constexpr bool operator==(const ExactNumber&) const = default;
  constexpr bool is_integer() const {
    return denominator == 1 && binary_exponent == 0 && decimal_exponent == 0;
  }
};

/// An integer.
constexpr ExactNumber exact(std::int64_t integer) { return {.numerator = integer}; }

/// Reads `-12`, `0.3`, `1e-8`, `2/3`, `0x1.8p-3`, and what `to_string` writes for the rest,
/// `2/3*2^-5*10^7`. The result is in canonical form: an integer has no exponents, a fraction is in
/// lowest terms, a significand has no factor that its exponent could take; -0 is 0. Throws
/// `UsageError` (harness/error.h) that says what is wrong: empty, trailing characters, more digits
/// than 64 bits hold (18 always fit), a decimal exponent beyond +-400 or a binary one beyond
/// +-1200, a zero denominator.
ExactNumber parse_exact_number(std::string_view text);

/// Canonical text; reading it back gives an equal number: the same fields if they are in canonical
/// form, otherwise the same value in canonical form.
std::string to_string(const ExactNumber& number);

/// Rounded once to binary64, nearest-even (what a Python float literal holds).
double to_double(const ExactNumber& number);

/// Numbers in the list `1,2.5,-3..9`, where `a..b` stands for every integer from a to b. Throws
/// UsageError naming the offending part, and for more than 2^24 numbers.
std::uint64_t number_list_size(std::string_view text);

/// These numbers, in the order given. Throws as `number_list_size`.
std::vector<ExactNumber> parse_number_list(std::string_view text);

}  // namespace halfulp
