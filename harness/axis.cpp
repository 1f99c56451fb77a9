#include "harness/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <utility>

#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

[[noreturn]] void reject(std::string_view part, std::string_view what) {
  throw UsageError(fmt::format("widths: {} {}", in_quotes(part), what));
}

/// A whole number; `part` is where it stands, `role` what it is there.
std::uint64_t parse_whole(std::string_view text, std::string_view part, std::string_view role) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all_read = !text.empty() && end == text.data() + text.size();
  if (all_read && error == std::errc::result_out_of_range) return max_width + 1;
  if (!all_read || error != std::errc{}) {
    reject(part, fmt::format("has no {}: write a size such as 300, or a range such as 2..4096 or "
                             "2..4096:7",
                             role));
  }
  return value;
}

std::uint64_t parse_size(std::string_view text, std::string_view part, std::string_view role) {
  const std::uint64_t size = parse_whole(text, part, role);
  if (size < 1 || size > max_width) {
    reject(part, fmt::format("is out of range: sizes go from 1 to {}", max_width));
  }
  return size;
}

}  // namespace

Widths::Range Widths::parse_range(std::string_view part) {
  if (part.empty()) {
    throw UsageError("widths: nothing between commas: write sizes such as 3,4 or 2..4096");
  }
  if (part.front() == '-') {
    reject(part, fmt::format("is negative: sizes go from 1 to {}", max_width));
  }
  const std::size_t dots = part.find("..");
  if (dots == std::string_view::npos) {
    const std::uint64_t size = parse_size(part, part, "size");
    return {size, size, 1, 0};
  }
  std::string_view end = part.substr(dots + 2);
  std::uint64_t step = 1;
  if (const std::size_t colon = end.find(':'); colon != std::string_view::npos) {
    step = parse_whole(end.substr(colon + 1), part, "step");
    if (step == 0) reject(part, "has a zero step: steps go from 1");
    end = end.substr(0, colon);
  }
  const std::uint64_t first = parse_size(part.substr(0, dots), part, "first size");
  const std::uint64_t last = parse_size(end, part, "last size");
  if (last < first) {
    reject(part, fmt::format("runs backwards: write {}..{}", last, first));
  }
  return {first, last, step, 0};
}

/// As it was written, but for leading zeros, steps of 1 and ranges of one size.
std::string Widths::Range::text() const {
  if (count() == 1) return fmt::format("{}", first);
  return step == 1 ? fmt::format("{}..{}", first, last)
                   : fmt::format("{}..{}:{}", first, last, step);
}

void Widths::append(Range range) {
  range.before = size_;
  size_ += range.count();
  if (!text_.empty()) text_ += ',';
  text_ += range.text();
  range.last = range.first + (range.count() - 1) * range.step;
  ranges_.push_back(range);
}

/// Only ranges that overlap need their sizes marked, which ends at the first duplicate and so after
/// at most 2^24 sizes.
void Widths::reject_duplicates() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const Range& r : ranges_) spans.emplace_back(r.first, r.last);
  std::ranges::sort(spans);
  const auto overlap = std::ranges::adjacent_find(
      spans, [](const auto& a, const auto& b) { return b.first <= a.second; });
  if (overlap == spans.end()) return;
  std::vector<bool> seen(max_width + 1);
  for (const Range& r : ranges_) {
    for (std::uint64_t size = r.first; size <= r.last; size += r.step) {
      if (seen[size]) reject(r.text(), fmt::format("lists the size {} a second time", size));
      seen[size] = true;
    }
  }
}

Widths Widths::parse(std::string_view text) {
  if (text.empty()) throw UsageError("widths: empty: write sizes such as 300 or 2..4096");
  if (std::ranges::count(text, ',') >= static_cast<std::ptrdiff_t>(max_parts)) {
    throw UsageError(
        fmt::format("widths: more than {} parts: write ranges such as 2..4096:7", max_parts));
  }
  Widths widths;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    widths.append(parse_range(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  widths.reject_duplicates();
  return widths;
}

std::uint64_t Widths::operator[](std::uint64_t position) const {
  assert(position < size_);
  const auto after = std::ranges::upper_bound(ranges_, position, {}, &Range::before);
  const Range& r = *std::prev(after);
  return r.first + (position - r.before) * r.step;
}

std::uint64_t Widths::total() const {
  std::uint64_t sum = 0;
  for (const Range& r : ranges_) sum += r.count() * (r.first + r.last) / 2;
  return sum;
}

}  // namespace halfulp
