#include "harness/npy.h"

#include <array>
#include <catch2/catch_test_macros.hpp>

namespace halfulp {

TEST_CASE("a .npy file has its header padded and its data little-endian", "[npy]") {
  const std::array<std::uint64_t, 3> encodings{0x3c00, 0x0001, 0xfbff};
  const std::string file = npy_file(encodings, binary16, {3});
  CHECK(file.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header =
      static_cast<unsigned char>(file[8]) + 256u * static_cast<unsigned char>(file[9]);
  CHECK((10 + header) % 64 == 0);
  CHECK(file.size() == 10 + header + 6);
  CHECK(file.find("'descr': '<f2'") != std::string::npos);
  CHECK(file.find("'shape': (3, )") != std::string::npos);
  CHECK(file.substr(10 + header) == std::string("\x00\x3c\x01\x00\xff\xfb", 6));
}

TEST_CASE("formats that NumPy lacks are raw items of whole bytes", "[npy]") {
  const std::array<std::uint64_t, 1> one{0x3f80};
  CHECK(npy_file(one, bfloat16, {1, 1}).find("'descr': '|V2'") != std::string::npos);
  CHECK(npy_file(one, bfloat16, {1, 1}).find("(1, 1, )") != std::string::npos);
  CHECK(npy_file(one, float8_e5m2, {1}).find("'descr': '|V1'") != std::string::npos);
  CHECK(npy_file(one, tf32, {1}).find("'descr': '|V4'") != std::string::npos);
}

}  // namespace halfulp
