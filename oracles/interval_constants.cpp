#include "oracles/interval_constants.h"

namespace halfulp::oracles {
namespace {

// Bits that the error of the series stays below: at most 2^12 terms, each cut off by less than 2
// units, and factors of at most 16.
constexpr unsigned guard_bits = 32;

/// 2^bits * atan(1/n) = 2^bits * sum (-1)^k / ((2k+1) n^(2k+1)), or atanh with `sign` = 1, within
/// 2 units a term.
Integer scaled_arctangent(unsigned n, int sign, unsigned bits) {
  Integer power = (Integer(1) << bits) / n;
  Integer sum = power;
  for (unsigned k = 1; !power.is_zero(); ++k) {
    power /= n * n;
    const Integer term = power / (2 * k + 1);
    sum += sign < 0 && k % 2 == 1 ? Integer(-term) : term;
  }
  return sum;
}

/// Drops the guard bits of a number that is wrong by less than 2^(guard_bits - 1).
Integer without_guard(const Integer& x) {
  return (x - (Integer(1) << (guard_bits - 1))) >> guard_bits;
}

}  // namespace

// ln 2 = 2 atanh(1/3).
Integer scaled_ln2(unsigned bits) {
  return without_guard(2 * scaled_arctangent(3, 1, bits + guard_bits));
}

// Machin: pi = 16 atan(1/5) - 4 atan(1/239).
Integer scaled_pi(unsigned bits) {
  const unsigned wide = bits + guard_bits;
  return without_guard(16 * scaled_arctangent(5, -1, wide) - 4 * scaled_arctangent(239, -1, wide));
}

}  // namespace halfulp::oracles
