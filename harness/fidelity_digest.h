// Digests of results as recordings define them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/block.h"
#include "harness/format.h"

namespace halfulp {

/// What a digest makes of -0.
enum class DigestZeros : std::uint8_t { positive, signed_ };

/// CRC-32 (zlib's) over the little-endian encodings of blocks, index ascending. Every NaN enters as
/// the format's quiet NaN, an output that was never written as none of its encodings.
class EncodingDigest {
 public:
  /// `format` is what encodings are written in: that of the results, or a wider one.
  EncodingDigest(const Format& format, DigestZeros zeros);

  void add(const Block& block);
  /// The digest of what was added since the last call.
  std::uint32_t take();

 private:
  using Pack = void (*)(const Block& block, const Format& format, bool positive_zero,
                        unsigned char* out);

  Format format_;
  Pack pack_;
  bool positive_zero_;
  std::uint32_t crc_ = 0;
  alignas(64) std::array<unsigned char, block_lanes * sizeof(double)> bytes_{};
};

}  // namespace halfulp
