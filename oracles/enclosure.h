// What is known of a result: its exact value, or rational bounds; and what follows from that.
#pragma once

#include <optional>
#include <string>

#include "oracles/exact_value.h"
#include "oracles/round_once.h"

namespace halfulp::oracles {

/// An exact result, or bounds of a finite real number with low <= the number <= high.
struct Enclosure {
  ExactValue low;
  ExactValue high;  ///< `low` where the result is exact; -0 where nothing positive is meant
  bool is_exact = false;

  bool straddles_zero() const { return !is_exact && low.is_negative() && !high.is_negative(); }
};

/// The result rounded once, or nothing where the bounds round apart. Bounds on both sides of zero
/// that round to zeros give +0 (in the directed modes and to odd: bounds far below the smallest
/// subnormal). Only exact results are called `exact` or a `tie`.
std::optional<Rounded> round_once(const Enclosure& result, const Format& format, RoundingMode mode);

/// A double and a radius around it that encloses the result; infinite where it overflows binary64.
Approximation approximate(const Enclosure& result);

/// Errors of a candidate, or nothing where the bounds differ in one of them.
std::optional<ExactErrors> exact_errors(const Enclosure& result, double candidate,
                                        const Format& format);

/// The middle of the bounds as if it were the exact result.
Enclosure middle(const Enclosure& result);

/// The exact value as text; of bounds their common digits, 20 of them and then an ellipsis, or
/// nothing where fewer are alike.
std::optional<std::string> text(const Enclosure& result);

}  // namespace halfulp::oracles
