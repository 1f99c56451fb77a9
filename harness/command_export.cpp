// `halfulp baseline export`: expected failures for the tests of a consumer.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include "harness/baseline.h"
#include "harness/case_options.h"
#include "harness/commands.h"
#include "harness/environment.h"
#include "harness/error.h"
#include "harness/export.h"
#include "harness/progress.h"
#include "harness/report.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

struct ExportOptions {
  std::string baseline;
  std::string atol;
  std::string rtol = "0";
  std::string format = "pytest-manifest";
  std::string node_template;
  std::string only;
  std::string phase = "call";
  std::string exception = "AssertionError";
  std::string profile;
  std::vector<std::string> header;
  std::string out = "-";
};

using Writer = std::string (*)(const ExpectedFailures&, const ExportContext&);

Writer find_writer(const std::string& format) {
  constexpr std::array<std::pair<std::string_view, Writer>, 3> writers{
      {{"pytest-manifest", pytest_manifest}, {"ids", node_id_list}, {"conftest", conftest_file}}};
  std::vector<std::string_view> known;
  for (const auto& [name, writer] : writers) {
    if (name == format) return writer;
    known.push_back(name);
  }
  throw UsageError(unknown_name("format", format, known));
}

void check_phase(const std::string& phase) {
  constexpr std::array<std::string_view, 3> known{"setup", "call", "teardown"};
  if (std::ranges::find(known, phase) == known.end()) {
    throw UsageError(unknown_name("phase", phase, known));
  }
}

/// `Name` or `module.Name`, as Python writes it.
void check_exception(const std::string& name) {
  bool starts = true;  // a letter must follow
  bool is_name = true;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    const bool is_letter = c == '_' || (u < 0x80 && std::isalpha(u) != 0);
    is_name = is_name && (is_letter || (!starts && (c == '.' || std::isdigit(u) != 0)));
    starts = c == '.';
  }
  if (starts || !is_name) {
    throw UsageError(fmt::format("--exception is not a Python name: {}", in_quotes(name)));
  }
}

std::pair<std::string, std::string> header_pair(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (equals == 0 || equals == std::string::npos || std::ranges::any_of(text, is_control)) {
    throw UsageError(fmt::format("--header takes key=value, not {}", in_quotes(text)));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Everything but the summary. Holds nothing that varies between equal runs on a machine.
ExportContext context_of(const ExportOptions& o) {
  struct utsname machine {};
  uname(&machine);
  const std::string tolerance = fmt::format("atol={} rtol={}", o.atol, o.rtol);
  ExportContext context{.header = {{"schema", "halfulp-expected-failures/1"},
                                   {"profile", o.profile.empty() ? tolerance : o.profile},
                                   {"versions", "halfulp=" + run_environment().version},
                                   {"os", machine.sysname},
                                   {"arch", machine.machine}},
                        .phase = o.phase,
                        .exception = o.exception};
  for (const std::string& text : o.header) context.header.push_back(header_pair(text));
  context.header.emplace_back("baseline", o.baseline);
  context.header.emplace_back("template", o.node_template);
  return context;
}

void add_summary(const ExpectedFailures& failures, const std::vector<ExportSubject>& subjects,
                 const ExportTolerance& tolerance, ExportContext& context) {
  auto& header = context.header;
  header.emplace_back("expected-failures",
                      fmt::format("{} of {} node ids", failures.listed.size(), failures.ids));
  if (!failures.merged.empty()) {
    header.emplace_back("note",
                        fmt::format("the template has no {{{}}}: a node id stands for several "
                                    "results and is listed if any of them misses",
                                    fmt::join(failures.merged, "}, {")));
  }
  const auto summary = attainable_summary(subjects, tolerance);
  header.insert(header.end(), summary.begin(), summary.end());
}

void print_summary(const ExportOptions& o, const ExportContext& context, std::size_t first) {
  std::FILE* const stream = o.out == "-" || o.out == "/dev/stdout" ? stderr : stdout;
  for (std::size_t k = first; k < context.header.size(); ++k) {
    fmt::print(stream, "{}: {}\n", context.header[k].first, context.header[k].second);
  }
}

ExitCode export_failures(const ExportOptions& o, const CommandContext& command) {
  const Writer write = find_writer(o.format);
  const ExportTolerance tolerance{o.atol, o.rtol, parse_tolerance(o.atol, o.rtol)};
  const NodeTemplate node_template = NodeTemplate::parse(o.node_template);
  check_phase(o.phase);
  check_exception(o.exception);
  ExportContext context = context_of(o);
  const std::size_t first = context.header.size();
  const Baseline baseline = read_baseline(o.baseline);
  if (o.out != "-") check_writable(o.out);
  ProgressLine line("export", command.quiet);
  const auto subjects =
      evaluate_export(baseline, o.only, tolerance, command.interrupted,
                      [&](std::uint64_t done, std::uint64_t total) { line.show(done, total); });
  line.finish();
  const ExpectedFailures failures = expected_failures(subjects, node_template);
  add_summary(failures, subjects, tolerance, context);
  write_atomically(o.out, write(failures, context));
  if (!command.quiet) print_summary(o, context, first);
  return ExitCode::as_expected;
}

void add_options(CLI::App& command, ExportOptions& o) {
  command.add_option("--baseline", o.baseline, "the baseline file")->required();
  command.add_option("--atol", o.atol, "absolute tolerance of the test, an exact number")
      ->required();
  command.add_option("--rtol", o.rtol, "relative tolerance of the test [0]");
  command.add_option("--format", o.format, "pytest-manifest, ids or conftest [pytest-manifest]");
  command
      .add_option("--template", o.node_template,
                  "node id with {dtype} {torch_dtype} {width} {case} {backend} or a parameter")
      ->required();
  command.add_option("--only", o.only, "a pattern of entries, as in gate");
  command.add_option("--phase", o.phase, "phase that fails: setup, call or teardown [call]");
  command.add_option("--exception", o.exception, "exception that is raised [AssertionError]");
  command.add_option("--profile", o.profile, "name of the manifest's profile [the tolerance]");
  command.add_option("--header", o.header, "another header line, key=value")
      ->allow_extra_args(false);
  command.add_option("--out,-o", o.out, "file to write [standard output]");
}

}  // namespace

void add_export_command(CLI::App& baseline_command, CommandContext& context) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = baseline_command.add_subcommand(
      "export", "expected failures of a test with a tolerance, as a file for pytest");
  add_options(*command, *options);
  command->allow_extras();
  command->add_flag("--quiet,-q", context.quiet, "no progress on stderr and no summary");
  command->footer(
      "Lists exactly the sizes of the baseline's entries whose results miss\n"
      "|actual - exact| <= atol + rtol * |exact|, and says whether the correctly rounded result "
      "would.\n"
      "Both numbers are taken as written: 1e-4 is 1/10000.\n"
      "Examples:\n"
      "  halfulp baseline export --baseline base.json --atol 1e-4 --rtol 0 --out xfail.tsv\n"
      "    --template 'tests/geometry/test_grid.py::test_meshgrid[cpu-{dtype}-{width}]'\n"
      "  halfulp baseline export --baseline base.json --atol 1e-3 --format conftest --only "
      "'form=arange'\n"
      "    --template 'test_grid.py::test_meshgrid[{backend}-{torch_dtype}-{width}]' --out "
      "conftest.py\n"
      "Exits with 0 whatever is listed; 5 if nothing was evaluated.");
  command->callback([command, options, &context] {
    context.action = [command, options, &context] {
      check_options(*command);
      return export_failures(*options, context);
    };
  });
}

}  // namespace halfulp
