#include <cuda_runtime.h>

#include "backends/cuda_device.h"

namespace halfulp {

std::optional<std::string> cuda_unavailable_reason() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess) return cudaGetErrorString(error);
  if (devices == 0) return "no CUDA device";
  return std::nullopt;
}

}  // namespace halfulp
