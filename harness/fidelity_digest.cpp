#include "harness/fidelity_digest.h"

#include <zlib.h>

#include <bit>
#include <cstring>

#include "harness/encoding.h"

namespace halfulp {
namespace {

static_assert(std::endian::native == std::endian::little, "encodings are packed as they lie");

constexpr std::uint32_t f32_magnitude = binary32.magnitude_mask();
constexpr std::uint32_t f32_infinity = binary32.infinity();

/// A binary32 encoding with one NaN and, if asked for, one zero. Unwritten outputs stay as they
/// are.
inline std::uint32_t canonical_f32(float value, bool positive_zero) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & f32_magnitude;
  const bool nan = magnitude > f32_infinity && bits != poison_f32;
  const bool drop_sign = positive_zero && magnitude == 0;
  return nan ? static_cast<std::uint32_t>(binary32.quiet_nan()) : drop_sign ? 0 : bits;
}

/// The binary16 encoding of a canonical binary32 one whose value binary16 has.
inline std::uint16_t narrow_to_f16(std::uint32_t bits) {
  constexpr std::uint32_t min_normal = (127 - 14) << 23;
  constexpr std::uint32_t rebias = (127 - 15) << 23;
  constexpr std::uint32_t unwritten = 0x7fff;
  const std::uint32_t magnitude = bits & f32_magnitude;
  const std::uint32_t normal = (magnitude - rebias) >> 13;
  const float small = std::bit_cast<float>(magnitude < min_normal ? magnitude : 0);
  const auto subnormal = static_cast<std::uint32_t>(static_cast<std::int32_t>(small * 0x1p24F));
  const std::uint32_t finite = magnitude < min_normal ? subnormal : normal;
  const auto infinity = static_cast<std::uint32_t>(binary16.infinity());
  const auto quiet_nan = static_cast<std::uint32_t>(binary16.quiet_nan());
  const std::uint32_t special = magnitude == f32_infinity ? infinity
                                : bits == poison_f32      ? unwritten
                                                          : quiet_nan;
  const std::uint32_t result = magnitude < f32_infinity ? finite : special;
  return static_cast<std::uint16_t>(((bits >> 16) & binary16.sign_mask()) | result);
}

/// Writes one encoding a lane; `encode` takes a lane's carried value.
template <typename Encoding, typename Carried, typename Encode>
void pack_lanes(const Carried* lanes, std::size_t size, unsigned char* out, Encode encode) {
  for (std::size_t lane = 0; lane < size; ++lane) {
    const Encoding encoding = encode(lanes[lane]);
    std::memcpy(out + lane * sizeof(Encoding), &encoding, sizeof(Encoding));
  }
}

void pack_bf16(const Block& block, const Format&, bool positive_zero, unsigned char* out) {
  pack_lanes<std::uint16_t>(block.f32, block.size, out, [positive_zero](float value) {
    return static_cast<std::uint16_t>(canonical_f32(value, positive_zero) >> 16);
  });
}

void pack_f16(const Block& block, const Format&, bool positive_zero, unsigned char* out) {
  pack_lanes<std::uint16_t>(block.f32, block.size, out, [positive_zero](float value) {
    return narrow_to_f16(canonical_f32(value, positive_zero));
  });
}

void pack_f32(const Block& block, const Format&, bool positive_zero, unsigned char* out) {
  pack_lanes<std::uint32_t>(block.f32, block.size, out, [positive_zero](float value) {
    return canonical_f32(value, positive_zero);
  });
}

void pack_f64(const Block& block, const Format&, bool positive_zero, unsigned char* out) {
  pack_lanes<std::uint64_t>(block.f64, block.size, out, [positive_zero](double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t magnitude = bits & binary64.magnitude_mask();
    if (magnitude > binary64.infinity() && bits != poison_f64) return binary64.quiet_nan();
    return positive_zero && magnitude == 0 ? std::uint64_t{0} : bits;
  });
}

/// Any format, one lane after the other.
void pack_any(const Block& block, const Format& format, bool positive_zero, unsigned char* out) {
  const auto bytes = static_cast<std::size_t>(format.bytes());
  for (std::size_t lane = 0; lane < block.size; ++lane) {
    std::uint64_t encoding = encode_exact(block.value(lane), format);
    if (positive_zero && encoding == format.sign_mask()) encoding = 0;
    if (block.is_poison(lane)) encoding = ~std::uint64_t{0};
    std::memcpy(out + lane * bytes, &encoding, bytes);
  }
}

}  // namespace

EncodingDigest::EncodingDigest(const Format& format, DigestZeros zeros)
    : format_(format),
      pack_(format == bfloat16   ? pack_bf16
            : format == binary16 ? pack_f16
            : format == binary32 ? pack_f32
            : format == binary64 ? pack_f64
                                 : pack_any),
      positive_zero_(zeros == DigestZeros::positive) {}

void EncodingDigest::add(const Block& block) {
  pack_(block, format_, positive_zero_, bytes_.data());
  const auto size = block.size * static_cast<std::size_t>(format_.bytes());
  crc_ = static_cast<std::uint32_t>(crc32(crc_, bytes_.data(), static_cast<uInt>(size)));
}

std::uint32_t EncodingDigest::take() {
  const std::uint32_t digest = crc_;
  crc_ = 0;
  return digest;
}

}  // namespace halfulp
