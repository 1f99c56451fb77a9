// The certified tier: binary64 with a proven error bound decides nearly every point of a sweep.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/oracle.h"
#include "oracles/error_bound.h"
#include "oracles/exact_evaluator.h"
#include "oracles/kernels.h"
#include "oracles/lowering.h"

namespace halfulp::oracles {

/// A quick tier of the checked oracle: decides lanes, or leaves them to exact arithmetic.
class FastTier {
 public:
  virtual ~FastTier() = default;
  /// `values` is bound to the same axis.
  virtual void bind(const Binding& binding, const ExactEvaluator& values) = 0;
  /// Fills rounded, value and radius of the lanes that it decides; all others join `undecided`.
  virtual void evaluate(std::uint64_t first, OracleBlock& out, LaneSet& undecided) = 0;
};

/// Evaluates in binary64, one vector kernel an operation, with bounds found once per axis
/// (error_bound.h), and decides the lanes where the whole interval value +- radius rounds alike
/// (kernels.cpp). It leaves to the exact tier: ties and other points too close to a midpoint, zeros
/// that are not exact in binary64, results that are not finite or overflow the format, lanes with
/// inputs that are not finite, and whole programs whose error it cannot bound.
class CertifiedTier : public FastTier {
 public:
  /// For an output format other than binary64.
  CertifiedTier(const ExactEvaluator& values, const Format& output);

  void bind(const Binding& binding, const ExactEvaluator& values) override;
  void evaluate(std::uint64_t first, OracleBlock& out, LaneSet& undecided) override;

 private:
  struct Uniform {
    ExactValue exact;
    double value = 0;
    ErrorBound bound;
  };

  void assign_buffers();
  void bind_uniform(std::size_t position, const ExactEvaluator& values);
  ErrorBound bound_of(const NodeOperand& operand) const;
  ErrorBound bound_of(const LaneNode& node) const;
  ErrorBound bound_of_input(std::uint32_t input) const;
  KernelStep step_of(const LaneNode& node, std::size_t position);
  void load_input(const LaneNode& node, std::uint64_t first, std::size_t size, double* out,
                  LaneSet& undecided) const;

  LoweredProgram program_;
  RoundingConstants rounding_;
  std::vector<Uniform> uniforms_;
  std::vector<std::uint32_t> buffer_of_;  ///< of each node
  std::vector<Lanes> buffers_;
  std::vector<ErrorBound> bounds_;  ///< of each node, for the bound axis
  std::vector<KernelStep> steps_;   ///< of each node, for the bound axis
  Binding binding_{};
  bool literals_are_known_ = false;
  bool is_usable_ = false;
};

}  // namespace halfulp::oracles
