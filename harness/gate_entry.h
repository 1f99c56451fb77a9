// One entry of a baseline against one result.
#pragma once

#include <string>
#include <vector>

#include "harness/gate.h"

namespace halfulp {

/// How a metric moved.
struct Change {
  enum class Kind : std::uint8_t { better, worse, other } kind;
  std::string name;
  std::string text;  ///< `differing 3,753 -> 0`
};
/// Metrics outside what the entry expects, in the order in which they are printed. A NaN is worse
/// than anything, and a NaN or infinity that no entry mentions is worse than none.
std::vector<Change> changes(const BaselineEntry& entry, const Observation& result);

/// The finding for an entry whose result is there.
Finding judge_entry(const BaselineEntry& entry, const Observation& result, Unavailable unavailable);
/// A finding with what every finding of an entry has.
Finding finding_of(const BaselineEntry& entry, Status status, ExitCode exit, std::string message);

}  // namespace halfulp
