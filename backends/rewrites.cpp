#include "backends/rewrites.h"

#include <optional>

namespace halfulp::backends {
namespace {

/// Copies a program instruction by instruction, so that a rewrite only says what it changes.
class Copier {
 public:
  explicit Copier(const Program& from) : from_(from) { map_.resize(from.instructions.size()); }

  /// The instruction with its operands renumbered to the copy.
  Instruction translated(ValueId id) const {
    Instruction i = from_.at(id);
    for (int k = 0; k < arity(i.op); ++k) {
      auto& operand = i.operands[static_cast<std::size_t>(k)];
      operand = map_[operand];
    }
    return i;
  }
  ValueId of(ValueId id) const { return map_[id]; }
  void define(ValueId id, ValueId copy) { map_[id] = copy; }
  ProgramBuilder& builder() { return builder_; }
  Program finish() const { return without_dead_code(builder_.finish(map_[from_.output])); }

 private:
  const Program& from_;
  ProgramBuilder builder_;
  std::vector<ValueId> map_;
};

/// Applies `change` to each instruction; where it returns nothing the instruction is copied.
template <typename Change>
Program rewrite(const Program& program, Change change) {
  Copier copy(program);
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const std::optional<ValueId> changed = change(copy, id);
    copy.define(id, changed ? *changed : copy.builder().append(copy.translated(id)));
  }
  return copy.finish();
}

bool is_constant(const Program& p, ValueId id) { return p.at(id).op == Op::constant; }

/// Computed in opmath and not narrowed: what may be contracted with its use.
bool is_opmath(const Type& type) {
  return type.kind == Type::Kind::opmath ||
         (type.kind == Type::Kind::fixed && (type.fixed == binary32 || type.fixed == binary64));
}

bool is_narrow(const Type& type) {
  return type.kind == Type::Kind::dtype ||
         (type.kind == Type::Kind::fixed && type.fixed.precision < binary32.precision);
}

Type widened(const Type& type) { return is_narrow(type) ? opmath_type : type; }

ValueId negated(ProgramBuilder& b, const Program& original, ValueId original_id, ValueId copy,
                const Type& type) {
  if (!is_constant(original, original_id)) return b.unary(Op::neg, type, copy);
  Instruction i = original.at(original_id);
  i.constant.scale = -i.constant.scale;
  i.constant.offset.numerator = -i.constant.offset.numerator;
  return b.append(i);
}

/// Where a sum holds a `kind` (mul or div) that may be contracted into it.
struct Contractible {
  ValueId product;  ///< the multiplication or division
  ValueId other;    ///< the other operand of the sum
  bool product_first;
};
std::optional<Contractible> find_contractible(const Program& p, ValueId id, Op kind) {
  const Instruction& sum = p.at(id);
  if ((sum.op != Op::add && sum.op != Op::sub) || !is_opmath(sum.type)) return std::nullopt;
  for (const bool first : {true, false}) {
    const ValueId candidate = sum.operands[first ? 0 : 1];
    const Instruction& product = p.at(candidate);
    if (product.op == kind && product.type == sum.type) {
      return Contractible{candidate, sum.operands[first ? 1 : 0], first};
    }
  }
  return std::nullopt;
}

/// op(a, b, c) with the signs that make it equal to the sum `id`.
ValueId contracted(Copier& copy, const Program& p, ValueId id, const Contractible& found, Op op) {
  const Instruction& sum = p.at(id);
  const Instruction& product = p.at(found.product);
  ProgramBuilder& b = copy.builder();
  ValueId x = copy.of(product.operands[0]);
  const ValueId y = copy.of(product.operands[1]);
  ValueId z = copy.of(found.other);
  if (sum.op == Op::sub) {
    if (found.product_first) {
      z = negated(b, p, found.other, z, sum.type);
    } else {
      x = negated(b, p, product.operands[0], x, sum.type);
    }
  }
  return b.ternary(op, sum.type, x, y, z);
}

}  // namespace

Program reciprocal_dividend(const Program& program) {
  const auto shape = shapes(program);
  return rewrite(program, [&](Copier& copy, ValueId id) -> std::optional<ValueId> {
    const Instruction i = copy.translated(id);
    const Instruction& original = program.at(id);
    if (i.op != Op::div || !is_constant(program, original.operands[0]) ||
        shape[original.operands[1]] == Shape::uniform) {
      return std::nullopt;
    }
    const ValueId r = copy.builder().unary(Op::reciprocal, i.type, i.operands[1]);
    return copy.builder().binary(Op::mul, i.type, r, i.operands[0]);
  });
}

Program round_size_divisors(const Program& program) {
  return rewrite(program, [&](Copier& copy, ValueId id) -> std::optional<ValueId> {
    Instruction i = copy.translated(id);
    if (i.op != Op::div) return std::nullopt;
    const Instruction& divisor = program.at(program.at(id).operands[1]);
    if (divisor.op != Op::constant || divisor.constant.origin != Origin::size) return std::nullopt;
    i.operands[1] = copy.builder().cast(i.type, i.operands[1]);
    return copy.builder().append(i);
  });
}

Program fold_casts(const Program& program, Casts sources) {
  Program folded = rewrite(program, [&](Copier& copy, ValueId id) -> std::optional<ValueId> {
    Instruction i = copy.translated(id);
    if (!is_narrow(i.type) || i.op == Op::constant || i.op == Op::input) return std::nullopt;
    // A rounding that is not to nearest is no mere narrowing.
    if (i.op == Op::cast_truncate || i.op == Op::cast_stochastic) return std::nullopt;
    if (i.op == Op::cast) {
      const Instruction& operand = program.at(program.at(id).operands[0]);
      const bool is_source = operand.op == Op::constant;
      if (is_source && sources == Casts::kept) return std::nullopt;
      const bool needs_conversion = is_source || operand.type.kind == Type::Kind::integer;
      if (!needs_conversion) return i.operands[0];
    }
    if (i.op == Op::arange && sources == Casts::kept) return std::nullopt;
    i.type = widened(i.type);
    return copy.builder().append(i);
  });
  if (folded.output_type() == program.output_type()) return folded;
  folded.instructions.push_back(
      {.op = Op::cast, .type = program.output_type(), .operands = {folded.output, 0, 0}});
  folded.output = static_cast<ValueId>(folded.instructions.size() - 1);
  return folded;
}

Program round_every_step(const Program& program) {
  return rewrite(program, [&](Copier& copy, ValueId id) -> std::optional<ValueId> {
    Instruction i = copy.translated(id);
    if (i.type.kind != Type::Kind::opmath) return std::nullopt;
    i.type = dtype_type;
    return copy.builder().append(i);
  });
}

Program store_intermediates(const Program& program) {
  const auto shape = shapes(program);
  const auto stage = stages(program);
  return rewrite(program, [&](Copier& copy, ValueId id) -> std::optional<ValueId> {
    if (shape[id] != Shape::map) return std::nullopt;
    Instruction i = copy.translated(id);
    for (int k = 0; k < arity(i.op); ++k) {
      const ValueId from = program.at(id).operands[static_cast<std::size_t>(k)];
      const bool is_computed = arity(program.at(from).op) > 0;
      if (shape[from] != Shape::map || stage[from] == stage[id] || !is_computed) continue;
      ValueId& operand = i.operands[static_cast<std::size_t>(k)];
      operand = copy.builder().cast(dtype_type, operand);
    }
    return copy.builder().append(i);
  });
}

Program reciprocal_divisors(const Program& program, Sizes sizes, bool fold_uniform) {
  std::vector<bool> known;  // at compile time
  const auto shape = shapes(program);
  for (const Instruction& i : program.instructions) {
    bool all = i.op == Op::constant
                   ? i.constant.origin == Origin::literal || sizes == Sizes::constant
                   : fold_uniform && shape[known.size()] == Shape::uniform;
    for (int k = 0; k < arity(i.op); ++k)
      all = all && known[i.operands[static_cast<std::size_t>(k)]];
    known.push_back(all);
  }
  return rewrite(program, [&](Copier& copy, ValueId id) -> std::optional<ValueId> {
    const Instruction i = copy.translated(id);
    const Instruction& original = program.at(id);
    if (i.op != Op::div || !known[original.operands[1]] ||
        shape[original.operands[0]] == Shape::uniform) {
      return std::nullopt;
    }
    const ValueId r = copy.builder().unary(Op::reciprocal, opmath_type, i.operands[1]);
    return copy.builder().binary(Op::mul, i.type, i.operands[0], r);
  });
}

Program contract_multiply_add(const Program& program) {
  return rewrite(program, [&](Copier& copy, ValueId id) -> std::optional<ValueId> {
    const auto found = find_contractible(program, id, Op::mul);
    if (!found) return std::nullopt;
    return contracted(copy, program, id, *found, Op::fma);
  });
}

Program contract_divide_add(const Program& program) {
  const auto uses = use_counts(program);
  return rewrite(program, [&](Copier& copy, ValueId id) -> std::optional<ValueId> {
    const auto found = find_contractible(program, id, Op::div);
    if (!found || uses[found->product] != 1) return std::nullopt;
    return contracted(copy, program, id, *found, Op::div_add);
  });
}

std::vector<NamedRewrite> rewrites_of(const Backend& backend) {
  const Lowering& lowering = backend.lowering;
  std::vector<NamedRewrite> out;
  if (lowering.scalar_dividend == ScalarDividend::reciprocal) {
    out.push_back({"reciprocal-dividend",
                   [](const Program& p, const Backend&) { return reciprocal_dividend(p); }});
  }
  if (lowering.divisor == DivisorRounding::dtype) {
    out.push_back({"round-size-divisors",
                   [](const Program& p, const Backend&) { return round_size_divisors(p); }});
  }
  if (lowering.casts == Casts::folded) {
    out.push_back({"fold-casts", [](const Program& p, const Backend& b) {
                     return fold_casts(p, b.lowering.sources);
                   }});
    if (lowering.intermediates == Intermediates::stored) {
      out.push_back({"store-intermediates",
                     [](const Program& p, const Backend&) { return store_intermediates(p); }});
    }
  }
  if (lowering.casts == Casts::every_step) {
    out.push_back(
        {"round-every-step", [](const Program& p, const Backend&) { return round_every_step(p); }});
  }
  if (lowering.constant_divisor == ConstantDivisor::reciprocal) {
    out.push_back({"reciprocal-divisors", [](const Program& p, const Backend& b) {
                     return reciprocal_divisors(p, b.lowering.sizes,
                                                b.lowering.casts == Casts::folded);
                   }});
  }
  if (lowering.contraction == Contraction::on) {
    out.push_back({"contract-multiply-add",
                   [](const Program& p, const Backend&) { return contract_multiply_add(p); }});
    if (backend.model.division == Division::approximate) {
      out.push_back({"contract-divide-add",
                     [](const Program& p, const Backend&) { return contract_divide_add(p); }});
    }
  }
  return out;
}

}  // namespace halfulp::backends

namespace halfulp {

Program lowered(const Backend& backend, const Program& program) {
  Program out = program;
  for (const auto& rewrite : backends::rewrites_of(backend)) out = rewrite.apply(out, backend);
  return out;
}

}  // namespace halfulp
