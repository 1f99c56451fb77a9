// `halfulp eval`: the bits that a backend, or the oracle, returns.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "harness/axis.h"
#include "harness/case_options.h"
#include "harness/commands.h"
#include "harness/encoding.h"
#include "harness/error.h"
#include "harness/evaluate.h"
#include "harness/npy.h"
#include "harness/oracle.h"
#include "harness/report.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

struct EvalOptions {
  CaseOptions subject;
  std::string dtype = "bf16";
  std::string width;
  std::string backend;
  std::string npy;
};

struct Array {
  std::vector<std::uint64_t> encodings;
  std::vector<std::uint64_t> shape;
  Format format{};
};

/// Evaluates axes of one case, by a backend or by the oracle.
class AxisSource {
 public:
  AxisSource(const EvalOptions& o, const Params& params, const Format& dtype,
             const CommandContext& context)
      : case_(o.subject.subject()), params_(params), dtype_(dtype), context_(context) {
    backend_ = parse_backend_or_oracle(o.backend);
    if (!backend_) return;
    if (const Availability reason = availability_of(*backend_)) {
      throw UsageError(fmt::format("{} is unavailable: {}", o.backend, *reason));
    }
    const auto all = worlds(*backend_, case_.build(params, 2), dtype);
    if (all.size() > 1) {
      fmt::print(stderr, "halfulp: {} stands for several results; this is {}\n", o.backend,
                 all.front().name);
      backend_ = all.front();
    }
  }

  std::vector<std::uint64_t> evaluate(const ExactNumber& n) const {
    return backend_ ? by_backend(n) : by_oracle(n);
  }

 private:
  void check_interrupt() const {
    context_.is_polled = true;
    if (context_.interrupted) throw Failure(ExitCode::interrupted, "interrupted; nothing printed");
  }

  std::vector<std::uint64_t> by_backend(const ExactNumber& n) const {
    AxisRunner runner(*backend_, case_, params_, dtype_);
    std::vector<std::uint64_t> out;
    runner.run(n, [&](std::uint64_t, const Block& block) {
      check_interrupt();
      append(block, runner.output_format(), out);
    });
    if (!runner.admitted()) {
      throw UsageError(
          fmt::format("{} is not admitted for size {}: the documented bound of the "
                      "reciprocal rules it out",
                      backend_->name, to_string(n)));
    }
    return out;
  }

  std::vector<std::uint64_t> by_oracle(const ExactNumber& n) const {
    AxisBinder binder(case_, params_, dtype_);
    const Binding binding = binder.binding(n);
    const Program program = case_.build(params_, std::min<std::uint64_t>(binding.count, 2));
    const Format output = resolve(program.output_type(), dtype_).value_or(binary64);
    const auto oracle = make_oracle(OracleKind::checked, program, dtype_);
    oracle->bind(binding);
    const std::uint64_t results = result_count(program, binding.count, binding.rows);
    auto block = std::make_unique<OracleBlock>();
    std::vector<std::uint64_t> out;
    for (std::uint64_t first = 0; first < results; first += block_lanes) {
      check_interrupt();
      block->rounded.size =
          static_cast<std::size_t>(std::min<std::uint64_t>(block_lanes, results - first));
      oracle->evaluate(first, *block);
      append(block->rounded, output, out);
    }
    return out;
  }

  static void append(const Block& block, const Format& format, std::vector<std::uint64_t>& out) {
    for (std::size_t lane = 0; lane < block.size; ++lane) {
      out.push_back(encode_exact(block.value(lane), format));
    }
  }

  const Case& case_;
  const Params& params_;
  Format dtype_;
  const CommandContext& context_;
  std::optional<Backend> backend_;
};

ExactNumber own_axis_value(const EvalOptions& o, const Case& c, const Params& params,
                           const Format& dtype) {
  const auto values = c.axis_values(params, dtype);
  if (values.size() != 1) {
    throw UsageError(fmt::format("eval takes one --{}, not {}", c.axis.name, values.size()));
  }
  if (!o.width.empty() && (c.vectors == nullptr || o.width != to_string(values.front()))) {
    throw UsageError(c.vectors == nullptr ? fmt::format("{} takes no --width", c.name)
                                          : fmt::format("--width {} and a vector of {} values",
                                                        o.width, to_string(values.front())));
  }
  return values.front();
}

/// The axis value that the options name: the case's only one, or --width. Only a vector may be
/// empty.
ExactNumber axis_value(const EvalOptions& o, const Params& params, const Format& dtype) {
  const Case& c = o.subject.subject();
  if (has_own_axis(c, params, dtype)) return own_axis_value(o, c, params, dtype);
  if (o.width.empty()) throw UsageError("give --width, the number of points of the axis");
  if (o.width == "0" && c.vectors != nullptr) return exact(0);
  if (o.width == "0") throw Failure(ExitCode::empty, "an axis of width 0 has no points");
  const Widths widths = Widths::parse(o.width);
  if (widths.size() != 1) throw UsageError("eval takes one --width; sweep takes many");
  return exact(static_cast<std::int64_t>(widths[0]));
}

/// Interleaves the axes of a tensor: one coordinate per axis in the last dimension.
Array interleaved(const AxisSource& source, const std::vector<TensorAxis>& axes) {
  Array out;
  std::vector<std::vector<std::uint64_t>> coordinates;
  out.shape.assign(axes.size() + 2, 1);
  out.shape.back() = axes.size();
  std::uint64_t points = 1;
  for (const TensorAxis& axis : axes) {
    points *= axis.size;
    if (points > max_width) throw UsageError("a tensor of more than 2^24 points");
  }
  for (const TensorAxis& axis : axes) {
    coordinates.push_back(source.evaluate(exact(static_cast<std::int64_t>(axis.size))));
    out.shape[axis.dimension + 1] = axis.size;
  }
  for (std::uint64_t p = 0; p < points; ++p) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      std::uint64_t rest = p;  // digits of p in the mixed radix of the spatial dimensions
      for (std::size_t d = axes.size() - 1; d > axes[a].dimension; --d) rest /= out.shape[d + 1];
      out.encodings.push_back(coordinates[a][rest % axes[a].size]);
    }
  }
  return out;
}

Array evaluate(const EvalOptions& o, const CommandContext& context) {
  const Case& c = o.subject.subject();
  const Params params = o.subject.single();
  const std::vector<Format> dtypes = parse_dtypes(o.dtype, c);
  if (dtypes.size() != 1) throw UsageError("eval takes one --dtype");
  const Format& dtype = dtypes.front();
  if (c.check != nullptr) c.check(params, dtype);
  const ExactNumber n = axis_value(o, params, dtype);
  const AxisSource source(o, params, dtype, context);
  const auto axes = c.tensor != nullptr ? c.tensor(params, static_cast<std::uint64_t>(n.numerator))
                                        : std::vector<TensorAxis>{};
  Array out = axes.empty() ? Array{source.evaluate(n), {}, {}} : interleaved(source, axes);
  if (axes.empty()) out.shape = {out.encodings.size()};
  out.format = resolve(c.build(params, 2).output_type(), dtype).value_or(binary64);
  return out;
}

ExitCode eval(const EvalOptions& o, const CommandContext& context) {
  const Array array = evaluate(o, context);
  context.is_polled = false;
  if (array.encodings.empty())
    throw Failure(ExitCode::empty, "an empty vector has no results here");
  if (!o.npy.empty()) {
    write_atomically(o.npy, npy_file(array.encodings, array.format, array.shape));
    return ExitCode::as_expected;
  }
  for (std::size_t i = 0; i < array.encodings.size(); ++i) {
    fmt::print("{} {} {}\n", i, hex(array.encodings[i], array.format),
               decimal(array.encodings[i], array.format));
  }
  return ExitCode::as_expected;
}

}  // namespace

void add_eval_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand("eval", "the bits that a backend, or the oracle, returns");
  options->subject.add_to(*command);
  command->add_option("--dtype", options->dtype, "dtype [bf16]");
  command->add_option("--width", options->width, "number of points of the axis");
  command->add_option("--backend", options->backend, "a backend with +field=value, or oracle")
      ->required();
  command->add_option("--npy", options->npy, "write a NumPy array here instead of printing");
  command->footer(
      "Prints one `index 0xHEX value` line a point; with --height (and --depth) the whole tensor,\n"
      "coordinates last. A vector is given (--values, --input FILE.npy), filled (--fill V --width "
      "N) "
      "or\ndrawn (--distribution D --seed S --width N); only a vector may have width 0.\n"
      "Examples:\n"
      "  halfulp eval meshgrid --form arange --dtype bf16 --width 258 --backend eager-cpu\n"
      "  halfulp eval meshgrid --dtype f16 --width 5 --backend oracle\n"
      "  halfulp eval scalar-division --a 169 --b 13 --dtype f32 --backend cuda-aten\n"
      "  halfulp eval sum --dtype f16 --fill 1 --width 3000 --backend stepwise\n"
      "  halfulp eval softmax --dtype bf16 --values 100,101,-inf --backend oracle\n"
      "  halfulp eval sum --dtype f32 --distribution cancelling --seed 7 --width 1000 --backend "
      "fused-fp32+order=pairwise");
  command->callback([command, options, &context] {
    context.action = [command, options, &context] {
      check_options(*command);
      return eval(*options, context);
    };
  });
}

}  // namespace halfulp
