#include "cases/vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "cases/distributions.h"
#include "cases/inputs.h"
#include "harness/axis.h"
#include "harness/error.h"
#include "harness/npy_read.h"
#include "harness/values.h"

namespace halfulp::cases {
namespace {

struct NamedDistribution {
  std::string_view name;
  Distribution distribution;
  std::string_view low;  ///< default bounds; empty: the distribution has none
  std::string_view high;
};
constexpr std::array<NamedDistribution, 5> distributions{
    {{"normal", Distribution::normal, "", ""},
     {"uniform", Distribution::uniform, "-1", "1"},
     {"log-uniform", Distribution::log_uniform, "1e-6", "1"},
     {"cancelling", Distribution::cancelling, "", ""},
     {"integers", Distribution::integers, "", ""}}};

/// Names of the parameters that give one vector.
struct Sources {
  std::string_view values, fill, input;
};
constexpr Sources sources_of(Vector which) {
  return which == Vector::x ? Sources{"values", "fill", "input"}
                            : Sources{"values_y", "fill_y", "input_y"};
}

std::string_view text_of(const Params& params, std::string_view name) {
  const auto found = params.find(name);
  return found == params.end() ? std::string_view{} : std::string_view(found->second);
}

std::string option(std::string_view parameter) {
  std::string name = fmt::format("--{}", parameter);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::uint64_t rows_of(const Params& params, Vector which) {
  if (which == Vector::y || !is_set(params, "rows")) return 1;
  return static_cast<std::uint64_t>(parse_exact_number(text_of(params, "rows")).numerator);
}

NpyArray read_file(const Params& params, const Format& dtype, Vector which) {
  const std::string path(text_of(params, sources_of(which).input));
  NpyArray array = read_npy(path, dtype);
  const std::uint64_t rows = rows_of(params, which);
  if (array.shape.size() == 2 && array.shape[0] != rows) {
    throw UsageError(fmt::format("'{}' has shape ({}, {}); {}", path, array.shape[0],
                                 array.shape[1],
                                 is_set(params, "rows") && which == Vector::x
                                     ? fmt::format("--rows {} needs ({}, n) or (n,)", rows, rows)
                                     : "one vector (n,) is needed"));
  }
  return array;
}

/// Length of a row of `size` given values.
std::uint64_t row_length(const Params& params, Vector which, std::uint64_t size,
                         std::string_view source) {
  const std::uint64_t rows = rows_of(params, which);
  if (size % rows != 0) {
    throw UsageError(fmt::format("the {} values of {} do not fill {} rows of one length", size,
                                 option(source), rows));
  }
  return size / rows;
}

void check_length(std::uint64_t given, std::uint64_t length, std::string_view source) {
  if (given == length) return;
  throw UsageError(
      fmt::format("the vector of {} has {} values, not {}", option(source), given, length));
}

/// The length that a given vector has (--values, --input).
std::optional<std::uint64_t> given_length(const Params& params, const Format& dtype, Vector which) {
  const Sources names = sources_of(which);
  if (is_set(params, names.values)) {
    return row_length(params, which, values_size(text_of(params, names.values)), names.values);
  }
  if (is_set(params, names.input)) {
    return row_length(params, which, read_file(params, dtype, which).encodings.size(), names.input);
  }
  return std::nullopt;
}

/// The distribution with this name; parameters are choices.
const NamedDistribution& distribution_of(const Params& params) {
  return *std::ranges::find(distributions, text_of(params, "distribution"),
                            &NamedDistribution::name);
}

double bound_of(const Params& params, std::string_view name, std::string_view otherwise) {
  const std::string_view text = is_set(params, name) ? text_of(params, name) : otherwise;
  return text.empty() ? 0 : to_double(parse_exact_number(text));
}

InputVector drawn(const Params& params, const Format& dtype, std::uint64_t length, Vector which) {
  const NamedDistribution& named = distribution_of(params);
  Draw d{.distribution = named.distribution,
         .low = bound_of(params, "low", named.low),
         .high = bound_of(params, "high", named.high),
         .seed = static_cast<std::uint64_t>(parse_exact_number(text_of(params, "seed")).numerator),
         .vector = static_cast<std::uint64_t>(which)};
  const std::uint64_t rows = rows_of(params, which);
  if (d.distribution == Distribution::integers) return from_values(draw(d, rows * length), dtype);
  std::vector<double> values;
  for (; d.row < rows; ++d.row) {
    const auto row = draw(d, length);
    values.insert(values.end(), row.begin(), row.end());
  }
  return from_values(values, dtype);
}

bool is_given(const Params& params, Vector which) {
  const Sources names = sources_of(which);
  return is_set(params, names.values) || is_set(params, names.fill) || is_set(params, names.input);
}

void check_single_source(const Params& params, Vector which) {
  const Sources names = sources_of(which);
  std::vector<std::string> given;
  for (const std::string_view name : {names.values, names.fill, names.input}) {
    if (is_set(params, name)) given.push_back(option(name));
  }
  if (given.size() > 1) {
    throw UsageError(
        fmt::format("{} and {} both give the same vector; leave one out", given[0], given[1]));
  }
}

bool is_default(const Params& params, std::string_view name, std::string_view value) {
  if (!is_set(params, name)) return true;
  const std::string_view text = text_of(params, name);
  if (value.empty() || name == "distribution") return text == value;
  return parse_exact_number(text) == parse_exact_number(value);
}

constexpr std::string_view default_seed = "1";

void check_nothing_drawn(const Params& params, const VectorDefaults& defaults) {
  const std::array<std::pair<std::string_view, std::string_view>, 4> options{
      {{"distribution", defaults.distribution},
       {"seed", default_seed},
       {"low", defaults.low},
       {"high", defaults.high}}};
  for (const auto& [name, value] : options) {
    if (is_default(params, name, value)) continue;
    throw UsageError(fmt::format("{} {} says how to draw a vector, but every vector is given",
                                 option(name), text_of(params, name)));
  }
}

void check_bounds(const Params& params, const VectorDefaults& defaults) {
  const NamedDistribution& named = distribution_of(params);
  if (named.low.empty()) {
    for (const auto& [name, value] :
         {std::pair{std::string_view("low"), defaults.low}, {"high", defaults.high}}) {
      if (is_default(params, name, value)) continue;
      throw UsageError(
          fmt::format("{} is for uniform and log-uniform, not for {}", option(name), named.name));
    }
    return;
  }
  const double low = bound_of(params, "low", named.low);
  const double high = bound_of(params, "high", named.high);
  if (!(low < high) || !std::isfinite(high - low)) {
    throw UsageError(fmt::format("--low {} and --high {} are no interval", low, high));
  }
  if (named.distribution == Distribution::log_uniform && !(low > 0)) {
    throw UsageError(fmt::format("--low {}: log-uniform needs a positive lower bound", low));
  }
}

void check_seed(const Params& params) {
  const ExactNumber seed = parse_exact_number(text_of(params, "seed"));
  if (seed.is_integer() && seed.numerator >= 0) return;
  throw UsageError(
      fmt::format("--seed {} is not an integer from 0 to 2^63 - 1", text_of(params, "seed")));
}

std::vector<Parameter> source_parameters(Vector which) {
  const Sources names = sources_of(which);
  const bool is_x = which == Vector::x;
  return {{.name = names.values,
           .kind = ParamKind::values,
           .default_value = "",
           .help = is_x ? "the vector: numbers, ranges a..b, inf, nan, -0"
                        : "the second vector; without it drawn like the first"},
          {.name = names.fill,
           .kind = ParamKind::value,
           .default_value = "",
           .help = is_x ? "the vector has this value everywhere" : "the second vector likewise"},
          {.name = names.input,
           .kind = ParamKind::text,
           .default_value = "",
           .help = is_x ? "a .npy file of the dtype with the vector"
                        : "a .npy file of the dtype with the second vector"}};
}

std::vector<std::string_view> distribution_names() {
  std::vector<std::string_view> names;
  for (const NamedDistribution& d : distributions) names.push_back(d.name);
  return names;
}

}  // namespace

std::vector<Parameter> vector_parameters(const VectorDefaults& defaults, int vectors) {
  std::vector<Parameter> out = source_parameters(Vector::x);
  if (vectors > 1) {
    const auto y = source_parameters(Vector::y);
    out.insert(out.end(), y.begin(), y.end());
  }
  out.push_back({.name = "distribution",
                 .kind = ParamKind::choice,
                 .default_value = defaults.distribution,
                 .choices = distribution_names(),
                 .help = "of vectors that are not given. Every length has numbers of its own. "
                         "cancelling: values and their negatives shuffled, exact sum (or dot "
                         "product) 0; integers: 0, 1, 2, ..."});
  out.push_back({.name = "seed",
                 .kind = ParamKind::number,
                 .default_value = default_seed,
                 .help = "of the distribution, an integer from 0"});
  out.push_back({.name = "low",
                 .kind = ParamKind::number,
                 .default_value = defaults.low,
                 .help = "lower bound; uniform has [-1, 1), log-uniform [1e-6, 1]"});
  out.push_back({.name = "high",
                 .kind = ParamKind::number,
                 .default_value = defaults.high,
                 .help = "upper bound"});
  return out;
}

std::vector<Parameter> with_vectors(std::vector<Parameter> own, const VectorDefaults& defaults,
                                    int vectors) {
  const auto shared = vector_parameters(defaults, vectors);
  own.insert(own.end(), shared.begin(), shared.end());
  return own;
}

std::vector<ExactNumber> vector_axis(const Params& params, const Format& dtype) {
  for (const Vector which : {Vector::x, Vector::y}) {
    if (const auto length = given_length(params, dtype, which)) {
      return {exact(static_cast<std::int64_t>(*length))};
    }
  }
  return {};
}

InputVector vector_of(const Params& params, const Format& dtype, std::uint64_t length,
                      Vector which) {
  const Sources names = sources_of(which);
  if (is_set(params, names.values)) {
    const auto values = parse_values(text_of(params, names.values));
    check_length(row_length(params, which, values.size(), names.values), length, names.values);
    return from_values(values, dtype);
  }
  if (is_set(params, names.input)) {
    const NpyArray array = read_file(params, dtype, which);
    check_length(row_length(params, which, array.encodings.size(), names.input), length,
                 names.input);
    return from_encodings(array.encodings, dtype);
  }
  if (rows_of(params, which) * length > max_width) {
    throw UsageError(fmt::format("{} rows of {} values are more than {} values",
                                 rows_of(params, which), length, max_width));
  }
  if (is_set(params, names.fill)) {
    const std::vector<double> values(rows_of(params, which) * length,
                                     parse_value(text_of(params, names.fill)));
    return from_values(values, dtype);
  }
  return drawn(params, dtype, length, which);
}

std::vector<InputVector> one_vector(const Params& params, const Format& dtype,
                                    const ExactNumber& length) {
  return {vector_of(params, dtype, static_cast<std::uint64_t>(length.numerator))};
}

std::vector<InputVector> two_vectors(const Params& params, const Format& dtype,
                                     const ExactNumber& length) {
  const auto n = static_cast<std::uint64_t>(length.numerator);
  return {vector_of(params, dtype, n), vector_of(params, dtype, n, Vector::y)};
}

void check_vectors(const Params& params, const Format& dtype) { check_vectors(params, dtype, {}); }

void check_vectors(const Params& params, const Format& dtype, const VectorDefaults& defaults,
                   int vectors) {
  check_seed(params);
  const bool has_y = vectors > 1;
  check_single_source(params, Vector::x);
  if (has_y) check_single_source(params, Vector::y);
  const bool draws = !is_given(params, Vector::x) || (has_y && !is_given(params, Vector::y));
  if (draws) {
    check_bounds(params, defaults);
  } else {
    check_nothing_drawn(params, defaults);
  }
  const auto x = given_length(params, dtype, Vector::x);
  const auto y = has_y ? given_length(params, dtype, Vector::y) : std::nullopt;
  if (x && y && *x != *y) {
    throw UsageError(fmt::format("the first vector has {} values, the second {}", *x, *y));
  }
}

}  // namespace halfulp::cases
