// Stands for the .cu files in a build without a CUDA compiler.
#include <stdexcept>

#include "backends/cuda_device.h"
#include "backends/cuda_division.h"

namespace halfulp {

std::optional<std::string> cuda_unavailable_reason() { return "built without CUDA"; }

void cuda_divide(CudaDivision, std::span<const float>, std::span<const float>, std::span<float>) {
  throw std::runtime_error("built without CUDA");
}

}  // namespace halfulp
