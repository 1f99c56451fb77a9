#include "cases/cases.h"
#include "cases/grid.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

/// (1, D, H, W, 3) with (z, x, y) last.
std::vector<TensorAxis> tensor(const Params& params, std::uint64_t width) {
  if (!is_set(params, "height") || !is_set(params, "depth")) return {};
  const std::uint64_t depth = std::stoull(params.find("depth")->second);
  const std::uint64_t height = std::stoull(params.find("height")->second);
  return {{.name = "z", .size = depth, .repeats = height * width, .swept = false, .dimension = 0},
          {.name = "x", .size = width, .repeats = depth * height, .swept = true, .dimension = 2},
          {.name = "y", .size = height, .repeats = depth * width, .swept = false, .dimension = 1}};
}

void check(const Params& params, const Format&) {
  if (is_set(params, "height") != is_set(params, "depth")) {
    throw UsageError("meshgrid3d: give --depth and --height together for figures of the tensor");
  }
}

}  // namespace

Case meshgrid3d() {
  return {
      .name = "meshgrid3d",
      .summary = "kornia's create_meshgrid3d: normalised or pixel coordinates of a volume",
      .citation = "kornia, create_meshgrid3d; corners aligned",
      .axis = {.name = "width", .summary = "points of the x axis"},
      .parameters = {form_parameter(),
                     {.name = "normalized",
                      .kind = ParamKind::boolean,
                      .default_value = "true",
                      .help = "coordinates in [-1, 1], or pixel coordinates"},
                     {.name = "depth",
                      .kind = ParamKind::size,
                      .default_value = "",
                      .help = "points of the z axis"},
                     {.name = "height",
                      .kind = ParamKind::size,
                      .default_value = "",
                      .help = "points of the y axis; with --depth adds figures for the whole "
                              "(1, D, H, W, 3) tensor"}},
      .formats = grid_formats(),
      .examples = {"halfulp sweep meshgrid3d --dtype f16 --widths 64 --height 48 --depth 16 "
                   "--backend triton-const"},
      .build = grid_axis,
      .range_max = grid_range_max,
      .tensor = tensor,
      .check = check,
  };
}

}  // namespace halfulp::cases
