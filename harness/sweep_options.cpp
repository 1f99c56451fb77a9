#include "harness/sweep_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "harness/error.h"
#include "harness/evaluate.h"
#include "harness/progress.h"
#include "harness/value_text.h"

namespace halfulp {

unsigned default_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

void add_engine_options(CLI::App& app, unsigned& threads, std::string& isa) {
  app.add_option("--threads", threads, "threads [all cores]")->check(CLI::Range(1U, 1024U));
  app.add_option("--isa", isa, "restrict the kernels to an instruction set");
}

SweepResult run_with_progress(const SweepSpec& spec, const std::string& what,
                              const CommandContext& context) {
  ProgressLine line(what, context.quiet);
  std::uint64_t points_done = 0;
  std::uint64_t points_total = 0;
  SweepResult result =
      run_sweep(spec, context.interrupted, [&](std::uint64_t done, std::uint64_t total) {
        context.is_polled = true;
        points_done = done;
        points_total = total;
        line.show(done, total);
      });
  line.finish();
  context.is_polled = false;
  if (!result.complete) {
    throw Failure(ExitCode::interrupted,
                  fmt::format("interrupted after {} of {} points of {}; nothing written",
                              grouped(points_done), grouped(points_total), what));
  }
  return result;
}

SweepOptions::SweepOptions() : threads(default_threads()) {}

void SweepOptions::add_to(CLI::App& app) {
  subject.add_to(app);
  app.add_option("--dtype", dtypes, "dtypes, or all [bf16]");
  app.add_option("--widths", widths, "300, 2..4096, 2..4096:7 or a list");
  app.add_option("--backend", backends, "backends with +field=value, or all [all]");
  app.add_option("--reference", reference, "oracle or a backend [oracle]");
  add_engine_options(app, threads, isa);
}

SweepSpec SweepOptions::specification() const {
  SweepSpec spec;
  spec.subject = &subject.subject();
  spec.params = subject.combinations();
  spec.dtypes = parse_dtypes(dtypes, *spec.subject);
  spec.backends = parse_backends(backends);
  spec.reference.backend = parse_backend_or_oracle(reference);
  spec.threads = threads;
  const auto has_own = [&](const Params& params) {
    return has_own_axis(*spec.subject, params, spec.dtypes.front());
  };
  const auto own = static_cast<std::size_t>(std::ranges::count_if(spec.params, has_own));
  if (own > 0 && !widths.empty()) {
    throw UsageError(fmt::format("{} has no widths to sweep here", spec.subject->name));
  }
  if (own < spec.params.size()) {
    if (widths.empty()) throw UsageError("give --widths, such as 2..4096 or 300 or 3,5..9:2");
    spec.widths = Widths::parse(widths);
  }
  return spec;
}

}  // namespace halfulp
