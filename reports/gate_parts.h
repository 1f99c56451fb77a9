// What the writers of the gate's verdict share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/gate.h"

namespace halfulp {

/// The text with every byte that is not UTF-8 as U+FFFD, and every control character but newline
/// and tab as `\x1b`; so are the two code points that XML does not allow.
std::string safe_text(std::string_view text);
/// The same on one line: newlines and tabs as spaces.
std::string safe_line(std::string_view text);

/// A metric on both sides.
struct MovedFigure {
  std::string name;
  std::string old_value;  ///< `-` where there is none
  std::string new_value;
};
/// The metrics that differ, in the order in which they are written; the histogram only if no other
/// does.
std::vector<MovedFigure> moved_figures(const Finding& finding);

/// `base.json:7`, the file alone, or nothing.
std::string place_of(const Finding& finding);

/// Lines: place, old and new metrics, witnesses, reason and the command that reproduces it.
std::string details_of(const Finding& finding);

}  // namespace halfulp
