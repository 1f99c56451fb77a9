// The shipped backends: one aggregate each. Facts and their sources: README, "Engines".
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/cuda_device.h"
#include "backends/fields.h"
#include "backends/interpreter.h"
#include "backends/plan_reduction.h"
#include "harness/backend.h"
#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

const Lowering compiled_cpu{.casts = Casts::folded};
const ExecutionModel compiled_cpu_model{.scalars = Scalars::opmath, .arange_lanes = 32};

const Lowering idealised{
    .scalar_dividend = ScalarDividend::divide, .casts = Casts::folded, .sources = Casts::folded};

const ReductionOrder sequential{.kind = ReductionOrder::Kind::sequential};

const Lowering textbook{.scalar_dividend = ScalarDividend::divide, .casts = Casts::every_step};
const ExecutionModel textbook_model{.scalars = Scalars::type,
                                    .linspace = Linspace::stepwise,
                                    .rsqrt = Rsqrt::stepwise,
                                    .wide_casts = WideCasts::once,
                                    .order = sequential,
                                    .accumulator = Accumulator::type,
                                    .elementary = Elementary::correct_in_type};

const Lowering triton_static{.casts = Casts::folded,
                             .sources = Casts::folded,
                             .constant_divisor = ConstantDivisor::reciprocal,
                             .contraction = Contraction::on};
const ExecutionModel triton_model{.scalars = Scalars::opmath, .division = Division::approximate};

/// A model can run anywhere; the device's own reciprocal needs the device.
Availability triton_availability(const Backend& backend) {
  return backend.model.reciprocal == World::device ? cuda_unavailable_reason() : std::nullopt;
}

ExecutionModel on_device(ExecutionModel model) {
  model.reciprocal = World::device;
  return model;
}

Lowering without_contraction(Lowering lowering) {
  lowering.contraction = Contraction::off;
  return lowering;
}
Lowering with_runtime_sizes(Lowering lowering) {
  lowering.sizes = Sizes::runtime;
  return lowering;
}

const std::array<Backend, 12> backends_list{{
    {.name = "eager-cpu",
     .summary = "PyTorch eager on an x86 CPU: float32 arithmetic, one narrowing after every op",
     .lowering = {.contraction = Contraction::linspace},
     .model = {.arange_lanes = 16, .arange_tail = RampTail::scalar, .linspace = Linspace::float32},
     .varies = {"arange_lanes", "linspace", "contraction", "rsqrt"},
     .compile = backends::compile},
    {.name = "inductor-cpu",
     .summary =
         "PyTorch compiled on CPU, static shapes: typed ramp, one float32 chain, one narrowing",
     .lowering = compiled_cpu,
     .model = compiled_cpu_model,
     .varies = {"arange_lanes"},
     .compile = backends::compile},
    {.name = "inductor-cpu-dynamic",
     .summary = "the same with dynamic shapes: a run-time divisor is rounded to the dtype first",
     .lowering = {.casts = Casts::folded,
                  .sizes = Sizes::runtime,
                  .divisor = DivisorRounding::dtype},
     .model = compiled_cpu_model,
     .varies = {"arange_lanes", "divisor"},
     .compile = backends::compile},
    {.name = "fused-fp32",
     .summary =
         "the idealised compiler: exact index, one float32 chain, one narrowing at the store",
     .lowering = idealised,
     .model = {.scalars = Scalars::opmath,
               .wide_casts = WideCasts::once,
               .order = sequential,
               .elementary = Elementary::correct},
     .varies = {"order", "accumulator", "intermediates", "elementary", "contraction"},
     .compile = backends::compile},
    {.name = "stepwise",
     .summary = "the textbook's machine: every operation, constant and partial sum rounded to the "
                "dtype",
     .lowering = textbook,
     .model = textbook_model,
     .varies = {"order", "accumulator", "elementary", "extremes"},
     .compile = backends::compile},
    {.name = "fused-fp32-recip",
     .summary = "fused-fp32 multiplying by the rounded reciprocal of a constant divisor",
     .lowering = {.scalar_dividend = ScalarDividend::divide,
                  .casts = Casts::folded,
                  .sources = Casts::folded,
                  .constant_divisor = ConstantDivisor::reciprocal},
     .model = {.scalars = Scalars::opmath},
     .compile = backends::compile},
    {.name = "cuda-aten",
     .summary = "PyTorch eager on CUDA: division by a Python scalar multiplies by the reciprocal",
     .lowering = {.constant_divisor = ConstantDivisor::reciprocal,
                  .contraction = Contraction::linspace},
     .model = {.linspace = Linspace::float32},
     .varies = {"linspace", "contraction"},
     .compile = backends::compile},
    {.name = "triton-const",
     .summary = "Inductor on CUDA, static shapes: reciprocal multiply contracted with the next add",
     .lowering = triton_static,
     .model = triton_model,
     .varies = {"contraction", "reciprocal"},
     .availability = triton_availability,
     .compile = backends::compile},
    {.name = "triton-const-nofma",
     .summary = "triton-const with floating-point fusion disabled",
     .lowering = without_contraction(triton_static),
     .model = triton_model,
     .varies = {"reciprocal"},
     .availability = triton_availability,
     .compile = backends::compile},
    {.name = "triton-div",
     .summary = "Inductor on CUDA, dynamic shapes: approximate division (one world a candidate "
                "reciprocal), contracted",
     .lowering = with_runtime_sizes(triton_static),
     .model = triton_model,
     .varies = {"reciprocal", "contraction"},
     .availability = triton_availability,
     .compile = backends::compile},
    {.name = "triton-div-nofma",
     .summary = "triton-div with the quotient rounded before the add",
     .lowering = with_runtime_sizes(without_contraction(triton_static)),
     .model = triton_model,
     .varies = {"reciprocal"},
     .availability = triton_availability,
     .compile = backends::compile},
    {.name = "triton-div-device",
     .summary = "triton-div with the reciprocals that this machine's CUDA device returns",
     .lowering = with_runtime_sizes(triton_static),
     .model = on_device(triton_model),
     .varies = {"contraction"},
     .availability = triton_availability,
     .compile = backends::compile},
}};

}  // namespace

std::span<const Backend> all_backends() { return backends_list; }

Backend find_backend(std::string_view name_and_fields) {
  const std::string_view base = name_and_fields.substr(0, name_and_fields.find('+'));
  const auto* found = std::ranges::find(backends_list, base, &Backend::name);
  if (found == backends_list.end()) {
    std::vector<std::string_view> known;
    for (const Backend& b : backends_list) known.push_back(b.name);
    throw UsageError(unknown_name("backend", base, known));
  }
  Backend backend = *found;
  std::string_view rest = name_and_fields.substr(base.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view field = rest.substr(0, rest.find('+'));
    const auto equals = field.find('=');
    if (equals == std::string_view::npos) {
      throw UsageError("backend '" + std::string(name_and_fields) +
                       "': expected +field=value, not '+" + std::string(field) + "'");
    }
    backends::set_field(backend, field.substr(0, equals), field.substr(equals + 1));
    rest.remove_prefix(field.size());
  }
  backend.name = std::string(name_and_fields);
  return backend;
}

namespace {

bool depends_on_reciprocal(const Backend& backend, const Program& low, const Format& dtype) {
  if (backend.model.division != Division::approximate || backend.model.reciprocal != World::all) {
    return false;
  }
  return std::ranges::any_of(low.instructions, [&](const Instruction& i) {
    return (i.op == Op::div || i.op == Op::div_add) && resolve(i.type, dtype) &&
           carrier_of(*resolve(i.type, dtype)) == Carrier::f32;
  });
}

/// A field that stands for several values, with those.
struct WorldField {
  std::string_view field;
  std::vector<std::string> values;
};

std::vector<WorldField> world_fields(const Backend& backend, const Program& program,
                                     const Format& dtype) {
  const ExecutionModel& model = backend.model;
  const bool has_any = model.order.kind == ReductionOrder::Kind::any;
  const bool has_interval = model.elementary == Elementary::within_ulp;
  const bool has_reciprocals =
      model.division == Division::approximate && model.reciprocal == World::all;
  std::vector<WorldField> out;
  if (!has_any && !has_interval && !has_reciprocals) return out;
  const Program low = lowered(backend, program);
  if (has_reciprocals && depends_on_reciprocal(backend, low, dtype)) {
    out.push_back({"reciprocal", {"nearest", "below", "above"}});
  }
  if (has_any && std::ranges::any_of(low.instructions, backends::depends_on_order)) {
    out.push_back({"order", {}});
    for (const ReductionOrder& order : sample_orders()) {
      out.back().values.push_back(to_string(order));
    }
  }
  if (has_interval && std::ranges::any_of(low.instructions, [](const Instruction& i) {
        return is_elementary(i.op);
      })) {
    out.push_back({"elementary", {"correct", "ulp-below", "ulp-above"}});
  }
  return out;
}

/// `name+field=value`, in place of what the name says of the field.
std::string name_with(const std::string& name, std::string_view field, const std::string& value) {
  const std::string start = fmt::format("+{}=", field);
  std::string out = name;
  if (const std::size_t from = out.find(start); from != std::string::npos) {
    const std::size_t to = std::min(out.find('+', from + 1), out.size());
    out.erase(from, to - from);
  }
  return out + start + value;
}

}  // namespace

bool has_worlds(const Backend& backend, const Program& program, const Format& dtype) {
  return !world_fields(backend, program, dtype).empty();
}

std::vector<Backend> worlds(const Backend& backend, const Program& program, const Format& dtype) {
  std::vector<Backend> out{backend};
  for (const WorldField& field : world_fields(backend, program, dtype)) {
    std::vector<Backend> more;
    for (const Backend& one : out) {
      for (const std::string& value : field.values) {
        more.push_back(one);
        backends::set_field(more.back(), field.field, value);
        more.back().name = name_with(one.name, field.field, value);
      }
    }
    out = std::move(more);
  }
  return out;
}

}  // namespace halfulp
