// Walks a reduction order over a sequence of items.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "backends/reduce_items.h"
#include "harness/reduction_order.h"

namespace halfulp::backends {

/// A part that is not written is `sequential`.
inline const ReductionOrder& part(const ReductionOrder& order, std::size_t i) {
  static const ReductionOrder sequential{.kind = ReductionOrder::Kind::sequential};
  return i < order.parts.size() ? order.parts[i] : sequential;
}

template <class Items>
typename Items::State walk(const ReductionOrder& order, const Items& items);

/// Appends the items from `first` on to a partial result.
template <class Items>
typename Items::State append_all(typename Items::State s, const Items& items,
                                 std::size_t first = 0) {
  const std::size_t n = items.size();
  for (std::size_t i = first; i < n; ++i) s = items.append(s, i);
  return s;
}

template <class Items>
typename Items::State walk_sequential(const Items& items) {
  return append_all(items.lift(0), items, 1);
}

/// Reduces lane l < `lanes`, the items l, l + K, ..., to out[l].
template <class Items>
void deal(const ReductionOrder& order, const Items& items, std::size_t lanes,
          typename Items::State* out) {
  const std::size_t n = items.size();
  const std::size_t k = order.size;
  const ReductionOrder& each = part(order, 0);
  if (each.kind == ReductionOrder::Kind::sequential) {
    // All lanes at once, as an engine does: the same bits, and one pass through memory.
    for (std::size_t l = 0; l < lanes; ++l) out[l] = items.lift(l);
    for (std::size_t base = k; base < n; base += k) {
      const std::size_t end = std::min(k, n - base);
      for (std::size_t l = 0; l < end; ++l) out[l] = items.append(out[l], base + l);
    }
    return;
  }
  for (std::size_t l = 0; l < lanes; ++l) {
    out[l] = walk(each, items.slice(l, (n - l + k - 1) / k, static_cast<std::ptrdiff_t>(k)));
  }
}

template <class Items>
typename Items::State walk_lanes(const ReductionOrder& order, const Items& items) {
  using Tail = ReductionOrder::Tail;
  const std::size_t n = items.size();
  const std::size_t group = order.group == 0 ? order.size : order.group;
  const std::size_t dealt = order.tail == Tail::own ? n : n - n % group;
  const std::size_t lanes = std::min<std::size_t>(order.size, dealt);
  const auto tail = items.slice(dealt, n - dealt, 1);
  if (lanes == 0 && order.tail != Tail::before) return walk_sequential(tail);

  const std::size_t before = order.tail == Tail::before ? tail.size() : 0;
  Scratch<typename Items::State> states(before + lanes);
  for (std::size_t i = 0; i < before; ++i) states[i] = tail.lift(i);
  deal(order, items.slice(0, dealt, 1), lanes, states.data() + before);
  if (order.tail == Tail::first) states[0] = append_all(states[0], tail);
  const auto folded = walk(part(order, 1), States<typename Items::TermsType>(
                                               items.terms(), states.data(), before + lanes));
  return order.tail == Tail::after ? append_all(folded, tail) : folded;
}

template <class Items>
typename Items::State walk_blocks(const ReductionOrder& order, const Items& items) {
  const std::size_t n = items.size();
  const std::size_t blocks = (n + order.size - 1) / order.size;
  Scratch<typename Items::State> states(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t first = b * order.size;
    states[b] =
        walk(part(order, 0), items.slice(first, std::min<std::size_t>(order.size, n - first), 1));
  }
  return walk(part(order, 1),
              States<typename Items::TermsType>(items.terms(), states.data(), blocks));
}

template <class Items>
typename Items::State walk_halves(const ReductionOrder& order, const Items& items) {
  const std::size_t n = items.size();
  if (n <= order.size) return walk(part(order, 0), items);
  const std::size_t middle = n / 2 - (n / 2) % order.group;
  const auto left = walk_halves(order, items.slice(0, middle, 1));
  return items.terms().merge(left, walk_halves(order, items.slice(middle, n - middle, 1)));
}

/// The partial sums of a binary counter, oldest and largest first.
template <class State>
struct CounterStack {
  std::array<State, 64> states;
  std::size_t size = 0;
};

template <class Items>
void count_up(const Items& items, CounterStack<typename Items::State>& stack) {
  const std::size_t n = items.size();
  for (std::size_t k = 1; k <= n; ++k) {
    auto s = items.lift(k - 1);
    for (int carry = std::countr_zero(k); carry > 0; --carry) {
      s = items.terms().merge(stack.states[--stack.size], s);
    }
    stack.states[stack.size++] = s;
  }
}

template <class Items>
typename Items::State walk_counter(const ReductionOrder& order, const Items& items) {
  CounterStack<typename Items::State> stack;
  count_up(items, stack);
  return walk(part(order, 0),
              States<typename Items::TermsType>(items.terms(), stack.states.data(), stack.size));
}

/// What is left of a counter's runs is merged from the newest on: an odd one waits.
template <class Items>
typename Items::State walk_pairs(const Items& items) {
  CounterStack<typename Items::State> stack;
  count_up(items, stack);
  auto s = stack.states[--stack.size];
  while (stack.size > 0) s = items.terms().merge(stack.states[--stack.size], s);
  return s;
}

template <class Items>
typename Items::State walk_tree(const Items& items) {
  const std::size_t n = items.size();
  Scratch<typename Items::State> states(n);
  for (std::size_t i = 0; i < n; ++i) states[i] = items.lift(i);
  for (std::size_t h = std::bit_floor(n - 1); h > 0; h /= 2) {
    for (std::size_t i = 0; i < h && i + h < n; ++i) {
      states[i] = items.terms().merge(states[i], states[i + h]);
    }
  }
  return states[0];
}

/// ATen's `cascade_sum` (aten/src/ATen/native/cpu/SumKernel.cpp, `multi_row_sum`).
template <class Items>
typename Items::State walk_cascade(const ReductionOrder& order, const Items& items) {
  using State = typename Items::State;
  const std::size_t n = items.size();
  const auto levels = static_cast<std::size_t>(order.size);
  const std::size_t log2 = n <= 2 ? 1 : static_cast<std::size_t>(std::bit_width(n - 1));
  const std::size_t power = std::max<std::size_t>(4, log2 / levels);
  const std::size_t step = std::size_t{1} << power;
  std::array<std::optional<State>, 16> sums;  // one that is empty takes no part
  const auto add = [&](std::optional<State>& to, const State& s) {
    to = to ? items.terms().merge(*to, s) : s;
  };
  const auto collect = [&](std::size_t first, std::size_t count) {
    const auto run = items.slice(first, count, 1);
    if (count > 0) sums[0] = sums[0] ? append_all(*sums[0], run) : walk_sequential(run);
  };
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    collect(i, step);
    for (std::size_t j = 1; j < levels; ++j) {
      add(sums[j], *sums[j - 1]);
      sums[j - 1].reset();
      if (((i + step) & ((step - 1) << (j * power))) != 0) break;
    }
  }
  collect(i, n - i);
  std::optional<State> total;
  for (const auto& s : sums) {
    if (s) add(total, *s);
  }
  return *total;
}

/// One round of XLA's tree reduction: window w holds the items from W * w - lead on.
template <class Items>
std::vector<typename Items::State> window_results(const ReductionOrder& order, const Items& items) {
  const std::size_t n = items.size();
  const std::size_t windows = (n + order.size - 1) / order.size;
  const std::size_t lead = (order.size * windows - n) / 2;
  std::vector<typename Items::State> results;
  results.reserve(windows);
  for (std::size_t w = 0; w < windows; ++w) {
    const std::size_t first = w == 0 ? 0 : order.size * w - lead;
    const std::size_t end = std::min<std::size_t>(n, order.size * (w + 1) - lead);
    results.push_back(walk(part(order, 0), items.slice(first, end - first, 1)));
  }
  return results;
}

template <class Items>
typename Items::State walk_windows(const ReductionOrder& order, const Items& items) {
  if (items.size() <= order.size) return walk(part(order, 0), items);
  const auto results = window_results(order, items);
  return walk(order,
              States<typename Items::TermsType>(items.terms(), results.data(), results.size()));
}

template <class Items>
typename Items::State walk_kahan(const Items& items) {
  if constexpr (!Items::TermsType::compensated) {
    return walk_sequential(items);
  } else {
    const auto& terms = items.terms();
    auto s = items.lift(0);
    decltype(s) c = 0;
    for (std::size_t i = 1; i < items.size(); ++i) {
      const auto y = items.minus(i, c);
      const auto t = terms.step(s + y);
      c = terms.step(terms.step(t - s) - y);
      s = t;
    }
    return s;
  }
}

template <class Items>
typename Items::State walk_neumaier(const Items& items) {
  if constexpr (!Items::TermsType::compensated) {
    return walk_sequential(items);
  } else {
    const auto& terms = items.terms();
    auto s = items.lift(0);
    decltype(s) c = 0;
    for (std::size_t i = 1; i < items.size(); ++i) {
      const auto x = items.lift(i);
      const auto t = terms.step(s + x);
      const bool sum_is_larger = std::fabs(s) >= std::fabs(x);
      const auto larger = sum_is_larger ? s : x;
      const auto smaller = sum_is_larger ? x : s;
      c = terms.step(c + terms.step(terms.step(larger - t) + smaller));
      s = t;
    }
    return terms.step(s + c);
  }
}

/// The items, at least one, reduced in an order. Recursion is as deep as the order's text, times
/// log2 n for `halves` and `windows`.
template <class Items>
typename Items::State walk(const ReductionOrder& order, const Items& items) {
  using Kind = ReductionOrder::Kind;
  const std::size_t n = items.size();
  switch (order.kind) {
    case Kind::sequential:
      return walk_sequential(items);
    case Kind::reversed:
      return walk(part(order, 0), items.slice(n - 1, n, -1));
    case Kind::random:
      return items.shuffled(order.size,
                            [&](const Items& in_order) { return walk(part(order, 0), in_order); });
    case Kind::lanes:
      return walk_lanes(order, items);
    case Kind::blocks:
      return walk_blocks(order, items);
    case Kind::halves:
      return walk_halves(order, items);
    case Kind::pairs:
      return walk_pairs(items);
    case Kind::tree:
      return walk_tree(items);
    case Kind::cascade:
      return walk_cascade(order, items);
    case Kind::counter:
      return walk_counter(order, items);
    case Kind::windows:
      return walk_windows(order, items);
    case Kind::below:
      return walk(part(order, n < order.size ? 0 : 1), items);
    case Kind::narrowed:
      return items.terms().narrowed(walk(part(order, 0), items));
    case Kind::kahan:
      return walk_kahan(items);
    case Kind::neumaier:
      return walk_neumaier(items);
    case Kind::unmodelled:
    case Kind::any:
      break;
  }
  throw std::logic_error("no order to reduce in: " + to_string(order));
}

}  // namespace halfulp::backends
