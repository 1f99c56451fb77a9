#include "harness/fidelity_digest.h"

#include <zlib.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <limits>
#include <vector>

#include "harness/encoding.h"

namespace halfulp {
namespace {

/// Encodings to digest: all of a narrow format, spread out ones of a wide one.
std::vector<std::uint64_t> sample(const Format& f) {
  const std::uint64_t count = std::uint64_t{1} << std::min(f.width(), 16);
  const std::uint64_t stride = (f.encoding_mask() / count) | 1;
  std::vector<std::uint64_t> encodings;
  for (std::uint64_t i = 0; i < count; ++i) encodings.push_back((i * stride) & f.encoding_mask());
  for (const std::uint64_t magnitude : {std::uint64_t{0}, std::uint64_t{1}, f.min_normal(),
                                        f.min_normal() - 1, f.max_finite(), f.quiet_nan()}) {
    encodings.push_back(magnitude);
    encodings.push_back(magnitude | f.sign_mask());
  }
  return encodings;
}

std::uint32_t digest_of(const std::vector<std::uint64_t>& encodings, const Format& f,
                        DigestZeros zeros) {
  EncodingDigest digest(f, zeros);
  Block block;
  block.carrier = carrier_of(f);
  const auto flush = [&] {
    digest.add(block);
    block.size = 0;
  };
  for (const std::uint64_t encoding : encodings) {
    const double value = to_double(encoding, f);
    if (block.carrier == Carrier::f32) {
      block.f32[block.size++] = static_cast<float>(value);
    } else {
      block.f64[block.size++] = value;
    }
    if (block.size == block_lanes - 3) flush();
  }
  flush();
  return digest.take();
}

std::uint32_t expected_digest(const std::vector<std::uint64_t>& encodings, const Format& f,
                              DigestZeros zeros) {
  std::vector<unsigned char> bytes;
  for (std::uint64_t encoding : encodings) {
    if (is_nan(encoding, f)) encoding = f.quiet_nan();
    if (zeros == DigestZeros::positive && encoding == f.sign_mask()) encoding = 0;
    for (int b = 0; b < f.bytes(); ++b) {
      bytes.push_back(static_cast<unsigned char>(encoding >> (8 * b)));
    }
  }
  return static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

TEST_CASE("a digest is the CRC-32 of little-endian encodings, one NaN, zeros as asked") {
  const Format f =
      GENERATE(binary16, bfloat16, binary32, binary64, tf32, float8_e4m3fn, float8_e5m2, toy_e4m3);
  const DigestZeros zeros = GENERATE(DigestZeros::positive, DigestZeros::signed_);
  const std::vector<std::uint64_t> encodings = sample(f);
  CHECK(digest_of(encodings, f, zeros) == expected_digest(encodings, f, zeros));
}

TEST_CASE("the digest of a known text") {
  Block block;
  block.size = 2;
  block.f32[0] = std::bit_cast<float>(0x34333231U);  // "1234"
  block.f32[1] = std::bit_cast<float>(0x38373635U);  // "5678"
  EncodingDigest digest(binary32, DigestZeros::signed_);
  digest.add(block);
  CHECK(digest.take() == 0x9ae0daaf);
  CHECK(digest.take() == 0);
}

TEST_CASE("an output that was never written is not digested as a NaN") {
  const Format f = GENERATE(binary16, bfloat16, binary32, binary64, float8_e5m2);
  CAPTURE(short_name(f));
  Block written;
  Block unwritten;
  for (Block* block : {&written, &unwritten}) {
    block->carrier = carrier_of(f);
    block->size = 1;
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (written.carrier == Carrier::f32) {
    written.f32[0] = static_cast<float>(nan);
    unwritten.f32[0] = std::bit_cast<float>(poison_f32);
  } else {
    written.f64[0] = nan;
    unwritten.f64[0] = std::bit_cast<double>(poison_f64);
  }
  EncodingDigest digest(f, DigestZeros::signed_);
  digest.add(written);
  const std::uint32_t expected = digest.take();
  digest.add(unwritten);
  CHECK(digest.take() != expected);
}

}  // namespace
}  // namespace halfulp
