// The items of a walk over a reduction order: elements of a vector or partial results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "backends/reduce_terms.h"
#include "harness/splitmix64.h"

namespace halfulp::backends {

/// A permutation, the same on every machine: for i = n - 1, n - 2, ..., 1 the items i and
/// j = floor(u * (i + 1) / 2^64) are exchanged (Fisher and Yates), u being the next output of
/// splitmix64 (Steele, Lea and Flood, 2014) that starts with the state `seed`.
template <typename T>
void shuffle(std::uint64_t seed, std::vector<T>& items) {
  for (std::size_t i = items.size(); i > 1; --i) {
    const std::uint64_t u = splitmix64(seed);
    seed += splitmix64_step;
    using Wide = unsigned __int128;
    std::swap(items[i - 1], items[static_cast<std::size_t>((static_cast<Wide>(u) * i) >> 64)]);
  }
}

/// Elements as items of a walk.
template <class Terms, typename T>
class Elements {
 public:
  using State = typename Terms::State;
  using TermsType = Terms;

  Elements(const Terms& terms, const View<T>& view) : terms_(&terms), view_(view) {}

  const Terms& terms() const { return *terms_; }
  std::size_t size() const { return view_.size; }
  Elements slice(std::size_t first, std::size_t count, std::ptrdiff_t stride) const {
    return {*terms_, view_.slice(first, count, stride)};
  }
  State lift(std::size_t i) const { return terms_->lift(view_, i); }
  State append(const State& s, std::size_t i) const { return terms_->append(s, view_, i); }
  T minus(std::size_t i, T c) const { return terms_->minus(view_, i, c); }

  /// Runs `walk_over` on the elements in a random order.
  template <class Function>
  State shuffled(std::uint64_t seed, Function walk_over) const {
    std::vector<T> x;
    std::vector<T> y;
    for (std::size_t i = 0; i < size(); ++i) x.push_back(view_.x_at(i));
    shuffle(seed, x);
    if (view_.y != nullptr) {
      for (std::size_t i = 0; i < size(); ++i) y.push_back(view_.y_at(i));
      shuffle(seed, y);
    }
    return walk_over(Elements(*terms_, {x.data(), y.empty() ? nullptr : y.data(), 0, 1, size()}));
  }

 private:
  const Terms* terms_;
  View<T> view_;
};

/// Partial results as items of a walk.
template <class Terms>
class States {
 public:
  using State = typename Terms::State;
  using TermsType = Terms;

  States(const Terms& terms, const View<State>& view) : terms_(&terms), view_(view) {}
  States(const Terms& terms, const State* states, std::size_t count)
      : States(terms, View<State>{.x = states, .size = count}) {}

  const Terms& terms() const { return *terms_; }
  std::size_t size() const { return view_.size; }
  States slice(std::size_t first, std::size_t count, std::ptrdiff_t stride) const {
    return {*terms_, view_.slice(first, count, stride)};
  }
  State lift(std::size_t i) const { return view_.x_at(i); }
  State append(const State& s, std::size_t i) const { return terms_->merge(s, lift(i)); }
  State minus(std::size_t i, State c) const { return terms_->step(lift(i) - c); }

  template <class Function>
  State shuffled(std::uint64_t seed, Function walk_over) const {
    std::vector<State> states;
    for (std::size_t i = 0; i < size(); ++i) states.push_back(lift(i));
    shuffle(seed, states);
    return walk_over(States(*terms_, states.data(), states.size()));
  }

 private:
  const Terms* terms_;
  View<State> view_;
};

/// Room for partial results, without an allocation for the few that a fold usually has.
template <class State>
class Scratch {
 public:
  explicit Scratch(std::size_t size) {
    if (size > few_.size()) many_.resize(size);
    data_ = size > few_.size() ? many_.data() : few_.data();
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  State* data() { return data_; }
  State& operator[](std::size_t i) { return data_[i]; }

 private:
  std::array<State, 64> few_;
  std::vector<State> many_;
  State* data_;
};

}  // namespace halfulp::backends
