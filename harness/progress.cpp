#include "harness/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "harness/value_text.h"

namespace halfulp {
namespace {

constexpr std::chrono::milliseconds bar_interval{100};
constexpr std::chrono::milliseconds line_interval{5000};
constexpr std::size_t bar_width = 30;

}  // namespace

ProgressLine::ProgressLine(std::string what, bool quiet)
    : what_(std::move(what)),
      style_(quiet                        ? Style::silent
             : isatty(STDERR_FILENO) != 0 ? Style::bar
                                          : Style::lines) {}

ProgressLine::~ProgressLine() { finish(); }

void ProgressLine::show(std::uint64_t done, std::uint64_t total) {
  if (style_ == Style::silent || total == 0) return;
  const auto now = Clock::now();
  if (now - last_ < (style_ == Style::bar ? bar_interval : line_interval)) return;
  last_ = now;
  const double fraction = static_cast<double>(done) / static_cast<double>(total);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string rate =
      fmt::format("{:.0f} M points/s", static_cast<double>(done) / seconds / 1e6);
  if (style_ == Style::lines) {
    fmt::print(stderr, "{}: {:.0f} % of {} points, {}\n", what_, 100 * fraction, grouped(total),
               rate);
    return;
  }
  const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(bar_width));
  fmt::print(stderr, "\r{} [{}{}] {:3.0f} % {}   ", what_, std::string(filled, '#'),
             std::string(bar_width - filled, '.'), 100 * fraction, rate);
  std::fflush(stderr);
  bar_shown_ = true;
}

void ProgressLine::finish() {
  if (!std::exchange(bar_shown_, false)) return;
  fmt::print(stderr, "\r{}\r", std::string(what_.size() + bar_width + 40, ' '));
  std::fflush(stderr);
}

}  // namespace halfulp
