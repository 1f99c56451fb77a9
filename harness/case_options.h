// The command-line options that choose a case, its parameters, dtypes and backends.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/backend.h"
#include "harness/case.h"

namespace CLI {
class App;
}

namespace halfulp {

/// A case and its parameters as typed. Outlives the parser's callbacks.
class CaseOptions {
 public:
  /// Adds the positional CASE and one option for every parameter that some case has.
  void add_to(CLI::App& app);
  /// The same without the positional: the caller names the case.
  void add_parameters_to(CLI::App& app);

  const Case& subject() const { return find_case(case_name_); }
  void set_case(const std::string& name) { case_name_ = name; }

  /// All combinations of the values given (`--form arange,linspace`), complete and checked, in the
  /// order typed, the last parameter fastest. Throws UsageError.
  std::vector<Params> combinations() const;
  /// The only combination; throws UsageError if there are several.
  Params single() const;

 private:
  std::string case_name_;
  std::map<std::string, std::string, std::less<>> given_;  ///< parameter name to text
};

/// `bf16,f16` or `all` (the case's own). Throws UsageError: unknown, unsupported, listed twice.
std::vector<Format> parse_dtypes(const std::string& list, const Case& c);
/// `eager-cpu,triton-div+reciprocal=above` or `all`. Throws UsageError.
std::vector<Backend> parse_backends(const std::string& list);

/// A backend, or nothing for `oracle`. Throws UsageError.
std::optional<Backend> parse_backend_or_oracle(const std::string& name);

/// Splits at commas. Throws UsageError for an empty item; `what` names the list.
std::vector<std::string> split_list(const std::string& list, const std::string& what);

/// Turns the arguments that no option took into a UsageError that names the nearest option, and an
/// empty value (an unset variable of a script) into one that names its option.
void check_options(const CLI::App& app);

}  // namespace halfulp
