// The fields of a backend that `+field=value` varies: one table row each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/backend.h"

namespace halfulp::backends {

/// A named value of a field: how to recognise it in a backend and how to set it.
struct FieldValue {
  std::string_view name;
  bool (*is)(const Backend&);
  void (*set)(Backend&);
};

struct Field {
  std::string_view name;
  std::string_view summary;
  std::span<const FieldValue> values;  ///< the named ones
  /// For a field that has more values than names: reads and prints them. `set_text` throws
  /// UsageError.
  void (*set_text)(Backend&, std::string_view) = nullptr;
  std::string (*text)(const Backend&) = nullptr;
};

std::span<const Field> all_fields();

/// Sets one field. Throws UsageError naming the nearest field or value.
void set_field(Backend& backend, std::string_view field, std::string_view value);

}  // namespace halfulp::backends
