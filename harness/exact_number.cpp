#include "harness/exact_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>

#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

using Wide = unsigned __int128;

constexpr int max_decimal_exponent = 400;
constexpr int max_binary_exponent = 1200;
constexpr std::uint64_t max_list_size = std::uint64_t{1} << 24;

// ---- canonical form

/// Before it is known whether the parts fit: magnitude / denominator * 2^binary * 10^decimal.
struct Parts {
  bool negative = false;
  std::uint64_t magnitude = 0;
  std::uint64_t denominator = 1;
  std::int64_t binary = 0;
  std::int64_t decimal = 0;
};

/// Takes factors of `base` out of the magnitude.
void strip(std::uint64_t& magnitude, std::uint64_t base, std::int64_t& exponent) {
  for (; magnitude % base == 0; magnitude /= base) ++exponent;
}

/// The largest magnitude that a signed 64-bit integer holds.
constexpr std::uint64_t largest(bool negative) {
  return (std::uint64_t{1} << 63) - (negative ? 0 : 1);
}

/// magnitude * base^exponent, if that is at most `limit`.
std::optional<std::uint64_t> scaled(std::uint64_t magnitude, std::uint64_t base,
                                    std::int64_t exponent, std::uint64_t limit) {
  for (; exponent > 0; --exponent) {
    if (magnitude > limit / base) return std::nullopt;
    magnitude *= base;
  }
  return magnitude;
}

void reduce(Parts& p) {
  const std::uint64_t common = std::gcd(p.magnitude, p.denominator);
  p.magnitude /= common;
  p.denominator /= common;
}

Parts canonical(Parts p) {
  if (p.magnitude == 0) return {};
  reduce(p);
  if (p.binary != 0) strip(p.magnitude, 2, p.binary);
  if (p.decimal != 0) strip(p.magnitude, 10, p.decimal);
  if (p.binary < 0 || p.decimal < 0) return p;
  auto integer = scaled(p.magnitude, 2, p.binary, largest(p.negative));
  if (integer) integer = scaled(*integer, 10, p.decimal, largest(p.negative));
  if (!integer) return p;
  Parts whole{.negative = p.negative, .magnitude = *integer, .denominator = p.denominator};
  reduce(whole);
  return whole;
}

ExactNumber from_parts(const Parts& p) {
  // Through unsigned arithmetic, so that the most negative integer is one too.
  const std::uint64_t numerator = p.negative ? 0 - p.magnitude : p.magnitude;
  return {.numerator = static_cast<std::int64_t>(numerator),
          .denominator = static_cast<std::int64_t>(p.denominator),
          .binary_exponent = static_cast<std::int32_t>(p.binary),
          .decimal_exponent = static_cast<std::int32_t>(p.decimal)};
}

Parts to_parts(const ExactNumber& number) {
  const auto numerator = static_cast<std::uint64_t>(number.numerator);
  return {.negative = number.numerator < 0,
          .magnitude = number.numerator < 0 ? 0 - numerator : numerator,
          .denominator = static_cast<std::uint64_t>(number.denominator),
          .binary = number.binary_exponent,
          .decimal = number.decimal_exponent};
}

// ---- reading

/// Digits with at most one point, as magnitude * base^scale without trailing zeros.
struct Digits {
  Wide magnitude = 0;
  std::int64_t scale = 0;
  bool integer = true;  ///< no point
};

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// Reads one number from left to right; every rejection names the whole text.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  Parts read() {
    if (text_.empty()) reject("is empty");
    Parts parts;
    parts.negative = take("-");
    if (!parts.negative) take("+");
    if (take("0x") || take("0X")) {
      read_hexadecimal(parts);
    } else {
      read_decimal(parts);
    }
    if (!rest_.empty()) reject(fmt::format("has trailing characters {}", in_quotes(rest_)));
    parts = canonical(parts);
    check_range(parts);
    return parts;
  }

 private:
  [[noreturn]] void reject(std::string_view what) const {
    throw UsageError(
        fmt::format("number {} {}: write 3, -0.3, 1e-8, 2/3 or 0x1.8p-3", in_quotes(text_), what));
  }

  bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  Digits read_digits(int base) {
    Digits digits;
    bool any = false;
    std::int64_t zeros = 0;  // seen, and not yet known to be followed by another digit
    for (; !rest_.empty(); rest_.remove_prefix(1)) {
      if (rest_.front() == '.' && digits.integer) {
        digits.integer = false;
        continue;
      }
      const int digit = digit_value(rest_.front());
      if (digit >= base) break;
      any = true;
      if (!digits.integer) --digits.scale;
      ++zeros;
      if (digit != 0) append(digits, zeros, base, digit);
    }
    if (!any) reject("is not a number");
    digits.scale += zeros;
    return digits;
  }

  /// magnitude * base^places + digit. Nothing beyond 80 bits can be kept.
  void append(Digits& digits, std::int64_t& places, int base, int digit) const {
    for (; places > 0 && digits.magnitude != 0; --places) {
      digits.magnitude *= static_cast<unsigned>(base);
      if (digits.magnitude >> 80 != 0) reject_precision();
    }
    places = 0;
    digits.magnitude += static_cast<unsigned>(digit);
  }

  [[noreturn]] void reject_precision() const {
    reject("has more significant digits than 64 bits hold (18 decimal ones always fit)");
  }

  std::uint64_t narrowed(Wide magnitude, bool negative) const {
    if (magnitude > largest(negative)) reject_precision();
    return static_cast<std::uint64_t>(magnitude);
  }

  void read_decimal(Parts& parts) {
    const Digits digits = read_digits(10);
    parts.magnitude = narrowed(digits.magnitude, parts.negative);
    parts.decimal = digits.scale;
    if (take("e") || take("E")) {
      parts.decimal += read_exponent();
      return;
    }
    if (!digits.integer) return;
    if (take("/")) read_denominator(parts);
    if (take("*2^")) parts.binary = read_exponent();
    if (take("*10^")) parts.decimal += read_exponent();
  }

  void read_denominator(Parts& parts) {
    const Digits digits = read_digits(10);
    if (!digits.integer) reject("has a denominator that is not an integer");
    if (digits.magnitude == 0) reject("has a zero denominator");
    const auto denominator =
        scaled(narrowed(digits.magnitude, false), 10, digits.scale, largest(false));
    if (!denominator) reject_precision();
    parts.denominator = *denominator;
  }

  void read_hexadecimal(Parts& parts) {
    Digits digits = read_digits(16);
    parts.binary = 4 * digits.scale;
    for (; digits.magnitude != 0 && digits.magnitude % 2 == 0; digits.magnitude /= 2) {
      ++parts.binary;
    }
    parts.magnitude = narrowed(digits.magnitude, parts.negative);
    if (!take("p") && !take("P")) reject("is hexadecimal without an exponent");
    parts.binary += read_exponent();
  }

  /// Exponents far out of range come back as a million.
  std::int64_t read_exponent() {
    const bool negative = take("-");
    if (!negative) take("+");
    std::int64_t exponent = 0;
    if (rest_.empty() || digit_value(rest_.front()) > 9) reject("has no digits in its exponent");
    for (; !rest_.empty() && digit_value(rest_.front()) <= 9; rest_.remove_prefix(1)) {
      exponent = std::min<std::int64_t>(10 * exponent + digit_value(rest_.front()), 1'000'000);
    }
    return negative ? -exponent : exponent;
  }

  void check_range(const Parts& parts) const {
    if (std::abs(parts.decimal) > max_decimal_exponent) {
      reject(fmt::format("has a decimal exponent beyond +-{}", max_decimal_exponent));
    }
    if (std::abs(parts.binary) > max_binary_exponent) {
      reject(fmt::format("has a binary exponent beyond +-{}", max_binary_exponent));
    }
  }

  std::string_view text_;
  std::string_view rest_;
};

// ---- writing

/// Decimal digits with a power of ten, `12.5` or `1.5e-7`.
std::string decimal_text(std::uint64_t magnitude, std::int64_t exponent) {
  std::string digits = fmt::format("{}", magnitude);
  const std::int64_t leading = static_cast<std::int64_t>(digits.size()) - 1 + exponent;
  if (exponent < 0 && leading >= -5) {
    if (leading < 0) digits.insert(0, static_cast<std::size_t>(-leading), '0');
    digits.insert(digits.size() - static_cast<std::size_t>(-exponent), 1, '.');
    return digits;
  }
  if (digits.size() > 1) digits.insert(1, 1, '.');
  return fmt::format("{}e{}", digits, leading);
}

/// An odd significand with a power of two, `0x1.8p-3`.
std::string hexadecimal_text(std::uint64_t magnitude, std::int64_t exponent) {
  const int lift = std::countl_zero(magnitude);
  const std::uint64_t fraction = lift == 63 ? 0 : magnitude << (lift + 1);
  std::string digits = fmt::format(".{:016x}", fraction);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits == ".") digits.clear();
  return fmt::format("0x1{}p{}", digits, exponent + 63 - lift);
}

std::string magnitude_text(const Parts& p) {
  if (p.denominator == 1 && p.binary == 0 && p.decimal != 0) {
    return decimal_text(p.magnitude, p.decimal);
  }
  if (p.denominator == 1 && p.binary != 0 && p.decimal == 0) {
    return hexadecimal_text(p.magnitude, p.binary);
  }
  std::string text = fmt::format("{}", p.magnitude);
  if (p.denominator != 1) text += fmt::format("/{}", p.denominator);
  if (p.binary != 0) text += fmt::format("*2^{}", p.binary);
  if (p.decimal != 0) text += fmt::format("*10^{}", p.decimal);
  return text;
}

// ---- lists

/// first, first + 1, … : a part of a list.
struct Run {
  ExactNumber first;
  std::uint64_t count = 1;
};

Run parse_run(std::string_view part) {
  if (part.empty()) {
    throw UsageError("list: nothing between commas: write numbers and ranges such as 1,2.5,3..9");
  }
  const std::size_t dots = part.find("..");
  if (dots == std::string_view::npos) return {parse_exact_number(part)};
  const ExactNumber first = parse_exact_number(part.substr(0, dots));
  const ExactNumber last = parse_exact_number(part.substr(dots + 2));
  if (!first.is_integer() || !last.is_integer()) {
    throw UsageError(
        fmt::format("list: {} is not a range of integers such as 3..9", in_quotes(part)));
  }
  if (last.numerator < first.numerator) {
    throw UsageError(fmt::format("list: {} runs backwards: write {}..{}", in_quotes(part),
                                 last.numerator, first.numerator));
  }
  const std::uint64_t distance =
      static_cast<std::uint64_t>(last.numerator) - static_cast<std::uint64_t>(first.numerator);
  return {first, std::min(distance, max_list_size) + 1};
}

/// Calls `use` with each run of the list; returns how many numbers there are.
template <typename Use>
std::uint64_t for_each_run(std::string_view text, const Use& use) {
  std::uint64_t total = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const Run run = parse_run(text.substr(begin, end - begin));
    total += run.count;
    if (total > max_list_size) {
      throw UsageError(
          fmt::format("list: more than {} numbers in {}", max_list_size, in_quotes(text)));
    }
    use(run);
    begin = end + 1;
  }
  return total;
}

}  // namespace

ExactNumber parse_exact_number(std::string_view text) {
  const ExactNumber number = from_parts(Reader(text).read());
  if (number.numerator == 0 && text.find('-') == 0) {
    throw UsageError(
        fmt::format("{} is a negative zero, which constants do not have", in_quotes(text)));
  }
  return number;
}

std::string to_string(const ExactNumber& number) {
  const Parts p = canonical(to_parts(number));
  return (p.negative ? "-" : "") + magnitude_text(p);
}

std::uint64_t number_list_size(std::string_view text) {
  return for_each_run(text, [](const Run&) {});
}

std::vector<ExactNumber> parse_number_list(std::string_view text) {
  std::vector<ExactNumber> numbers;
  numbers.reserve(number_list_size(text));
  for_each_run(text, [&](const Run& run) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      numbers.push_back(run.first);
      numbers.back().numerator += static_cast<std::int64_t>(i);
    }
  });
  return numbers;
}

}  // namespace halfulp
