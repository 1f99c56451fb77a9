// Evaluates what the entries of a baseline name against a tolerance.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/axis.h"
#include "harness/error.h"
#include "harness/evaluate.h"
#include "harness/export.h"
#include "harness/gate.h"

namespace halfulp {
namespace {

Key normalised(const BaselineEntry& entry) {
  Key key = entry.key;
  try {
    normalise(key);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}:{}: {}", entry.file, entry.line, error.what()));
  }
  return key;
}

std::vector<ExportSubject> subjects_of(const Baseline& baseline, std::string_view only) {
  std::vector<ExportSubject> subjects;
  std::set<Key> seen;
  for (const BaselineEntry& entry : baseline.entries) {
    if (!only.empty() && !matches_only(entry_text(entry), only)) continue;
    Key key = normalised(entry);
    key.reference = "oracle";
    if (seen.insert(key).second) subjects.push_back({std::move(key), {}, {}});
  }
  if (subjects.empty()) {
    throw Failure(ExitCode::empty,
                  baseline.entries.empty()
                      ? fmt::format("{} has no entries", baseline.file)
                      : fmt::format("--only '{}' matches none of the {} entries of {}", only,
                                    baseline.entries.size(), baseline.file));
  }
  return subjects;
}

std::vector<ExactNumber> axis_of(const Case& c, const Key& key, const Format& dtype) {
  if (has_own_axis(c, key.params, dtype)) return c.axis_values(key.params, dtype);
  const Widths widths = Widths::parse(key.widths);
  std::vector<ExactNumber> axis;
  for (std::uint64_t k = 0; k < widths.size(); ++k) {
    axis.push_back(exact(static_cast<std::int64_t>(widths[k])));
  }
  std::ranges::sort(axis, {}, &ExactNumber::numerator);
  return axis;
}

/// Points of a subject, for progress.
std::uint64_t points_of(const ExportSubject& subject) {
  const Case& c = find_case(subject.key.subject);
  const Format dtype = parse_format(subject.key.dtype);
  std::uint64_t points = 0;
  for (const ExactNumber& n : axis_of(c, subject.key, dtype)) {
    points += axis_results(c, subject.key.params, dtype, n);
  }
  return points;
}

/// Counts points over all subjects.
struct Meter {
  const std::atomic<bool>& stop;
  const Progress& progress;
  std::uint64_t total = 0;
  std::uint64_t done = 0;

  void add(std::uint64_t points) {
    done += points;
    if (progress) progress(done, total);
    if (stop) throw Failure(ExitCode::interrupted, "interrupted; nothing exported");
  }
};

void evaluate_sizes(ExportSubject& subject, const Tolerance& tolerance, Meter& meter) {
  const Key& key = subject.key;
  const Case& c = find_case(key.subject);
  const Format dtype = parse_format(key.dtype);
  ToleranceAnalyzer analyzer(c, key.params, dtype, find_backend(key.backend));
  for (const ExactNumber& n : axis_of(c, key, dtype)) {
    if (const auto found = analyzer.at(n, tolerance)) subject.sizes.push_back({n, *found});
    meter.add(axis_results(c, key.params, dtype, n));
  }
  if (const std::uint64_t disagreements = analyzer.tiers().disagreements; disagreements > 0) {
    throw Failure(ExitCode::oracle_failure, fmt::format("the oracles disagree at {} points of {}",
                                                        disagreements, key_text(key)));
  }
  if (subject.sizes.empty()) subject.skipped = "it has no points";
}

/// Why the backend cannot run here; empty if it can.
std::string unavailable(const Key& key) {
  return availability_of(find_backend(key.backend)).value_or("");
}

}  // namespace

std::vector<ExportSubject> evaluate_export(const Baseline& baseline, std::string_view only,
                                           const ExportTolerance& tolerance,
                                           const std::atomic<bool>& stop,
                                           const Progress& progress) {
  std::vector<ExportSubject> subjects = subjects_of(baseline, only);
  Meter meter{stop, progress};
  for (const ExportSubject& subject : subjects) meter.total += points_of(subject);
  for (ExportSubject& subject : subjects) {
    subject.skipped = unavailable(subject.key);
    if (!subject.skipped.empty()) continue;
    try {
      evaluate_sizes(subject, tolerance.numbers, meter);
    } catch (const Unsupported& error) {
      subject.skipped = error.what();
    }
  }
  if (std::ranges::all_of(subjects, [](const ExportSubject& s) { return s.sizes.empty(); })) {
    throw Failure(ExitCode::empty,
                  fmt::format("nothing was evaluated: {}: {}", key_text(subjects.front().key),
                              subjects.front().skipped));
  }
  return subjects;
}

}  // namespace halfulp
