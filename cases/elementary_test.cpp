// The engine models' elementary functions against the oracle, over all inputs of a half type.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "harness/case.h"
#include "harness/sweep.h"

namespace halfulp {
namespace {

std::uint64_t differing(const std::string& op, const Format& dtype, const std::string& backend) {
  const Case& subject = find_case("scalar-op");
  const std::atomic<bool> stop{false};
  const SweepSpec spec{.subject = &subject,
                       .params = {complete_params(subject, {{"op", op}})},
                       .dtypes = {dtype},
                       .backends = {find_backend(backend)},
                       .reference = {},
                       .widths = {}};
  const SweepRow row = run_sweep(spec, stop, {}).rows.front();
  REQUIRE(row.metrics.points == 65536);
  REQUIRE(row.tiers.disagreements == 0);
  return row.metrics.differing;
}

}  // namespace

TEST_CASE("the textbook's machine rounds elementary functions once", "[elementary]") {
  for (const std::string op : {"exp", "log", "log1p", "expm1", "tanh", "sigmoid", "erf"}) {
    INFO(op);
    CHECK(differing(op, binary16, "stepwise") == 0);
    CHECK(differing(op, bfloat16, "stepwise") == 0);
  }
}

TEST_CASE("correctly rounded in float32 and then narrowed is rounded twice", "[elementary]") {
  CHECK(differing("exp", binary16, "stepwise+elementary=correct") == 2);
  CHECK(differing("sigmoid", binary16, "stepwise+elementary=correct") == 7);
  CHECK(differing("exp", bfloat16, "stepwise+elementary=correct") == 0);
}

}  // namespace halfulp
