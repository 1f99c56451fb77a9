#include "harness/npy_read.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/error.h"
#include "harness/npy.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;
using namespace std::string_literals;

using Encodings = std::vector<std::uint64_t>;

NpyArray read(const std::string& bytes, const Format& format) {
  std::istringstream file(bytes);
  return read_npy(file, "a.npy", format);
}

/// The message with which a file is refused.
std::string refusal(const std::string& bytes, const Format& format = binary32) {
  try {
    read(bytes, format);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

/// A version 1.0 file with any header.
std::string with_header(const std::string& header, const std::string& data) {
  return "\x93NUMPY\x01\x00"s + static_cast<char>(header.size()) + '\0' + header + data;
}

std::string f32_file(const std::string& shape, const std::string& data) {
  return with_header("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }", data);
}

}  // namespace

TEST_CASE("what npy_file writes is read back", "[npy]") {
  for (const Format& format :
       {binary64, binary32, tf32, binary16, bfloat16, float8_e4m3fn, float8_e5m2, toy_e4m3}) {
    const Encodings encodings{
        0, 1, format.sign_mask(), format.max_finite(), format.quiet_nan(), format.encoding_mask()};
    const NpyArray vector = read(npy_file(encodings, format, {6}), format);
    CHECK(vector.encodings == encodings);
    CHECK(vector.shape == Encodings{6});
    const NpyArray batch = read(npy_file(encodings, format, {3, 2}), format);
    CHECK(batch.encodings == encodings);
    CHECK(batch.shape == Encodings{3, 2});
  }
  CHECK(read(npy_file({}, binary32, {0}), binary32).encodings.empty());
  CHECK(read(npy_file({}, binary32, {0, 5}), binary32).shape == Encodings{0, 5});
}

TEST_CASE("files of NumPy 1.24, every version of the format", "[npy]") {
  const std::string text = "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }";
  const std::string data("\x00<\x00\xc1\x00|", 6);  // 1, -2.5, inf
  for (const auto& [start, padded] : {std::pair{"\x93NUMPY\x01\x00v\x00"s, 0x76u},
                                      {"\x93NUMPY\x02\x00t\x00\x00\x00"s, 0x74u},
                                      {"\x93NUMPY\x03\x00t\x00\x00\x00"s, 0x74u}}) {
    const std::string padding(padded - text.size() - 1, ' ');
    const NpyArray array = read(start + text + padding + "\n" + data, binary16);
    CHECK(array.encodings == Encodings{0x3c00, 0xc100, 0x7c00});
    CHECK(array.shape == Encodings{3});
  }
}

TEST_CASE("bfloat16 as ml_dtypes has saved it, and other ways to write a header", "[npy]") {
  for (const std::string descriptor : {"<V2", "|V2"}) {
    const std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (1,), }}", descriptor);
    CHECK(read(with_header(header, "\x80\x3f"), bfloat16).encodings == Encodings{0x3f80});
  }
  const std::string reordered = R"({"shape":( 1 ),"fortran_order":False,"descr":"<f2"})";
  CHECK(read(with_header(reordered, "\x01\x02"), binary16).encodings == Encodings{0x0201});
}

TEST_CASE("a file of another type is refused with both types", "[npy]") {
  const Encodings one{0x3c00};
  CHECK(refusal(npy_file(one, binary16, {1})) ==
        "'a.npy' holds float16 ('<f2'); --dtype f32 needs float32 ('<f4')");
  CHECK(refusal(npy_file(one, bfloat16, {1}), binary16) ==
        "'a.npy' holds raw 16-bit items ('|V2'); --dtype f16 needs float16 ('<f2')");
  CHECK(refusal(npy_file(one, binary16, {1}), bfloat16) ==
        "'a.npy' holds float16 ('<f2'); --dtype bf16 needs bfloat16 ('|V2')");
  const auto of = [](const std::string& descriptor) {
    return refusal(with_header(
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (1,)}}", descriptor),
        "abcd"));
  };
  CHECK_THAT(of(">f4"), ContainsSubstring("holds big-endian float32 ('>f4'); --dtype f32 needs"));
  CHECK_THAT(of("<i8"), ContainsSubstring("holds int64 ('<i8');"));
  CHECK_THAT(of("|S4"), ContainsSubstring("holds '|S4';"));
  CHECK_THAT(of(""), ContainsSubstring("holds '';"));
  CHECK_THAT(refusal(with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
                                 "abcd")),
             ContainsSubstring("records of several fields"));
}

TEST_CASE("shapes that are no vector and no batch are refused", "[npy]") {
  CHECK_THAT(refusal(f32_file("()", "abcd")),
             Equals("'a.npy' has shape (); a vector (n,) or a batch (rows, n) is needed"));
  CHECK_THAT(refusal(f32_file("(1, 1, 1)", "abcd")), ContainsSubstring("has shape (1, 1, 1);"));
  const std::string too_many = "more than 16777216 items";
  CHECK_THAT(refusal(f32_file("(16777217,)", "")), ContainsSubstring(too_many));
  CHECK_THAT(refusal(f32_file("(4097, 4096)", "")), ContainsSubstring(too_many));
  CHECK_THAT(refusal(f32_file("(0, 99999999999999999999)", "")), ContainsSubstring(too_many));
  CHECK_THAT(refusal(f32_file("(4294967296, 4294967296)", "")), ContainsSubstring(too_many));
  CHECK_THAT(
      refusal(with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", "abcd")),
      ContainsSubstring("is in Fortran order; save numpy.ascontiguousarray of it"));
}

TEST_CASE("files that are cut short, too long or no arrays are refused", "[npy]") {
  const std::string whole = npy_file(Encodings{1, 2}, binary32, {2});
  CHECK(refusal(whole) == "accepted");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    const std::string message = refusal(whole.substr(0, size));
    if (size < 6) {
      CHECK(message == "'a.npy' is not a .npy file; write one with numpy.save");
    } else {
      CHECK_THAT(message, ContainsSubstring("is cut short: "));
    }
  }
  CHECK(refusal(whole.substr(0, whole.size() - 1)) ==
        "'a.npy' is cut short: 7 of the 8 bytes of its data are there");
  CHECK(refusal(whole + "x") == "'a.npy' has bytes after its 2 items; save a single array");
  CHECK_THAT(refusal("PK\x03\x04 an archive of arrays"), ContainsSubstring("is not a .npy file"));
  CHECK_THAT(refusal("\x93NUMPY\x04\x00"s), ContainsSubstring("has .npy version 4.0"));
  CHECK_THAT(refusal("\x93NUMPY\xff\x01"s), ContainsSubstring("has .npy version 255.1"));
  CHECK_THAT(refusal("\x93NUMPY\x02\x00\xff\xff\xff\xff"s),
             ContainsSubstring("has a header of 4294967295 bytes"));
  CHECK_THAT(refusal(npy_file(Encodings{std::uint64_t{1} << 20}, tf32, {1}), tf32),
             ContainsSubstring("holds 0x100000 at index 0, which is no encoding of tf32"));
}

TEST_CASE("headers that are not the expected dictionary are refused", "[npy]") {
  for (const std::string header :
       {"", "{", "{}", "[]", "{'descr'}", "{'descr': '<f4'", "{'descr': '<f4, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"}) {
    INFO(header);
    CHECK_THAT(refusal(with_header(header, "abcd")),
               ContainsSubstring("a header that is not a dictionary of"));
  }
}

TEST_CASE("files that are not there, and directories", "[npy]") {
  const auto folder = std::filesystem::temp_directory_path();
  CHECK_THROWS_WITH(read_npy((folder / "halfulp-none.npy").string(), binary32),
                    ContainsSubstring("halfulp-none.npy': No such file"));
  CHECK_THROWS_WITH(read_npy(folder.string(), binary32), ContainsSubstring("it is a directory"));
  const auto path = folder / fmt::format("halfulp-npy-read-{}.npy", std::rand());
  std::ofstream(path, std::ios::binary) << npy_file(Encodings{0x3c00}, binary16, {1});
  CHECK(read_npy(path.string(), binary16).encodings == Encodings{0x3c00});
  std::filesystem::remove(path);
}

}  // namespace halfulp
