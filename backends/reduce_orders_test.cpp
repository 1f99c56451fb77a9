// Every order against a slow, obvious twin that copies its items.
#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "backends/reduce.h"
#include "backends/reduce_items.h"

namespace halfulp::backends {
namespace {

using Kind = ReductionOrder::Kind;
using Tail = ReductionOrder::Tail;

template <typename T>
using Items = std::vector<T>;

/// Published outputs of splitmix64 for the state 1234567.
constexpr std::uint64_t splitmix_seed = 1234567;
constexpr std::uint64_t splitmix_outputs[] = {6457827717110365317u, 3203168211198807973u,
                                              9817491932198370423u, 4593380528125082431u,
                                              16408922859458223821u};

/// An operation with rounding, its identity, and the rounding of `narrowed`.
template <typename T>
struct Twin {
  T identity;
  std::function<T(T, T)> combine;
  std::function<T(T)> narrowed;

  T run(const ReductionOrder& order, const Items<T>& items) const {
    switch (order.kind) {
      case Kind::sequential:
        return sequence(items);
      case Kind::reversed:
        return run(inner(order, 0), Items<T>(items.rbegin(), items.rend()));
      case Kind::random:
        return run(inner(order, 0), permuted(order.size, items));
      case Kind::lanes:
        return lanes(order, items);
      case Kind::blocks:
        return blocks(order, items);
      case Kind::halves:
        return halves(order, items);
      case Kind::pairs:
        return pairs(items);
      case Kind::tree:
        return tree(items);
      case Kind::cascade:
        return cascade(order, items);
      case Kind::counter:
        return counter(order, items);
      case Kind::windows:
        return windows(order, items);
      case Kind::below:
        return run(inner(order, items.size() < order.size ? 0 : 1), items);
      case Kind::narrowed:
        return narrowed(run(inner(order, 0), items));
      case Kind::kahan:
      case Kind::neumaier:
      case Kind::unmodelled:
      case Kind::any:
        break;
    }
    FAIL("no twin of " << to_string(order));
    return identity;
  }

  static ReductionOrder inner(const ReductionOrder& order, std::size_t i) {
    return i < order.parts.size() ? order.parts[i] : parse_order("sequential");
  }

  T sequence(const Items<T>& items) const {
    T s = identity;
    for (const T item : items) s = combine(s, item);
    return s;
  }

  static Items<T> permuted(std::uint64_t seed, const Items<T>& items) {
    std::vector<std::size_t> from;
    for (std::size_t i = 0; i < items.size(); ++i) from.push_back(i);
    shuffle(seed, from);
    Items<T> out;
    for (const std::size_t i : from) out.push_back(items[i]);
    return out;
  }

  T lanes(const ReductionOrder& order, const Items<T>& items) const {
    const std::size_t group = order.group == 0 ? order.size : order.group;
    std::vector<Items<T>> dealt(order.size);
    Items<T> rest;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool in_whole_group = i / group < items.size() / group;
      (in_whole_group || order.tail == Tail::own ? dealt[i % order.size] : rest)
          .push_back(items[i]);
    }
    Items<T> results;
    for (const Items<T>& lane : dealt) {
      if (!lane.empty()) results.push_back(run(inner(order, 0), lane));
    }
    if (results.empty() && order.tail != Tail::before) return sequence(rest);
    if (order.tail == Tail::before) results.insert(results.begin(), rest.begin(), rest.end());
    if (order.tail == Tail::first) {
      for (const T item : rest) results[0] = combine(results[0], item);
    }
    T folded = run(inner(order, 1), results);
    if (order.tail == Tail::after) {
      for (const T item : rest) folded = combine(folded, item);
    }
    return folded;
  }

  T blocks(const ReductionOrder& order, const Items<T>& items) const {
    Items<T> results;
    Items<T> block;
    for (std::size_t i = 0; i < items.size(); ++i) {
      block.push_back(items[i]);
      if (block.size() == order.size || i + 1 == items.size()) {
        results.push_back(run(inner(order, 0), block));
        block.clear();
      }
    }
    return run(inner(order, 1), results);
  }

  /// numpy's pairwise_sum.
  T halves(const ReductionOrder& order, const Items<T>& items) const {
    if (items.size() <= order.size) return run(inner(order, 0), items);
    auto middle = static_cast<std::ptrdiff_t>(items.size() / 2);
    middle -= middle % static_cast<std::ptrdiff_t>(order.group);
    return combine(halves(order, {items.begin(), items.begin() + middle}),
                   halves(order, {items.begin() + middle, items.end()}));
  }

  T pairs(Items<T> items) const {
    while (items.size() > 1) {
      Items<T> next;
      for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        next.push_back(combine(items[i], items[i + 1]));
      }
      if (items.size() % 2 == 1) next.push_back(items.back());
      items = next;
    }
    return items[0];
  }

  T tree(Items<T> items) const {
    std::size_t h = 1;
    while (2 * h < items.size()) h *= 2;
    for (; h > 0; h /= 2) {
      for (std::size_t i = 0; i < h && i + h < items.size(); ++i) {
        items[i] = combine(items[i], items[i + h]);
      }
    }
    return items[0];
  }

  /// ATen's multi_row_sum, for one row, with `levels` in the place of its four.
  T cascade(const ReductionOrder& order, const Items<T>& items) const {
    const auto levels = static_cast<int>(order.size);
    int ceil_log2 = 1;
    while ((std::size_t{1} << ceil_log2) < items.size()) ++ceil_log2;
    const int level_power = std::max(4, ceil_log2 / levels);
    const std::size_t level_step = std::size_t{1} << level_power;
    Items<T> acc(order.size, identity);
    std::size_t i = 0;
    while (i + level_step <= items.size()) {
      for (std::size_t j = 0; j < level_step; ++j, ++i) acc[0] = combine(acc[0], items[i]);
      for (int j = 1; j < levels; ++j) {
        const auto at = static_cast<std::size_t>(j);
        acc[at] = combine(acc[at], acc[at - 1]);
        acc[at - 1] = identity;
        if ((i & ((level_step - 1) << (j * level_power))) != 0) break;
      }
    }
    for (; i < items.size(); ++i) acc[0] = combine(acc[0], items[i]);
    return sequence(acc);
  }

  /// One slot a bit of the counter.
  T counter(const ReductionOrder& order, const Items<T>& items) const {
    std::vector<std::optional<T>> slots(64);
    for (const T item : items) {
      T carry = item;
      std::size_t bit = 0;
      for (; slots[bit]; ++bit) {
        carry = combine(*slots[bit], carry);
        slots[bit].reset();
      }
      slots[bit] = carry;
    }
    Items<T> left;
    for (std::size_t bit = 64; bit-- > 0;) {
      if (slots[bit]) left.push_back(*slots[bit]);
    }
    return run(inner(order, 0), left);
  }

  T windows(const ReductionOrder& order, Items<T> items) const {
    const auto w = static_cast<std::ptrdiff_t>(order.size);
    while (std::ssize(items) > w) {
      const std::ptrdiff_t n = std::ssize(items);
      const std::ptrdiff_t m = (n + w - 1) / w;
      const std::ptrdiff_t lo = (w * m - n) / 2;
      Items<T> next;
      for (std::ptrdiff_t i = 0; i < m; ++i) {
        Items<T> window;
        for (std::ptrdiff_t k = w * i - lo; k < w * (i + 1) - lo; ++k) {
          if (k >= 0 && k < n) window.push_back(items[static_cast<std::size_t>(k)]);
        }
        next.push_back(run(inner(order, 0), window));
      }
      items = next;
    }
    return run(inner(order, 0), items);
  }
};

std::vector<ReductionOrder> orders() {
  std::vector<ReductionOrder> out = sample_orders();
  for (const std::string_view text :
       {"counter",
        "counter(reversed)",
        "counter(tree)",
        "windows:2",
        "windows:7",
        "windows:32",
        "windows:5(reversed)",
        "windows:3(pairs)",
        "tree",
        "reversed(pairs)",
        "reversed(lanes:3)",
        "random:99(pairwise)",
        "random:3(reversed(lanes:5))",
        "lanes:1",
        "lanes:1000",
        "lanes:3:first",
        "lanes:3:before(pairs/tree)",
        "lanes:4:after:group=12(tree/reversed)",
        "lanes:5:first:group=10(sequential/pairs)",
        "lanes:4:before:group=16(pairs/counter)",
        "lanes:2(random:5/random:6)",
        "blocks:1(sequential/tree)",
        "blocks:7",
        "blocks:8(tree/tree)",
        "blocks:9(lanes:2/narrowed)",
        "blocks:64(pairs/counter(reversed))",
        "halves:1:1",
        "halves:5:3(reversed)",
        "halves:15:8(pairs)",
        "cascade:1",
        "cascade:2",
        "cascade:3",
        "cascade:8",
        "below:40(sequential/lanes:8)",
        "below:1(tree/pairs)",
        "narrowed",
        "narrowed(lanes:4(narrowed(sequential)/tree))",
        "blocks:2(sequential/cascade:4)",
        "below:8(lanes:4:first(cascade:4)/lanes:8:before(lanes:4:first(cascade:4)))",
        "lanes:8:before:group=16(blocks:2(sequential/lanes:4:first(cascade:4)))"}) {
    out.push_back(parse_order(text));
  }
  return out;
}

/// Values of very different sizes that nearly cancel, with all the bits of T or of a format.
template <typename T>
Items<T> values(std::size_t n, std::uint32_t seed, const Narrowing& to) {
  Items<T> out;
  std::uint32_t x = seed;
  for (std::size_t i = 0; i < n; ++i) {
    x = 1664525 * x + 1013904223;
    const auto high = static_cast<T>(x >> 8) - T{0x1p23};
    const int exponent = static_cast<int>((x >> 3) & 15) - 30;
    if constexpr (std::is_same_v<T, float>) {
      out.push_back(narrow(std::ldexp(high, exponent), to));
    } else {
      out.push_back(std::ldexp(high + std::ldexp(static_cast<T>(x * x), -32), exponent));
    }
  }
  return out;
}

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> out;
  for (std::size_t n = 1; n <= 70; ++n) out.push_back(n);
  for (const std::size_t n : {127u, 128u, 129u, 255u, 256u, 257u, 300u, 1000u, 1025u, 4099u}) {
    out.push_back(n);
  }
  return out;
}

/// The same value; zeros of either sign are, because the twin begins with an identity.
template <typename T>
bool same(T a, T b) {
  return a == b;
}

const std::vector<Narrowing> steps{{}, narrowing_to(bfloat16), narrowing_to(binary16)};

/// On longer vectors a third of the orders must differ from the sequential one, or nothing is
/// tested.
template <typename T>
void check_sums(const Narrowing& step) {
  const Narrowing result = narrowing_to(bfloat16);
  const Twin<T> twin{T{0},
                     [&](T a, T b) {
                       if constexpr (std::is_same_v<T, float>) return narrow(a + b, step);
                       return a + b;
                     },
                     [&](T a) {
                       if constexpr (std::is_same_v<T, float>) return narrow(a, result);
                       return a;
                     }};
  for (const std::size_t n : lengths()) {
    const auto x = values<T>(n, static_cast<std::uint32_t>(n), step);
    const auto sequential = twin.sequence(x);
    std::ptrdiff_t unlike_sequential = 0;
    for (const ReductionOrder& order : orders()) {
      CAPTURE(n, to_string(order));
      // `result` rounds the whole sum too, so that comes last in the twin as well.
      const T expected = twin.narrowed(twin.run(order, x));
      CHECK(same(reduce({.op = Op::sum, .order = order, .step = step, .result = result},
                        std::span<const T>(x), {}),
                 expected));
      unlike_sequential += twin.run(order, x) != sequential ? 1 : 0;
    }
    if (n > 100) CHECK(3 * unlike_sequential > std::ssize(orders()));
  }
}

}  // namespace

TEST_CASE("sums in every order agree with a slow twin", "[reduce]") {
  for (const Narrowing& step : steps) check_sums<float>(step);
  check_sums<double>({});
}

TEST_CASE("products in every order agree with a slow twin", "[reduce]") {
  for (const Narrowing& step : steps) {
    const Twin<float> twin{1.0f, [&](float a, float b) { return narrow(a * b, step); },
                           [](float a) { return a; }};
    for (const std::size_t n : {1u, 2u, 7u, 33u, 200u}) {
      auto x = values<float>(n, static_cast<std::uint32_t>(n), step);
      for (float& v : x) v = narrow(std::ldexp(1.0f + std::fabs(v) / 0x1p12f, -1), step);
      for (const ReductionOrder& order : orders()) {
        CAPTURE(n, to_string(order));
        const float product = reduce({.op = Op::product, .order = order, .step = step},
                                     std::span<const float>(x), {});
        CHECK(product == twin.run(order, x));
      }
    }
  }
}

TEST_CASE("a dot product of rounded products is their sum in every order", "[reduce]") {
  for (const Narrowing& step : steps) {
    for (const std::size_t n : {1u, 2u, 9u, 64u, 301u}) {
      const auto x = values<float>(n, 5, step);
      const auto y = values<float>(n, 6, step);
      Items<float> products;
      for (std::size_t i = 0; i < n; ++i) products.push_back(narrow(x[i] * y[i], step));
      auto all = orders();
      all.push_back(parse_order("kahan"));
      all.push_back(parse_order("neumaier"));
      for (const ReductionOrder& order : all) {
        CAPTURE(n, to_string(order));
        const float dot = reduce({.op = Op::dot, .order = order, .step = step},
                                 std::span<const float>(x), std::span<const float>(y));
        const float sum = reduce({.op = Op::sum, .order = order, .step = step},
                                 std::span<const float>(products), {});
        CHECK(std::bit_cast<std::uint32_t>(dot) == std::bit_cast<std::uint32_t>(sum));
      }
    }
  }
}

TEST_CASE("random orders are Fisher and Yates's with splitmix64", "[reduce]") {
  std::vector<int> expected{0, 1, 2, 3, 4, 5};
  std::size_t i = 5;
  for (const std::uint64_t u : splitmix_outputs) {
    // floor(u * (i + 1) / 2^64), from the halves of u.
    const std::uint64_t low = (u & 0xffffffff) * (i + 1);
    const std::uint64_t j = ((u >> 32) * (i + 1) + (low >> 32)) >> 32;
    std::swap(expected[i], expected[j]);
    --i;
  }
  std::vector<int> shuffled{0, 1, 2, 3, 4, 5};
  shuffle(splitmix_seed, shuffled);
  CHECK(shuffled == expected);
  CHECK(shuffled != std::vector<int>{0, 1, 2, 3, 4, 5});

  std::vector<int> empty;
  shuffle(1, empty);
  CHECK(empty.empty());
}

TEST_CASE("an order that is none is refused", "[reduce]") {
  const std::vector<float> x{1, 2};
  for (const Kind kind : {Kind::unmodelled, Kind::any}) {
    CHECK_THROWS_AS(reduce({.op = Op::sum, .order = {.kind = kind}}, std::span<const float>(x), {}),
                    std::logic_error);
  }
}

}  // namespace halfulp::backends
