#include <algorithm>
#include <cmath>

#include "cases/cases.h"
#include "cases/inputs.h"

namespace halfulp::cases {
namespace {

constexpr Type t = dtype_type;

/// (1 + h) - 1
ValueId halving(ProgramBuilder& b) {
  return b.binary(Op::sub, t, b.binary(Op::add, t, b.input(0), b.literal(1)), b.literal(1));
}

/// |3 (4/3 - 1) - 1|
ValueId four_thirds(ProgramBuilder& b) {
  const ValueId quotient = b.binary(Op::div, t, b.cast(t, b.literal(4)), b.literal(3));
  const ValueId third = b.binary(Op::sub, t, quotient, b.literal(1));
  const ValueId one = b.binary(Op::mul, t, third, b.literal(3));
  return b.unary(Op::abs, t, b.binary(Op::sub, t, one, b.literal(1)));
}

Program build(const Params& params, std::uint64_t) {
  ProgramBuilder b;
  return b.finish(params.find("form")->second == "halving" ? halving(b) : four_thirds(b));
}

/// 1, 1/2, 1/4, ... rounded to the dtype: 0 from where it has no smaller number.
std::vector<InputVector> halves(const Params&, const Format& dtype, const ExactNumber& length) {
  constexpr std::int64_t below_every_subnormal = 1100;
  std::vector<double> h;
  for (std::int64_t i = 0; i < length.numerator; ++i) {
    h.push_back(std::ldexp(1.0, static_cast<int>(-std::min(i, below_every_subnormal))));
  }
  return {from_values(h, dtype)};
}

}  // namespace

Case machine_epsilon() {
  return {
      .name = "machine-epsilon",
      .summary = "what the arithmetic takes for the spacing above 1",
      .citation = "Forsythe, Malcolm, Moler: Computer methods for mathematical computations",
      .axis = {.name = "width", .summary = "number of steps h = 1, 1/2, 1/4, ..."},
      .parameters = {{.name = "form",
                      .kind = ParamKind::choice,
                      .default_value = "halving",
                      .choices = {"halving", "four-thirds"},
                      .help = "(1 + h) - 1 for each h; |3 (4/3 - 1) - 1|, which is 0 exactly"}},
      .formats = {binary64, binary32, binary16, bfloat16},
      .examples = {"halfulp eval machine-epsilon --form halving --width 12 --dtype f16 "
                   "--backend stepwise"},
      .build = build,
      .vectors = halves,
  };
}

}  // namespace halfulp::cases
