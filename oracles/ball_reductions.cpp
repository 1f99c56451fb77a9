#include "oracles/ball_reductions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace halfulp::oracles {
namespace {

constexpr Ball unknown_ball{0, std::numeric_limits<double>::infinity()};

Ball at(const BallTarget& chunk, std::size_t lane) {
  return {chunk.value[lane], chunk.radius[lane]};
}

void put(const BallTarget& chunk, std::size_t lane, const Ball& ball) {
  chunk.value[lane] = ball.value;
  chunk.radius[lane] = ball.radius;
}

/// Fills the last group with a ball that changes no result.
void pad(const BallTarget& chunk, std::size_t size, const Ball& ball) {
  for (; size % ball_group != 0; ++size) put(chunk, size, ball);
}

class Summation : public BallReduction {
 public:
  void take(const BallTarget& chunk, std::size_t size) override {
    pad(chunk, size, {});
    const std::size_t end = (size + ball_group - 1) / ball_group * ball_group;
    accumulate({chunk.value, chunk.radius}, end, sum_);
  }
  Ball result() override { return total(sum_); }

 private:
  BallSum sum_;
};

/// Combines chunks lane by lane by an associative operation, and the lanes in the end by halves.
class Folding : public BallReduction {
 public:
  Folding(BallOp op, const Ball& of_nothing) : op_(op), of_nothing_(of_nothing) {}

  void take(const BallTarget& chunk, std::size_t size) override {
    if (lanes_ == 0) {
      for (std::size_t lane = 0; lane < size; ++lane) put(folded_.target(), lane, at(chunk, lane));
      lanes_ = size;
    } else {
      combine(chunk, size);
    }
  }

  Ball result() override {
    if (lanes_ == 0) return of_nothing_;
    BallChunk upper;
    while (lanes_ > 1) {
      const std::size_t half = (lanes_ + 1) / 2;
      const std::size_t rest = lanes_ - half;
      for (std::size_t lane = 0; lane < rest; ++lane) {
        put(upper.target(), lane, at(folded_.target(), half + lane));
      }
      combine(upper.target(), rest);
      lanes_ = half;
    }
    return at(folded_.target(), 0);
  }

 private:
  /// The first `size` lanes; those that fill the last group get what they can take any number of
  /// times: another element for an extreme, 1 for a product.
  void combine(const BallTarget& chunk, std::size_t size) {
    pad(chunk, size, op_ == BallOp::mul ? Ball{1, 0} : at(chunk, 0));
    run_ball_op(op_, folded_.operand(), {chunk.value, chunk.radius}, folded_.target(), size);
  }

  BallOp op_;
  Ball of_nothing_;
  BallChunk folded_;
  std::size_t lanes_ = 0;
};

/// The first of the largest elements, if no ball reaches it but exact ones.
class LargestIndex : public BallReduction {
 public:
  void take(const BallTarget& chunk, std::size_t size) override {
    for (std::size_t lane = 0; lane < size; ++lane, ++count_) take_one(at(chunk, lane));
  }

  Ball result() override {
    if (count_ == 0 || !is_known_) return unknown_ball;
    const double low = lower_end(largest_);
    const bool is_first = largest_.radius == 0 || highest_exact_ < low;
    return is_first && highest_inexact_ < low ? Ball{static_cast<double>(index_), 0} : unknown_ball;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  // Widened by more than the rounding of the sum and the difference.
  static double margin(const Ball& x) {
    return x.radius == 0 ? 0 : 2 * x.radius + 0x1p-50 * std::fabs(x.value);
  }
  static double upper_end(const Ball& x) { return x.value + margin(x); }
  static double lower_end(const Ball& x) { return x.value - margin(x); }

  void take_one(const Ball& x) {
    is_known_ = is_known_ && x.radius < infinity;
    if (count_ == 0) {
      largest_ = x;
    } else if (x.value > largest_.value) {
      set_aside(largest_);
      largest_ = x;
      index_ = count_;
    } else {
      set_aside(x);
    }
  }
  void set_aside(const Ball& x) {
    double& highest = x.radius == 0 ? highest_exact_ : highest_inexact_;
    highest = std::max(highest, upper_end(x));
  }

  std::uint64_t count_ = 0;
  std::uint64_t index_ = 0;
  Ball largest_;
  double highest_exact_ = -infinity;    ///< of the other elements that are exact
  double highest_inexact_ = -infinity;  ///< of the upper ends of the other balls
  bool is_known_ = true;
};

}  // namespace

std::unique_ptr<BallReduction> make_ball_reduction(Op op) {
  switch (op) {
    case Op::product:
      return std::make_unique<Folding>(BallOp::mul, Ball{1, 0});
    case Op::smallest:
      return std::make_unique<Folding>(BallOp::min, unknown_ball);
    case Op::largest:
      return std::make_unique<Folding>(BallOp::max, unknown_ball);
    case Op::index_of_largest:
      return std::make_unique<LargestIndex>();
    default:
      return std::make_unique<Summation>();
  }
}

}  // namespace halfulp::oracles
