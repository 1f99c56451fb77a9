// How values are printed, everywhere: as encoding, decimal and hexadecimal float.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/format.h"

namespace halfulp {

/// The encoding, as wide as the format: `0x3f7e`.
std::string hex(std::uint64_t bits, const Format& format);

/// The shortest decimal that reads back as the value in binary64: `0.9921875`, `2048`, `1e-08`,
/// `-0`, `inf`, `nan`.
std::string decimal(std::uint64_t bits, const Format& format);

/// The value as a hexadecimal float with a leading 1, subnormals too: `0x1.fcp-1`, `-0x0p+0`; `inf`
/// and `nan` as `decimal`.
std::string hex_float(std::uint64_t bits, const Format& format);

/// All three: `0x3f7e 0.9921875 0x1.fcp-1`.
std::string describe(std::uint64_t bits, const Format& format);

/// A count with thousands separators: `8,390,655`.
std::string grouped(std::uint64_t count);

/// Reads an encoding as `hex` writes it, of at most the format's width. Throws UsageError.
std::uint64_t parse_encoding(std::string_view text, const Format& format);

}  // namespace halfulp
