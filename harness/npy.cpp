#include "harness/npy.h"

#include <fmt/format.h>

namespace halfulp {
namespace {

std::string descriptor(const Format& format) {
  if (format == binary64) return "<f8";
  if (format == binary32) return "<f4";
  if (format == binary16) return "<f2";
  return fmt::format("|V{}", format.bytes() == 3 ? 4 : format.bytes());
}

}  // namespace

std::string npy_file(std::span<const std::uint64_t> encodings, const Format& format,
                     const std::vector<std::uint64_t>& shape) {
  std::string dimensions;
  for (const std::uint64_t d : shape) dimensions += fmt::format("{}, ", d);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descriptor(format), dimensions);
  constexpr std::size_t preamble = 10;  // magic, version, header length
  while ((preamble + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  const int bytes = format.bytes() == 3 ? 4 : format.bytes();
  for (const std::uint64_t bits : encodings) {
    for (int b = 0; b < bytes; ++b) file += static_cast<char>((bits >> (8 * b)) & 0xff);
  }
  return file;
}

}  // namespace halfulp
