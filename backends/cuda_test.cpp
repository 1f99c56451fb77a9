#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "backends/cuda_device.h"
#include "backends/cuda_division.h"

namespace halfulp {
namespace {

/// Pairs of float32: every pairing of special and boundary values, then random encodings.
struct Operands {
  std::vector<float> a, b;
};

Operands operands() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> special;
  for (const float x : {0.0f, 1.0f, 3.0f, 10.0f, 299.0f, 0x1p-126f, 0x1p126f, 0x1.8p126f,
                        Limits::denorm_min(), Limits::min(), Limits::max(), Limits::infinity()}) {
    special.insert(special.end(), {x, -x});
  }
  Operands result;
  for (const float a : special) {
    for (const float b : special) {
      result.a.push_back(a);
      result.b.push_back(b);
    }
  }
  std::mt19937 random(20240607);
  for (int i = 0; i < 1 << 20; ++i) {
    result.a.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    result.b.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
  return result;
}

std::vector<float> on_device(CudaDivision how, const Operands& x) {
  std::vector<float> quotient(x.a.size(), -1.0f);
  cuda_divide(how, x.a, x.b, quotient);
  return quotient;
}

/// Same encoding; NaNs count as equal, since a device returns another one than x86.
bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// |actual - a/b| in ulps of float32 at a/b; the double quotient is off by less than 2^-28 of them.
double ulp_error(float actual, float a, float b) {
  const double exact = static_cast<double>(a) / static_cast<double>(b);
  const int exponent = std::max(std::ilogb(exact), -126);
  return std::abs(static_cast<double>(actual) - exact) / std::ldexp(1.0, exponent - 23);
}

void skip_without_device() {
  if (const auto reason = cuda_unavailable_reason()) SKIP("CUDA unavailable: " << *reason);
}

}  // namespace

TEST_CASE("without a CUDA device the reason is one line and a division throws", "[cuda]") {
  const auto reason = cuda_unavailable_reason();
  if (!reason) SKIP("a CUDA device is there");
  CHECK(!reason->empty());
  CHECK(reason->find('\n') == std::string::npos);
  const std::vector<float> one{1.0f};
  std::vector<float> quotient(1);
  CHECK_THROWS_AS(cuda_divide(CudaDivision::rounded, one, one, quotient), std::runtime_error);
}

TEST_CASE("CUDA div.rn and rcp.rn round as the CPU does", "[cuda]") {
  skip_without_device();
  const Operands x = operands();
  const auto rounded = on_device(CudaDivision::rounded, x);
  const auto reciprocal = on_device(CudaDivision::reciprocal, x);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < x.a.size(); ++i) {
    differing += !same(rounded[i], x.a[i] / x.b[i]);
    const float r = 1.0f / x.b[i];
    differing += !same(reciprocal[i], x.a[i] * r);
  }
  CHECK(differing == 0);
}

TEST_CASE("CUDA div.full is within its documented 2 ulp", "[cuda]") {
  skip_without_device();
  const Operands x = operands();
  const auto full = on_device(CudaDivision::full, x);
  double worst = 0;
  for (std::size_t i = 0; i < x.a.size(); ++i) {
    const float expected = x.a[i] / x.b[i];
    // Where the quotient is zero, infinite or NaN there is no ulp to count in.
    if (!std::isfinite(expected) || !std::isfinite(full[i]) || x.a[i] == 0 || std::isinf(x.b[i])) {
      continue;
    }
    worst = std::max(worst, ulp_error(full[i], x.a[i], x.b[i]));
  }
  CHECK(worst <= 2);
}

}  // namespace halfulp
