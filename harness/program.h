// A formula written once: a short straight-line list of typed operations.
//
// Meaning. Over the real numbers every operation is exact and casts are the identity; that is what
// the oracle evaluates. For an engine, an operation typed F is computed in the opmath format of F
// (binary32, or binary64 for binary64) on exactly widened operands, then rounded to F.
//
// Shapes. A value is `uniform` (one number: a constant, a 0-dimensional tensor, anything computed
// from those) or a `map` (one number per index). A uniform operand of a map operation is broadcast.
// Reductions enter here without a new mechanism: a `reduce` operation takes a map to a uniform, and
// what follows broadcasts it again; the order and the accumulator belong to the execution model.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/exact_number.h"
#include "harness/format.h"

namespace halfulp {

enum class Op : std::uint8_t {
  constant,  ///< a Python number: no type of its own, the operation that uses it decides
  index,     ///< i, as an exact integer
  input,     ///< stored values of the case's dtype, one per index
  arange,    ///< start + i * step
  linspace,  ///< start + i * (end - start) / (n - 1)
  add,
  sub,
  mul,
  div,
  min,      ///< NaN if either is
  max,      ///< NaN if either is
  fma,      ///< a * b + c, rounded once
  div_add,  ///< a / b + c with the quotient not rounded: what contraction makes of `/` and `+`
  neg,
  abs,
  sqrt,
  rsqrt,       ///< 1 / sqrt(a)
  reciprocal,  ///< 1 / a
  floor,
  cast,
};

std::string_view name(Op op);
/// Number of value operands (for `arange` and `linspace` the two constants).
int arity(Op op);

/// The type of a value: the case's dtype, its opmath format, a fixed format, or an exact integer.
struct Type {
  enum class Kind : std::uint8_t { dtype, opmath, fixed, integer };
  Kind kind = Kind::dtype;
  Format fixed = binary32;  ///< only read when kind is `fixed`

  constexpr bool operator==(const Type& other) const {
    return kind == other.kind && (kind != Kind::fixed || fixed == other.fixed);
  }
};
inline constexpr Type dtype_type{Type::Kind::dtype};
inline constexpr Type opmath_type{Type::Kind::opmath};
inline constexpr Type integer_type{Type::Kind::integer};
constexpr Type fixed_type(const Format& format) { return {Type::Kind::fixed, format}; }

/// The format in which engines compute on values of `format`: binary64 for itself, else binary32.
constexpr Format opmath_format(const Format& format) {
  return format == binary64 ? binary64 : binary32;
}

/// What a Python number is known to be when the program is compiled.
enum class Origin : std::uint8_t {
  literal,  ///< written in the source: constant for every engine
  size,  ///< computed from a shape: a constant with static shapes, a run-time number with dynamic
};

/// scale * n + offset, n being the size that a sweep varies; scale 0 is a plain number.
struct Constant {
  std::int64_t scale = 0;
  ExactNumber offset;
  Origin origin = Origin::literal;

  constexpr bool operator==(const Constant&) const = default;
};

/// Value of a constant for a size. `n` must be an integer where scale is not 0 or 1.
ExactNumber bind(const Constant& constant, const ExactNumber& n);

using ValueId = std::uint32_t;

struct Instruction {
  Op op;
  Type type;                          ///< ignored for `constant`
  std::array<ValueId, 3> operands{};  ///< the first arity(op) are meaningful
  Constant constant{};                ///< for `constant`
  std::uint32_t input = 0;            ///< for `input`: which one

  constexpr bool operator==(const Instruction&) const = default;
};

enum class Shape : std::uint8_t { uniform, map };

/// Values are numbered by their instruction. Operands come before their uses.
struct Program {
  std::vector<Instruction> instructions;
  ValueId output = 0;

  bool operator==(const Program&) const = default;
  const Instruction& at(ValueId id) const { return instructions[id]; }
  /// The type of the result: what the oracle rounds to.
  Type output_type() const { return at(output).type; }
};

/// Format of a type when the case's dtype is `dtype`. Integers have none.
std::optional<Format> resolve(const Type& type, const Format& dtype);

/// Shape of every value.
std::vector<Shape> shapes(const Program& program);

/// How often each value is used as an operand; the output counts once more.
std::vector<int> use_counts(const Program& program);

/// Drops instructions that the output does not need and numbers the others by the order in which
/// the output needs them: the same for programs that were written down in another order.
Program without_dead_code(const Program& program);

/// One line an instruction, `%2 = div<T> %0, %1`; constants are written where they are used.
std::string to_string(const Program& program);
/// The same as one expression, `T(T(arange<T>(0, 1) / (n-1)) - 0.5)`.
std::string to_expression(const Program& program);
/// 64-bit hash of the printed form without dead code, the same on every machine and in every
/// version that prints the program alike.
std::uint64_t stable_hash(const Program& program);

/// Writes programs. Each call appends one instruction and returns its value.
class ProgramBuilder {
 public:
  ValueId literal(const ExactNumber& value);
  ValueId literal(std::int64_t value) { return literal(exact(value)); }
  /// scale * n + offset, a number that comes from a shape.
  ValueId size(std::int64_t scale = 1, std::int64_t offset = 0);
  ValueId index();
  ValueId input(std::uint32_t which);
  ValueId arange(Type type, ValueId start, ValueId step);
  ValueId linspace(Type type, ValueId start, ValueId end);
  ValueId unary(Op op, Type type, ValueId a);
  ValueId binary(Op op, Type type, ValueId a, ValueId b);
  ValueId ternary(Op op, Type type, ValueId a, ValueId b, ValueId c);
  ValueId cast(Type type, ValueId a) { return unary(Op::cast, type, a); }
  ValueId append(const Instruction& instruction);

  Program finish(ValueId output) const { return {instructions_, output}; }

 private:
  std::vector<Instruction> instructions_;
};

}  // namespace halfulp
