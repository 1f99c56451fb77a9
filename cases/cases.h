// The case families, one function each; the list is in cases.cpp.
#pragma once

#include "harness/case.h"

namespace halfulp::cases {

Case meshgrid();
Case meshgrid3d();
Case ramp();
Case scalar_division();
Case scalar_op();

}  // namespace halfulp::cases
