#include "cases/cases.h"

#include <algorithm>
#include <array>

#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {

std::span<const Case> all_cases() {
  static const std::array list{cases::meshgrid(),
                               cases::meshgrid3d(),
                               cases::ramp(),
                               cases::scalar_division(),
                               cases::scalar_op(),
                               cases::sum(),
                               cases::dot(),
                               cases::matvec(),
                               cases::norm(),
                               cases::softmax(),
                               cases::log_softmax(),
                               cases::logsumexp(),
                               cases::cross_entropy(),
                               cases::variance(),
                               cases::layer_norm(),
                               cases::finite_difference(),
                               cases::machine_epsilon(),
                               cases::nan_inf(),
                               cases::convert(),
                               cases::cast_chain(),
                               cases::clip(),
                               cases::loss_scaling()};
  return list;
}

const Case& find_case(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Case& c : all_cases()) {
    if (c.name == name) return c;
    known.push_back(c.name);
  }
  throw UsageError(unknown_name("case", name, known));
}

}  // namespace halfulp
