#include "harness/environment.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cfenv>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "harness/error.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("the environment is described and as IEEE 754 wants it") {
  const RunEnvironment environment = run_environment();
  CHECK(environment.rounding == "to_nearest_even");
  CHECK(!environment.flush_to_zero);
  CHECK(!environment.denormals_are_zero);
  for (const std::string& text :
       {environment.version, environment.commit, environment.compiler, environment.flags,
        environment.build_type, environment.cpu, environment.isa}) {
    CHECK(!text.empty());
  }
  CHECK_NOTHROW(require_ieee_environment());
}

TEST_CASE("another rounding mode stops the run") {
  std::fesetround(FE_UPWARD);
  CHECK(run_environment().rounding == "upward");
  CHECK_THROWS_AS(require_ieee_environment(), Failure);
  std::fesetround(FE_TONEAREST);
}

#if defined(__SSE2__)
TEST_CASE("flushed subnormals stop the run") {
  for (const unsigned bit : {1u << 6, 1u << 15}) {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | bit);
    const RunEnvironment environment = run_environment();
    CHECK(environment.denormals_are_zero == (bit == 1u << 6));
    CHECK(environment.flush_to_zero == (bit == 1u << 15));
    CHECK_THROWS_AS(require_ieee_environment(), Failure);
    _mm_setcsr(before);
  }
}
#endif

TEST_CASE("each instruction set of the machine can be selected") {
  const std::vector<std::string> isas = available_isas();
  REQUIRE(!isas.empty());
  CHECK(run_environment().isa == isas.front());
  for (const std::string& isa : isas) {
    select_isa(isa);
    CHECK(run_environment().isa == isa);
    CHECK(available_isas() == isas);
    CHECK(run_environment().isa == isa);
  }
  CHECK_THROWS_WITH(select_isa("avx9"), ContainsSubstring("unknown instruction set 'avx9'"));
  select_isa(isas.front());
}

}  // namespace
}  // namespace halfulp
