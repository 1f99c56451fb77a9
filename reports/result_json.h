// Parts that reports, baselines and verdicts have in common: written and read in one place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/baseline.h"
#include "harness/case.h"
#include "reports/json.h"

namespace halfulp {

/// Booleans as JSON booleans, sizes as numbers, everything else as text (sweep_report.cpp).
OrderedJson params_json(const Case& c, const Params& params);

/// The five members of a key: case, params with the widths, dtype, backend, reference.
OrderedJson key_json(const Key& key);
/// Reads them. Parameters are left as they are: see `normalise`.
Key read_key(const ObjectReader& object);

OrderedJson figure_json(const FigureInfo& info, const FigureValue& value);
OrderedJson figures_json(const Figures& figures);
OrderedJson witness_json(const std::optional<WitnessText>& witness);

/// A count: an integer, or its digits as text beyond 2^53.
std::uint64_t read_count(const ObjectReader& object, std::string_view key);
/// A number, or `nan`, `inf`, `-inf`.
double read_real(const ObjectReader& object, std::string_view key);
/// The value of a metric by its kind.
FigureValue read_figure(const ObjectReader& object, const FigureInfo& info);
/// All members; throws UsageError naming the nearest metric for an unknown one.
Figures read_figures(const ObjectReader& object);
/// Empty for null.
std::optional<WitnessText> read_witness(const ObjectReader& object, std::string_view key);

}  // namespace halfulp
