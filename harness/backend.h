// A backend is a name for "these rewrites, then this execution model": plain data.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/block.h"
#include "harness/format.h"
#include "harness/program.h"
#include "harness/reduction_order.h"

namespace halfulp {

enum class Casts : std::uint8_t { kept, folded, every_step };
enum class Intermediates : std::uint8_t { recomputed, stored };
enum class ConstantDivisor : std::uint8_t { divide, reciprocal };
enum class ScalarDividend : std::uint8_t { divide, reciprocal };
enum class Sizes : std::uint8_t { constant, runtime };
enum class DivisorRounding : std::uint8_t { exact, dtype };
enum class Contraction : std::uint8_t { off, linspace, on };

/// What the compiler does to a program before it runs. Each field selects a rewrite
/// (backends/rewrites.h).
struct Lowering {
  /// scalar / x: as written, or reciprocal(x) * scalar, as PyTorch's front end has it.
  ScalarDividend scalar_dividend = ScalarDividend::reciprocal;
  /// Narrow-then-widen casts between operations: kept, or folded so that one rounding is left; or
  /// operations in opmath rounded to the dtype too, so that every step is.
  Casts casts = Casts::kept;
  /// With folded casts: a value per index that is read again after a reduction over it is computed
  /// again, or was stored in the dtype in between (the reduction itself reads it unrounded).
  Intermediates intermediates = Intermediates::recomputed;
  /// With folded casts: does a typed ramp or size tensor keep its own rounding?
  Casts sources = Casts::kept;
  /// Numbers that come from a shape: constants (static shapes) or run-time values (dynamic).
  Sizes sizes = Sizes::constant;
  /// A run-time divisor is rounded to the dtype before it divides.
  DivisorRounding divisor = DivisorRounding::exact;
  /// Division by a constant: as written, or multiplication by the rounded reciprocal.
  ConstantDivisor constant_divisor = ConstantDivisor::divide;
  /// Multiply-add to fma: never, only inside the `linspace` kernel, or wherever the types allow it.
  Contraction contraction = Contraction::off;

  bool operator==(const Lowering&) const = default;
};

enum class Scalars : std::uint8_t { aten, opmath, type };
enum class Division : std::uint8_t { ieee, approximate };
/// Which candidate an approximate reciprocal returns; `all` stands for every admitted one, `device`
/// is what the CUDA device of this machine returns.
enum class World : std::uint8_t { all, nearest, below, above, device };
enum class RampTail : std::uint8_t { scalar, vector };
enum class Linspace : std::uint8_t { float32, stepwise, compiled };
enum class Rsqrt : std::uint8_t { float32, stepwise };
enum class Float8Overflow : std::uint8_t { saturate, nan };
/// A cast from binary64 to a format narrower than binary32: through binary32, rounding twice (as a
/// conversion that only exists from float does), or once.
enum class WideCasts : std::uint8_t { through_binary32, once };
enum class Accumulator : std::uint8_t { opmath, type, binary64 };
/// What min and max return where an operand is NaN: NaN, the other operand (fmin, fmax), or what
/// `a < b ? a : b` returns, which is b (x86's minps).
enum class Extremes : std::uint8_t { propagate, number, select };
/// The kernel of exp, log, …: not known; correctly rounded in binary32, then narrowed; correctly
/// rounded to the type of the operation; or somewhere within one ulp of the first in binary32 (one
/// world each for the neighbour below, the correctly rounded result, and above).
enum class Elementary : std::uint8_t {
  unmodelled,
  correct,
  correct_in_type,
  within_ulp,
  ulp_below,
  ulp_above,
};

/// Where and how values are rounded.
struct ExecutionModel {
  /// Python scalars: ATen's rule (rounded to the dtype in add and sub, float32 in mul and div), a
  /// float32 literal everywhere, or rounded to the type of the operation everywhere.
  Scalars scalars = Scalars::aten;
  /// Division of two tensors or by a run-time number.
  Division division = Division::ieee;
  /// Which float32 an approximate reciprocal returns, relative to the correctly rounded one.
  World reciprocal = World::all;
  /// Lanes of the vector blocks of a half-precision `arange`; 0 is the correct ramp.
  int arange_lanes = 0;
  /// What happens to the elements of an `arange` after the last whole pair of vectors.
  RampTail arange_tail = RampTail::vector;
  Linspace linspace = Linspace::compiled;
  Rsqrt rsqrt = Rsqrt::float32;
  Float8Overflow float8_overflow = Float8Overflow::saturate;
  WideCasts wide_casts = WideCasts::through_binary32;
  /// Order of sums, products and dot products; smallest and largest need none.
  ReductionOrder order{};
  /// Where partial results of a reduction are rounded: in the opmath format with one narrowing at
  /// the end, to the type of the operation at every step, or in binary64 (then to the opmath
  /// format, then to the type).
  Accumulator accumulator = Accumulator::opmath;
  Extremes extremes = Extremes::propagate;
  Elementary elementary = Elementary::unmodelled;

  bool operator==(const ExecutionModel&) const = default;
};

struct Backend;

/// Empty when the backend can run here; otherwise the reason it cannot.
using Availability = std::optional<std::string>;

struct Backend {
  std::string name;
  std::string summary;
  Lowering lowering{};
  ExecutionModel model{};
  /// Names of the fields that make sense to vary, as on the command line; for `list --verbose`.
  std::vector<std::string_view> varies{};
  Availability (*availability)(const Backend&) = nullptr;  ///< null: always available
  /// Compiles a case's program as written. Throws `Unsupported` where the backend cannot run it.
  std::unique_ptr<Evaluator> (*compile)(const Backend&, const Program&,
                                        const Format& dtype) = nullptr;
};

inline Availability availability_of(const Backend& backend) {
  return backend.availability != nullptr ? backend.availability(backend) : std::nullopt;
}

/// Why a backend cannot run a program; the rest of a sweep goes on.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Defined in backends/, which owns the list.

/// The shipped backends, in the order in which they are listed.
std::span<const Backend> all_backends();
/// `name` or `name+field=value+field=value`. Throws UsageError naming the nearest backend, field or
/// value.
Backend find_backend(std::string_view name_and_fields);
/// A field of a backend that `+field=value` varies.
struct FieldInfo {
  std::string_view name;
  std::vector<std::string_view> values;
  std::string_view summary;
};
std::vector<FieldInfo> backend_fields();
/// Current value of a field.
std::string field_value(const Backend& backend, std::string_view field);

/// The program after the backend's rewrites, for `list --verbose` and `explain`.
Program lowered(const Backend& backend, const Program& program);

/// True if the backend stands for several results of the program: the candidates of an approximate
/// reciprocal, the orders of `any`, or an elementary function within an ulp.
bool has_worlds(const Backend& backend, const Program& program, const Format& dtype);
/// The backends, one a world, each name ending in the fields that choose it, `+reciprocal=…`
/// (Evaluator::admitted says whether a divisor admits it), `+order=…` and `+elementary=…`. Just
/// `{backend}` if the result does not depend on the world or one is chosen.
std::vector<Backend> worlds(const Backend& backend, const Program& program, const Format& dtype);

}  // namespace halfulp
