#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "backends/cuda_device.h"
#include "backends/fields.h"
#include "harness/backend.h"
#include "harness/case.h"
#include "harness/encoding.h"
#include "harness/error.h"
#include "harness/evaluate.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string refusal(const std::string& backend) {
  try {
    find_backend(backend);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("every field takes each of its values and says so", "[backends]") {
  for (const Backend& backend : all_backends()) {
    for (const FieldInfo& field : backend_fields()) {
      for (const std::string_view value : field.values) {
        const Backend varied =
            find_backend(backend.name + '+' + std::string(field.name) + '=' + std::string(value));
        CHECK(field_value(varied, field.name) == value);
        for (const FieldInfo& other : backend_fields()) {
          if (other.name != field.name) {
            CHECK(field_value(varied, other.name) == field_value(backend, other.name));
          }
        }
      }
    }
  }
}

TEST_CASE("unknown backends, fields and values name the nearest", "[backends]") {
  CHECK_THAT(refusal("eager-gpu"), ContainsSubstring("did you mean 'eager-cpu'"));
  CHECK_THAT(refusal("eager-cpu+arange_lane=8"), ContainsSubstring("did you mean 'arange_lanes'"));
  CHECK_THAT(refusal("eager-cpu+linspace=stepwize"), ContainsSubstring("'stepwise'"));
  CHECK_THAT(refusal("eager-cpu+linspace"), ContainsSubstring("+field=value"));
  CHECK_THAT(refusal("eager-cpu+"), ContainsSubstring("+field=value"));
  CHECK_THAT(refusal(""), ContainsSubstring("unknown backend"));
}

TEST_CASE("fields given later win", "[backends]") {
  const Backend b = find_backend("eager-cpu+arange_lanes=8+arange_lanes=32");
  CHECK(b.model.arange_lanes == 32);
}

TEST_CASE("a device's reciprocals need the device", "[backends]") {
  const Backend b = find_backend("triton-div-device");
  CHECK(b.availability(b) == cuda_unavailable_reason());
  const Backend model = find_backend("triton-div+reciprocal=nearest");
  CHECK(!model.availability(model).has_value());
}

TEST_CASE("results do not depend on how an axis is cut into blocks", "[backends]") {
  const Case& c = find_case("meshgrid");
  for (const Backend& backend : all_backends()) {
    if (availability_of(backend)) continue;
    for (const std::string form : {"arange", "linspace", "exact-numerator"}) {
      const Program program = c.build(complete_params(c, {{"form", form}}), 2);
      const auto evaluator = backend.compile(backend, program, bfloat16);
      constexpr std::uint64_t n = 4147;  // neither a whole number of blocks nor of vectors
      evaluator->bind({exact(n), n, {}});
      std::vector<float> whole;
      std::vector<float> pieces;
      const auto evaluate = [&](std::uint64_t first, std::size_t size, std::vector<float>& out) {
        Block block;
        poison(block, Carrier::f32, size);
        evaluator->evaluate(first, block);
        out.insert(out.end(), block.f32, block.f32 + size);
      };
      for (std::uint64_t i = 0; i < n; i += block_lanes) {
        evaluate(i, static_cast<std::size_t>(std::min<std::uint64_t>(block_lanes, n - i)), whole);
      }
      for (std::uint64_t i = 0, size = 1; i < n; i += size, size = size % 61 + 1) {
        size = std::min(size, n - i);
        evaluate(i, static_cast<std::size_t>(size), pieces);
      }
      INFO(backend.name << ' ' << form);
      CHECK(whole == pieces);
    }
  }
}

TEST_CASE("ATen's scalar rules", "[backends]") {
  const auto result = [](const std::string& op, const std::string& scalar, const Format& dtype,
                         std::uint64_t encoding) {
    const Case& c = find_case("scalar-op");
    AxisRunner runner(find_backend("eager-cpu"), c,
                      complete_params(c, {{"op", op}, {"scalar", scalar}}), dtype);
    return evaluate_axis(runner, exact(65536))[encoding];
  };
  const std::uint64_t one = 0x3f80;
  // 257 is 256 or 258 in bfloat16: rounded in a sum, kept in a quotient.
  CHECK(to_double(result("x-s", "257", bfloat16, one), bfloat16) == -255);
  CHECK(to_double(result("x*s", "257", bfloat16, 0x4080), bfloat16) == 1024);  // 4 * 257 = 1028
  CHECK(to_double(result("x*s", "257", bfloat16, 0x3fc0), bfloat16) == 386);   // 1.5 * 257 = 385.5
  // scalar / x is reciprocal(x) * scalar: 3 / 3 by way of the rounded 1/3.
  CHECK(to_double(result("s/x", "3", bfloat16, 0x4040), bfloat16) == 1);
  CHECK(result("s/x", "7", bfloat16, 0x4040) != result("x/s", "3", bfloat16, 0x40e0));
}

}  // namespace halfulp
