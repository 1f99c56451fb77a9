// Vectors for cases that reduce: given, filled, read from a file, or drawn from a distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/block.h"
#include "harness/case.h"
#include "harness/exact_number.h"
#include "harness/format.h"

namespace halfulp::cases {

/// Which vector of a case is meant: each has parameters and a stream of random numbers of its own.
enum class Vector : std::uint8_t {
  x,  ///< --values, --fill, --input
  y,  ///< --values-y, --fill-y, --input-y; where none is given, drawn like x from another stream
};

/// What a case wants where the command line says nothing.
struct VectorDefaults {
  std::string_view distribution = "normal";
  std::string_view low{};  ///< of uniform and log-uniform; empty: the distribution's own
  std::string_view high{};
};

/// The parameters that choose the vectors: values, fill, input, distribution, seed, low, high, and
/// with two vectors values_y, fill_y, input_y.
std::vector<Parameter> vector_parameters(const VectorDefaults& defaults = {}, int vectors = 1);

/// A case's own parameters, then those.
std::vector<Parameter> with_vectors(std::vector<Parameter> own, const VectorDefaults& defaults = {},
                                    int vectors = 1);

/// `Case::axis_values` of such a case: the length of the vector that is given (--values, --input),
/// or none, which leaves it to --width. The vector x of a case with a parameter `rows` is a batch,
/// row by row: the length is that of a row.
std::vector<ExactNumber> vector_axis(const Params& params, const Format& dtype);

/// One vector for the length of an axis: `length` values of the dtype, or rows * length for the
/// vector x of a case with a parameter `rows`. A given vector of another length, an unreadable
/// file, or one of the wrong dtype or shape is a UsageError.
InputVector vector_of(const Params& params, const Format& dtype, std::uint64_t length,
                      Vector which = Vector::x);

/// `Case::vectors` of a case with the single vector x, and of one with x and y.
std::vector<InputVector> one_vector(const Params& params, const Format& dtype,
                                    const ExactNumber& length);
std::vector<InputVector> two_vectors(const Params& params, const Format& dtype,
                                     const ExactNumber& length);

/// `Case::check`: at most one source for each vector, options only with what they belong to, files
/// readable and of the right dtype and shape, vectors of equal length. Throws UsageError.
void check_vectors(const Params& params, const Format& dtype);
/// The same for a case whose parameters are vector_parameters(defaults, vectors). A distribution
/// and its options that are not the defaults need a vector to draw.
void check_vectors(const Params& params, const Format& dtype, const VectorDefaults& defaults,
                   int vectors = 1);

}  // namespace halfulp::cases
