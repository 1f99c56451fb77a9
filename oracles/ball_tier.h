// The double tier of programs with reductions and elementary functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/block.h"
#include "harness/format.h"
#include "harness/oracle.h"
#include "harness/program.h"
#include "oracles/ball_kernels.h"
#include "oracles/ball_program.h"
#include "oracles/kernels.h"

namespace halfulp::oracles {

/// Balls in binary64: value and radius a lane, |value - exact| <= radius.
///
/// Each operation computes both in every lane (ball_vector.h, ball_functions.h), so nothing need be
/// known of the inputs beforehand. Sums are in twice the precision and exact where that suffices.
/// It leaves undecided: results that round to different values within the ball (ties that are not
/// exact among them), zeros that are neither exact nor too small positive numbers, whatever depends
/// on numbers that are not finite, and everything of vectors of 2^32 elements or more.
class BallTier {
 public:
  /// `output` is narrower than binary64. Only where `supports` is true.
  BallTier(const Program& program, const Format& output);
  static bool supports(const Program& program, const Format& output);

  BallTier(const BallTier&) = delete;  // operands_ point into groups_, which a move leaves in place
  BallTier& operator=(const BallTier&) = delete;
  BallTier(BallTier&&) = default;
  BallTier& operator=(BallTier&&) = default;
  ~BallTier() = default;

  /// Evaluates what is uniform, reductions among it. For one row: `binding.inputs` are its own.
  void bind(const Binding& one_row);
  /// Fills rounded, value and radius of the lanes that it decides; all others join `undecided` and
  /// hold no meaningful result. A uniform output has one lane.
  /// A result that is too large for binary64 has an infinite value and radius.
  void evaluate(std::uint64_t first, OracleBlock& out, LaneSet& undecided);

 private:
  struct alignas(64) Group {
    std::array<double, ball_group> lanes{};
  };

  void assign_storage();
  void bind_uniform(std::uint32_t id);
  Ball uniform_ball(std::uint32_t id);
  Ball reduced(std::uint32_t id);
  Ball element(std::uint32_t id);
  Ball m2(const BallNode& node) const;
  Ball ball_at(std::uint32_t id, std::size_t lane) const;
  void put_uniform(std::uint32_t id, const Ball& ball);
  /// Runs map nodes on one chunk; the last of them into `last`.
  void run_chunk(const std::vector<std::uint32_t>& nodes, std::uint64_t first, std::size_t size,
                 const BallTarget& last);
  /// Decides exponentials beyond the range of binary64 among the `size` undecided ones from `lane`.
  void decide_overflow(std::size_t lane, std::size_t size, OracleBlock& out,
                       LaneSet& undecided) const;
  void load_input(std::uint32_t input, std::uint64_t first, std::size_t size,
                  const BallTarget& out) const;

  BallProgram program_;
  BallRounding rounding_;
  std::vector<Group> groups_;
  std::vector<BallOperand> operands_;  ///< of each node
  std::vector<BallTarget> targets_;    ///< of each node
  std::vector<std::vector<std::uint32_t>>
      maps_;                      ///< for the output and for each reduction's operand
  std::vector<KnownSign> signs_;  ///< of each node, for the bound axis
  Binding binding_{};
};

}  // namespace halfulp::oracles
