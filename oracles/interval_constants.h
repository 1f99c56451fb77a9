// Constants to any precision, from integer series.
#pragma once

#include "oracles/fraction.h"

namespace halfulp::oracles {

/// floor(ln 2 * 2^bits) or one less.
Integer scaled_ln2(unsigned bits);
/// floor(pi * 2^bits) or one less.
Integer scaled_pi(unsigned bits);

}  // namespace halfulp::oracles
