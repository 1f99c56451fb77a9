#include "harness/reduction_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

using Kind = ReductionOrder::Kind;
using Tail = ReductionOrder::Tail;

constexpr std::size_t max_text = 256;
constexpr int max_levels = 16;
constexpr std::uint64_t max_items = std::uint64_t{1} << 32;

/// What may follow the name of a kind. A kind without `maximum` has no size.
struct Syntax {
  Kind kind;
  std::string_view name;
  std::string_view form;  ///< as messages show it
  std::uint64_t minimum = 0;
  std::uint64_t maximum = 0;
  std::size_t parts = 0;
};

constexpr std::array syntaxes{
    Syntax{Kind::unmodelled, "unmodelled", "unmodelled"},
    Syntax{Kind::any, "any", "any"},
    Syntax{Kind::sequential, "sequential", "sequential"},
    Syntax{.kind = Kind::reversed, .name = "reversed", .form = "reversed(part)", .parts = 1},
    Syntax{Kind::random, "random", "random:SEED(part)", 0,
           std::numeric_limits<std::uint64_t>::max(), 1},
    Syntax{Kind::lanes, "lanes", "lanes:K:first|before|after:group=M(each/fold)", 1, max_items, 2},
    Syntax{Kind::blocks, "blocks", "blocks:N(each/fold)", 1, max_items, 2},
    Syntax{Kind::halves, "halves", "halves:N:M(leaf)", 1, max_items, 1},
    Syntax{Kind::pairs, "pairs", "pairs"},
    Syntax{Kind::tree, "tree", "tree"},
    Syntax{Kind::cascade, "cascade", "cascade:L", 1, 16},
    Syntax{.kind = Kind::counter, .name = "counter", .form = "counter(part)", .parts = 1},
    Syntax{Kind::windows, "windows", "windows:W(each)", 2, max_items, 1},
    Syntax{Kind::below, "below", "below:N(a/b)", 1, max_items, 2},
    Syntax{.kind = Kind::narrowed, .name = "narrowed", .form = "narrowed(part)", .parts = 1},
    Syntax{Kind::kahan, "kahan", "kahan"},
    Syntax{Kind::neumaier, "neumaier", "neumaier"},
};

constexpr std::array<std::pair<Tail, std::string_view>, 4> tails{
    {{Tail::own, "own"}, {Tail::first, "first"}, {Tail::before, "before"}, {Tail::after, "after"}}};

const Syntax& syntax_of(Kind kind) { return *std::ranges::find(syntaxes, kind, &Syntax::kind); }

ReductionOrder leaf(Kind kind) { return {.kind = kind}; }

/// A whole order that has a name of its own.
struct Named {
  std::string_view name;
  ReductionOrder order;
};

std::array<Named, 2> named_orders() {
  const ReductionOrder eight{.kind = Kind::lanes,
                             .tail = Tail::after,
                             .size = 8,
                             .parts = {leaf(Kind::sequential), leaf(Kind::pairs)}};
  return {Named{"pairwise", {.kind = Kind::halves, .size = 128, .group = 8, .parts = {eight}}},
          Named{"warp",
                {.kind = Kind::lanes, .size = 32, .parts = {leaf(Kind::pairs), leaf(Kind::tree)}}}};
}

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  for (const Syntax& s : syntaxes) names.push_back(s.name);
  for (const Named& n : named_orders()) names.push_back(n.name);
  return names;
}

/// Equal orders become equal trees: what is written although it goes without saying is left out.
ReductionOrder canonical(ReductionOrder order) {
  while (!order.parts.empty() && order.parts.back() == leaf(Kind::sequential)) {
    order.parts.pop_back();
  }
  const bool default_group = order.tail == Tail::own || order.group == order.size;
  if (order.kind == Kind::lanes && default_group) order.group = 0;
  return order;
}

/// Reads one order from left to right; every rejection names the whole text and the part.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  ReductionOrder read() {
    if (text_.empty()) throw UsageError("order: empty: write sequential, pairwise or lanes:8");
    if (text_.size() > max_text) reject(text_, fmt::format("is longer than {}", max_text));
    ReductionOrder order = read_order(1);
    if (!rest_.empty()) reject(rest_, "is left over at the end");
    return order;
  }

 private:
  [[noreturn]] void reject(std::string_view part, std::string_view what) const {
    throw UsageError(part == text_
                         ? fmt::format("order {} {}", in_quotes(part), what)
                         : fmt::format("order {}: {} {}", in_quotes(text_), in_quotes(part), what));
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// Up to the next character of the grammar.
  std::string_view take_word() {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(":()/"));
    rest_.remove_prefix(word.size());
    return word;
  }

  /// What was read since `from`.
  std::string_view since(std::string_view from) const {
    return from.substr(0, from.size() - rest_.size());
  }

  ReductionOrder read_order(int level) {
    if (level > max_levels) reject(rest_, fmt::format("is more than {} levels deep", max_levels));
    const std::string_view from = rest_;
    const std::string_view name = take_word();
    for (const Named& named : named_orders()) {
      if (named.name == name) return named.order;
    }
    const auto* const syntax = std::ranges::find(syntaxes, name, &Syntax::name);
    if (syntax == syntaxes.end()) {
      if (rest_.empty() && name.empty()) reject(text_, "ends where a part should begin");
      if (name.empty()) reject(from, "should begin with the name of an order");
      throw UsageError(unknown_name("order", name, known_names()));
    }
    if (level > 1 && (syntax->kind == Kind::any || syntax->kind == Kind::unmodelled)) {
      reject(name, "stands alone: it is no part of another order");
    }
    ReductionOrder order{.kind = syntax->kind};
    read_arguments(*syntax, from, order);
    if (syntax->parts > 0 && take('(')) read_parts(*syntax, from, level, order);
    return canonical(std::move(order));
  }

  void read_arguments(const Syntax& syntax, std::string_view from, ReductionOrder& order) {
    if (syntax.maximum == 0) return;
    if (!take(':')) reject(since(from), fmt::format("lacks a number: write {}", syntax.form));
    order.size = read_number(syntax, syntax.minimum, syntax.maximum);
    if (syntax.kind == Kind::halves) read_multiple(syntax, from, order);
    if (syntax.kind == Kind::lanes) read_tail(syntax, from, order);
  }

  /// `digits` of an argument; `what` is the argument with its name.
  std::uint64_t parse_number(const Syntax& syntax, std::string_view digits, std::string_view what,
                             std::uint64_t minimum, std::uint64_t maximum) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool all_read = !digits.empty() && end == digits.data() + digits.size();
    if (!all_read || (error != std::errc{} && error != std::errc::result_out_of_range)) {
      reject(what, fmt::format("is no number: write {}", syntax.form));
    }
    if (error != std::errc{} || value < minimum || value > maximum) {
      reject(what, fmt::format("is out of range: in {} it goes from {} to {}", syntax.form, minimum,
                               maximum));
    }
    return value;
  }

  std::uint64_t read_number(const Syntax& syntax, std::uint64_t minimum, std::uint64_t maximum) {
    const std::string_view word = take_word();
    return parse_number(syntax, word, word, minimum, maximum);
  }

  void read_multiple(const Syntax& syntax, std::string_view from, ReductionOrder& order) {
    if (!take(':')) reject(since(from), fmt::format("lacks M: write {}", syntax.form));
    order.group = read_number(syntax, 1, max_items);
    // Else m = n/2 - (n/2) % M is 0 for n = N + 1.
    if (order.group > (order.size + 1) / 2) {
      reject(since(from), "does not split N + 1 items: M is at most (N + 1) / 2");
    }
  }

  void read_tail(const Syntax& syntax, std::string_view from, ReductionOrder& order) {
    constexpr std::string_view group = "group=";
    if (!take(':')) return;
    std::string_view word = take_word();
    if (!word.starts_with(group)) {
      const auto* const tail = std::ranges::find(tails, word, &decltype(tails)::value_type::second);
      if (tail == tails.end()) reject(word, fmt::format("is no tail: write {}", syntax.form));
      order.tail = tail->first;
      if (!take(':')) return;
      word = take_word();
    }
    if (!word.starts_with(group)) reject(word, fmt::format("is no group: write {}", syntax.form));
    order.group = parse_number(syntax, word.substr(group.size()), word, 1, max_items);
    if (order.group % order.size != 0) reject(since(from), "has a group that is no multiple of K");
  }

  void read_parts(const Syntax& syntax, std::string_view from, int level, ReductionOrder& order) {
    do {
      if (order.parts.size() == syntax.parts) {
        reject(since(from), fmt::format("has too many parts: write {}", syntax.form));
      }
      order.parts.push_back(read_order(level + 1));
    } while (take('/'));
    if (!take(')')) {
      if (rest_.empty()) reject(from, "lacks a ')' at the end");
      reject(rest_, "should be '/' or ')'");
    }
  }

  std::string_view text_;
  std::string_view rest_;
};

/// The arguments of a kind, each with its colon.
std::string arguments(const ReductionOrder& order) {
  if (syntax_of(order.kind).maximum == 0) return {};
  std::string text = fmt::format(":{}", order.size);
  if (order.kind == Kind::halves) text += fmt::format(":{}", order.group);
  if (order.kind != Kind::lanes) return text;
  if (order.tail != Tail::own) {
    text += fmt::format(
        ":{}", std::ranges::find(tails, order.tail, &decltype(tails)::value_type::first)->second);
  }
  if (order.group != 0) text += fmt::format(":group={}", order.group);
  return text;
}

}  // namespace

ReductionOrder parse_order(std::string_view text) { return Reader(text).read(); }

std::string to_string(const ReductionOrder& order) {
  for (const Named& named : named_orders()) {
    if (named.order == order) return std::string(named.name);
  }
  std::string text = std::string(syntax_of(order.kind).name) + arguments(order);
  if (order.parts.empty()) return text;
  char separator = '(';
  for (const ReductionOrder& part : order.parts) {
    text += separator;
    text += to_string(part);
    separator = '/';
  }
  return text + ')';
}

std::vector<ReductionOrder> sample_orders() {
  std::vector<ReductionOrder> orders;
  for (const std::string_view text :
       {"sequential", "reversed", "pairwise", "pairs", "lanes:4", "lanes:8", "lanes:16",
        "lanes:4(sequential/tree)", "lanes:8(sequential/tree)", "lanes:16(sequential/tree)",
        "lanes:32(sequential/tree)", "warp", "cascade:4"}) {
    orders.push_back(parse_order(text));
  }
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    orders.push_back({.kind = Kind::random, .size = seed});
  }
  return orders;
}

}  // namespace halfulp
