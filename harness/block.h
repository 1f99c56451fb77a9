// The unit of work: about a thousand consecutive results, held in a carrier wide enough for them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/exact_number.h"
#include "harness/format.h"

namespace halfulp {

/// Lanes of a block. Small enough that a program's blocks stay in the first-level cache.
inline constexpr std::size_t block_lanes = 1024;

/// Values are carried exactly in the opmath format of their format: binary64 values in doubles,
/// everything narrower in floats.
enum class Carrier : std::uint8_t { f32, f64 };
constexpr Carrier carrier_of(const Format& format) {
  return format == binary64 ? Carrier::f64 : Carrier::f32;
}

/// Written into every output before a backend runs: a NaN with all bits set, which no arithmetic on
/// halfulp's inputs returns.
inline constexpr std::uint32_t poison_f32 = ~std::uint32_t{0};
inline constexpr std::uint64_t poison_f64 = ~std::uint64_t{0};

/// Results of up to `block_lanes` consecutive indices; only the carrier in use is meaningful.
struct alignas(64) Block {
  Carrier carrier = Carrier::f32;
  std::size_t size = 0;
  union {
    float f32[block_lanes];
    double f64[block_lanes];
  };
  Block() : f64{} {}

  double value(std::size_t lane) const {
    return carrier == Carrier::f32 ? static_cast<double>(f32[lane]) : f64[lane];
  }
  bool is_poison(std::size_t lane) const {
    return carrier == Carrier::f32 ? std::bit_cast<std::uint32_t>(f32[lane]) == poison_f32
                                   : std::bit_cast<std::uint64_t>(f64[lane]) == poison_f64;
  }
};

/// Fills the first `size` lanes with the poison pattern.
void poison(Block& block, Carrier carrier, std::size_t size);

/// Stored values of one input, carried as a block carries them; only one vector is filled.
struct InputVector {
  std::vector<float> f32;
  std::vector<double> f64;
  double value(std::size_t index) const {
    return f64.empty() ? static_cast<double>(f32[index]) : f64[index];
  }
};

/// What a compiled program needs to know of the axis it runs over.
struct Binding {
  ExactNumber n;            ///< the swept size (or divisor, …) that constants refer to
  std::uint64_t count = 0;  ///< number of indices, which is the length of a vector
  std::span<const InputVector> inputs;  ///< outlives the evaluation
  /// Vectors in the batch; an input that each row has its own of holds rows * count values.
  std::uint64_t rows = 1;
};

/// One compiled program, owned by one thread.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Fixes the axis. Called before `evaluate`, and again for every axis value.
  virtual void bind(const Binding& binding) = 0;
  /// After `bind`: does what is documented of the engine admit this variant for the axis? False
  /// only for a world of an approximate reciprocal that the divisor rules out.
  virtual bool admitted() const { return true; }
  /// Results for indices [first, first + out.size) of the program's result_count(…): rows one
  /// after the other; out.size <= block_lanes, out.carrier is set.
  /// The result of an index does not depend on `first` or on out.size.
  virtual void evaluate(std::uint64_t first, Block& out) = 0;
};

}  // namespace halfulp
