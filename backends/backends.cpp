// The shipped backends: one aggregate each. Facts and their sources: README, "Engines".
#include <algorithm>
#include <array>

#include "backends/cuda_device.h"
#include "backends/fields.h"
#include "backends/interpreter.h"
#include "harness/backend.h"
#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

const Lowering compiled_cpu{.casts = Casts::folded};
const ExecutionModel compiled_cpu_model{.scalars = Scalars::opmath, .arange_lanes = 32};

const Lowering idealised{
    .scalar_dividend = ScalarDividend::divide, .casts = Casts::folded, .sources = Casts::folded};

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

const std::array<Backend, 11> backends_list{{
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
     .model = {.scalars = Scalars::opmath},
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

bool has_worlds(const Backend& backend, const Program& program, const Format& dtype) {
  if (backend.model.division != Division::approximate || backend.model.reciprocal != World::all) {
    return false;
  }
  const Program low = lowered(backend, program);
  return std::ranges::any_of(low.instructions, [&](const Instruction& i) {
    return (i.op == Op::div || i.op == Op::div_add) && resolve(i.type, dtype) &&
           carrier_of(*resolve(i.type, dtype)) == Carrier::f32;
  });
}

std::vector<Backend> worlds(const Backend& backend, const Program& program, const Format& dtype) {
  if (!has_worlds(backend, program, dtype)) return {backend};
  std::vector<Backend> out;
  for (const std::string_view world : {"nearest", "below", "above"}) {
    Backend one = backend;
    backends::set_field(one, "reciprocal", world);
    one.name += "+reciprocal=" + std::string(world);
    out.push_back(one);
  }
  return out;
}

}  // namespace halfulp
