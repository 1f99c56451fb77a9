#include "oracles/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "harness/backend.h"
#include "harness/error.h"

namespace halfulp::oracles {
namespace {

constexpr std::size_t max_length = 1000;
constexpr int max_depth = 100;
constexpr std::int64_t max_exponent = 20000;
constexpr std::int64_t max_bits = 70000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

Fraction power(const Integer& base, std::int64_t exponent) {
  Integer out = boost::multiprecision::pow(base, static_cast<unsigned>(std::abs(exponent)));
  return exponent < 0 ? Fraction(Integer(1), out) : Fraction(out, Integer(1));
}

/// Recursive descent; `position_` is the next character to read.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ExactValue parse() {
    if (text_.size() > max_length) {
      throw UsageError(fmt::format("the number is {} characters long; at most {} are read",
                                   text_.size(), max_length));
    }
    ExactValue value = sum();
    if (!at_end()) fail(position_, fmt::format("unexpected {}", shown(position_)));
    return value;
  }

 private:
  [[noreturn]] void fail(std::size_t where, const std::string& what) const {
    throw UsageError(fmt::format("column {} of the number: {}", where + 1, what));
  }

  std::string shown(std::size_t where) const {
    if (where >= text_.size()) return "end";
    const char c = text_[where];
    if (c > ' ' && c <= '~') return fmt::format("'{}'", c);
    return fmt::format("character 0x{:02x}", static_cast<unsigned char>(c));
  }

  char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t') ++position_;
  }
  bool at_end() {
    skip_spaces();
    return position_ == text_.size();
  }
  bool take(char c) {
    skip_spaces();
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(position_, fmt::format("expected '{}' instead of {}", c, shown(position_)));
  }

  ExactValue checked(ExactValue value, std::size_t where) const {
    if (value.size_in_bits() > max_bits) {
      fail(where, fmt::format("a value of more than {} bits", max_bits));
    }
    return value;
  }

  /// Applies an operation that may leave the exact domain, and checks the size of its result.
  template <typename Operation>
  ExactValue apply(std::size_t where, Operation operation) const {
    try {
      return checked(operation(), where);
    } catch (const Unsupported& error) {
      fail(where, error.what());
    }
  }

  ExactValue sum() {
    ExactValue value = product();
    for (;;) {
      skip_spaces();
      const std::size_t where = position_;
      if (take('+')) {
        const ExactValue other = product();
        value = apply(where, [&] { return value + other; });
      } else if (take('-')) {
        const ExactValue other = product();
        value = apply(where, [&] { return value - other; });
      } else {
        return value;
      }
    }
  }

  ExactValue product() {
    ExactValue value = signed_power();
    for (;;) {
      skip_spaces();
      const std::size_t where = position_;
      if (take('*')) {
        const ExactValue other = signed_power();
        value = apply(where, [&] { return value * other; });
      } else if (take('/')) {
        const ExactValue other = signed_power();
        value = apply(where, [&] { return value / other; });
      } else {
        return value;
      }
    }
  }

  /// -2^2 is -4, as in Python and mathematics.
  ExactValue signed_power() {
    bool negative = false;
    for (;;) {
      if (take('-')) {
        negative = !negative;
      } else if (!take('+')) {
        break;
      }
    }
    const ExactValue value = raised();
    return negative ? -value : value;
  }

  ExactValue raised() {
    ExactValue base = primary();
    skip_spaces();
    const std::size_t where = position_;
    if (!take('^')) return base;
    const std::int64_t exponent = integer_exponent();
    skip_spaces();
    if (peek() == '^') fail(position_, "write parentheses around a power of a power");
    return apply(where, [&] { return to_power(base, exponent, where); });
  }

  std::int64_t integer_exponent() {
    const bool in_parentheses = take('(');
    const bool negative = take('-');
    if (!negative) take('+');
    skip_spaces();
    const std::size_t where = position_;
    if (!is_digit(peek())) fail(where, "an exponent is a whole number");
    const std::int64_t exponent = digits_up_to(max_exponent, where);
    if (peek() == '.') fail(position_, "an exponent is a whole number");
    if (in_parentheses) expect(')');
    return negative ? -exponent : exponent;
  }

  std::int64_t digits_up_to(std::int64_t limit, std::size_t where) {
    std::int64_t value = 0;
    while (is_digit(peek())) {
      value = value * 10 + (text_[position_++] - '0');
      if (value > limit) fail(where, fmt::format("an exponent beyond +-{}", limit));
    }
    return value;
  }

  /// Square and multiply; the size of the result is checked before anything is computed.
  ExactValue to_power(const ExactValue& base, std::int64_t exponent, std::size_t where) const {
    const std::int64_t count = std::abs(exponent);
    if (base.is_nonzero() && base.size_in_bits() > 1 &&
        count * (base.size_in_bits() - 1) > max_bits) {
      fail(where, fmt::format("a power of more than {} bits", max_bits));
    }
    ExactValue out(1);
    ExactValue square = base;
    for (std::int64_t rest = count; rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) out = checked(out * square, where);
      if (rest > 1) square = checked(square * square, where);
    }
    return exponent < 0 ? reciprocal(out) : out;
  }

  ExactValue primary() {
    skip_spaces();
    const std::size_t where = position_;
    if (take('(')) return parenthesised();
    if (take_word("sqrt")) {
      expect('(');
      const ExactValue argument = parenthesised();
      return apply(where, [&] { return sqrt(argument); });
    }
    if (take_word("inf") || take_word("infinity")) return ExactValue::infinity(false);
    if (take_word("nan")) return ExactValue::nan();
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return hexadecimal();
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return decimal();
    if (where == text_.size()) fail(where, "expected a number");
    fail(where, fmt::format("expected a number instead of {}", shown(where)));
  }

  ExactValue parenthesised() {
    if (++depth_ > max_depth) fail(position_, fmt::format("more than {} parentheses", max_depth));
    ExactValue value = sum();
    expect(')');
    --depth_;
    return value;
  }

  bool take_word(std::string_view word) {
    std::size_t end = position_;
    while (end < text_.size() && std::isalpha(static_cast<unsigned char>(text_[end])) != 0) ++end;
    const std::string_view found = text_.substr(position_, end - position_);
    const bool same = std::ranges::equal(found, word, [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;
    });
    if (same) position_ = end;
    return same;
  }

  ExactValue decimal() {
    const std::size_t where = position_;
    const auto [significand, fraction_digits] = significand_digits(10);
    std::int64_t exponent = 0;
    const bool is_signed = peek(1) == '+' || peek(1) == '-';
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(is_signed ? 2 : 1))) {
      exponent = scale_exponent();
    }
    const Fraction scale = power(Integer(10), exponent - fraction_digits);
    return checked(ExactValue(Fraction(significand, Integer(1)) * scale), where);
  }

  ExactValue hexadecimal() {
    const std::size_t where = position_;
    position_ += 2;
    const std::size_t digits = position_;
    const auto [significand, fraction_digits] = significand_digits(16);
    if (position_ - digits == 0 || text_.substr(digits, position_ - digits) == ".") {
      fail(position_, "expected hexadecimal digits");
    }
    if (peek() != 'p' && peek() != 'P') {
      fail(where, "a hexadecimal value needs an exponent, as in 0x1.8p3 (0x1.8p0 for none)");
    }
    const bool is_signed = peek(1) == '+' || peek(1) == '-';
    if (!is_digit(peek(is_signed ? 2 : 1))) fail(position_, "expected an exponent after 'p'");
    const Fraction scale = power(Integer(2), scale_exponent() - 4 * fraction_digits);
    return checked(ExactValue(Fraction(significand, Integer(1)) * scale), where);
  }

  struct Significand {
    Integer digits;
    std::int64_t fraction_digits;
  };
  Significand significand_digits(int base) {
    Significand out{Integer(0), 0};
    bool after_point = false;
    for (;; ++position_) {
      const char c = peek();
      if (c == '.' && !after_point) {
        after_point = true;
        continue;
      }
      const int digit = hex_value(c);
      if (digit < 0 || digit >= base) return out;
      out.digits = out.digits * base + digit;
      if (after_point) ++out.fraction_digits;
    }
  }

  /// Reads `e-12` or `p+3`; the letter has been seen.
  std::int64_t scale_exponent() {
    ++position_;
    const bool negative = peek() == '-';
    if (negative || peek() == '+') ++position_;
    const std::int64_t exponent = digits_up_to(max_exponent, position_);
    return negative ? -exponent : exponent;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

ExactValue parse_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace halfulp::oracles
