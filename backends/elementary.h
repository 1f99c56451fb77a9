// The elementary functions as engines with a known accuracy compute them in binary32.
#pragma once

#include "backends/kernels.h"
#include "harness/backend.h"
#include "harness/program.h"

namespace halfulp::backends {

/// exp, log, log1p, expm1, tanh, sigmoid or erf of x, rounded once to the nearest binary32 (ties
/// cannot occur but where the result is exact). The same bits with every mathematical library whose
/// double functions are within 2^-45 of the exact value (256 units in the last place; those in use
/// are within 2) and have the special values of C23's annex F.
///
/// A NaN is returned as it is; log and log1p are NaN below their domain and -inf at its end. Zeros
/// keep their sign in log1p, expm1, tanh and erf.
float correctly_rounded(Op op, float x);

/// out[i] = narrow(f(a[i])), f the correctly rounded binary32 result (Elementary::correct), or
/// rounded to odd there, so that the result is correctly rounded in the type that it is narrowed to
/// (correct_in_type; at most 22 bits, or binary32 itself); or the first one's neighbour below or
/// above (ulp_below, ulp_above). A result has no such neighbour, and stays as it is, where
///   - it is exact: NaN, f(+-inf), log(0), log1p(-1), and the arguments of which f is rational:
///     0, or 1 for log;
///   - it overflowed: the exact value lies more than an ulp beyond the largest finite one, from
///     which `ulp_above` does step to infinity;
///   - the neighbour would leave the range of f: exp and sigmoid are not below 0, expm1 not below
///     -1, sigmoid, tanh and erf not above 1, tanh and erf not below -1. No kernel is known that
///     does, but none promises it.
/// An underflow to zero is inexact: `ulp_above` steps to the smallest subnormal.
///
/// `narrowing.kind` is `kind` when the kernel runs. Throws std::logic_error for another operation,
/// and for `unmodelled` and `within_ulp`, which are no results (within_ulp stands for three).
KernelF32 elementary_kernel(Op op, Elementary elementary, Narrowing::Kind kind);

}  // namespace halfulp::backends
