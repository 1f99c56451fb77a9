// Rows of a batch, one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/block.h"
#include "harness/program.h"

namespace halfulp {

/// Cuts a binding of many vectors into bindings of one.
class RowSlicer {
 public:
  explicit RowSlicer(const Program& program);

  void bind(const Binding& binding);
  /// The binding of one row; its inputs are valid until the next call.
  Binding row(std::uint64_t row);

 private:
  std::vector<bool> is_sliced_;  ///< by input: has each row its own values?
  bool slices_ = false;
  Binding binding_{};
  std::vector<InputVector> inputs_;  ///< of the current row, where inputs are sliced
};

}  // namespace halfulp
