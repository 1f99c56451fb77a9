// A formula written once: a short straight-line list of typed operations.
//
// Meaning. Over the real numbers every operation is exact and casts are the identity; that is what
// the oracle evaluates. For an engine, an operation typed F is computed in the opmath format of F
// (binary32, or binary64 for binary64) on exactly widened operands, then rounded to F.
//
// Shapes. A value is `uniform` (one number: a constant, a 0-dimensional tensor, anything computed
// from those) or a `map` (one number per index). A uniform operand of a map operation is broadcast.
// A reduction takes a whole map to a uniform value, and what follows broadcasts it again; the order
// and the accumulator belong to the execution model. A program whose inputs come in rows is
// evaluated for each row by itself: softmax of a batch, a small matrix times a vector.
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
  exp,
  log,
  log1p,  ///< log(1 + a)
  expm1,  ///< exp(a) - 1
  tanh,
  sigmoid,  ///< 1 / (1 + exp(-a))
  erf,
  equal,  ///< 1 where a == b, else 0 (NaN equals nothing)
  cast,
  cast_truncate,    ///< a cast that rounds towards zero
  cast_stochastic,  ///< a cast that rounds to a neighbour at random; the second operand is the seed
  // Reductions: a map to a uniform value. On no elements they give what the comment says.
  sum,               ///< 0
  product,           ///< 1
  dot,               ///< of two maps: the sum of a * b; 0
  smallest,          ///< NaN if any element is; inf
  largest,           ///< NaN if any element is; -inf
  index_of_largest,  ///< of the first largest element, or of the first NaN; NaN
  welford_mean,      ///< the mean by Welford's update: m += (x - m) / k; NaN
  welford_m2,        ///< sum of (x - mean)^2 by Welford's update: M2 += d * (x - m); 0
  chan_m2,           ///< the same by merging parts by Chan's formula; 0
  element,           ///< the element whose index the second operand, a constant, gives
};

std::string_view name(Op op);
/// Does the operation take a map to a uniform value?
bool is_reduction(Op op);
/// exp, log, log1p, expm1, tanh, sigmoid, erf: not algebraic, so exact only at a few points.
bool is_elementary(Op op);
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

/// What the source demands of a `sum`, whatever order its engine has for others.
enum class Algorithm : std::uint8_t { engine, pairwise, kahan, neumaier };

/// Is an input the same for every row, or has each row its own?
enum class Rows : std::uint8_t { shared, each };

struct Instruction {
  Op op;
  Type type;                                ///< ignored for `constant`
  std::array<ValueId, 3> operands{};        ///< the first arity(op) are meaningful
  Constant constant{};                      ///< for `constant`
  std::uint32_t input = 0;                  ///< for `input`: which one
  Rows rows = Rows::shared;                 ///< for `input`
  Algorithm algorithm = Algorithm::engine;  ///< for `sum`

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

/// How many reductions, one after the other, each value comes after.
std::vector<std::uint32_t> stages(const Program& program);

/// Results of a program over `rows` vectors of `count` elements: one an element, or one a vector.
std::uint64_t result_count(const Program& program, std::uint64_t count, std::uint64_t rows);
/// True if some input has values of its own for each row.
bool has_rows(const Program& program);

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
  ValueId input(std::uint32_t which, Rows rows = Rows::shared);
  ValueId arange(Type type, ValueId start, ValueId step);
  ValueId linspace(Type type, ValueId start, ValueId end);
  ValueId unary(Op op, Type type, ValueId a);
  ValueId binary(Op op, Type type, ValueId a, ValueId b);
  ValueId ternary(Op op, Type type, ValueId a, ValueId b, ValueId c);
  ValueId cast(Type type, ValueId a) { return unary(Op::cast, type, a); }
  /// A reduction of one map.
  ValueId reduce(Op op, Type type, ValueId a) { return unary(op, type, a); }
  ValueId sum(Type type, ValueId a, Algorithm algorithm = Algorithm::engine);
  ValueId append(const Instruction& instruction);

  Program finish(ValueId output) const { return {instructions_, output}; }

 private:
  std::vector<Instruction> instructions_;
};

}  // namespace halfulp
