// Arrays in NumPy's .npy format.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/format.h"

namespace halfulp {

/// A version 1.0 .npy file of little-endian encodings, C order. binary64, binary32 and binary16
/// become f8, f4 and f2; formats that NumPy lacks become raw 1-, 2- or 4-byte items (`V2` for
/// bfloat16, which ml_dtypes views as bfloat16).
std::string npy_file(std::span<const std::uint64_t> encodings, const Format& format,
                     const std::vector<std::uint64_t>& shape);

}  // namespace halfulp
