// A floating-point format is five numbers; everything else about it is derived from them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace halfulp {

/// Which encodings of the top binade are not numbers.
enum class Specials : std::uint8_t {
  ieee,        ///< the whole top binade: infinity with a zero fraction, NaN otherwise
  single_nan,  ///< only the all-ones encoding is NaN and there is no infinity (the "fn" formats)
};

/// What rounding a value beyond the largest finite one gives.
enum class Overflow : std::uint8_t { infinity, nan, saturate };

/// A binary interchange-style format. A structural type: a template argument in hot loops, a value
/// elsewhere. Encodings are held in the low `width()` bits of a `std::uint64_t`.
struct Format {
  int precision;      ///< significand bits, the implicit one included (binary16: 11)
  int exponent_bits;  ///< bits of the biased exponent field
  int bias;           ///< exponent of 1.0 as stored
  Specials specials;
  Overflow overflow;

  constexpr bool operator==(const Format&) const = default;

  constexpr int fraction_bits() const { return precision - 1; }
  constexpr int width() const { return 1 + exponent_bits + fraction_bits(); }
  constexpr int bytes() const { return (width() + 7) / 8; }
  constexpr int hex_digits() const { return (width() + 3) / 4; }
  constexpr std::uint64_t sign_mask() const { return std::uint64_t{1} << (width() - 1); }
  constexpr std::uint64_t fraction_mask() const {
    return (std::uint64_t{1} << fraction_bits()) - 1;
  }
  constexpr std::uint64_t magnitude_mask() const { return sign_mask() - 1; }
  constexpr std::uint64_t exponent_mask() const { return magnitude_mask() ^ fraction_mask(); }
  constexpr std::uint64_t encoding_mask() const { return sign_mask() | magnitude_mask(); }

  /// Exponent of the smallest normal value 2^emin, and of the largest binade with finite values.
  constexpr int emin() const { return 1 - bias; }
  constexpr int emax() const {
    const int top = (1 << exponent_bits) - 1 - bias;
    return specials == Specials::ieee ? top - 1 : top;
  }
  /// Exponent of the smallest subnormal value, the spacing below 2^emin.
  constexpr int min_subnormal_exponent() const { return emin() - fraction_bits(); }

  constexpr bool has_infinity() const { return specials == Specials::ieee; }
  constexpr std::uint64_t max_finite() const {
    return specials == Specials::ieee ? exponent_mask() - 1 : magnitude_mask() - 1;
  }
  constexpr std::uint64_t min_normal() const { return std::uint64_t{1} << fraction_bits(); }
  constexpr std::uint64_t min_subnormal() const { return 1; }
  /// Positive infinity; only where `has_infinity()`.
  constexpr std::uint64_t infinity() const { return exponent_mask(); }
  /// The NaN that halfulp writes: quiet, positive, payload zero.
  constexpr std::uint64_t quiet_nan() const {
    return specials == Specials::ieee
               ? exponent_mask() | (std::uint64_t{1} << (fraction_bits() - 1))
               : magnitude_mask();
  }
};

inline constexpr Format binary64{53, 11, 1023, Specials::ieee, Overflow::infinity};
inline constexpr Format binary32{24, 8, 127, Specials::ieee, Overflow::infinity};
inline constexpr Format tf32{11, 8, 127, Specials::ieee, Overflow::infinity};
inline constexpr Format binary16{11, 5, 15, Specials::ieee, Overflow::infinity};
inline constexpr Format bfloat16{8, 8, 127, Specials::ieee, Overflow::infinity};
inline constexpr Format float8_e4m3fn{4, 4, 7, Specials::single_nan, Overflow::nan};
inline constexpr Format float8_e4m3fn_saturating{4, 4, 7, Specials::single_nan, Overflow::saturate};
inline constexpr Format float8_e5m2{3, 5, 15, Specials::ieee, Overflow::infinity};
/// An 8-bit IEEE-like toy on which everything is tested exhaustively.
inline constexpr Format toy_e4m3{4, 4, 7, Specials::ieee, Overflow::infinity};

/// A row of the format table.
struct NamedFormat {
  Format format;
  std::string_view short_name;  ///< as on the command line: `bf16`
  std::string_view name;        ///< the format's own name: `bfloat16`
  std::string_view summary;
};

/// Every format, in the order in which it is listed.
std::span<const NamedFormat> all_formats();

/// The row whose short or full name is `name`.
std::optional<NamedFormat> find_format(std::string_view name);

/// The format whose short or full name is `name`. Throws UsageError naming the nearest.
Format parse_format(std::string_view name);

/// Short name of a format of the table.
std::string_view short_name(const Format& format);

}  // namespace halfulp
