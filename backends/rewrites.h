// What compilers do to a program. Each rewrite is pure: it returns a new program of the same
// meaning over the real numbers.
#pragma once

#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/program.h"

namespace halfulp::backends {

/// scalar / x becomes reciprocal(x) * scalar, in the type of the division.
Program reciprocal_dividend(const Program& program);

/// x / size becomes x / cast(size) to the type of the division: a run-time divisor is rounded to
/// it.
Program round_size_divisors(const Program& program);

/// Every operation moves to the opmath format and casts between operations disappear; one narrowing
/// is left, at the result. `linspace` becomes opmath too. A typed `arange` and the cast of a
/// constant (a 0-dimensional tensor) keep their own rounding where `sources` is `kept`.
Program fold_casts(const Program& program, Casts sources);

/// Operations in opmath, and casts to it, move to the dtype: every step is rounded there. Fixed
/// formats stay.
Program round_every_step(const Program& program);

/// A value per index that is read after a reduction that it came before is read as stored: rounded
/// to the dtype.
Program store_intermediates(const Program& program);

/// x / c becomes x * reciprocal(c), the reciprocal rounded to opmath, for divisors known at compile
/// time: literals; sizes if they are constants; and, if `fold_uniform`, whatever is computed from
/// those.
Program reciprocal_divisors(const Program& program, Sizes sizes, bool fold_uniform);

/// a * b + c becomes fma(a, b, c) where the product is in opmath and has the type of the sum; the
/// same for a * b - c and c - a * b. The first product of a sum of two is taken.
Program contract_multiply_add(const Program& program);

/// a / b + c becomes div_add(a, b, c) likewise, if the sum is the quotient's only use.
Program contract_divide_add(const Program& program);

/// A rewrite as a backend applies it.
struct NamedRewrite {
  std::string_view name;
  Program (*apply)(const Program& program, const Backend& backend);
};

/// The rewrites that a backend's lowering selects, in the order in which they apply.
std::vector<NamedRewrite> rewrites_of(const Backend& backend);

}  // namespace halfulp::backends
