// How intervals say that they are too wide.
#pragma once

#include <exception>

namespace halfulp::oracles {

/// Thrown where an interval does not decide what an operation depends on (the sign of a divisor,
/// which of two numbers is larger): more precision may.
class Undecided : public std::exception {
 public:
  const char* what() const noexcept override { return "undecided at this precision"; }
};

}  // namespace halfulp::oracles
