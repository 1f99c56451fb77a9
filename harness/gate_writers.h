// The gate's verdict in the formats that CI systems read. Defined in reports/.
//
// All text is made safe for its format, whatever keys, reasons and paths hold: bytes that are not
// UTF-8 become U+FFFD, control characters a visible `\x1b`.
#pragma once

#include <string>

#include "harness/gate.h"

namespace halfulp {

/// JUnit XML: a test case for every finding and for every problem of the run. As expected but not
/// equal (xfail, unavailable) is skipped with its reason; a mismatch of the baseline and an empty
/// or contradictory run are errors, everything else that is red a failure.
std::string junit_xml(const GateResult& result);

/// SARIF 2.1.0: a result for every finding that is not a plain pass, at its line of the baseline.
/// baselineState is `unchanged` (xfail), `updated` (differed before, and differs otherwise now),
/// `absent` (xpass) or `new` (everything else).
std::string sarif_json(const GateResult& result);

/// Markdown for a job summary: counts, the findings that are red with old and new numbers, and what
/// is expected to differ with the reason.
std::string markdown_summary(const GateResult& result);

/// GitHub workflow commands, one a line: `::error` for what is red, `::warning` for improvements,
/// `::notice` for results that are unavailable as expected.
std::string github_annotations(const GateResult& result);

}  // namespace halfulp
