// Compiled with -fmad=false; every operation names its rounding, so no flag can change it.
#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <stdexcept>

#include "backends/cuda_division.h"

namespace halfulp {
namespace {

__device__ float divide(CudaDivision how, float a, float b) {
  switch (how) {
    case CudaDivision::rounded:
      return __fdiv_rn(a, b);
    case CudaDivision::reciprocal:
      return __fmul_rn(a, __frcp_rn(b));
    case CudaDivision::full: {
      // No intrinsic: __fdividef is div.approx, which underflows for divisors above 2^126.
      float quotient;
      asm("div.full.f32 %0, %1, %2;" : "=f"(quotient) : "f"(a), "f"(b));
      return quotient;
    }
  }
  __trap();
  return 0;  // not reached
}

__global__ void divide_all(CudaDivision how, const float* a, const float* b, float* quotient,
                           std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) quotient[i] = divide(how, a[i], b[i]);
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

struct Free {
  void operator()(float* device) const { cudaFree(device); }
};
using DeviceArray = std::unique_ptr<float, Free>;

DeviceArray allocate(std::size_t size) {
  float* device = nullptr;
  check(cudaMalloc(&device, size * sizeof(float)));
  return DeviceArray(device);
}

DeviceArray upload(std::span<const float> host) {
  DeviceArray device = allocate(host.size());
  check(cudaMemcpy(device.get(), host.data(), host.size_bytes(), cudaMemcpyHostToDevice));
  return device;
}

}  // namespace

void cuda_divide(CudaDivision how, std::span<const float> a, std::span<const float> b,
                 std::span<float> quotient) {
  if (a.size() != b.size() || a.size() != quotient.size()) {
    throw std::runtime_error("cuda_divide: spans of different sizes");
  }
  if (a.empty()) return;
  constexpr unsigned threads = 256;
  const DeviceArray device_a = upload(a);
  const DeviceArray device_b = upload(b);
  const DeviceArray device_quotient = allocate(quotient.size());
  const auto blocks = static_cast<unsigned>((a.size() + threads - 1) / threads);
  divide_all<<<blocks, threads>>>(how, device_a.get(), device_b.get(), device_quotient.get(),
                                  a.size());
  check(cudaGetLastError());
  check(cudaMemcpy(quotient.data(), device_quotient.get(), quotient.size_bytes(),
                   cudaMemcpyDeviceToHost));
}

}  // namespace halfulp
