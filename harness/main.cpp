// The command line: parses, runs one command, turns errors into one line and an exit code.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <new>

#include "harness/commands.h"
#include "harness/environment.h"
#include "harness/error.h"

namespace halfulp {
namespace {

CommandContext* current = nullptr;  // for the signal handler only

extern "C" void on_interrupt(int) {
  if (current->interrupted.exchange(true)) std::_Exit(static_cast<int>(ExitCode::interrupted));
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

  CLI::App app{"halfulp: what is the correctly rounded answer, what does each engine return, and how "
               "do they differ"};
  app.set_version_flag("--version", "halfulp " + run_environment().version);
  app.add_flag("--quiet,-q", context.quiet, "no progress on stderr");
  app.require_subcommand(1);
  app.footer("Examples:\n"
             "  halfulp list backends\n"
             "  halfulp sweep meshgrid --form arange --dtype bf16 --widths 2..4096 --backend all\n"
             "  halfulp eval meshgrid --form arange --dtype bf16 --width 258 --backend eager-cpu\n"
             "  halfulp ulp 0.1 --dtype bf16\n"
             "Exit codes: 0 as expected, 1 regression, 2 usage, 3 improvement, 4 oracle or self-test "
             "failure, 5 empty or incomplete run.");
  add_list_command(app, context);
  add_eval_command(app, context);
  add_sweep_command(app, context);
  add_fidelity_command(app, context);
  add_ulp_command(app, context);
  add_selftest_command(app, context);
  for (CLI::App* command : app.get_subcommands({})) {
    command->add_flag("--quiet,-q", context.quiet, "no progress on stderr");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "halfulp: {} (see --help)\n", error.what());
    return static_cast<int>(ExitCode::usage);
  }
  require_ieee_environment();
  return static_cast<int>(context.action());
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
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "halfulp: out of memory\n");
    return static_cast<int>(ExitCode::usage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "halfulp: {}\n", error.what());
    return static_cast<int>(ExitCode::usage);
  }
}
