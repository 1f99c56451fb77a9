// For tests: what must hold on every instruction set that the kernels were compiled for.
#pragma once

#include <hwy/highway.h>

#include <catch2/catch_test_macros.hpp>

namespace halfulp {

template <typename Check>
void on_every_target(Check check) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    INFO(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace halfulp
