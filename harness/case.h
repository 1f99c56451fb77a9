// A case: a family of formulas with parameters. Pure data; one file a family in cases/.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/block.h"
#include "harness/format.h"
#include "harness/program.h"

namespace halfulp {

/// Values of a case's parameters, complete and checked; booleans are "true" and "false".
using Params = std::map<std::string, std::string, std::less<>>;

enum class ParamKind : std::uint8_t {
  choice,     ///< one of `choices`
  boolean,    ///< true or false
  size,       ///< an integer from 1 to 2^24
  number,     ///< an exact number
  size_expr,  ///< an exact number, `n` or `n-1`
  list,       ///< exact numbers and integer ranges: `1,2.5,3..9` (kept as text)
  values,     ///< the same with inf, -inf, nan and -0 among them
  value,      ///< one of those
  text,       ///< free text
};

struct Parameter {
  std::string_view name;  ///< as in reports: `align_corners`; `--align-corners` on the command line
  ParamKind kind;
  std::string_view default_value;  ///< empty: not set unless given
  std::vector<std::string_view> choices{};
  std::string_view help;
};

/// One axis of a whole tensor: its length, and how many tensor elements repeat each of its points.
struct TensorAxis {
  std::string_view name;
  std::uint64_t size;
  std::uint64_t repeats;
  bool swept;             ///< this is the axis that the sweep's width varies
  std::size_t dimension;  ///< which of the tensor's dimensions the coordinate runs along
};

/// What a sweep varies.
struct AxisInfo {
  std::string_view
      name;  ///< "width"; "b" for scalar-division; empty: the case has a single axis value
  std::string_view summary;
};

struct Case {
  std::string_view name;
  std::string_view summary;
  std::string_view citation;
  AxisInfo axis;
  std::vector<Parameter> parameters;
  std::vector<Format> formats;  ///< supported dtypes
  std::vector<std::string_view> examples{};

  /// The program for an axis of `count` points; the same for every count >= 2.
  Program (*build)(const Params&, std::uint64_t count);
  /// Axis values a sweep runs over when the case has its own (`scalar-division`'s divisors, the
  /// single value of `scalar-op`, the length of a given vector); null, or an empty list: widths
  /// from the command line.
  std::vector<ExactNumber> (*axis_values)(const Params&, const Format& dtype) = nullptr;
  /// Number of indices for an axis value; for reductions the length of the vector.
  std::uint64_t (*count)(const Params&, const Format& dtype,
                         const ExactNumber& axis_value) = nullptr;
  /// Number of vectors in a batch; null: one.
  std::uint64_t (*rows)(const Params&) = nullptr;
  /// Stored inputs that are the same for every axis value; null: none.
  std::vector<InputVector> (*inputs)(const Params&, const Format& dtype) = nullptr;
  /// Stored inputs made for one axis value; null: `inputs` has them.
  std::vector<InputVector> (*vectors)(const Params&, const Format& dtype,
                                      const ExactNumber& axis_value) = nullptr;
  /// Largest magnitude of the output range, whose ulp measures `range_ulp`; `largest_input` is that
  /// of the first input (0 without).
  double (*range_max)(const Params&, const Format& dtype, const ExactNumber& axis_value,
                      double largest_input) = nullptr;
  /// Axes of the whole tensor, in the order of its last dimension; empty or null: no tensor figures
  /// (for `meshgrid`, when no height is given).
  std::vector<TensorAxis> (*tensor)(const Params&, std::uint64_t width) = nullptr;
  /// Throws UsageError when the combination of parameters and dtype makes no sense; null: any does.
  void (*check)(const Params&, const Format& dtype) = nullptr;
};

// Defined in cases/, which owns the list.

std::span<const Case> all_cases();
/// Throws UsageError naming the nearest case.
const Case& find_case(std::string_view name);

// Defined in harness/case.cpp.

/// Checks `given` against the case's parameters and fills in the defaults. Throws UsageError.
Params complete_params(const Case& c, const Params& given);
/// Throws UsageError when the case does not support the dtype.
void check_dtype(const Case& c, const Format& dtype);
bool is_set(const Params& params, std::string_view name);
bool flag(const Params& params, std::string_view name);

}  // namespace halfulp
