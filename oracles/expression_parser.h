// Reads exact expressions that a person types: `1/3`, `1 + 2^-11 + 2^-40`, `0x1.8p3`, `sqrt(2)`.
#pragma once

#include <string_view>

#include "oracles/exact_value.h"

namespace halfulp::oracles {

/// Numbers (integers, decimals with exponent, hexadecimal floats with `p`), `inf`, `nan`,
/// `sqrt(x)`, + - * / ^ with the usual precedence (`^` binds tightest and takes an integer),
/// parentheses. `-0` is the negative zero.
///
/// Safe on any input: text of at most 1000 characters, nesting of at most 100, exponents within
/// +-20000, and no intermediate value longer than 70,000 bits. Throws UsageError, one line with the
/// column (from 1), for text that is no such expression or exceeds a limit.
ExactValue parse_expression(std::string_view text);

}  // namespace halfulp::oracles
