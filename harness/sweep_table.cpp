#include "harness/sweep_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/value_text.h"

namespace halfulp {
namespace {

struct Column {
  std::string heading;
  enum class Align : std::uint8_t { left, right } align;
  std::string legend;  ///< empty: explains itself
  std::function<std::string(const SweepRow&)> cell;
  bool identifies = false;  ///< says which row this is; also filled where there are no metrics
};
using Align = Column::Align;
using Cells = std::vector<std::vector<std::string>>;  ///< by row

/// "3,753 (0.0447%)".
std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0 || part == 0) return grouped(part);
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{} ({:.3g}%)", grouped(part), percent);
}

/// Builds the columns that a result needs, and prints it through them.
class Table {
 public:
  Table(const SweepResult& result, const SweepSpec& spec) : result_(result), spec_(spec) {
    add_identifying_columns();
    add_finding_columns();
    add_error_columns();
    add_rare_columns();
  }

  std::string text() const;

 private:
  void add_identifying_columns();
  void add_finding_columns();
  void add_error_columns();
  void add_rare_columns();
  void add_count(std::string heading, std::string legend,
                 std::function<std::uint64_t(const SweepRow&)> count);

  std::set<std::string, std::less<>> varying_parameters() const;
  std::string title() const;
  std::string notes(const SweepRow& row) const;
  std::string legend() const;
  std::string tiers() const;
  Cells cells() const;
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                   const std::string& rest) const;

  std::string axis_label(std::uint64_t width) const {
    if (result_.axis_labels.empty()) return fmt::format("{}", width);
    return to_string(result_.axis_labels[width]);
  }
  std::string_view axis_name() const { return spec_.subject->axis.name; }
  std::string place(const Point& at) const {
    if (axis_name().empty()) return fmt::format("({})", at.index);
    return fmt::format("({}, {})", axis_label(at.width), at.index);
  }
  /// "widths", "b values".
  std::string axis_values() const {
    return fmt::format("{}{}", axis_name(), axis_name().size() == 1 ? " values" : "s");
  }
  bool against_oracle() const { return !spec_.reference.backend.has_value(); }

  const SweepResult& result_;
  const SweepSpec& spec_;
  std::vector<Column> columns_;
};

std::set<std::string, std::less<>> Table::varying_parameters() const {
  std::set<std::string, std::less<>> varying;
  for (const SweepRow& row : result_.rows) {
    const Params& first = result_.rows.front().params;
    for (const auto& [name, value] : row.params) {
      const auto same = first.find(name);
      if (same == first.end() || same->second != value) varying.insert(name);
    }
    for (const auto& [name, value] : first) {
      if (row.params.find(name) == row.params.end()) varying.insert(name);
    }
  }
  return varying;
}

void Table::add_identifying_columns() {
  const auto add = [&](std::string heading, std::function<std::string(const SweepRow&)> cell) {
    columns_.push_back({std::move(heading), Align::left, "", std::move(cell), true});
  };
  add("backend", [](const SweepRow& row) { return row.backend; });
  add("dtype", [](const SweepRow& row) { return std::string(short_name(row.dtype)); });
  for (const std::string& name : varying_parameters()) {
    add(name, [name](const SweepRow& row) {
      const auto found = row.params.find(name);
      return found == row.params.end() ? std::string("-") : found->second;
    });
  }
}

void Table::add_finding_columns() {
  const auto add = [&](std::string heading, std::string legend,
                       std::function<std::string(const SweepRow&)> cell) {
    columns_.push_back({std::move(heading), Align::right, std::move(legend), std::move(cell)});
  };
  add("points", "", [](const SweepRow& row) { return grouped(row.metrics.points); });
  add(against_oracle() ? "not correctly rounded" : "differing",
      against_oracle() ? "points whose result is not the exact one rounded once to nearest"
                       : "points whose value is not the reference's",
      [](const SweepRow& row) { return share(row.metrics.differing, row.metrics.points); });
  if (!axis_name().empty()) {
    add(axis_values(), fmt::format("how many {} have such a point", axis_values()),
        [](const SweepRow& row) { return grouped(row.metrics.widths_affected); });
    add("first", "the first of them", [this](const SweepRow& row) {
      return row.metrics.first ? axis_label(row.metrics.first->at.width) : std::string("-");
    });
  }
  if (std::ranges::any_of(result_.rows,
                          [](const SweepRow& row) { return row.tensor.has_value(); })) {
    add("tensor differing", "elements of the whole tensor, every axis", [](const SweepRow& row) {
      if (!row.tensor) return std::string("-");
      return fmt::format("{} of {}", grouped(row.tensor->differing), grouped(row.tensor->points));
    });
  }
}

void Table::add_error_columns() {
  const std::string where =
      axis_name().empty() ? "(index)" : fmt::format("({}, index)", axis_name());
  columns_.push_back(
      {"largest steps", Align::right,
       "most encodings between a result and the expected one, and where first: " + where,
       [this](const SweepRow& row) {
         const auto& steps = row.metrics.steps;
         if (!steps.witness) return std::string("0");
         return grouped(steps.value) + " " + place(steps.witness->at);
       }});
  columns_.push_back(
      {"range_ulp", Align::right,
       fmt::format("largest |result - {}| in ulps at the top of the output range",
                   against_oracle() ? "exact" : "reference"),
       [](const SweepRow& row) { return fmt::format("{:.4g}", row.metrics.range_ulp.value); }});
  add_count("zeros lost", "exact zeros that came out as something else",
            [](const SweepRow& row) { return row.metrics.zero_lost; });
  columns_.push_back({"tolerance", Align::right,
                      "smallest absolute tolerance that passes, rounded up to three digits; none "
                      "passes NaN or infinity",
                      [](const SweepRow& row) {
                        if (row.metrics.nonfinite != 0 || row.metrics.unwritten != 0) {
                          return std::string("none");
                        }
                        return rounded_up(row.metrics.abs.value);
                      }});
}

void Table::add_count(std::string heading, std::string legend,
                      std::function<std::uint64_t(const SweepRow&)> count) {
  columns_.push_back(
      {std::move(heading), Align::right, std::move(legend),
       [count = std::move(count)](const SweepRow& row) { return grouped(count(row)); }});
}

/// Counts that are zero in a sound run: shown only where one is not.
void Table::add_rare_columns() {
  const auto add = [&](std::string heading, std::string legend,
                       const std::function<std::uint64_t(const SweepRow&)>& count) {
    if (std::ranges::any_of(result_.rows, [&](const SweepRow& row) { return count(row) != 0; })) {
      add_count(std::move(heading), std::move(legend), count);
    }
  };
  add("nonfinite", "NaN or infinity on one side only, or unlike infinities",
      [](const SweepRow& row) { return row.metrics.nonfinite; });
  add("zero sign", "zeros of the other sign (not counted as differing)",
      [](const SweepRow& row) { return row.metrics.zero_sign; });
  add("unwritten", "results that the backend left untouched",
      [](const SweepRow& row) { return row.metrics.unwritten; });
  add("lane dependent", "points that came out differently at another lane of the block",
      [](const SweepRow& row) { return row.lanes.changed; });
}

std::string Table::title() const {
  std::string text = fmt::format("{}", spec_.subject->name);
  if (spec_.widths) text += fmt::format(", {} {}", axis_values(), spec_.widths->text());
  text += fmt::format(", against {}", spec_.reference.name());
  if (result_.rows.empty()) return text + "\n";
  const auto varying = varying_parameters();
  std::vector<std::string> constant;
  for (const auto& [name, value] : result_.rows.front().params) {
    if (varying.find(name) == varying.end()) constant.push_back(fmt::format("{}={}", name, value));
  }
  if (!constant.empty()) text += fmt::format(" ({})", fmt::join(constant, ", "));
  return text + "\n";
}

/// What does not fit into columns, below the row.
std::string Table::notes(const SweepRow& row) const {
  std::string text;
  const auto out = std::back_inserter(text);
  if (row.envelope) {
    fmt::format_to(out, "  over its {} worlds: some differs at {}, every one at {}\n",
                   row.envelope->worlds.size(),
                   share(row.envelope->some_world_differs, row.metrics.points),
                   share(row.envelope->every_world_differs, row.metrics.points));
    for (const auto& [metric, world] : row.envelope->worst) {
      if (metric == "steps" || metric == "ulp_error") {
        fmt::format_to(out, "  most {} by {}\n", metric, world);
      }
    }
  }
  if (row.unavailable.empty() && row.metrics.points != row.announced) {
    fmt::format_to(out, "  incomplete: {} of {} points\n", grouped(row.metrics.points),
                   grouped(row.announced));
  }
  return text;
}

std::string Table::legend() const {
  std::string text;
  std::size_t widest = 0;
  for (const Column& c : columns_) {
    if (!c.legend.empty()) widest = std::max(widest, c.heading.size());
  }
  for (const Column& c : columns_) {
    if (c.legend.empty()) continue;
    fmt::format_to(std::back_inserter(text), "{:<{}}  {}\n", c.heading, widest, c.legend);
  }
  return text;
}

/// How the oracle decided, summed over the rows.
std::string Table::tiers() const {
  TierCounts sum;
  for (const SweepRow& row : result_.rows) {
    sum.certified += row.tiers.certified;
    sum.exact += row.tiers.exact;
    sum.ziv += row.tiers.ziv;
    sum.checked += row.tiers.checked;
    sum.disagreements += row.tiers.disagreements;
  }
  if (sum.certified + sum.exact + sum.ziv == 0) return "";
  return fmt::format(
      "oracle: {} points certified in binary64, {} decided exactly, {}{} checked by both{}\n",
      grouped(sum.certified), grouped(sum.exact),
      sum.ziv == 0 ? "" : fmt::format("{} by narrower intervals, ", grouped(sum.ziv)),
      grouped(sum.checked),
      sum.disagreements == 0 ? std::string{}
                             : fmt::format(", {} DISAGREEMENTS", grouped(sum.disagreements)));
}

/// Rows without metrics have only the cells that identify them.
Cells Table::cells() const {
  Cells cells;
  for (const SweepRow& row : result_.rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (const Column& c : columns_) {
      if (row.unavailable.empty() || c.identifies) line.push_back(c.cell(row));
    }
  }
  return cells;
}

/// Cells padded to the widths of their columns, then `rest` as it is.
std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths, const std::string& rest) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto format = columns_[i].align == Align::left ? "{:<{}}  " : "{:>{}}  ";
    text += fmt::format(fmt::runtime(format), cells[i], widths[i]);
  }
  text += rest;
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string Table::text() const {
  std::vector<std::string> headings;
  for (const Column& c : columns_) headings.push_back(c.heading);
  const Cells rows = cells();
  std::vector<std::size_t> widths(columns_.size());
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  };
  widen(headings);
  std::ranges::for_each(rows, widen);

  std::string text = title() + "\n" + line(headings, widths, "");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRow& row = result_.rows[i];
    const bool available = row.unavailable.empty();
    text += line(rows[i], widths, available ? "" : "unavailable: " + row.unavailable) + notes(row);
  }
  text += "\n" + tiers() + legend();
  if (!result_.complete) text += "INCOMPLETE: the sweep was interrupted\n";
  return text;
}

}  // namespace

std::string rounded_up(double value) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return "none";
  const std::string nearest = fmt::format("{:.2e}", value);
  const auto read = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
  if (read(nearest) >= value) return fmt::format("{:.3g}", read(nearest));
  const std::size_t mark = nearest.find('e');
  const int digits = (nearest[0] - '0') * 100 + (nearest[2] - '0') * 10 + (nearest[3] - '0') + 1;
  const int exponent = std::atoi(nearest.c_str() + mark + 1) - 2;
  return fmt::format("{:.3g}", read(fmt::format("{}e{}", digits, exponent)));
}

std::string sweep_table(const SweepResult& result, const SweepSpec& spec) {
  return Table(result, spec).text();
}

}  // namespace halfulp
