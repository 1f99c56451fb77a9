// The order in which a reduction combines its elements, as a value: a small tree language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halfulp {

/// How a sequence of items becomes one. Items are the elements of a vector or, higher up in a tree,
/// partial results. A node with parts hands them subsequences; a part that is not written is
/// `sequential`. A sum ends with `0 + result`, so that zeros of either sign sum to +0.
///
/// Text: `name[:argument...][(part[/part])]`, for example `sequential`, `random:7`,
/// `lanes:8(sequential/tree)`. It has no `+` and no `,`, so that it can stand in a backend's name.
struct ReductionOrder {
  enum class Kind : std::uint8_t {
    unmodelled,  ///< the engine's order is not known to halfulp: programs with reductions do not
                 ///< run
    any,         ///< `any`: stands for each of `sample_orders()`, one world an order
    sequential,  ///< ((x0 + x1) + x2) + ...
    reversed,    ///< `reversed(part)`: the part on the sequence from last to first
    random,      ///< `random:SEED(part)`: the part on a permutation of the sequence (README: which)
    /// `lanes:K[:tail][:group=M](each/fold)`: lane l gets items l, l + K, l + 2K, ... and reduces
    /// them by `each`; `fold` combines the K results. Only whole groups of M items (M a multiple of
    /// K; K unless given) are dealt to lanes; `tail` says what happens to the rest. Lanes that get
    /// nothing do not take part.
    lanes,
    /// `blocks:N(each/fold)`: runs of N items, the last one shorter, reduced by `each`, then
    /// `fold`.
    blocks,
    /// `halves:N:M(leaf)`: at most N items by `leaf`; more are split at m = n/2 - (n/2) % M, both
    /// sides likewise, and added.
    halves,
    pairs,  ///< neighbours are added, then neighbouring sums, ...: (x0+x1)+(x2+x3); an odd one
            ///< waits
    /// x[i] += x[i+h] for h = the largest power of two below n, then h/2, ..., 1: registers folded
    /// in halves, and what xor shuffles by h leave in lane 0.
    tree,
    /// `cascade:L`: L accumulators; lp = max(4, ceil(log2 n) / L); acc0 collects 2^lp items, then
    /// moves up to acc1 and starts again from 0, acc1 moves up after 2^(2 lp) items, ...; the
    /// accumulators are added in order at the end (ATen's multi-level sum).
    cascade,
    /// `counter(part)`: a stack of partial sums; item k (from 1) is merged with as many of them as
    /// k has trailing zero bits (a binary counter); at the end what is left is added from the
    /// oldest (largest) on.
    counter,
    /// `windows:W(each)`: while more than W items are left, ceil(n/W) windows of W, the first
    /// starting (W * ceil(n/W) - n) / 2 items before the sequence, are each reduced by `each`;
    /// then the rest by `each` (XLA's tree reduction).
    windows,
    below,     ///< `below:N(a/b)`: `a` for fewer than N items, else `b`
    narrowed,  ///< `narrowed(part)`: the part's result rounded to the type of the operation
    kahan,     ///< sequential with Kahan's compensation: y = x - c; t = s + y; c = (t - s) - y
    neumaier,  ///< sequential with Neumaier's: the lost part of each sum is collected and added
               ///< last
  };
  /// Where items go that do not fill a group of lanes.
  enum class Tail : std::uint8_t {
    own,     ///< to the lanes, in order (the default)
    first,   ///< onto the result of lane 0, one by one, before the fold
    before,  ///< the fold's sequence is the tail, then the lanes' results
    after,   ///< onto the result of the fold, one by one
  };

  Kind kind = Kind::unmodelled;
  Tail tail = Tail::own;
  std::uint64_t size = 0;   ///< SEED, K, N, L or W
  std::uint64_t group = 0;  ///< M: of `lanes` and `halves`
  std::vector<ReductionOrder> parts{};

  bool operator==(const ReductionOrder&) const = default;
};

/// Reads an order, or one of the names below. Throws UsageError: an unknown name (naming the
/// nearest), a missing or senseless argument, more than two parts, more than 16 levels or 256
/// characters; the message names the offending part.
///   pairwise   numpy's: halves:128:8(lanes:8:after(sequential/pairs))
///   warp       a GPU warp's: lanes:32(pairs/tree)
ReductionOrder parse_order(std::string_view text);

/// Canonical text, names of whole orders included; `parse_order` reads it back to an equal order.
std::string to_string(const ReductionOrder& order);

/// The orders that `any` stands for: sequential, reversed, pairwise, pairs, some lane counts with a
/// tree or a sequential fold, warp, cascade, and eight random permutations. All are what a library,
/// a compiler or a GPU may do; none is compensated.
std::vector<ReductionOrder> sample_orders();

}  // namespace halfulp
