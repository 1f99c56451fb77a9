// One backend on one case: evaluates axis after axis, block by block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/backend.h"
#include "harness/case.h"

namespace halfulp {

/// The number of indices (the length of the vector) for an axis value.
std::uint64_t axis_count(const Case& c, const Params& params, const Format& dtype,
                         const ExactNumber& axis_value);
/// The number of results of the case's program for an axis value.
std::uint64_t axis_results(const Case& c, const Params& params, const Format& dtype,
                           const ExactNumber& axis_value);

/// Does the case have axis values of its own for these parameters (so that no widths are given)?
bool has_own_axis(const Case& c, const Params& params, const Format& dtype);

/// Makes what a program is bound to, with the inputs of each axis value. Owned by one thread.
class AxisBinder {
 public:
  AxisBinder(const Case& c, const Params& params, const Format& dtype);
  /// Valid until the next call.
  Binding binding(const ExactNumber& axis_value);
  /// The largest finite magnitude of the first input of the last binding; 0 without inputs.
  double largest_input() const { return largest_input_; }

 private:
  const Case& case_;
  Params params_;
  Format dtype_;
  std::vector<InputVector> inputs_;
  double largest_input_ = 0;
};

/// A (backend, case, parameters, dtype), compiled once. Owned by one thread.
class AxisRunner {
 public:
  /// Throws Unsupported where the backend cannot run the case, UsageError for a wrong dtype.
  AxisRunner(const Backend& backend, const Case& c, const Params& params, const Format& dtype);

  /// Format of the results: the dtype, or the fixed format that the program ends in.
  const Format& output_format() const { return output_; }

  /// After `run`: whether the backend's world is admitted for that axis (Evaluator::admitted).
  bool admitted() const { return admitted_; }

  /// Evaluates every index in ascending blocks; each block was poisoned first.
  void run(const ExactNumber& axis_value,
           const std::function<void(std::uint64_t first, const Block& block)>& sink);

 private:
  Evaluator& evaluator_for(std::uint64_t count);

  const Case& case_;
  Backend backend_;
  Params params_;
  Format dtype_;
  Format output_;
  AxisBinder binder_;
  Shape shape_;  ///< of the result
  bool admitted_ = true;
  std::unique_ptr<Evaluator> general_;    ///< for axes of two or more points
  std::unique_ptr<Evaluator> singleton_;  ///< for axes of one point
};

/// The encodings of a whole axis in the output format.
std::vector<std::uint64_t> evaluate_axis(AxisRunner& runner, const ExactNumber& axis_value);

}  // namespace halfulp
