// A baseline: what results are expected to be, why, and where the expectation came from (schema
// `halfulp-baseline/1`, reports/baseline.schema.json).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/case.h"

namespace halfulp {

/// What a result is of: one row of a sweep. All text as on the command line.
struct Key {
  std::string subject;    ///< the case
  Params params;          ///< without the widths
  std::string widths;     ///< `2..4096`; empty for cases with their own axis
  std::string dtype;      ///< short name: `bf16`
  std::string backend;    ///< with its `+field=value`
  std::string reference;  ///< `oracle` or a backend

  auto operator<=>(const Key&) const = default;
};

/// `meshgrid/form=arange,align_corners=true,widths=2..4096/bf16/eager-cpu/oracle`: what is printed
/// and what `--only` matches.
std::string key_text(const Key& key);
/// The same without the backend: entries that agree in it come from one sweep.
std::string sweep_text(const Key& key);
/// `xxh3:…` of `sweep_text`, as provenance records it.
std::string sweep_hash(const Key& key);
/// `xxh3:` and 16 hex digits of a text; the same on every machine.
std::string text_hash(std::string_view text);
/// A command line that reproduces the result: `halfulp sweep meshgrid --form arange …`.
std::string reproduce_command(const Key& key);
/// A word as a POSIX shell reads it back.
std::string shell_word(const std::string& word);
/// Completes and checks parameters, widths and names, so that equal sweeps have equal keys. Throws
/// UsageError naming the nearest case, parameter, dtype or backend.
void normalise(Key& key);

/// Sentinel-free value of a metric: a count, a real number (never NaN or negative), or text (the
/// first width, empty for none; a histogram).
using FigureValue = std::variant<std::uint64_t, double, std::string>;
/// Metrics by their names in reports.
using Figures = std::map<std::string, FigureValue, std::less<>>;

enum class FigureKind : std::uint8_t { count, real, text };
/// A metric that baselines know.
struct FigureInfo {
  std::string_view name;
  FigureKind kind;
  /// What a change says: text has no order, and another number of points is another sweep.
  enum class Order : std::uint8_t { less_is_better, none, must_equal } order;
};
/// In the order in which they are written and printed.
std::span<const FigureInfo> all_figures();
/// Null for an unknown name.
const FigureInfo* find_figure(std::string_view name);
/// `8,390,655`, `0.0078125`, `2` or `none`.
std::string figure_text(const FigureValue& value);
/// A count that may be absent, which counts as 0.
std::uint64_t count_of(const Figures& figures, std::string_view name);
/// No point differs in any way: nothing that would need a reason.
bool is_clean(const Figures& figures);

/// A point with all its bits, as text.
struct WitnessText {
  std::string width;  ///< the axis value; empty for cases without an axis
  std::uint64_t index = 0;
  std::string actual;        ///< `0x3f7e`
  std::string expected;      ///< `0x3f7f`
  std::string actual_value;  ///< `0.9921875`, `nan`
  std::string expected_value;
  std::string exact;  ///< the exact result; empty when unknown

  bool operator==(const WitnessText&) const = default;
};
/// `(300, 269): 0x3f7e 0.9921875, expected 0x3f7f 0.99609375 (exact 297/299)`.
std::string witness_text(const WitnessText& witness);

enum class Expectation : std::uint8_t {
  exact,        ///< every listed metric is equal
  budget,       ///< at most; better by more than the slack is reported
  unstable,     ///< within a recorded interval
  unsupported,  ///< stays unavailable
};
std::string_view expectation_name(Expectation expectation);

/// Where numbers came from.
struct Provenance {
  std::string sweep;         ///< `sweep_hash` of the key; of entries only
  std::string oracle;        ///< which oracle decided; empty without one
  std::string version;       ///< of halfulp
  std::string date;          ///< `2026-11-30`
  std::string command_line;  ///< canonical: without threads, quiet and output paths

  bool operator==(const Provenance&) const = default;
};

struct BaselineEntry {
  Key key;
  /// Predicates by name (`isa`, `version`, `compiler`); the entry holds only where all are true.
  std::map<std::string, std::string> when;
  Expectation expectation = Expectation::exact;
  Figures metrics;            ///< expected values; limits of a budget; upper ends of intervals
  Figures low;                ///< lower ends of intervals, of `unstable` only
  Figures slack;              ///< of `budget` only: how much better needs no report
  std::uint64_t repeats = 0;  ///< of `unstable` only: the runs that the intervals come from
  std::string affected;       ///< digest of the sorted list of affected widths; may be empty
  std::optional<WitnessText> witness;
  std::string reason;
  std::string link;
  std::string comments;  ///< JSON text of the field `comments`, kept as it is; empty: none
  Provenance provenance;
  std::string file;      ///< where the entry stands
  std::size_t line = 0;  ///< 0: not read from a file
};
/// `key_text`, followed by the predicates: `…/oracle?isa=AVX2`.
std::string entry_text(const BaselineEntry& entry);

struct Baseline {
  std::string file;
  std::string comments;   ///< as in entries
  Provenance provenance;  ///< of the recording; entries repeat only what differs
  std::vector<BaselineEntry> entries;
};

// Defined in reports/.

/// Reads a baseline; keys are normalised where they can be. Throws UsageError `FILE:LINE: …` for
/// anything that is not a baseline: unknown fields, duplicate keys or entries, NaN, wrong types.
Baseline read_baseline(const std::string& path);
/// JSON text: entries sorted, one a line.
std::string baseline_text(const Baseline& baseline);

}  // namespace halfulp
