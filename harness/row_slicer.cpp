#include "harness/row_slicer.h"

#include <algorithm>

namespace halfulp {
namespace {

template <typename T>
std::vector<T> slice(const std::vector<T>& values, std::uint64_t row, std::uint64_t count) {
  if (values.empty()) return {};
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * count);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

RowSlicer::RowSlicer(const Program& program) {
  for (const Instruction& instruction : program.instructions) {
    if (instruction.op != Op::input) continue;
    if (instruction.input >= is_sliced_.size()) is_sliced_.resize(instruction.input + 1, false);
    if (instruction.rows == Rows::each) is_sliced_[instruction.input] = true;
  }
}

void RowSlicer::bind(const Binding& binding) {
  binding_ = binding;
  slices_ = binding.rows > 1 && std::ranges::find(is_sliced_, true) != is_sliced_.end();
  inputs_.clear();
  if (slices_) inputs_.assign(binding.inputs.begin(), binding.inputs.end());
}

Binding RowSlicer::row(std::uint64_t row) {
  Binding out = binding_;
  out.rows = 1;
  if (!slices_) return out;
  for (std::size_t i = 0; i < std::min(inputs_.size(), is_sliced_.size()); ++i) {
    if (!is_sliced_[i]) continue;
    const InputVector& all = binding_.inputs[i];
    inputs_[i] = {slice(all.f32, row, binding_.count), slice(all.f64, row, binding_.count)};
  }
  out.inputs = inputs_;
  return out;
}

}  // namespace halfulp
