// The build and the machine that a result came from, and the guard of the floating-point
// environment.
#pragma once

#include <string>
#include <vector>

namespace halfulp {

struct RunEnvironment {
  std::string version;   ///< of halfulp
  std::string commit;    ///< of the source tree, or "unknown"
  std::string compiler;  ///< name and version
  std::string flags;     ///< compile flags of the product
  std::string build_type;
  std::string cpu;       ///< model name
  std::string isa;       ///< instruction set that the kernels use
  std::string rounding;  ///< "to_nearest_even"
  bool flush_to_zero = false;
  bool denormals_are_zero = false;
};
RunEnvironment run_environment();

/// Throws Failure(oracle_failure) when the rounding mode is not nearest-even or subnormals are
/// flushed: no model would be right.
void require_ieee_environment();

/// Names of the instruction sets that the kernels were compiled for and this machine has, best
/// first.
std::vector<std::string> available_isas();
/// Restricts the kernels to one of them. Throws UsageError for an unknown one.
void select_isa(const std::string& name);

}  // namespace halfulp
