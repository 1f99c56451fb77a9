#include "harness/value_text.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "harness/encoding.h"
#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {

std::string hex(std::uint64_t bits, const Format& format) {
  return fmt::format("0x{:0{}x}", bits, format.hex_digits());
}

std::string decimal(std::uint64_t bits, const Format& format) {
  return fmt::format("{}", to_double(bits, format));
}

std::string hex_float(std::uint64_t bits, const Format& format) {
  if (!is_finite(bits, format)) return decimal(bits, format);
  const Decoded d = decode(bits, format);
  const std::string_view sign = d.negative ? "-" : "";
  if (d.significand == 0) return fmt::format("{}0x0p+0", sign);
  // The leading one in bit 60 leaves 15 whole hexadecimal digits below it.
  const int lift = std::countl_zero(d.significand) - 3;
  const std::uint64_t fraction = (d.significand << lift) & ((std::uint64_t{1} << 60) - 1);
  std::string digits = fmt::format(".{:015x}", fraction);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits == ".") digits.clear();
  return fmt::format("{}0x1{}p{:+d}", sign, digits, d.exponent + 60 - lift);
}

std::string describe(std::uint64_t bits, const Format& format) {
  return fmt::format("{} {} {}", hex(bits, format), decimal(bits, format), hex_float(bits, format));
}

std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, 1, ',');
  return text;
}

std::uint64_t parse_encoding(std::string_view text, const Format& format) {
  const std::string_view digits = text.substr(text.starts_with("0x") ? 2 : 0);
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  const bool all_read = !digits.empty() && end == digits.data() + digits.size();
  if (digits.size() == text.size() || !all_read) {
    throw UsageError(fmt::format("{} is not an encoding: write {} hexadecimal digits such as {}",
                                 in_quotes(text), format.hex_digits(),
                                 hex(format.max_finite(), format)));
  }
  if (error != std::errc{} || bits > format.encoding_mask()) {
    throw UsageError(fmt::format("the encoding {} is too wide for {}, which has {} bits",
                                 in_quotes(text), short_name(format), format.width()));
  }
  return bits;
}

}  // namespace halfulp
