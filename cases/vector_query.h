// For tests of cases over vectors: what a backend, or the oracle, returns, as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/encoding.h"
#include "harness/evaluate.h"
#include "harness/oracle.h"
#include "harness/value_text.h"

namespace halfulp::cases {

/// One evaluation of a case.
struct VectorQuery {
  std::string_view subject;
  Params params;
  std::string_view dtype = "f32";
  std::string_view backend = "stepwise";  ///< or "oracle"
  std::int64_t width = -1;                ///< -1: the length of the given vector
};

/// Encodings in a format.
struct Encodings {
  std::vector<std::uint64_t> bits;
  Format format;
};

inline Encodings oracle_results(const Case& c, const Params& params, const Format& dtype,
                                const ExactNumber& width) {
  if (c.check != nullptr) c.check(params, dtype);
  AxisBinder binder(c, params, dtype);
  const Binding binding = binder.binding(width);
  const Program program = c.build(params, std::min<std::uint64_t>(binding.count, 2));
  const Format output = resolve(program.output_type(), dtype).value_or(binary64);
  const auto oracle = make_oracle(OracleKind::checked, program, dtype);
  oracle->bind(binding);
  const std::uint64_t results = result_count(program, binding.count, binding.rows);
  const auto block = std::make_unique<OracleBlock>();
  Encodings out{{}, output};
  for (std::uint64_t first = 0; first < results; first += block_lanes) {
    const auto lanes = std::min<std::uint64_t>(block_lanes, results - first);
    block->rounded.size = static_cast<std::size_t>(lanes);
    oracle->evaluate(first, *block);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      out.bits.push_back(encode_exact(block->rounded.value(lane), output));
    }
  }
  return out;
}

inline Encodings evaluate(const VectorQuery& q) {
  const Case& c = find_case(q.subject);
  const Params params = complete_params(c, q.params);
  const Format dtype = parse_format(q.dtype);
  const ExactNumber width = q.width < 0 ? c.axis_values(params, dtype).at(0) : exact(q.width);
  if (q.backend == "oracle") return oracle_results(c, params, dtype, width);
  AxisRunner runner(find_backend(q.backend), c, params, dtype);
  return {evaluate_axis(runner, width), runner.output_format()};
}

/// The results with spaces between them: infinities and NaN as words, all else as encodings.
inline std::string results(const VectorQuery& q) {
  const Encodings e = evaluate(q);
  std::string out;
  for (const std::uint64_t bits : e.bits) {
    if (!out.empty()) out += ' ';
    out += is_finite(bits, e.format) ? hex(bits, e.format) : decimal(bits, e.format);
  }
  return out;
}

/// The results as decimals with spaces between them.
inline std::string decimals(const VectorQuery& q) {
  const Encodings e = evaluate(q);
  std::string out;
  for (const std::uint64_t bits : e.bits) {
    if (!out.empty()) out += ' ';
    out += decimal(bits, e.format);
  }
  return out;
}

}  // namespace halfulp::cases
