#include <fmt/format.h>

#include "cases/cases.h"
#include "cases/inputs.h"
#include "cases/loss_scale_rule.h"
#include "cases/vectors.h"
#include "harness/encoding.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

constexpr VectorDefaults defaults{.distribution = "log-uniform", .low = "1e-9", .high = "1e-3"};
constexpr Type f64 = fixed_type(binary64);

std::string_view text(const Params& params, std::string_view name) {
  return params.find(name)->second;
}
ExactNumber number(const Params& params, std::string_view name) {
  return parse_exact_number(text(params, name));
}

// Inputs: the gradients and, for the dynamic scale, the one that each step uses and the one that it
// leaves.
constexpr std::uint32_t gradients_input = 0;
constexpr std::uint32_t used_input = 1;
constexpr std::uint32_t after_input = 2;

/// How many of the values are zero that were not zero before, over their number, in binary64.
ValueId fraction_lost(ProgramBuilder& b, ValueId gradients, ValueId stored) {
  const auto is_zero = [&](ValueId x) {
    return b.binary(Op::equal, f64, b.cast(f64, x), b.literal(0));
  };
  const ValueId lost = b.binary(Op::sub, f64, is_zero(stored), is_zero(gradients));
  return b.binary(Op::div, f64, b.sum(f64, lost), b.size());
}

Program build(const Params& params, std::uint64_t) {
  const std::string_view form = text(params, "form");
  const Type to = fixed_type(parse_format(text(params, "to")));
  ProgramBuilder b;
  if (text(params, "output") == "scale") return b.finish(b.input(after_input));
  const ValueId gradients = b.input(gradients_input);
  const bool is_scaled = form != "unscaled";
  const ValueId scale = !is_scaled          ? gradients
                        : form == "dynamic" ? b.input(used_input)
                                            : b.literal(number(params, "scale"));
  const ValueId scaled = is_scaled ? b.binary(Op::mul, dtype_type, gradients, scale) : gradients;
  const ValueId stored = b.cast(to, scaled);
  if (text(params, "output") == "fraction") return b.finish(fraction_lost(b, gradients, stored));
  const ValueId read = b.cast(dtype_type, stored);
  return b.finish(is_scaled ? b.binary(Op::div, dtype_type, read, scale) : read);
}

LossScaleRule rule_of(const Params& params) {
  return {.initial = to_double(number(params, "init_scale")),
          .growth = to_double(number(params, "growth")),
          .backoff = to_double(number(params, "backoff")),
          .interval = static_cast<std::uint64_t>(number(params, "growth_interval").numerator),
          .minimum = to_double(number(params, "min_scale")),
          .maximum = to_double(number(params, "max_scale"))};
}

std::vector<InputVector> vectors(const Params& params, const Format& dtype,
                                 const ExactNumber& length) {
  std::vector<InputVector> out = one_vector(params, dtype, length);
  if (text(params, "form") != "dynamic") return out;
  const Format to = parse_format(text(params, "to"));
  const auto overflows = [&, gradients = out.front()](std::size_t step, double scale) {
    const double scaled = to_double(rounded(gradients.value(step) * scale, dtype), dtype);
    return !is_finite(rounded(scaled, to), to);
  };
  const auto steps = static_cast<std::size_t>(length.numerator);
  const LossScaleSchedule schedule = loss_scale_schedule(rule_of(params), steps, overflows);
  out.push_back(from_values(schedule.used, dtype));
  out.push_back(from_values(schedule.after, dtype));
  return out;
}

void check_rule(const LossScaleRule& rule) {
  if (!(rule.growth >= 1)) {
    throw UsageError(fmt::format("--growth {}: at least 1 is needed", rule.growth));
  }
  if (!(rule.backoff > 0 && rule.backoff <= 1)) {
    throw UsageError(fmt::format("--backoff {}: a number in (0, 1] is needed", rule.backoff));
  }
  if (!(0 < rule.minimum && rule.minimum <= rule.initial && rule.initial <= rule.maximum)) {
    throw UsageError(fmt::format("--init-scale {} is not between --min-scale {} and --max-scale {}",
                                 rule.initial, rule.minimum, rule.maximum));
  }
}

void check(const Params& params, const Format& dtype) {
  const std::string_view form = text(params, "form");
  if (text(params, "output") == "scale" && form != "dynamic") {
    throw UsageError("loss-scaling: only --form dynamic has an --output scale");
  }
  if (number(params, "scale").numerator <= 0) {
    throw UsageError(fmt::format("--scale {} is not positive", text(params, "scale")));
  }
  check_rule(rule_of(params));
  check_vectors(params, dtype, defaults);
}

std::vector<Parameter> rule_parameters() {
  return {{.name = "init_scale",
           .kind = ParamKind::number,
           .default_value = "65536",
           .help = "dynamic: the first scale"},
          {.name = "growth_interval",
           .kind = ParamKind::size,
           .default_value = "2000",
           .help = "dynamic: good steps in a row before the scale grows"},
          {.name = "growth",
           .kind = ParamKind::number,
           .default_value = "2",
           .help = "dynamic: factor of the growth"},
          {.name = "backoff",
           .kind = ParamKind::number,
           .default_value = "0.5",
           .help = "dynamic: factor at an overflow"},
          {.name = "min_scale",
           .kind = ParamKind::number,
           .default_value = "1",
           .help = "dynamic: the smallest scale"},
          {.name = "max_scale",
           .kind = ParamKind::number,
           .default_value = "16777216",
           .help = "dynamic: the largest scale"}};
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> own{
      {.name = "form",
       .kind = ParamKind::choice,
       .default_value = "unscaled",
       .choices = {"unscaled", "scaled", "dynamic"},
       .help = "gradients stored as they are, times --scale, or times a scale that each step (an "
               "element is a step) updates"},
      {.name = "output",
       .kind = ParamKind::choice,
       .default_value = "fraction",
       .choices = {"fraction", "gradients", "scale"},
       .help = "the fraction of gradients that become zero, in binary64; the gradients after "
               "storing and unscaling; the scale after each step"},
      {.name = "to",
       .kind = ParamKind::choice,
       .default_value = "f16",
       .choices = {"f16", "bf16", "e4m3", "e5m2"},
       .help = "the format that gradients are stored in"},
      {.name = "scale",
       .kind = ParamKind::number,
       .default_value = "1024",
       .help = "the scale of --form scaled"}};
  const auto rule = rule_parameters();
  own.insert(own.end(), rule.begin(), rule.end());
  return with_vectors(std::move(own), defaults);
}

}  // namespace

Case loss_scaling() {
  return {
      .name = "loss-scaling",
      .summary = "gradients that underflow when stored, with and without a loss scale",
      .citation = "Micikevicius et al.: Mixed precision training; torch.amp.GradScaler",
      .axis = {.name = "width", .summary = "number of gradients, or of steps"},
      .parameters = parameters(),
      .formats = {binary64, binary32, bfloat16},
      .examples = {"halfulp eval loss-scaling --form scaled --scale 1024 --dtype f32 --seed 1 "
                   "--width 1000 --backend stepwise",
                   "halfulp eval loss-scaling --form dynamic --output scale --dtype f32 --fill 1 "
                   "--width 4 --backend stepwise"},
      .build = build,
      .axis_values = vector_axis,
      .vectors = vectors,
      .check = check,
  };
}

}  // namespace halfulp::cases
