#include "harness/npy_read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

constexpr std::uint64_t max_items = std::uint64_t{1} << 24;
constexpr std::uint64_t max_header = std::uint64_t{1} << 16;  // NumPy's own needs 128 bytes

struct Header {
  std::optional<std::string> descriptor;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

/// Bytes of a stored item.
int item_bytes(const Format& format) { return format.bytes() == 3 ? 4 : format.bytes(); }

/// Descriptors of files that hold the format, the usual one first.
std::vector<std::string> descriptors(const Format& format) {
  if (format == binary64) return {"<f8"};
  if (format == binary32) return {"<f4"};
  if (format == binary16) return {"<f2"};
  return {fmt::format("|V{}", item_bytes(format)), fmt::format("<V{}", item_bytes(format))};
}

/// A descriptor as messages show it: float16 ('<f2'), raw 16-bit items ('|V2').
std::string described(std::string_view descriptor) {
  constexpr std::array<std::pair<char, std::string_view>, 5> kinds{{{'f', "{}float{}"},
                                                                    {'i', "{}int{}"},
                                                                    {'u', "{}uint{}"},
                                                                    {'c', "{}complex{}"},
                                                                    {'V', "{}raw {}-bit items"}}};
  const bool is_plain = descriptor.size() == 3 && descriptor[2] >= '1' && descriptor[2] <= '8';
  for (const auto& [letter, text] : kinds) {
    if (!is_plain || descriptor[1] != letter) continue;
    const std::string_view order = descriptor[0] == '>' ? "big-endian " : "";
    return fmt::format(fmt::runtime(text), order, 8 * (descriptor[2] - '0')) +
           fmt::format(" ({})", in_quotes(descriptor));
  }
  return in_quotes(descriptor);
}

/// The type that a file of the format has, as messages show it.
std::string needed(const Format& format) {
  const std::string descriptor = descriptors(format).front();
  if (descriptor[1] == 'f') return described(descriptor);
  return fmt::format("{} ('{}')", find_format(short_name(format))->name, descriptor);
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0])
                           : fmt::format("({})", fmt::join(shape, ", "));
}

/// Reads the dictionary of a header, a Python literal with the keys descr, fortran_order and shape.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  Header read() {
    Header header;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      read_value(header, key);
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (!rest_.empty() || !header.descriptor || !header.fortran_order || !header.shape) reject();
    return header;
  }

 private:
  [[noreturn]] void reject() const {
    throw UsageError(
        fmt::format("'{}' has a header that is not a dictionary of descr, fortran_order and shape, "
                    "as numpy.save writes it",
                    name_));
  }

  void read_value(Header& header, std::string_view key) {
    if (key == "descr" && !header.descriptor) {
      header.descriptor = quoted();
    } else if (key == "fortran_order" && !header.fortran_order) {
      header.fortran_order = take("True");
      if (!*header.fortran_order && !take("False")) reject();
    } else if (key == "shape" && !header.shape) {
      header.shape = tuple();
    } else {
      reject();
    }
  }

  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
  }
  bool take(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool take(char c) { return take(std::string_view(&c, 1)); }
  void expect(char c) {
    if (!take(c)) reject();
  }

  std::string quoted() {
    skip_spaces();
    if (rest_.starts_with('[')) {
      throw UsageError(
          fmt::format("'{}' holds records of several fields; save one array of numbers", name_));
    }
    if (!rest_.starts_with('\'') && !rest_.starts_with('"')) reject();
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) reject();
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> out;
    expect('(');
    while (!take(')')) {
      out.push_back(dimension());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return out;
  }

  /// Dimensions beyond 2^58 come back as some number beyond it.
  std::uint64_t dimension() {
    skip_spaces();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      value = std::min((std::uint64_t{1} << 58), value) * 10 +
              static_cast<std::uint64_t>(rest_[digits] - '0');
    }
    if (digits == 0) reject();
    rest_.remove_prefix(digits);
    return value;
  }

  std::string_view rest_;
  const std::string& name_;
};

class Reader {
 public:
  Reader(std::istream& file, const std::string& name, const Format& format)
      : file_(file), name_(name), format_(format) {}

  NpyArray read() {
    NpyArray array;
    array.shape = read_header();
    const std::uint64_t items = count(array.shape);
    const auto width = static_cast<std::size_t>(item_bytes(format_));
    const std::string data = take(items * width, "its data");
    if (file_.get() != std::istream::traits_type::eof()) {
      reject(fmt::format("has bytes after its {} items; save a single array", items));
    }
    array.encodings.reserve(items);
    for (std::size_t i = 0; i < items; ++i) {
      const std::uint64_t bits = little_endian(std::string_view(data).substr(i * width, width));
      if (bits > format_.encoding_mask()) {
        reject(fmt::format("holds 0x{:x} at index {}, which is no encoding of {}", bits, i,
                           short_name(format_)));
      }
      array.encodings.push_back(bits);
    }
    return array;
  }

 private:
  [[noreturn]] void reject(std::string_view what) const {
    throw UsageError(fmt::format("'{}' {}", name_, what));
  }

  static std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }

  std::string take(std::uint64_t size, std::string_view part) {
    std::string bytes(size, '\0');
    file_.read(bytes.data(), static_cast<std::streamsize>(size));
    const auto got = static_cast<std::uint64_t>(file_.gcount());
    if (got != size) {
      reject(fmt::format("is cut short: {} of the {} bytes of {} are there", got, size, part));
    }
    return bytes;
  }

  std::vector<std::uint64_t> read_header() {
    std::string magic(6, '\0');
    file_.read(magic.data(), 6);
    if (file_.gcount() != 6 || magic != "\x93NUMPY") {
      reject("is not a .npy file; write one with numpy.save");
    }
    const std::string version = take(2, "its version");
    if (version[0] < 1 || version[0] > 3 || version[1] != 0) {
      reject(fmt::format("has .npy version {}.{}; 1.0, 2.0 and 3.0 can be read",
                         static_cast<unsigned char>(version[0]),
                         static_cast<unsigned char>(version[1])));
    }
    const std::uint64_t size = little_endian(take(version[0] == 1 ? 2 : 4, "its header's length"));
    if (size > max_header) {
      reject(fmt::format("has a header of {} bytes; at most {} are read", size, max_header));
    }
    const Header header = HeaderReader(take(size, "its header"), name_).read();
    check_descriptor(*header.descriptor);
    if (*header.fortran_order) {
      reject("is in Fortran order; save numpy.ascontiguousarray of it");
    }
    return *header.shape;
  }

  void check_descriptor(const std::string& descriptor) const {
    const auto accepted = descriptors(format_);
    if (std::ranges::find(accepted, descriptor) != accepted.end()) return;
    reject(fmt::format("holds {}; --dtype {} needs {}", described(descriptor), short_name(format_),
                       needed(format_)));
  }

  std::uint64_t count(const std::vector<std::uint64_t>& shape) const {
    if (shape.empty() || shape.size() > 2) {
      reject(fmt::format("has shape {}; a vector (n,) or a batch (rows, n) is needed",
                         shape_text(shape)));
    }
    const std::uint64_t rows = shape.size() == 2 ? shape[0] : 1;
    const std::uint64_t n = shape.back();
    if (rows > max_items || n > max_items || rows * n > max_items) {
      reject(fmt::format("has shape {}: more than {} items", shape_text(shape), max_items));
    }
    return rows * n;
  }

  std::istream& file_;
  const std::string& name_;
  Format format_;
};

}  // namespace

NpyArray read_npy(std::istream& file, const std::string& name, const Format& format) {
  return Reader(file, name, format).read();
}

NpyArray read_npy(const std::string& path, const Format& format) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw UsageError(fmt::format("cannot read '{}': it is a directory", path));
  }
  if (std::filesystem::is_fifo(path, ignored) || std::filesystem::is_socket(path, ignored)) {
    throw UsageError(
        fmt::format("cannot read '{}': a vector's file is read more than once, and "
                    "this is a pipe",
                    path));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  }
  return read_npy(file, path, format);
}

}  // namespace halfulp
