// The fields of a backend that `+field=value` varies: one table row each.
#pragma once

#include <span>
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
  std::span<const FieldValue> values;
};

std::span<const Field> all_fields();

/// Sets one field. Throws UsageError naming the nearest field or value.
void set_field(Backend& backend, std::string_view field, std::string_view value);

}  // namespace halfulp::backends
