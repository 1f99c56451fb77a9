// How far a long command came, on stderr: a bar on a terminal, plain lines elsewhere, or nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace halfulp {

class ProgressLine {
 public:
  ProgressLine(std::string what, bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows `done` of `total` points, at most a few times a second (on a terminal) or every few
  /// seconds. Not for several threads at once.
  void show(std::uint64_t done, std::uint64_t total);
  /// Removes the bar from the terminal.
  void finish();

 private:
  enum class Style : std::uint8_t { silent, bar, lines };
  using Clock = std::chrono::steady_clock;

  std::string what_;
  Style style_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  bool bar_shown_ = false;
};

}  // namespace halfulp
