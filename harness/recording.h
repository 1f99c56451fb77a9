// What a real engine returned: digests of its results, to check a backend's model against.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "harness/axis.h"
#include "harness/case.h"
#include "harness/format.h"

namespace halfulp {

/// `halfulp-recording/1`: one CRC-32 a width over the little-endian encodings of the swept axis,
/// -0 written as +0.
struct WidthRecord {
  std::string engine;   ///< e.g. "torch 2.14.1, 2.15.0 eager"
  std::string backend;  ///< `name+field=value`
  std::string case_name;
  Params params;
  Format dtype{};
  Widths widths;
  std::vector<std::uint32_t> digests;  ///< as many as widths
};

/// One operation of `halfulp-scalar-recording/1`: a CRC-32 over all encodings, NaN as one pattern,
/// zeros with their sign.
struct ScalarRecord {
  std::string engine;
  std::string backend;
  std::string op;  ///< as in the file: `x+s`, `sqrt`, `to_bf16`
  Format dtype{};
  std::string scalar;  ///< empty for operations without one
  std::uint32_t digest = 0;
  std::optional<std::uint32_t> digest_without_avx2;
  bool modelled = true;
};

/// A record with where it stands: file and line (or element number).
struct Record {
  std::string where;
  std::variant<WidthRecord, ScalarRecord> content;
};

/// Reads either kind of file. Throws UsageError with the file, the place and what is wrong:
/// unreadable, malformed or truncated JSON, a duplicate or unknown key, an unknown schema, wrong
/// types, a digest list of the wrong length, an unknown backend, case or dtype. An empty file gives
/// an empty list. Defined in reports/.
std::vector<Record> read_recordings(const std::string& path);

}  // namespace halfulp
