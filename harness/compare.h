// What changed between two reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate.h"

namespace halfulp {

enum class Movement : std::uint8_t { same, worse, better, changed, added, removed };
std::string_view movement_name(Movement movement);

/// One result in the old and the new report.
struct Compared {
  Movement movement;
  std::string key;
  std::string text;  ///< what moved, with the old and new witness
};

struct Comparing {
  std::vector<Compared> results;  ///< in the order of the old report, new ones last
  std::uint64_t points = 0;       ///< in both
  /// 0 same, 1 worse or changed, 2 other results or points, 3 only better, 5 nothing in common.
  ExitCode exit = ExitCode::as_expected;

  std::size_t count(Movement movement) const;
};

Comparing compare_reports(const Observations& old_report, const Observations& new_report);

}  // namespace halfulp
