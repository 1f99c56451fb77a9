// The report of a sweep, schema `halfulp-report/1` (report.schema.json beside this file).
#define XXH_INLINE_ALL
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <ctime>

#include "harness/encoding.h"
#include "harness/report.h"
#include "harness/value_text.h"
#include "reports/json.h"
#include "reports/result_json.h"

namespace halfulp {
namespace {

/// The same on every machine.
std::string hash_text(std::string_view text) {
  return fmt::format("xxh3:{:016x}", XXH3_64bits(text.data(), text.size()));
}

/// Booleans as JSON booleans, sizes as numbers, everything else as it is written.
OrderedJson parameter_json(const Parameter& parameter, const std::string& value) {
  switch (parameter.kind) {
    case ParamKind::boolean:
      return value == "true";
    case ParamKind::size:
      return json_integer(std::stoull(value));
    case ParamKind::choice:
    case ParamKind::number:
    case ParamKind::size_expr:
    case ParamKind::list:
    case ParamKind::values:
    case ParamKind::value:
    case ParamKind::text:
      return value;
  }
  return nullptr;
}

}  // namespace

OrderedJson params_json(const Case& c, const Params& params) {
  OrderedJson json = OrderedJson::object();
  for (const Parameter& parameter : c.parameters) {
    if (!is_set(params, parameter.name)) continue;
    json[std::string(parameter.name)] =
        parameter_json(parameter, params.find(parameter.name)->second);
  }
  return json;
}

namespace {

/// One row of the sweep as JSON; knows how its points and encodings are written.
class RowWriter {
 public:
  RowWriter(const SweepSpec& spec, const SweepResult& result, const SweepRow& row)
      : spec_(spec), labels_(result.axis_labels), row_(row) {}

  OrderedJson write() const {
    OrderedJson json = {{"case", std::string(spec_.subject->name)},
                        {"dtype", std::string(short_name(row_.dtype))},
                        {"backend", row_.backend},
                        {"reference", row_.reference},
                        {"params", params()}};
    if (!row_.unavailable.empty()) {
      json["unavailable"] = row_.unavailable;
      return json;
    }
    json["announced"] = json_integer(row_.announced);
    json["metrics"] = metrics();
    json["first"] = witness("first", row_.metrics.first);
    json["affected"] = affected();
    OrderedJson all = witnesses();
    json["witness"] = all["steps"];
    json["witnesses"] = std::move(all);
    if (row_.reference == "oracle") json["tiers"] = tiers_json(row_.tiers);
    json["lane_dependence"] = {{"points", json_integer(row_.lanes.points)},
                               {"changed", json_integer(row_.lanes.changed)}};
    if (row_.envelope) json["envelope"] = envelope(*row_.envelope);
    return json;
  }

  static OrderedJson tiers_json(const TierCounts& tiers) {
    return {{"certified", json_integer(tiers.certified)},
            {"exact", json_integer(tiers.exact)},
            {"ziv", json_integer(tiers.ziv)},
            {"checked", json_integer(tiers.checked)},
            {"disagreements", json_integer(tiers.disagreements)}};
  }

 private:
  OrderedJson params() const {
    OrderedJson json = params_json(*spec_.subject, row_.params);
    if (spec_.widths) json["widths"] = spec_.widths->text();
    return json;
  }

  /// The axis value of a point: its number, or its text where axis values are not all integers.
  OrderedJson width(std::uint64_t label) const {
    if (label < labels_.size()) return to_string(labels_[label]);
    return json_integer(label);
  }
  OrderedJson point(const Point& at) const {
    return {{"width", width(at.width)}, {"index", json_integer(at.index)}};
  }
  /// Hash of the affected axis values, so that two reports can tell whether they are the same.
  std::string affected() const {
    OrderedJson list = OrderedJson::array();
    for (const std::uint64_t label : row_.affected) list.push_back(width(label));
    return hash_text(list.dump());
  }

  OrderedJson witness(const std::string& metric, const std::optional<Witness>& found) const {
    if (!found) return nullptr;
    OrderedJson json = point(found->at);
    json["actual"] = hex(found->actual, row_.output);
    json["expected"] = hex(found->expected, row_.output);
    json["actual_value"] = json_number(to_double(found->actual, row_.output));
    json["expected_value"] = json_number(to_double(found->expected, row_.output));
    if (const auto text = row_.exact_at.find(metric); text != row_.exact_at.end()) {
      json["exact"] = text->second;
    }
    return json;
  }
  OrderedJson witnesses() const {
    const Metrics& m = row_.metrics;
    return {{"steps", witness("steps", m.steps.witness)},
            {"ulp_error", witness("ulp_error", m.ulp_error.witness)},
            {"range_ulp", witness("range_ulp", m.range_ulp.witness)},
            {"abs", witness("abs", m.abs.witness)},
            {"rel", witness("rel", m.rel.witness)}};
  }

  OrderedJson metrics() const {
    const Metrics& m = row_.metrics;
    OrderedJson json = {{"points", json_integer(m.points)},
                        {"differing", json_integer(m.differing)},
                        {"first_width", m.first ? width(m.first->at.width) : OrderedJson(nullptr)},
                        {"widths_affected", json_integer(m.widths_affected)},
                        {"steps_max", json_integer(m.steps.value)},
                        {"ulp_error_max", json_number(m.ulp_error.value)},
                        {"range_ulp_max", json_number(m.range_ulp.value)},
                        {"abs_max", json_number(m.abs.value)},
                        {"rel_max", json_number(m.rel.value)},
                        {"zero_lost", json_integer(m.zero_lost)},
                        {"zero_sign", json_integer(m.zero_sign)},
                        {"nonfinite", json_integer(m.nonfinite)},
                        {"unwritten", json_integer(m.unwritten)},
                        {"histogram", histogram(m.histogram)}};
    if (row_.tensor) {
      json["tensor_differing"] = json_integer(row_.tensor->differing);
      json["tensor_points"] = json_integer(row_.tensor->points);
    }
    return json;
  }

  /// Buckets `0` to `4`, then the filled ones of `5..8`, `9..16`, …
  static OrderedJson histogram(const StepsHistogram& counts) {
    OrderedJson json = OrderedJson::object();
    for (std::size_t b = 0; b < StepsHistogram::buckets; ++b) {
      if (b >= StepsHistogram::exact_buckets && counts.count(b) == 0) continue;
      const std::uint64_t last = StepsHistogram::upper_bound(b);
      const std::string name =
          b < StepsHistogram::exact_buckets
              ? std::to_string(b)
              : fmt::format("{}..{}", StepsHistogram::upper_bound(b - 1) + 1, last);
      json[name] = json_integer(counts.count(b));
    }
    return json;
  }

  static OrderedJson envelope(const Envelope& envelope) {
    return {{"worlds", envelope.worlds},
            {"worst", envelope.worst},
            {"some_world_differs", json_integer(envelope.some_world_differs)},
            {"every_world_differs", json_integer(envelope.every_world_differs)}};
  }

  const SweepSpec& spec_;
  const std::vector<ExactNumber>& labels_;
  const SweepRow& row_;
};

OrderedJson specification_json(const SweepSpec& spec) {
  OrderedJson params = OrderedJson::array();
  for (const Params& p : spec.params) params.push_back(params_json(*spec.subject, p));
  OrderedJson dtypes = OrderedJson::array();
  for (const Format& dtype : spec.dtypes) dtypes.push_back(std::string(short_name(dtype)));
  OrderedJson backends = OrderedJson::array();
  for (const Backend& backend : spec.backends) backends.push_back(backend.name);
  return {{"case", std::string(spec.subject->name)},
          {"params", std::move(params)},
          {"dtypes", std::move(dtypes)},
          {"widths", spec.widths ? OrderedJson(spec.widths->text()) : OrderedJson(nullptr)},
          {"backends", std::move(backends)},
          {"reference", spec.reference.name()}};
}

/// What may differ between equal runs; comparisons leave it out.
OrderedJson run_json(const ReportContext& context) {
  return {{"cpu", context.environment.cpu},
          {"isa", context.environment.isa},
          {"threads", context.spec.threads},
          {"seconds", json_number(context.seconds)},
          {"command_line", context.command_line},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
}

OrderedJson context_json(const SweepResult& result, const ReportContext& context) {
  const RunEnvironment& environment = context.environment;
  OrderedJson specification = specification_json(context.spec);
  const std::string hash = hash_text(Json(specification).dump());  // sorted keys, no spaces
  TierCounts tiers;
  for (const SweepRow& row : result.rows) tiers += row.tiers;
  return {{"version", environment.version},
          {"commit", environment.commit},
          {"compiler", environment.compiler},
          {"flags", environment.flags},
          {"build_type", environment.build_type},
          {"environment",
           {{"rounding", environment.rounding},
            {"flush_to_zero", environment.flush_to_zero},
            {"denormals_are_zero", environment.denormals_are_zero}}},
          {"specification", std::move(specification)},
          {"specification_hash", hash},
          {"seed", 0},
          {"tiers", RowWriter::tiers_json(tiers)},
          {"points", json_integer(result.points)},
          {"complete", result.complete},
          {"run", run_json(context)}};
}

}  // namespace

std::string report_json(const SweepResult& result, const ReportContext& context) {
  OrderedJson rows = OrderedJson::array();
  for (const SweepRow& row : result.rows) {
    rows.push_back(RowWriter(context.spec, result, row).write());
  }
  const OrderedJson report = {{"schema", "halfulp-report/1"},
                              {"context", context_json(result, context)},
                              {"results", std::move(rows)}};
  return json_text(report);
}

}  // namespace halfulp
