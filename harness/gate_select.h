// Which entries of a baseline a run is about.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/baseline.h"

namespace halfulp {

struct Selection {
  std::vector<std::size_t> entries;  ///< positions, in the order of the file
  std::size_t matching = 0;          ///< entries that `--only` left
  std::size_t filtered = 0;          ///< entries that `--only` left out
  std::size_t not_applicable = 0;    ///< of the matching: those whose `when` does not hold
};

/// The entries that match `only` (empty: all) and hold where `facts` are true. Of several entries
/// for a key the most specific wins: the one with the most predicates, then with the longest
/// version. Throws UsageError naming both lines for a tie.
Selection select_entries(const Baseline& baseline, const std::map<std::string, std::string>& facts,
                         const std::string& only);

/// Why no sweep can produce what an entry names: an unknown case, parameter or backend, or a sweep
/// hash that belongs to another key. Empty when there is no problem.
std::string entry_problem(const BaselineEntry& entry);

}  // namespace halfulp
