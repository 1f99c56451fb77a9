// The one exception type that ends a command with a clear line and an exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace halfulp {

/// Exit codes of the program (README, "Exit codes").
enum class ExitCode : int {
  as_expected = 0,
  regression = 1,      ///< a finding: something differs
  usage = 2,           ///< usage, schema or baseline mismatch, unreadable input
  improvement = 3,     ///< an improvement that must be recorded
  oracle_failure = 4,  ///< oracles disagree or the self-test failed
  empty = 5,           ///< the run was empty or incomplete
  interrupted = 130,   ///< stopped by Ctrl-C (128 + SIGINT)
};

/// Bad input. `what()` is one line: what was wrong, where, and what would be right.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Any other reason to stop with a given exit code and one line.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace halfulp
