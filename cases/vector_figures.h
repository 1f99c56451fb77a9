// For tests of cases over vectors: one evaluation by the textbook's machine, by the idealised
// compiler and by the oracle.
#pragma once

#include <string>

#include "cases/vector_query.h"

namespace halfulp::cases {

/// What stepwise, fused-fp32 and the oracle return: `a | b | c`, or one of them where all agree.
/// The query's backend is not read.
inline std::string everywhere(VectorQuery query,
                              std::string (*text)(const VectorQuery&) = decimals) {
  std::string out[3];
  const std::string_view backends[3] = {"stepwise", "fused-fp32", "oracle"};
  for (int k = 0; k < 3; ++k) {
    query.backend = backends[k];
    out[k] = text(query);
  }
  if (out[0] == out[1] && out[1] == out[2]) return out[0];
  return out[0] + " | " + out[1] + " | " + out[2];
}

/// The same as encodings.
inline std::string everywhere_bits(const VectorQuery& query) { return everywhere(query, results); }

}  // namespace halfulp::cases
