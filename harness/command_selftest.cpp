// `halfulp selftest`: the oracles against each other, and backends that are wrong on purpose.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <memory>
#include <random>

#include "harness/commands.h"
#include "harness/encoding.h"
#include "harness/error.h"
#include "harness/evaluate.h"
#include "harness/oracle.h"
#include "harness/rounding.h"
#include "harness/sabotage.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

/// Prints a line a check and remembers whether any failed.
class Tally {
 public:
  void report(bool passed, const std::string& what) {
    fmt::print("{} {}\n", passed ? "ok  " : "FAIL", what);
    ++checks_;
    if (!passed) ++failed_;
  }
  ExitCode close() const {
    fmt::print("{} checks, {} failed\n", checks_, failed_);
    return failed_ == 0 ? ExitCode::as_expected : ExitCode::oracle_failure;
  }

 private:
  int checks_ = 0;
  int failed_ = 0;
};

struct Disagreements {
  std::uint64_t points = 0;
  std::uint64_t differing = 0;
  TierCounts tiers;
};

/// What the oracles are compared on: a case's program at every size from 2 on.
struct OracleCheck {
  std::string_view subject;
  Params params;
  std::vector<Format> dtypes;
  std::uint64_t widths;
};

Disagreements compare_oracles(const OracleCheck& check, const Params& params, const Format& dtype) {
  const Case& subject = find_case(check.subject);
  const Program program = subject.build(params, 2);
  const auto checked = make_oracle(OracleKind::checked, program, dtype);
  const auto alone = make_oracle(OracleKind::exact, program, dtype);
  const auto block = std::make_unique<OracleBlock>();
  AxisBinder binder(subject, params, dtype);
  Disagreements out;
  for (std::uint64_t n = 2; n <= check.widths; ++n) {
    const Binding binding = binder.binding(exact(static_cast<std::int64_t>(n)));
    checked->bind(binding);
    alone->bind(binding);
    block->rounded.size = static_cast<std::size_t>(result_count(program, n, 1));
    checked->evaluate(0, *block);
    for (std::size_t i = 0; i < block->rounded.size; ++i) {
      const auto bits = encode_exact(block->rounded.value(i), dtype);
      ++out.points;
      if (bits != alone->round_once(i, RoundingMode::to_nearest_even).bits) ++out.differing;
    }
  }
  out.tiers = checked->tiers();
  return out;
}

void check_oracles(Tally& tally) {
  const std::vector<Format> all{binary16, bfloat16, binary32, binary64};
  const std::vector<Format> narrow{binary16, bfloat16, binary32};
  const std::vector<OracleCheck> checks{
      {"meshgrid", {{"align_corners", "true"}}, all, 160},
      {"meshgrid", {{"align_corners", "false"}}, all, 160},
      {"softmax", {{"form", "naive"}}, narrow, 24},
      {"logsumexp", {{"form", "stable"}}, narrow, 24},
      {"variance", {{"form", "naive"}}, narrow, 48},
      {"dot", {{"distribution", "cancelling"}}, narrow, 48},
  };
  for (const OracleCheck& check : checks) {
    const auto& [name, value] = *check.params.begin();
    const Params params = complete_params(find_case(check.subject), check.params);
    for (const Format& dtype : check.dtypes) {
      const Disagreements d = compare_oracles(check, params, dtype);
      tally.report(
          d.differing == 0 && d.tiers.disagreements == 0,
          fmt::format("oracles: by tiers against exactly, {} {}={} {} widths 2..{}: {} "
                      "points, {} certified, {} exact, {} by Ziv, {} checked twice, {} "
                      "disagree",
                      check.subject, name, value, short_name(dtype), check.widths,
                      grouped(d.points), grouped(d.tiers.certified), grouped(d.tiers.exact),
                      grouped(d.tiers.ziv), grouped(d.tiers.checked), d.differing));
    }
  }
}

/// Two roundings that share no code: by exact distances, and by guard and sticky bits.
void check_roundings(Tally& tally) {
  constexpr std::array modes{RoundingMode::to_nearest_even, RoundingMode::toward_zero,
                             RoundingMode::upward, RoundingMode::downward, RoundingMode::to_odd};
  std::mt19937_64 random(1);  // a fixed seed: the same values every time
  for (const NamedFormat& f : all_formats()) {
    std::uint64_t differing = 0;
    constexpr int values = 200;
    for (int k = 0; k < values; ++k) {
      const std::uint64_t significand = random() >> (random() % 40);
      const int exponent =
          f.format.min_subnormal_exponent() - 64 +
          static_cast<int>(random() %
                           static_cast<std::uint64_t>(f.format.emax() + 128 - f.format.emin()));
      const bool negative = random() % 2 != 0;
      const std::string text =
          fmt::format("{}{} * 2^({})", negative ? "-" : "", significand, exponent);
      for (const RoundingMode mode : modes) {
        const auto by_distance = round_expression(text, f.format, mode).bits;
        const auto by_bits = round_dyadic({negative, significand, exponent, false}, f.format, mode);
        if (by_distance != by_bits) ++differing;
      }
    }
    tally.report(differing == 0,
                 fmt::format("rounding: by distance against by guard bits, {}: {} values in 5 "
                             "modes, {} disagree",
                             f.short_name, values, differing));
  }
}

void check_metric_laws(Tally& tally) {
  for (const NamedFormat& f : all_formats()) {
    const Format& format = f.format;
    const std::uint64_t top = format.max_finite();
    const std::uint64_t sign = format.sign_mask();
    const auto steps = [&](std::uint64_t a, std::uint64_t b) {
      return steps_between(a, b, format);
    };
    const bool zero = steps(0, sign) == 0 && steps(top, top) == 0;
    const bool symmetric = steps(top, sign | 1) == steps(sign | 1, top);
    const bool smallest = steps(1, sign | 1) == 2;
    const bool widest = steps(top, sign | top) == 2 * top;
    tally.report(zero && symmetric && smallest && widest,
                 fmt::format("metrics: {}: -max to +max is {} steps, smallest subnormals {}",
                             f.short_name, steps(top, sign | top), steps(1, sign | 1)));
  }
}

std::string text(const SabotageCounts& c) {
  return fmt::format(
      "differing {}, steps_max {}, zero_lost {}, zero_sign {}, nonfinite {}, unwritten {}, "
      "lane_dependence {}",
      c.differing, c.steps_max, c.zero_lost, c.zero_sign, c.nonfinite, c.unwritten,
      c.lane_dependence ? "yes" : "no");
}

void check_sabotage(Tally& tally) {
  const Widths widths = sabotage_widths();
  const std::atomic<bool> stop{false};
  const auto row_of = [&](const Backend& backend) {
    return run_sweep(sabotage_sweep(backend, widths), stop, {}).rows.front();
  };
  const SabotageCounts honest = counts_of(row_of(find_backend("fused-fp32")));
  tally.report(honest == SabotageCounts{}, "sabotage: none: " + text(honest));
  for (const Sabotage& s : all_sabotages()) {
    const SabotageCounts seen = counts_of(row_of(s.backend));
    const SabotageCounts expected = s.expected(widths);
    const std::string mismatch =
        seen == expected ? "" : fmt::format("; expected {}", text(expected));
    tally.report(seen == expected,
                 fmt::format("sabotage: {} ({}): {}{}", s.name, s.summary, text(seen), mismatch));
  }
}

}  // namespace

void add_selftest_command(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "selftest", "oracles against each other, and backends wrong on purpose that must be caught");
  command->footer("Prints a line a check; exits with 4 if one fails. A few seconds.");
  command->callback([&context] {
    context.action = [] {
      Tally tally;
      check_roundings(tally);
      check_oracles(tally);
      check_metric_laws(tally);
      check_sabotage(tally);
      return tally.close();
    };
  });
}

}  // namespace halfulp
