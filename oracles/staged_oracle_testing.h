// Programs with reductions and elementary functions, and their evaluation, for tests.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "harness/encoding.h"
#include "oracles/staged_oracle.h"

namespace halfulp::oracles {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

inline InputVector stored(std::vector<float> values) { return {std::move(values), {}}; }

inline Program written(const std::function<ValueId(ProgramBuilder&)>& write) {
  ProgramBuilder b;
  const ValueId output = write(b);
  return b.finish(output);
}

inline Program reduction(Op op) {
  return written(
      [op](ProgramBuilder& b) { return b.reduce(op, dtype_type, b.input(0, Rows::each)); });
}

inline Binding bound(const std::vector<InputVector>& inputs, std::uint64_t count,
                     std::uint64_t rows = 1) {
  return {
      .n = exact(static_cast<std::int64_t>(count)), .count = count, .inputs = inputs, .rows = rows};
}

inline std::vector<std::uint64_t> evaluated(OracleEvaluator& oracle, const Program& program,
                                            const Format& output, const Binding& binding) {
  oracle.bind(binding);
  const std::uint64_t results = result_count(program, binding.count, binding.rows);
  const auto block = std::make_unique<OracleBlock>();
  std::vector<std::uint64_t> out;
  for (std::uint64_t first = 0; first < results; first += block_lanes) {
    block->rounded.size = std::min<std::uint64_t>(block_lanes, results - first);
    oracle.evaluate(first, *block);
    for (std::size_t lane = 0; lane < block->rounded.size; ++lane) {
      out.push_back(encode_exact(block->rounded.value(lane), output));
    }
  }
  return out;
}

/// Every result of a program over one vector, by the hybrid evaluator alone.
inline std::vector<std::uint64_t> results(const Program& program, const Format& dtype,
                                          std::vector<float> values) {
  const std::uint64_t count = values.size();
  const std::vector<InputVector> inputs{stored(std::move(values))};
  StagedOracle oracle(program, dtype, nullptr);
  return evaluated(oracle, program, dtype, bound(inputs, count));
}

inline std::uint64_t result(const Program& program, const Format& dtype,
                            std::vector<float> values) {
  return results(program, dtype, std::move(values)).at(0);
}

inline std::uint64_t f32(double value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

inline Program log_sum_exp() {
  return written([](ProgramBuilder& b) {
    const auto terms = b.unary(Op::exp, dtype_type, b.input(0));
    return b.unary(Op::log, dtype_type, b.sum(dtype_type, terms));
  });
}

inline Program stable_log_sum_exp() {
  return written([](ProgramBuilder& b) {
    const auto x = b.input(0);
    const auto m = b.reduce(Op::largest, dtype_type, x);
    const auto terms = b.unary(Op::exp, dtype_type, b.binary(Op::sub, dtype_type, x, m));
    const auto log = b.unary(Op::log, dtype_type, b.sum(dtype_type, terms));
    return b.binary(Op::add, dtype_type, m, log);
  });
}

inline Program softmax() {
  return written([](ProgramBuilder& b) {
    const auto terms = b.unary(Op::exp, dtype_type, b.input(0));
    return b.binary(Op::div, dtype_type, terms, b.sum(dtype_type, terms));
  });
}

inline Program stable_softmax() {
  return written([](ProgramBuilder& b) {
    const auto x = b.input(0);
    const auto m = b.reduce(Op::largest, dtype_type, x);
    const auto terms = b.unary(Op::exp, dtype_type, b.binary(Op::sub, dtype_type, x, m));
    return b.binary(Op::div, dtype_type, terms, b.sum(dtype_type, terms));
  });
}

/// log(sum(exp(x))) - x0.
inline Program cross_entropy() {
  return written([](ProgramBuilder& b) {
    const auto x = b.input(0);
    const auto terms = b.unary(Op::exp, dtype_type, x);
    const auto log = b.unary(Op::log, dtype_type, b.sum(dtype_type, terms));
    const auto logit =
        b.append({.op = Op::element, .type = dtype_type, .operands = {x, b.literal(0), 0}});
    return b.binary(Op::sub, dtype_type, log, logit);
  });
}

/// E[x^2] - E[x]^2.
inline Program naive_variance() {
  return written([](ProgramBuilder& b) {
    const auto x = b.input(0);
    const auto squares = b.sum(dtype_type, b.binary(Op::mul, dtype_type, x, x));
    const auto mean = b.binary(Op::div, dtype_type, b.sum(dtype_type, x), b.size());
    const auto mean_square = b.binary(Op::div, dtype_type, squares, b.size());
    return b.binary(Op::sub, dtype_type, mean_square, b.binary(Op::mul, dtype_type, mean, mean));
  });
}

inline Program two_pass_variance() {
  return written([](ProgramBuilder& b) {
    const auto x = b.input(0);
    const auto mean = b.binary(Op::div, dtype_type, b.sum(dtype_type, x), b.size());
    const auto d = b.binary(Op::sub, dtype_type, x, mean);
    const auto squares = b.sum(dtype_type, b.binary(Op::mul, dtype_type, d, d));
    return b.binary(Op::div, dtype_type, squares, b.size());
  });
}

inline Program variance_by(Op m2) {
  return written([m2](ProgramBuilder& b) {
    return b.binary(Op::div, dtype_type, b.reduce(m2, dtype_type, b.input(0)), b.size());
  });
}

inline std::vector<float> normal_like(std::mt19937_64& random, std::size_t count, double scale) {
  std::vector<float> out;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(random() >> 11) * 0x1p-53;
    out.push_back(static_cast<float>(scale * (sum - 6)));
  }
  return out;
}

}  // namespace halfulp::oracles
