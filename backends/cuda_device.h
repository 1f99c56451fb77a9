// Whether CUDA code can run here. Without a CUDA compiler the interface is the same and the answer
// is no.
#pragma once

#include <optional>
#include <string>

namespace halfulp {

/// Empty when a CUDA device is usable; otherwise why not, for reports: `unavailable: …`.
std::optional<std::string> cuda_unavailable_reason();

}  // namespace halfulp
