// The sizes that a sweep runs over: `300`, `2..4096`, `2..4096:7`, `3..4095:2,8193,9001`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halfulp {

/// Largest size of an axis: indices up to it are exact in binary32.
inline constexpr std::uint64_t max_width = std::uint64_t{1} << 24;

/// An ordered list of distinct sizes, kept as ranges.
class Widths {
 public:
  /// Most parts between commas.
  static constexpr std::size_t max_parts = std::size_t{1} << 16;

  /// Throws UsageError for an empty or malformed list, sizes outside 1..2^24, a reversed range, a
  /// zero step, or a size listed twice. The message names the offending part.
  static Widths parse(std::string_view text);

  std::uint64_t size() const { return size_; }             ///< number of sizes
  std::uint64_t operator[](std::uint64_t position) const;  ///< in the order given
  std::uint64_t total() const;                             ///< sum of all sizes, below 2^48
  const std::string& text() const { return text_; }        ///< canonical text

 private:
  struct Range {
    std::uint64_t first, last, step, before;  ///< `before`: sizes in earlier ranges

    std::uint64_t count() const { return (last - first) / step + 1; }
    std::string text() const;
  };
  static Range parse_range(std::string_view part);
  void append(Range range);
  void reject_duplicates() const;

  std::vector<Range> ranges_;
  std::uint64_t size_ = 0;
  std::string text_;
};

}  // namespace halfulp
