// Lists of stored values as a person writes them: numbers, ranges, infinities, NaN, signed zeros.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace halfulp {

/// Values in a list such as `1,2.5,-3..9,inf,-inf,nan,-0`, where `a..b` stands for every integer
/// from a to b. Throws UsageError naming the offending part, and for more than 2^24 values.
std::uint64_t values_size(std::string_view text);

/// These values, each rounded once to binary64, in the order given. Throws as `values_size`.
std::vector<double> parse_values(std::string_view text);

/// A single value. Throws UsageError.
double parse_value(std::string_view text);

}  // namespace halfulp
