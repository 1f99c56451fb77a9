// The case families, one function each; the list is in cases.cpp.
#pragma once

#include "harness/case.h"

namespace halfulp::cases {

Case meshgrid();
Case meshgrid3d();
Case ramp();
Case scalar_division();
Case scalar_op();
Case sum();
Case dot();
Case matvec();
Case norm();
Case softmax();
Case log_softmax();
Case logsumexp();
Case cross_entropy();
Case variance();
Case layer_norm();
Case finite_difference();
Case machine_epsilon();
Case nan_inf();
Case convert();
Case cast_chain();
Case clip();
Case loss_scaling();

}  // namespace halfulp::cases
