// Node ids of tests, written as a template over the key and the size of a result.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/baseline.h"
#include "harness/exact_number.h"

namespace halfulp {

/// `tests/test_grid.py::test_meshgrid[cpu-{dtype}-{width}]`. Placeholders are {case}, {dtype},
/// {torch_dtype} (`bfloat16`), {backend}, {width} (the axis value, whatever the case calls it) and
/// the name of any parameter; `{{` and `}}` are braces.
class NodeTemplate {
 public:
  /// Throws UsageError: empty, control characters, a stray brace, an unknown placeholder (naming
  /// the nearest).
  static NodeTemplate parse(std::string_view text);

  /// Throws UsageError where the result has no such value: a parameter of another case, or not set.
  std::string expand(const Key& key, const ExactNumber& size) const;

  bool uses(std::string_view placeholder) const;
  const std::string& text() const { return text_; }

 private:
  struct Part {
    std::string literal;      ///< before the placeholder
    std::string placeholder;  ///< empty at the end
  };
  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace halfulp
