// halfulp ulp: the small calculator.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "harness/commands.h"
#include "harness/format.h"
#include "harness/ulp_text.h"

namespace halfulp {
namespace {

struct UlpOptions {
  std::vector<std::string> values;
  std::string dtype = "bf16";
};

ExitCode run_ulp(const UlpOptions& options) {
  fmt::print("{}", ulp_text(options.values, parse_format(options.dtype)));
  return ExitCode::as_expected;
}

}  // namespace

void add_ulp_command(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("ulp", "a calculator of encodings, neighbours and distances");
  const auto options = std::make_shared<UlpOptions>();
  command
      ->add_option("values", options->values,
                   "encodings (0x3f7e) or exact numbers (0.1, 1/3, 1 + 2^-8, 0x1.8p3, inf)")
      ->required()
      ->type_name("VALUE");
  command->add_option("--dtype", options->dtype, "format, see `halfulp list formats`")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->footer(
      "Prints one `key value` block for each value, and one for each consecutive pair.\n"
      "Hexadecimal without an exponent is an encoding; anything else is rounded to nearest.\n"
      "Examples:\n"
      "  halfulp ulp 0.1 --dtype bf16             its neighbours, and how far the midpoint is\n"
      "  halfulp ulp 0x3f7e 0x3f80 --dtype bf16   the distance of two encodings\n"
      "  halfulp ulp '1 + 2^-11 + 2^-40' --dtype f16\n"
      "  halfulp ulp -0.1 --dtype f32             put -- before other values that begin with -:\n"
      "  halfulp ulp --dtype e5m2 -- -inf");
  command->callback(
      [&context, options] { context.action = [options] { return run_ulp(*options); }; });
}

}  // namespace halfulp
