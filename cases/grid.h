// One axis of a coordinate grid in the ways in which libraries have computed it.
#pragma once

#include <vector>

#include "harness/case.h"

namespace halfulp::cases {

/// The `form` parameter of the grid cases.
Parameter form_parameter();

/// The dtypes of the grid cases.
std::vector<Format> grid_formats();

/// The axis of `count` points as the parameters say: `form`, and `align_corners` and `normalized`
/// where the case has them (both true otherwise). With m = n - 1:
///   corners aligned   (x / m - 0.5) * 2        else   (2 x + 1) / n - 1        pixel   x
/// An axis of one point is 0.
Program grid_axis(const Params& params, std::uint64_t count);

/// Largest magnitude of the axis: 1, or m for pixel coordinates.
double grid_range_max(const Params& params, const Format& dtype, const ExactNumber& n,
                      double largest_input);

}  // namespace halfulp::cases
