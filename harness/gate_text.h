// The gate's verdict as a readable table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/gate.h"

namespace halfulp {

enum class Lines : std::uint8_t { capped, all };

/// A row for each entry, a line for each finding that is not as expected, what is wrong with the
/// run as a whole, and the counts. Says what was cut and which option shows it.
std::string gate_text(const GateResult& result, Lines lines);

/// `fail base.json:7 KEY: worse: …; witness …; reason …; run: halfulp sweep …`.
std::string finding_line(const Finding& finding);

/// Rows of equal length as columns: the first and the last to the left, the others to the right.
std::string columns_text(const std::vector<std::vector<std::string>>& rows);

/// `2 pass, 10 xfail`: the statuses that occur.
std::string counts_text(const GateResult& result);

}  // namespace halfulp
