// The figures of clip and loss-scaling, each computed here.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>

#include "cases/distributions.h"
#include "cases/loss_scale_rule.h"
#include "cases/vector_figures.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

std::string clipped(const std::string& form, const std::string& limit, const std::string& values,
                    std::string_view dtype = "f32") {
  return everywhere_bits({"clip", {{"form", form}, {"limit", limit}, {"values", values}}, dtype});
}

double fraction(const Params& params, std::int64_t width, std::string_view backend = "stepwise") {
  const auto e =
      evaluate({.subject = "loss-scaling", .params = params, .backend = backend, .width = width});
  CHECK(e.format == binary64);
  return to_double(e.bits.at(0), binary64);
}

}  // namespace

TEST_CASE("a gradient of 300 clipped to 1 in f16", "[gradients]") {
  CHECK(clipped("norm2", "1", "300", "f16") == "0x0000 | 0x3c00 | 0x3c00");
  CHECK(clipped("norm2-stable", "1", "300", "f16") == "0x3c00");
  CHECK(clipped("norminf", "1", "300", "f16") == "0x3c00");
  CHECK(clipped("value", "1", "300,-300,0.5,nan,-inf", "f16") == "0x3c00 0xbc00 0x3800 nan 0xbc00");
}

TEST_CASE("(3, 4) clipped to its own norm moves by eps", "[gradients]") {
  CHECK(clipped("norm2", "5", "3,4") ==
        "0x403ffffe 0x407ffffd | 0x403ffffe 0x407ffffd | 0x403ffffd 0x407ffffd");
  // Below the limit nothing changes.
  CHECK(clipped("norm2", "6", "3,4") == "0x40400000 0x40800000");
}

TEST_CASE("clipping of edge vectors", "[gradients]") {
  for (const std::string form : {"norm2", "norm2-stable", "norminf"}) {
    INFO(form);
    CHECK(clipped(form, "1", "0,-0") == "0x00000000 0x80000000");
    CHECK(clipped(form, "1", "1,nan") == "nan nan");
    CHECK(everywhere({.subject = "clip", .params = {{"form", form}}, .width = 0}).empty());
  }
  // An infinite norm gives the factor 0, and 0 times infinity.
  CHECK(clipped("norm2", "1", "1,inf") == "0x00000000 nan");
  CHECK(clipped("norminf", "1", "1,inf") == "0x00000000 nan");
  CHECK(clipped("norm2-stable", "1", "1,inf") == "nan nan");
  CHECK_THROWS_AS(clipped("norm2", "0", "1"), UsageError);
  CHECK_THROWS_AS(decimals({"clip", {{"eps", "-1"}, {"values", "1"}}}), UsageError);
}

TEST_CASE("gradients in [1e-9, 1e-3] that become zero in f16", "[gradients]") {
  constexpr std::uint64_t n = 10000;
  const auto gradients =
      draw({.distribution = Distribution::log_uniform, .low = 1e-9, .high = 1e-3, .seed = 1}, n);
  // 2^-25 is half of the smallest subnormal, a tie, and the even neighbour is zero.
  const auto lost = std::ranges::count_if(
      gradients, [](double g) { return static_cast<double>(static_cast<float>(g)) <= 0x1p-25; });
  CHECK(lost == 2411);
  CHECK(fraction({}, n) == static_cast<double>(lost) / n);
  CHECK(fraction({}, n) == 0.2411);
  CHECK(fraction({{"form", "scaled"}}, n) == 0);
  CHECK(fraction({{"form", "scaled"}, {"scale", "2"}}, n) < 0.2411);
  CHECK(fraction({{"to", "bf16"}}, n) == 0);
  CHECK(fraction({}, n, "oracle") == 0);                    // exactly, nothing becomes zero
  CHECK(fraction({}, n, "fused-fp32") == 0);                // its compiler folds the storing away
  CHECK(fraction({{"values", "0,-0,1e-8,1"}}, 4) == 0.25);  // what was zero is not lost
  CHECK(std::isnan(fraction({}, 0)));
}

TEST_CASE("the gradients that are left after storing and unscaling", "[gradients]") {
  const auto of = [](const std::string& form, std::string_view backend) {
    return results(
        {.subject = "loss-scaling",
         .params = {{"form", form}, {"output", "gradients"}, {"values", "0x1p-30,1,128"}},
         .backend = backend});
  };
  CHECK(of("unscaled", "stepwise") == "0x00000000 0x3f800000 0x43000000");
  CHECK(of("scaled", "stepwise") == "0x30800000 0x3f800000 inf");
  CHECK(of("scaled", "oracle") == "0x30800000 0x3f800000 0x43000000");
  // 65536 overflows at the last step only: 2^-14 and 65536 are stored first.
  CHECK(of("dynamic", "stepwise") == "0x30800000 inf inf");
}

TEST_CASE("the dynamic scale of a run of gradients", "[gradients]") {
  const auto of = [](Params params, std::int64_t width) {
    params.insert({{"form", "dynamic"}, {"output", "scale"}});
    return everywhere({.subject = "loss-scaling", .params = params, .width = width});
  };
  CHECK(of({{"fill", "1"}}, 4) == "32768 32768 32768 32768");  // 65536 is beyond f16, 32768 is not
  CHECK(of({{"fill", "1"}, {"growth_interval", "2"}}, 6) == "32768 32768 65536 32768 32768 65536");
  CHECK(of({{"values", "1e-3,inf,nan,1e-3"}}, 4) == "65536 32768 16384 16384");
  CHECK(of({{"values", "0.999,0x1.ffdp-1"}}, 2) == "65536 65536");
  CHECK(of({{"values", "0x1.ffep-1"}}, 1) == "32768");  // 65520 is where f16 overflows
  CHECK(of({}, 0).empty());
  const auto refuses = [](const Params& params) {
    CHECK_THROWS_AS(decimals({.subject = "loss-scaling", .params = params, .width = 1}),
                    UsageError);
  };
  refuses({{"output", "scale"}});
  refuses({{"scale", "0"}});
  refuses({{"backoff", "2"}});
  refuses({{"growth", "0.5"}});
  refuses({{"init_scale", "0.5"}});
  refuses({{"init_scale", "1e9"}});
}

TEST_CASE("the rule: 65536, times 2 after 2000 good steps, times 0.5 at an overflow, caps",
          "[gradients]") {
  const auto never = [](std::size_t, double) { return false; };
  const auto always = [](std::size_t, double) { return true; };
  const auto good = loss_scale_schedule({}, 20000, never);
  CHECK(good.used.front() == 65536);
  CHECK(good.after[1998] == 65536);
  CHECK(good.after[1999] == 131072);
  CHECK(good.used[1999] == 65536);
  CHECK(good.used[2000] == 131072);
  CHECK(good.after[3998] == 131072);
  CHECK(good.after[3999] == 262144);
  CHECK(good.after[15999] == 16777216);
  CHECK(good.after[19999] == 16777216);  // the cap

  const auto bad = loss_scale_schedule({}, 20, always);
  CHECK(bad.after[0] == 32768);
  CHECK(bad.after[15] == 1);
  CHECK(bad.after[19] == 1);  // the cap

  // An overflow begins the count anew.
  const auto once =
      loss_scale_schedule({}, 4000, [](std::size_t step, double) { return step == 1500; });
  CHECK(once.after[1500] == 32768);
  CHECK(once.after[1999] == 32768);
  CHECK(once.after[3499] == 32768);
  CHECK(once.after[3500] == 65536);

  // The scale settles at the largest one that a gradient bears.
  const auto settled = loss_scale_schedule({.interval = 3}, 300,
                                           [](std::size_t, double scale) { return scale > 1024; });
  CHECK(settled.used[299] <= 2048);
  CHECK(settled.used[299] >= 1024);
  CHECK(loss_scale_schedule({}, 0, never).used.empty());
}

}  // namespace halfulp::cases
