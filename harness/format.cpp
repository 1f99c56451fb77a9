#include "harness/format.h"

#include <algorithm>
#include <array>
#include <vector>

#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

constexpr std::array<NamedFormat, 9> formats{{
    {binary64, "f64", "binary64", "IEEE double"},
    {binary32, "f32", "binary32", "IEEE single"},
    {tf32, "tf32", "tf32", "binary32's exponent with 11 bits of significand"},
    {binary16, "f16", "binary16", "IEEE half"},
    {bfloat16, "bf16", "bfloat16", "binary32's exponent with 8 bits of significand"},
    {float8_e4m3fn, "e4m3", "float8_e4m3fn", "OCP 8-bit, no infinity, NaN at overflow"},
    {float8_e4m3fn_saturating, "e4m3sat", "float8_e4m3fn_saturating",
     "the same encodings, saturating at 448 as PyTorch does"},
    {float8_e5m2, "e5m2", "float8_e5m2", "OCP 8-bit, IEEE specials"},
    {toy_e4m3, "toy", "toy_e4m3", "8-bit IEEE-like toy for exhaustive tests"},
}};

constexpr bool is_consistent(const Format& f) {
  return (f.sign_mask() ^ f.exponent_mask() ^ f.fraction_mask()) == f.encoding_mask() &&
         (f.exponent_mask() & f.fraction_mask()) == 0 && f.width() <= 64 &&
         f.max_finite() < f.quiet_nan() && (f.has_infinity() || f.overflow != Overflow::infinity);
}
static_assert(std::ranges::all_of(formats, [](const auto& f) { return is_consistent(f.format); }));
static_assert(binary16.max_finite() == 0x7bff && binary16.emax() == 15 && binary16.emin() == -14);
static_assert(float8_e4m3fn.max_finite() == 0x7e && float8_e4m3fn.emax() == 8);
static_assert(binary64.quiet_nan() == 0x7ff8000000000000);

}  // namespace

std::span<const NamedFormat> all_formats() { return formats; }

std::optional<NamedFormat> find_format(std::string_view name) {
  const auto* row = std::ranges::find_if(
      formats, [&](const NamedFormat& f) { return f.short_name == name || f.name == name; });
  return row == formats.end() ? std::nullopt : std::optional(*row);
}

Format parse_format(std::string_view name) {
  if (const auto found = find_format(name)) return found->format;
  std::vector<std::string_view> known;
  for (const NamedFormat& f : formats) known.push_back(f.short_name);
  throw UsageError(unknown_name("dtype", name, known));
}

std::string_view short_name(const Format& format) {
  const auto* row = std::ranges::find(formats, format, &NamedFormat::format);
  return row == formats.end() ? std::string_view("?") : row->short_name;
}

}  // namespace halfulp
