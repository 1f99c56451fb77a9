// Reading NumPy's .npy files; harness/npy.h writes them.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "harness/format.h"

namespace halfulp {

struct NpyArray {
  std::vector<std::uint64_t> encodings;  ///< in C order
  std::vector<std::uint64_t> shape;      ///< (n,) or (rows, n)
};

/// Reads a .npy file of version 1, 2 or 3 whose items are little-endian encodings of `format`, in C
/// order, with one or two dimensions and at most 2^24 items. Formats that NumPy lacks are read from
/// raw items (`|V2` or `<V2` for bfloat16, as ml_dtypes saves it). Throws UsageError: one line that
/// names the file, what is wrong with it and what would be right.
NpyArray read_npy(const std::string& path, const Format& format);

/// The same from a stream; `name` is what messages call it.
NpyArray read_npy(std::istream& file, const std::string& name, const Format& format);

}  // namespace halfulp
