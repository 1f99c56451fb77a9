// Reductions of balls: a map's chunks become one ball.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/program.h"
#include "oracles/ball_kernels.h"

namespace halfulp::oracles {

/// Lanes that the ball tier evaluates at a time: few enough for a program's values to stay in the
/// first-level cache.
inline constexpr std::size_t ball_chunk = 256;

struct alignas(64) BallChunk {
  std::array<double, ball_chunk> value{};
  std::array<double, ball_chunk> radius{};

  BallTarget target() { return {value.data(), radius.data()}; }
  BallOperand operand() const { return {value.data(), radius.data()}; }
};

/// A reduction in progress.
class BallReduction {
 public:
  virtual ~BallReduction() = default;
  /// Takes the next `size` balls; all chunks but the last are whole. What the lanes up to the next
  /// multiple of `ball_group` hold is lost.
  virtual void take(const BallTarget& chunk, std::size_t size) = 0;
  /// The result for the balls taken.
  virtual Ball result() = 0;
};

/// For sum, product, smallest, largest and index_of_largest. On no elements a sum is 0 and a
/// product 1; the others are unknown.
std::unique_ptr<BallReduction> make_ball_reduction(Op op);

}  // namespace halfulp::oracles
