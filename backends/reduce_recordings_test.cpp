// Engines' orders, written as text, reproduce bits that the engines returned.
//
// Recorded on an x86-64 CPU with AVX-512: numpy 2.4.6; PyTorch 2.15.0 eager (one thread unless
// said; the same in its default, AVX2 and AVX-512 capabilities) and compiled by Inductor (16
// lanes); JAX 0.10.2 on 2 CPUs.
#include <fmt/format.h>

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/reduce.h"
#include "harness/encoding.h"

namespace halfulp::backends {
namespace {

/// The recordings' inputs: x_0 = seed, x_k = 1664525 * x_(k-1) + 1013904223 mod 2^32.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : x_(static_cast<std::uint32_t>(seed)) {}

  /// 'a': (x >> 8) 2^-24 - 1/2; 'b': that times 2^(((x >> 4) & 15) - 8).
  float next_float(char kind) {
    const std::uint32_t x = next();
    const float a = std::ldexp(static_cast<float>(x >> 8), -24) - 0.5f;
    return kind == 'a' ? a : std::ldexp(a, static_cast<int>((x >> 4) & 15) - 8);
  }
  /// 'c', from two outputs p and q.
  double next_double() {
    const std::uint64_t p = next();
    const std::uint64_t q = next();
    const double a = std::ldexp(static_cast<double>(((p >> 5) << 26) + (q >> 6)), -53) - 0.5;
    return std::ldexp(a, static_cast<int>((q >> 2) & 15) - 8);
  }

 private:
  std::uint32_t next() { return x_ = 1664525 * x_ + 1013904223; }
  std::uint32_t x_;
};

std::vector<float> floats(std::uint64_t seed, char kind, std::size_t n, const Format& format) {
  Generator generator(seed);
  std::vector<float> x;
  for (std::size_t i = 0; i < n; ++i) {
    x.push_back(narrow(generator.next_float(kind), narrowing_to(format)));
  }
  return x;
}

/// Halves are summed in binary32 and narrowed once.
std::uint64_t sum_bits(const std::string& order, std::span<const float> x, const Format& format) {
  const Reduction sum{.op = Op::sum, .order = parse_order(order), .result = narrowing_to(format)};
  return encode_exact(static_cast<double>(reduce(sum, x, {})), format);
}

std::uint64_t sum_bits(const std::string& order, char generator, std::uint64_t n,
                       const Format& format) {
  if (format != binary64) return sum_bits(order, floats(n, generator, n, format), format);
  Generator source(n);
  std::vector<double> x;
  for (std::uint64_t i = 0; i < n; ++i) x.push_back(source.next_double());
  return std::bit_cast<std::uint64_t>(
      reduce({.op = Op::sum, .order = parse_order(order)}, std::span<const double>(x), {}));
}

struct Recorded {
  std::uint64_t n;  ///< length and seed
  std::uint64_t bits;
};

struct Recording {
  std::string order;
  Format format;
  char generator;
  std::vector<Recorded> sums;
};

// ATen: four interleaved cascades over vectors of 8 float32 (4 float64), or of 16 halves whose two
// parts are added first; what is left of the vectors, then the lanes.
const std::string aten_rows = "lanes:4:first(cascade:4)";
const std::string torch_sum = "below:8(" + aten_rows + "/lanes:8:before(" + aten_rows + "))";
const std::string torch_sum_f64 = "below:4(" + aten_rows + "/lanes:4:before(" + aten_rows + "))";
const std::string torch_sum_half =
    "below:16(" + aten_rows + "/lanes:8:before:group=16(blocks:2(sequential/" + aten_rows + ")))";
const std::string numpy_sum = "pairwise";
const std::string inductor_sum = "below:8(sequential/lanes:16(sequential/tree))";

// XLA: windows of 32 below 4096; from there 16 lanes that add up four vectors at a time, four such
// leaves, and every sixteen of them with Kahan's compensation; in tiles, one a thread.
const std::string xla_tile =
    "lanes:16(blocks:4(sequential/blocks:16(lanes:1:after:group=4(blocks:4)/kahan))/tree)";
const std::string jax_sum =
    "below:4096(windows:32/blocks:32768(" + xla_tile + "/" + xla_tile + "))";
const std::string jax_short_sum = "windows:32";

// clang-format off
const std::vector<Recording> recordings{
    {numpy_sum, binary32, 'a', {{1, 0xbe86ef4e}, {3, 0x3e2571e8}, {8, 0x3f15cc25}, {16, 0xbf6ea76e}, {31, 0x3f26dc48}, {33, 0x3fab237e}, {64, 0xc00311c9}, {100, 0xbf9eedb2}, {128, 0xbd55cbc0}, {255, 0xc0bea4ca}, {257, 0xc10211f4}, {512, 0x40f56657}, {1000, 0x3fd16cdc}, {1024, 0x410c2c95}, {2000, 0x419c4631}, {4097, 0xc11a7f82}, {32768, 0x421980ad}}},
    {numpy_sum, binary32, 'b', {{1, 0xbd86ef4e}, {3, 0x3f9dc7b1}, {8, 0x4183f37e}, {16, 0xc1885b1a}, {31, 0xc2b23c16}, {33, 0xc1e3ef06}, {64, 0xc199fdf6}, {100, 0x425462a7}, {128, 0xc003e910}, {255, 0x41baa82c}, {257, 0xc3772113}, {512, 0x4357f0bd}, {1000, 0xc1c5e2a2}, {1024, 0xc1f76448}, {2000, 0xc35e04e0}, {4097, 0xc45ed634}, {32768, 0x43f4deb6}}},
    {numpy_sum, binary16, 'a', {{1, 0xb437}, {3, 0x312d}, {8, 0x38af}, {16, 0xbb75}, {31, 0x3937}, {33, 0x3d59}, {64, 0xc019}, {100, 0xbcf8}, {128, 0xaab3}, {255, 0xc5f5}, {257, 0xc811}, {512, 0x47ab}, {1000, 0x3e8e}, {1024, 0x4861}, {2000, 0x4ce2}, {4097, 0xc8d4}, {32768, 0x50cc}}},
    {numpy_sum, binary16, 'b', {{1, 0xac37}, {3, 0x3cef}, {8, 0x4c20}, {16, 0xcc43}, {31, 0xd592}, {33, 0xcf1f}, {64, 0xccd0}, {100, 0x52a3}, {128, 0xc00e}, {255, 0x4dd3}, {257, 0xdbb9}, {512, 0x5ac0}, {1000, 0xce2a}, {1024, 0xcfba}, {2000, 0xdaf0}, {4097, 0xe2f6}, {32768, 0x5fa7}}},
    {numpy_sum, binary64, 'c', {{1, 0xbfb0dde9a50bbbd2}, {3, 0xc009c0f622329c8c}, {8, 0xc0441eac161520c4}, {16, 0xc02bea7963cd455e}, {31, 0x40484aa0504d068e}, {33, 0x4037d38e5bdb211c}, {64, 0xc06003d2a0b091e1}, {100, 0x406637eaf684bed7}, {128, 0xc04275ba295849a6}, {255, 0x401401c740915840}, {257, 0x40576502a4d539dc}, {512, 0x4072d66349ab8e75}, {1000, 0xc07a2f7fbd2c7046}, {1024, 0x407af17acdd14b02}, {2000, 0x40833690e7e1850a}, {4097, 0x40906be2178928c2}, {32768, 0x40754845cb7ed5c8}}},
    {torch_sum, binary32, 'a', {{1, 0xbe86ef4e}, {3, 0x3e2571e8}, {8, 0x3f15cc25}, {16, 0xbf6ea76f}, {31, 0x3f26dc48}, {33, 0x3fab237e}, {64, 0xc00311c8}, {100, 0xbf9eedb2}, {128, 0xbd55cbb0}, {255, 0xc0bea4c9}, {257, 0xc10211f3}, {512, 0x40f56655}, {1000, 0x3fd16cda}, {1024, 0x410c2c97}, {2000, 0x419c4630}, {4097, 0xc11a7f87}}},
    {torch_sum, binary32, 'b', {{1, 0xbd86ef4e}, {3, 0x3f9dc7b1}, {8, 0x4183f37e}, {16, 0xc1885b1a}, {31, 0xc2b23c14}, {33, 0xc1e3ef05}, {64, 0xc199fdfe}, {100, 0x425462a7}, {128, 0xc003e948}, {255, 0x41baa828}, {257, 0xc3772113}, {512, 0x4357f0be}, {1000, 0xc1c5e2d8}, {1024, 0xc1f7644c}, {2000, 0xc35e04e0}, {4097, 0xc45ed636}}},
    {torch_sum_half, bfloat16, 'b', {{1, 0xbd87}, {3, 0x3f9d}, {8, 0x4184}, {16, 0xc188}, {31, 0xc2b2}, {33, 0xc1e6}, {64, 0xc19a}, {100, 0x4254}, {128, 0xc007}, {255, 0x41bc}, {257, 0xc377}, {512, 0x4358}, {1000, 0xc1c1}, {1024, 0xc1f9}, {2000, 0xc35e}, {4097, 0xc45f}}},
    {torch_sum_half, binary16, 'b', {{1, 0xac37}, {3, 0x3cef}, {8, 0x4c20}, {16, 0xcc43}, {31, 0xd592}, {33, 0xcf1f}, {64, 0xccd0}, {100, 0x52a3}, {128, 0xc00e}, {255, 0x4dd3}, {257, 0xdbb9}, {512, 0x5ac0}, {1000, 0xce2a}, {1024, 0xcfba}, {2000, 0xdaf0}, {4097, 0xe2f6}}},
    {torch_sum_f64, binary64, 'c', {{1, 0xbfb0dde9a50bbbd2}, {3, 0xc009c0f622329c8c}, {8, 0xc0441eac161520c4}, {16, 0xc02bea7963cd455e}, {31, 0x40484aa0504d068e}, {33, 0x4037d38e5bdb211f}, {64, 0xc06003d2a0b091e2}, {100, 0x406637eaf684bed7}, {128, 0xc04275ba295849a6}, {255, 0x401401c740915838}, {257, 0x40576502a4d539dc}, {512, 0x4072d66349ab8e76}, {1000, 0xc07a2f7fbd2c7046}, {1024, 0x407af17acdd14b00}, {2000, 0x40833690e7e1850a}, {4097, 0x40906be2178928c2}}},
    {torch_sum, binary32, 'b', {{32767, 0xc49755d0}, {32769, 0x44ca76a3}, {65536, 0xc2befbd0}, {100000, 0xc506a675}}},
    {torch_sum_half, bfloat16, 'b', {{32767, 0xc498}, {32769, 0x44ca}, {65536, 0xc2c7}, {100000, 0xc507}}},
    {torch_sum_half, binary16, 'b', {{32767, 0xe4bb}, {32769, 0x6654}, {65536, 0xd5f8}, {100000, 0xe835}}},
    {jax_sum, binary32, 'a', {{1, 0xbe86ef4e}, {3, 0x3e2571e8}, {8, 0x3f15cc25}, {16, 0xbf6ea770}, {31, 0x3f26dc47}, {33, 0x3fab237e}, {64, 0xc00311c8}, {100, 0xbf9eedb1}, {128, 0xbd55cac0}, {255, 0xc0bea4ca}, {257, 0xc10211f3}, {512, 0x40f56656}, {1000, 0x3fd16ccb}, {1024, 0x410c2c96}, {2000, 0x419c462f}, {4097, 0xc11a7f81}, {4095, 0x403f64d6}, {32768, 0x421980ac}, {65537, 0x41fb6404}}},
    {jax_sum, binary32, 'b', {{1, 0xbd86ef4e}, {3, 0x3f9dc7b1}, {8, 0x4183f37e}, {16, 0xc1885b1a}, {31, 0xc2b23c14}, {33, 0xc1e3ef06}, {64, 0xc199fdf8}, {100, 0x425462a9}, {128, 0xc003e960}, {255, 0x41baa81c}, {257, 0xc3772114}, {512, 0x4357f0c0}, {1000, 0xc1c5e2c2}, {1024, 0xc1f76454}, {2000, 0xc35e04e0}, {4095, 0xc2a801d4}, {32768, 0x43f4deb0}, {65537, 0x450c3424}}},
    {jax_short_sum, bfloat16, 'b', {{1, 0xbd87}, {3, 0x3f9d}, {8, 0x4184}, {16, 0xc188}, {31, 0xc2b2}, {33, 0xc1e6}, {64, 0xc19a}, {100, 0x4254}, {128, 0xc007}, {255, 0x41bc}, {257, 0xc377}, {512, 0x4358}, {1000, 0xc1c1}, {1024, 0xc1f9}, {2000, 0xc35e}, {4095, 0xc2a8}}},
    {jax_sum, binary16, 'b', {{1, 0xac37}, {3, 0x3cef}, {8, 0x4c20}, {16, 0xcc43}, {31, 0xd592}, {33, 0xcf1f}, {64, 0xccd0}, {100, 0x52a3}, {128, 0xc00e}, {255, 0x4dd3}, {257, 0xdbb9}, {512, 0x5ac0}, {1000, 0xce2a}, {1024, 0xcfba}, {2000, 0xdaf0}, {4097, 0xe2f6}, {4095, 0xd542}, {32768, 0x5fa7}, {65537, 0x6861}}},
};
// clang-format on

/// Two threads: each narrows the sum of its half.
std::string in_two_threads(const std::string& order, std::uint64_t n) {
  return fmt::format("blocks:{}(narrowed({})/{})", (n + 1) / 2, order, order);
}

}  // namespace

TEST_CASE("engines' orders reproduce recorded sums", "[reduce]") {
  for (const Recording& r : recordings) {
    CAPTURE(r.order, short_name(r.format), r.generator);
    for (const Recorded& sum : r.sums) {
      CAPTURE(sum.n);
      CHECK(sum_bits(r.order, r.generator, sum.n, r.format) == sum.bits);
    }
  }
}

TEST_CASE("what the order of XLA's sum leaves out", "[reduce]") {
  // XLA ends every lane with one more compensated step, adding 0. It changes a lane only where the
  // last real step added more than there was: in one of the recorded sums, c45ed635.
  CHECK(sum_bits(jax_sum, 'b', 4097, binary32) == 0xc45ed634);
}

TEST_CASE("two threads of ATen narrow a sum of each half", "[reduce]") {
  const std::vector<Recorded> f32{{32769, 0x44ca76a2}, {65536, 0xc2befbd8}, {100000, 0xc506a671}};
  const std::vector<Recorded> bf16{{32769, 0x44ca}, {65536, 0xc2c8}, {100000, 0xc507}};
  const std::vector<Recorded> f16{{32769, 0x6654}, {65536, 0xd5f8}, {100000, 0xe835}};
  int differ_from_one_thread = 0;
  const auto check = [&](const std::string& order, const Format& format,
                         const std::vector<Recorded>& sums) {
    for (const auto& [n, bits] : sums) {
      CAPTURE(short_name(format), n);
      CHECK(sum_bits(in_two_threads(order, n), 'b', n, format) == bits);
      differ_from_one_thread += sum_bits(order, 'b', n, format) != bits ? 1 : 0;
    }
  };
  check(torch_sum, binary32, f32);
  check(torch_sum_half, bfloat16, bf16);
  check(torch_sum_half, binary16, f16);
  CHECK(differ_from_one_thread == 4);
}

TEST_CASE("Inductor's order reproduces recorded row sums", "[reduce]") {
  struct Rows {
    std::uint64_t columns;
    std::vector<std::uint64_t> sums;
  };
  const std::vector<Rows> recorded{
      {2, {0xc08d7a89, 0x40539bc4, 0x415d171b, 0x407298d0}},
      {5, {0xbe6c307b, 0x4157cb09, 0x420e742c, 0xc066f2c5}},
      {8, {0xc1eb5fed, 0x3fe58b7d, 0xbf37c362, 0xc10d77e0}},
      {16, {0x41df5565, 0x4200c34c, 0xc28d7e13, 0xc109c350}},
      {33, {0x423836a0, 0x41ab7934, 0xbfc67160, 0xc1dd444b}},
      {257, {0x4324226e, 0x429eeddb, 0x43562bf2, 0xc2a48c3a}},
      {1024, {0x43c1731d, 0xc312134a, 0xc3a96806, 0xc36387f7}},
      {4096, {0x43eec901, 0x448147a4, 0x42c312ba, 0xc35f564c}},
  };
  for (const auto& [columns, sums] : recorded) {
    CAPTURE(columns);
    const auto x = floats(sums.size() * columns, 'b', sums.size() * columns, binary32);
    for (std::size_t row = 0; row < sums.size(); ++row) {
      const auto values = std::span(x).subspan(row * columns, columns);
      CHECK(sum_bits(inductor_sum, values, binary32) == sums[row]);
    }
  }
}

TEST_CASE("the recordings tell the engines' orders apart", "[reduce]") {
  for (const std::string& other : {numpy_sum, torch_sum, jax_sum}) {
    for (const Recording& r : recordings) {
      if (r.format != binary32 || r.order == other || r.generator != 'b') continue;
      CAPTURE(r.order, other);
      int differing = 0;
      for (const Recorded& sum : r.sums) {
        differing += sum_bits(other, r.generator, sum.n, r.format) != sum.bits ? 1 : 0;
      }
      CHECK(differing >= 3);
    }
  }
}

}  // namespace halfulp::backends
