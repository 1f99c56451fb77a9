// Block kernels of the ball tier: binary64 values with a certified radius in every lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/block.h"
#include "harness/format.h"
#include "oracles/kernels.h"

namespace halfulp::oracles {

/// A real number x with |value - x| <= radius. A radius of 0 says that the value is exact (and a
/// zero's sign is then that of IEEE 754); an infinite one that nothing is known, not even that x is
/// a number. Radii are never NaN.
struct Ball {
  double value = 0;
  double radius = 0;
};

/// Operations on balls. A result is a ball around the operation of any numbers in the operands'.
enum class BallOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  min,
  max,
  equal,  ///< 1 or 0; unknown where the operands' balls meet, unless both are exact
  neg,
  abs,
  sqrt,
  floor,  ///< unknown where the ball reaches into another integer's interval
  exp,
  log,
  log1p,
  expm1,
  tanh,
  sigmoid,
  erf,
};

/// Kernels work on whole groups of lanes: those from a size to the next multiple of this are read
/// and written too.
inline constexpr std::size_t ball_group = 8;

/// An operand: a ball per lane, or one ball stored `ball_group` times (`lane_mask` 0).
struct BallOperand {
  const double* value = nullptr;
  const double* radius = nullptr;
  std::size_t lane_mask = ~std::size_t{0};
};

/// Where a ball per lane goes; both pointers aligned to 64 bytes, as those of operands are.
struct BallTarget {
  double* value = nullptr;
  double* radius = nullptr;
};

/// out = op(a, b) for `size` lanes; `b` is ignored by unary operations. `out` may be an operand.
void run_ball_op(BallOp op, const BallOperand& a, const BallOperand& b, const BallTarget& out,
                 std::size_t size);

/// Stored values as exact balls; the values that are not finite are unknown. Lanes that fill the
/// last group hold an exact 0.
void load_balls(const float* stored, std::size_t size, const BallTarget& out);
void load_balls(const double* stored, std::size_t size, const BallTarget& out);
/// first, first + 1, ... as exact balls.
void load_indices(double first, std::size_t size, const BallTarget& out);

/// A sum in progress, by eight streams, whatever the vectors' length: stream k gets the lanes
/// k, k + 8, ... The numbers summed so far lie within radius of high + low, summed exactly over the
/// streams, give or take `lost`. Both are sums of non-negative numbers in binary64: after fewer
/// than 2^32 terms they are too small by a factor of 1 - 2^-20 at most.
struct alignas(64) BallSum {
  std::array<double, ball_group> high{};
  std::array<double, ball_group> low{};
  std::array<double, ball_group> lost{};
  std::array<double, ball_group> radius{};
};
/// Adds `size` balls, a multiple of `ball_group`.
void accumulate(const BallOperand& balls, std::size_t size, BallSum& sum);
/// The whole sum. It is exact if the terms were and no rounding error was left over.
Ball total(const BallSum& sum);

/// What is known of the sign of every exact result in a block.
enum class KnownSign : std::uint8_t { unknown, positive };

/// Rounding of balls to a format narrower than binary64.
struct BallRounding {
  explicit BallRounding(const Format& format);
  /// What a value that overflows rounds to: an infinity, a NaN, or the last finite value.
  float overflowed(double value) const;

  RoundingConstants constants;
  double overflow_from;  ///< the lowest magnitude that rounds beyond the last finite value
  float overflowed_magnitude;
};
struct BallRoundStep {
  const double* value = nullptr;
  const double* radius = nullptr;
  std::size_t size = 0;
  KnownSign sign = KnownSign::unknown;
  float* rounded = nullptr;
  std::size_t first_lane = 0;  ///< number of lane 0 in `undecided`
};
/// Rounds to nearest-even where the whole ball rounds alike, exact ties included; other lanes join
/// `undecided` and hold no meaningful result. A `positive` result that is too small is +0 even
/// where its ball reaches below 0.
void round_balls(const BallRoundStep& step, const BallRounding& rounding, LaneSet& undecided);

}  // namespace halfulp::oracles
