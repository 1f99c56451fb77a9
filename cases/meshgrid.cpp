#include "cases/cases.h"
#include "cases/grid.h"

namespace halfulp::cases {
namespace {

/// (1, H, W, 2) with (x, y) last.
std::vector<TensorAxis> tensor(const Params& params, std::uint64_t width) {
  if (!is_set(params, "height")) return {};
  const std::uint64_t height = std::stoull(params.find("height")->second);
  return {{.name = "x", .size = width, .repeats = height, .swept = true, .dimension = 1},
          {.name = "y", .size = height, .repeats = width, .swept = false, .dimension = 0}};
}

}  // namespace

Case meshgrid() {
  return {
      .name = "meshgrid",
      .summary = "kornia's create_meshgrid: normalised or pixel coordinates of an image grid",
      .citation = "kornia issue 4030 and pull requests 4006, 4036, 4231",
      .axis = {.name = "width", .summary = "points of the x axis"},
      .parameters = {form_parameter(),
                     {.name = "align_corners",
                      .kind = ParamKind::boolean,
                      .default_value = "true",
                      .help = "(x / (n-1) - 0.5) * 2, or (2 x + 1) / n - 1"},
                     {.name = "normalized",
                      .kind = ParamKind::boolean,
                      .default_value = "true",
                      .help = "coordinates in [-1, 1], or pixel coordinates"},
                     {.name = "height",
                      .kind = ParamKind::size,
                      .default_value = "",
                      .help =
                          "points of the y axis; adds figures for the whole (1, H, W, 2) tensor"}},
      .formats = grid_formats(),
      .examples = {"halfulp sweep meshgrid --form arange --dtype bf16 --widths 300 --height 2 "
                   "--backend eager-cpu --reference fused-fp32"},
      .build = grid_axis,
      .range_max = grid_range_max,
      .tensor = tensor,
  };
}

}  // namespace halfulp::cases
