#include "backends/fields.h"

#include <algorithm>
#include <array>
#include <utility>

#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp::backends {
namespace {

/// A row for an enumerator of a member of `Lowering` or `ExecutionModel`.
template <auto part, auto member, auto enumerator>
constexpr FieldValue value(std::string_view name) {
  return {name, [](const Backend& b) { return (b.*part).*member == enumerator; },
          [](Backend& b) { (b.*part).*member = enumerator; }};
}
template <auto member, auto enumerator>
constexpr FieldValue lowering(std::string_view name) {
  return value<&Backend::lowering, member, enumerator>(name);
}
template <auto member, auto enumerator>
constexpr FieldValue model(std::string_view name) {
  return value<&Backend::model, member, enumerator>(name);
}

using L = Lowering;
using M = ExecutionModel;

constexpr std::array casts{lowering<&L::casts, Casts::kept>("kept"),
                           lowering<&L::casts, Casts::folded>("folded"),
                           lowering<&L::casts, Casts::every_step>("every-step")};
constexpr std::array intermediates{
    lowering<&L::intermediates, Intermediates::recomputed>("recomputed"),
    lowering<&L::intermediates, Intermediates::stored>("stored")};
constexpr std::array sources{lowering<&L::sources, Casts::kept>("kept"),
                             lowering<&L::sources, Casts::folded>("folded")};
constexpr std::array sizes{lowering<&L::sizes, Sizes::constant>("constant"),
                           lowering<&L::sizes, Sizes::runtime>("runtime")};
constexpr std::array divisor{lowering<&L::divisor, DivisorRounding::exact>("exact"),
                             lowering<&L::divisor, DivisorRounding::dtype>("dtype")};
constexpr std::array constant_divisor{
    lowering<&L::constant_divisor, ConstantDivisor::divide>("divide"),
    lowering<&L::constant_divisor, ConstantDivisor::reciprocal>("reciprocal")};
constexpr std::array scalar_dividend{
    lowering<&L::scalar_dividend, ScalarDividend::divide>("divide"),
    lowering<&L::scalar_dividend, ScalarDividend::reciprocal>("reciprocal")};
constexpr std::array contraction{lowering<&L::contraction, Contraction::off>("off"),
                                 lowering<&L::contraction, Contraction::linspace>("linspace"),
                                 lowering<&L::contraction, Contraction::on>("on")};
constexpr std::array scalars{model<&M::scalars, Scalars::aten>("aten"),
                             model<&M::scalars, Scalars::opmath>("opmath"),
                             model<&M::scalars, Scalars::type>("type")};
constexpr std::array division{model<&M::division, Division::ieee>("ieee"),
                              model<&M::division, Division::approximate>("approximate")};
constexpr std::array reciprocal{
    model<&M::reciprocal, World::all>("all"), model<&M::reciprocal, World::nearest>("nearest"),
    model<&M::reciprocal, World::below>("below"), model<&M::reciprocal, World::above>("above"),
    model<&M::reciprocal, World::device>("device")};
constexpr std::array arange_lanes{model<&M::arange_lanes, 0>("0"), model<&M::arange_lanes, 8>("8"),
                                  model<&M::arange_lanes, 16>("16"),
                                  model<&M::arange_lanes, 32>("32")};
constexpr std::array arange_tail{model<&M::arange_tail, RampTail::scalar>("scalar"),
                                 model<&M::arange_tail, RampTail::vector>("vector")};
constexpr std::array linspace{model<&M::linspace, Linspace::float32>("float32"),
                              model<&M::linspace, Linspace::stepwise>("stepwise"),
                              model<&M::linspace, Linspace::compiled>("compiled")};
constexpr std::array rsqrt{model<&M::rsqrt, Rsqrt::float32>("float32"),
                           model<&M::rsqrt, Rsqrt::stepwise>("stepwise")};
constexpr std::array float8{model<&M::float8_overflow, Float8Overflow::saturate>("saturate"),
                            model<&M::float8_overflow, Float8Overflow::nan>("nan")};

constexpr std::array wide_casts{model<&M::wide_casts, WideCasts::through_binary32>("through-f32"),
                                model<&M::wide_casts, WideCasts::once>("once")};
constexpr std::array accumulator{model<&M::accumulator, Accumulator::opmath>("opmath"),
                                 model<&M::accumulator, Accumulator::type>("type"),
                                 model<&M::accumulator, Accumulator::binary64>("f64")};
constexpr std::array extremes{model<&M::extremes, Extremes::propagate>("propagate"),
                              model<&M::extremes, Extremes::number>("number"),
                              model<&M::extremes, Extremes::select>("select")};
constexpr std::array elementary{
    model<&M::elementary, Elementary::unmodelled>("unmodelled"),
    model<&M::elementary, Elementary::correct>("correct"),
    model<&M::elementary, Elementary::correct_in_type>("correct-in-type"),
    model<&M::elementary, Elementary::within_ulp>("within-ulp"),
    model<&M::elementary, Elementary::ulp_below>("ulp-below"),
    model<&M::elementary, Elementary::ulp_above>("ulp-above")};

constexpr std::array<std::string_view, 9> order_names{"unmodelled", "any",      "sequential",
                                                      "reversed",   "pairwise", "pairs",
                                                      "warp",       "kahan",    "neumaier"};
template <std::size_t k>
constexpr FieldValue named_order() {
  return {order_names[k],
          [](const Backend& b) { return b.model.order == parse_order(order_names[k]); },
          [](Backend& b) { b.model.order = parse_order(order_names[k]); }};
}
template <std::size_t... k>
constexpr std::array<FieldValue, sizeof...(k)> named_orders(std::index_sequence<k...>) {
  return {named_order<k>()...};
}
constexpr auto order = named_orders(std::make_index_sequence<order_names.size()>());

void set_order(Backend& backend, std::string_view text) { backend.model.order = parse_order(text); }
std::string order_text(const Backend& backend) { return to_string(backend.model.order); }

constexpr std::array<Field, 21> fields{{
    {"casts", "narrow-then-widen casts between operations; or every step rounded to the dtype",
     casts},
    {"intermediates", "with folded casts: values read again after a reduction", intermediates},
    {"sources", "with folded casts: the rounding of typed ramps and size tensors", sources},
    {"sizes", "numbers from a shape: compile-time constants or run-time values", sizes},
    {"divisor", "a run-time divisor: as it is, or rounded to the dtype first", divisor},
    {"constant_divisor", "division by a constant", constant_divisor},
    {"scalar_dividend", "scalar / x: a division, or reciprocal(x) * scalar", scalar_dividend},
    {"contraction", "multiply-add to fma: never, inside linspace only, or everywhere", contraction},
    {"scalars", "Python scalars: ATen's rule by operation, or float32 literals", scalars},
    {"division", "division by a run-time number", division},
    {"reciprocal", "what an approximate reciprocal returns", reciprocal},
    {"arange_lanes", "lanes of a half-precision arange's vector blocks; 0 is the correct ramp",
     arange_lanes},
    {"arange_tail", "elements after the last whole pair of vectors of an arange", arange_tail},
    {"linspace", "PyTorch 2.15's rule, that of 2.14 and before, or a compiler's", linspace},
    {"rsqrt", "1 / sqrt(x) of half types in float32, or with a rounded square root", rsqrt},
    {"float8_overflow", "conversion to float8_e4m3fn beyond 448", float8},
    {"wide_casts", "casts from float64 to less than float32: rounded twice, or once", wide_casts},
    {"order", "order of reductions: a name, or a tree such as lanes:8(sequential/tree)", order,
     set_order, order_text},
    {"accumulator", "where partial results of a reduction are rounded", accumulator},
    {"extremes", "min and max with a NaN: NaN, the other operand, or the second operand", extremes},
    {"elementary", "the kernel of exp, log, ...: rounded in float32 and narrowed, or once",
     elementary},
}};

}  // namespace

std::span<const Field> all_fields() { return fields; }

void set_field(Backend& backend, std::string_view field, std::string_view value) {
  std::vector<std::string_view> known;
  for (const Field& f : fields) {
    known.push_back(f.name);
    if (f.name != field) continue;
    std::vector<std::string_view> values;
    for (const FieldValue& v : f.values) {
      values.push_back(v.name);
      if (v.name == value) return v.set(backend);
    }
    if (f.set_text != nullptr) return f.set_text(backend, value);
    throw UsageError(unknown_name("value of backend field " + std::string(field), value, values));
  }
  throw UsageError(unknown_name("backend field", field, known));
}

}  // namespace halfulp::backends

namespace halfulp {

std::vector<FieldInfo> backend_fields() {
  std::vector<FieldInfo> out;
  for (const auto& f : backends::all_fields()) {
    FieldInfo info{f.name, {}, f.summary};
    for (const auto& v : f.values) info.values.push_back(v.name);
    out.push_back(info);
  }
  return out;
}

std::string field_value(const Backend& backend, std::string_view field) {
  for (const auto& f : backends::all_fields()) {
    if (f.name != field) continue;
    if (f.text != nullptr) return f.text(backend);
    for (const auto& v : f.values) {
      if (v.is(backend)) return std::string(v.name);
    }
  }
  return {};
}

}  // namespace halfulp
