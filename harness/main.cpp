// The command line: parses, runs one command, turns errors into one line and an exit code.
#include <fmt/core.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <span>
#include <system_error>

#include "harness/commands.h"
#include "harness/environment.h"
#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

CommandContext* current = nullptr;  // for the signal handler only

extern "C" void on_interrupt(int) {
  if (current->is_polled && !current->interrupted.exchange(true)) return;
  constexpr std::string_view message = "halfulp: interrupted\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
  std::_Exit(static_cast<int>(ExitCode::interrupted));
}

/// Output that was lost, to a full disk or a closed descriptor, is an error.
void check_standard_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    throw UsageError(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
}

/// The parser would only say that a command is missing.
void reject_unknown_command(const CLI::App& app, std::span<char* const> arguments) {
  if (arguments.empty() || arguments.front()[0] == '-') return;
  const std::string first = arguments.front();
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  if (names.empty()) return;
  if (std::ranges::find(names, first) != names.end()) {
    return reject_unknown_command(*app.get_subcommand(first), arguments.subspan(1));
  }
  throw UsageError(
      unknown_name("command", first, std::vector<std::string_view>(names.begin(), names.end())));
}

int run(int argc, char** argv) {
  CommandContext context;
  for (int i = 0; i < argc; ++i) {
    if (i > 0) context.command_line += ' ';
    context.command_line += i == 0 ? "halfulp" : argv[i];
  }
  current = &context;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);

  CLI::App app{
      "halfulp: what is the correctly rounded answer, what does each engine return, and how "
      "do they differ"};
  app.set_version_flag("--version", "halfulp " + run_environment().version);
  app.add_flag("--quiet,-q", context.quiet, "no progress on stderr");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  halfulp list backends\n"
      "  halfulp sweep meshgrid --form arange --dtype bf16 --widths 2..4096 --backend all\n"
      "  halfulp eval meshgrid --form arange --dtype bf16 --width 258 --backend eager-cpu\n"
      "  halfulp ulp 0.1 --dtype bf16\n"
      "Exit codes: 0 as expected, 1 regression, 2 usage, 3 improvement, 4 oracle or self-test "
      "failure, 5 empty or incomplete run, 130 interrupted.");
  add_list_command(app, context);
  add_eval_command(app, context);
  add_sweep_command(app, context);
  add_fidelity_command(app, context);
  add_ulp_command(app, context);
  add_selftest_command(app, context);
  add_gate_command(app, context);
  add_baseline_command(app, context);
  add_compare_command(app, context);
  for (CLI::App* command : app.get_subcommands({})) {
    command->add_flag("--quiet,-q", context.quiet, "no progress on stderr");
  }
  reject_unknown_command(app, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      check_standard_output();
      return 0;
    }
    fmt::print(stderr, "halfulp: {} (see --help)\n", error.what());
    return static_cast<int>(ExitCode::usage);
  }
  require_ieee_environment();
  const ExitCode code = context.action();
  check_standard_output();
  return static_cast<int>(code);
}

}  // namespace
}  // namespace halfulp

int main(int argc, char** argv) {
  using halfulp::ExitCode;
  try {
    return halfulp::run(argc, argv);
  } catch (const halfulp::UsageError& error) {
    fmt::print(stderr, "halfulp: {}\n", error.what());
    return static_cast<int>(ExitCode::usage);
  } catch (const halfulp::Failure& failure) {
    fmt::print(stderr, "halfulp: {}\n", failure.what());
    return static_cast<int>(failure.code());
  } catch (const std::system_error& error) {  // what fmt::print throws
    fmt::print(stderr, "halfulp: cannot write to standard output: {}\n", error.code().message());
    return static_cast<int>(ExitCode::usage);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "halfulp: out of memory\n");
    return static_cast<int>(ExitCode::usage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "halfulp: {}\n", error.what());
    return static_cast<int>(ExitCode::usage);
  }
}
