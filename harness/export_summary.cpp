// What a tolerance can reach, range by range.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/export.h"
#include "harness/sweep_table.h"

namespace halfulp {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

/// Sizes from 2^k to 2^(k+1) - 1 are one range; anything but a positive integer is of range 0.
int range_of(const ExactNumber& n) {
  if (!n.is_integer() || n.numerator <= 0) return 0;
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n.numerator)));
}

/// A run of sizes of one range.
struct Range {
  const ExportSize* first = nullptr;
  const ExportSize* last = nullptr;
  std::size_t sizes = 0;
  std::size_t meet = 0;
  Attainment backend;  ///< the worst
  Attainment rounded;

  void add(const ExportSize& size) {
    if (first == nullptr) first = &size;
    last = &size;
    ++sizes;
    if (!size.is_listed()) ++meet;
    backend.attainable = std::max(backend.attainable, size.found.backend.attainable);
    rounded.attainable = std::max(rounded.attainable, size.found.rounded.attainable);
  }
  std::string text() const {
    const std::string from = to_string(first->n);
    return sizes == 1 ? from : from + ".." + to_string(last->n);
  }
};

std::vector<Range> ranges_of(const ExportSubject& subject) {
  std::vector<Range> ranges;
  for (const ExportSize& size : subject.sizes) {
    if (ranges.empty() || range_of(ranges.back().last->n) != range_of(size.n))
      ranges.emplace_back();
    ranges.back().add(size);
  }
  return ranges;
}

/// The sizes that `is_wanted` chooses, as `4, 6..8`.
template <typename Wanted>
std::string sizes_text(const ExportSubject& subject, Wanted is_wanted) {
  std::string text;
  const auto& sizes = subject.sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!is_wanted(sizes[i])) continue;
    const std::size_t begin = i;
    const auto follows = [&](std::size_t k) {
      return k < sizes.size() && is_wanted(sizes[k]) && sizes[k].n.is_integer() &&
             sizes[k - 1].n.is_integer() && sizes[k].n.numerator == sizes[k - 1].n.numerator + 1;
    };
    while (follows(i + 1)) ++i;
    text += (text.empty() ? "" : ", ") + to_string(sizes[begin].n);
    if (i > begin) text += ".." + to_string(sizes[i].n);
  }
  return text.empty() ? "none" : text;
}

std::string subject_text(const Key& key) {
  const std::string text = key_text(key);
  return text.substr(0, text.rfind('/'));  // without the reference
}

/// The lines of the subject with the given number.
void add_subject(const ExportSubject& subject, std::size_t number, Lines& lines) {
  const auto add = [&](std::string_view key, std::string value) {
    lines.emplace_back(fmt::format("{}-{}", key, number), std::move(value));
  };
  const std::string name = subject_text(subject.key);
  if (subject.sizes.empty()) {
    add("skipped", fmt::format("{}: {}", name, subject.skipped));
    return;
  }
  const auto listed = std::ranges::count_if(subject.sizes, &ExportSize::is_listed);
  add("result", fmt::format("{}: {} of {} sizes miss it", name, listed, subject.sizes.size()));
  if (listed > 0) {
    const auto is_unreachable = [](const ExportSize& s) { return !s.found.rounded.meets; };
    add("unreachable-in-this-dtype", sizes_text(subject, [&](const ExportSize& s) {
          return s.is_listed() && is_unreachable(s);
        }));
    add("this-backend-misses-it", sizes_text(subject, [&](const ExportSize& s) {
          return s.is_listed() && !is_unreachable(s);
        }));
  }
  for (const Range& range : ranges_of(subject)) {
    add("smallest-attainable-atol",
        fmt::format("sizes {}: correctly rounded {}, this backend {}, {} of {} meet it",
                    range.text(), rounded_up(range.rounded.attainable),
                    rounded_up(range.backend.attainable), range.meet, range.sizes));
  }
}

}  // namespace

Lines attainable_summary(const std::vector<ExportSubject>& subjects,
                         const ExportTolerance& tolerance) {
  Lines lines;
  lines.emplace_back("tolerance", fmt::format("|actual - exact| <= {} + {} * |exact|",
                                              tolerance.atol, tolerance.rtol));
  for (std::size_t k = 0; k < subjects.size(); ++k) add_subject(subjects[k], k + 1, lines);
  return lines;
}

}  // namespace halfulp
