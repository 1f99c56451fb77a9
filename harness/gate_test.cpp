// The judge against results that are wrong on purpose.
#include "harness/gate.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "harness/gate_select.h"
#include "harness/gate_text.h"

namespace halfulp {
namespace {

Key key_of(const std::string& backend, const std::string& widths) {
  Key key{.subject = "meshgrid",
          .params = {{"form", "float32-once"}},
          .widths = widths,
          .dtype = "f16",
          .backend = backend,
          .reference = "oracle"};
  normalise(key);
  return key;
}

Figures figures(std::uint64_t differing, std::uint64_t steps) {
  return {{"points", std::uint64_t{300}},  {"differing", differing},        {"steps_max", steps},
          {"nonfinite", std::uint64_t{0}}, {"zero_lost", std::uint64_t{0}}, {"abs_max", 0.25}};
}

BaselineEntry entry_of(std::uint64_t differing, std::uint64_t steps, std::size_t line = 3) {
  BaselineEntry entry;
  entry.key = key_of("fused-fp32", "300");
  entry.metrics = figures(differing, steps);
  entry.witness = WitnessText{"300", 7, "0x3c01", "0x3c00", "1.0009765625", "1", "1"};
  if (differing > 0) entry.reason = "double rounding";
  entry.file = "base.json";
  entry.line = line;
  return entry;
}

Observation result_of(const BaselineEntry& entry) {
  Observation result;
  result.key = entry.key;
  result.announced = 300;
  result.metrics = entry.metrics;
  result.witness = entry.witness;
  return result;
}

GateResult gate(const std::vector<BaselineEntry>& entries, const std::vector<Observation>& results,
                const std::string& only = "", const std::string& source = "r.json") {
  Baseline baseline;
  baseline.file = "base.json";
  baseline.entries = entries;
  Observations observations;
  observations.source = source;
  observations.facts = {{"isa", "AVX2"}, {"version", "0.1.0"}};
  observations.results = results;
  return judge(baseline, observations, {.only = only});
}

Finding only_finding(const GateResult& result) {
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings.front().exit == result.exit);
  return result.findings.front();
}

Finding judge_change(const BaselineEntry& entry, const std::string& name, FigureValue value) {
  Observation result = result_of(entry);
  result.metrics[name] = value;
  return only_finding(gate({entry}, {result}));
}

}  // namespace

TEST_CASE("as recorded: pass when clean, xfail with its reason otherwise") {
  const Finding clean = only_finding(gate({entry_of(0, 0)}, {result_of(entry_of(0, 0))}));
  CHECK(clean.status == Status::pass);
  CHECK(clean.exit == ExitCode::as_expected);
  const Finding known = only_finding(gate({entry_of(3, 1)}, {result_of(entry_of(3, 1))}));
  CHECK(known.status == Status::xfail);
  CHECK(known.reason == "double rounding");
  CHECK(known.line == 3);
}

TEST_CASE("worse and better are both red") {
  const BaselineEntry entry = entry_of(3, 1);
  const Finding worse = judge_change(entry, "steps_max", std::uint64_t{2});
  CHECK(worse.status == Status::fail);
  CHECK(worse.exit == ExitCode::regression);
  CHECK(worse.message == "worse: steps_max 1 -> 2");
  CHECK(worse.witness == entry.witness);

  const Finding better = judge_change(entry, "differing", std::uint64_t{2});
  CHECK(better.status == Status::changed);
  CHECK(better.exit == ExitCode::improvement);

  Observation clean = result_of(entry);
  clean.metrics = figures(0, 0);
  clean.witness.reset();
  CHECK(only_finding(gate({entry}, {clean})).status == Status::xpass);
  CHECK(gate({entry}, {clean}).exit == ExitCode::improvement);
}

TEST_CASE("a lost zero, a NaN and a point fewer are seen") {
  const BaselineEntry entry = entry_of(3, 1);
  CHECK(judge_change(entry, "zero_lost", std::uint64_t{1}).status == Status::fail);
  CHECK(judge_change(entry, "nonfinite", std::uint64_t{1}).status == Status::fail);
  CHECK(judge_change(entry, "abs_max", std::numeric_limits<double>::quiet_NaN()).status ==
        Status::fail);
  const Finding fewer = judge_change(entry, "points", std::uint64_t{299});
  CHECK(fewer.status == Status::fail);
  CHECK(fewer.exit == ExitCode::empty);
  Observation more = result_of(entry);
  more.announced = 301;
  more.metrics["points"] = std::uint64_t{301};
  CHECK(only_finding(gate({entry}, {more})).exit == ExitCode::usage);
}

TEST_CASE("a NaN passes only where the entry says so") {
  BaselineEntry silent = entry_of(3, 1);
  silent.metrics.erase("nonfinite");
  Observation result = result_of(silent);
  result.metrics["nonfinite"] = std::uint64_t{1};
  CHECK(only_finding(gate({silent}, {result})).status == Status::fail);
  BaselineEntry spoken = silent;
  spoken.metrics["nonfinite"] = std::uint64_t{1};
  CHECK(only_finding(gate({spoken}, {result})).status == Status::xfail);
}

TEST_CASE("an entry without a reason allows nothing, listed or not") {
  const BaselineEntry entry = entry_of(0, 0);
  CHECK(judge_change(entry, "zero_sign", std::uint64_t{1}).status == Status::fail);
  CHECK(judge_change(entry_of(3, 1), "zero_sign", std::uint64_t{1}).status == Status::xfail);
}

TEST_CASE("the same counts at another point are a change") {
  const BaselineEntry entry = entry_of(3, 1);
  Observation moved = result_of(entry);
  moved.witness->index = 8;
  const Finding finding = only_finding(gate({entry}, {moved}));
  CHECK(finding.status == Status::changed);
  CHECK(finding.exit == ExitCode::regression);
}

TEST_CASE("a budget allows less, within its slack") {
  BaselineEntry entry = entry_of(10, 4);
  entry.expectation = Expectation::budget;
  entry.slack = {{"differing", std::uint64_t{5}}};
  CHECK(judge_change(entry, "differing", std::uint64_t{5}).status == Status::xfail);
  CHECK(judge_change(entry, "differing", std::uint64_t{4}).status == Status::changed);
  CHECK(judge_change(entry, "differing", std::uint64_t{11}).status == Status::fail);
}

TEST_CASE("an unstable entry is an interval") {
  BaselineEntry entry = entry_of(10, 4);
  entry.expectation = Expectation::unstable;
  entry.low = entry.metrics;
  entry.low["differing"] = std::uint64_t{8};
  CHECK(judge_change(entry, "differing", std::uint64_t{8}).status == Status::xfail);
  CHECK(judge_change(entry, "differing", std::uint64_t{7}).status == Status::changed);
  CHECK(judge_change(entry, "differing", std::uint64_t{11}).status == Status::fail);
}

TEST_CASE("unavailable is red unless it was recorded") {
  Observation away = result_of(entry_of(3, 1));
  away.unavailable = "no device";
  away.metrics.clear();
  const GateResult lost = gate({entry_of(3, 1)}, {away});
  CHECK(lost.findings.front().status == Status::unavailable);
  CHECK(lost.exit == ExitCode::empty);

  BaselineEntry unsupported = entry_of(0, 0);
  unsupported.expectation = Expectation::unsupported;
  unsupported.metrics.clear();
  CHECK(gate({unsupported}, {away}).exit == ExitCode::empty);  // nothing was compared
  BaselineEntry other = entry_of(3, 1, 4);
  other.key = key_of("eager-cpu", "300");
  CHECK(gate({unsupported, other}, {away, result_of(other)}).exit == ExitCode::as_expected);
  CHECK(only_finding(gate({unsupported}, {result_of(entry_of(3, 1))})).status == Status::xpass);
}

TEST_CASE("stale entries are named one by one") {
  const BaselineEntry w300 = entry_of(3, 1, 2);
  BaselineEntry w301 = entry_of(3, 1, 3);
  w301.key = key_of("fused-fp32", "301");
  Observation passes = result_of(w300);
  passes.metrics = figures(0, 0);
  passes.witness.reset();
  const GateResult result = gate({w300, w301}, {passes});
  REQUIRE(result.findings.size() == 2);
  CHECK(result.findings[0].status == Status::xpass);
  CHECK(result.findings[0].line == 2);
  CHECK(result.findings[1].status == Status::unmatched);
  CHECK(result.findings[1].line == 3);
  CHECK(result.exit == ExitCode::usage);
  const GateResult run = gate({w300, w301}, {passes}, "", "");
  CHECK(run.findings[1].status == Status::missing);
  // A result without an entry, unless --only leaves it out.
  CHECK(gate({w301}, {passes, result_of(w301)}).exit == ExitCode::usage);
  CHECK(gate({w301}, {passes, result_of(w301)}, "widths=301").exit == ExitCode::as_expected);
}

TEST_CASE("no vacuous green") {
  CHECK(gate({}, {result_of(entry_of(0, 0))}).exit != ExitCode::as_expected);
  CHECK(gate({entry_of(0, 0)}, {}).exit != ExitCode::as_expected);
  const GateResult none = gate({entry_of(0, 0)}, {result_of(entry_of(0, 0))}, "mishgrid*");
  CHECK(none.exit == ExitCode::empty);
  CHECK(none.problems ==
        std::vector<std::string>{"--only 'mishgrid*' matches none of the 1 entries"});
  BaselineEntry elsewhere = entry_of(0, 0);
  elsewhere.when = {{"isa", "NEON"}};
  CHECK(gate({elsewhere}, {result_of(elsewhere)}).exit == ExitCode::empty);
}

TEST_CASE("the most specific entry wins and a tie is an error") {
  BaselineEntry general = entry_of(0, 0, 1);
  BaselineEntry special = entry_of(3, 1, 2);
  special.when = {{"isa", "AVX2"}};
  const GateResult result = gate({general, special}, {result_of(special)});
  CHECK(only_finding(result).line == 2);
  CHECK(result.not_applicable == 1);
  BaselineEntry tied = entry_of(0, 0, 3);
  tied.when = {{"version", "0"}};
  CHECK_THROWS_AS(gate({special, tied}, {result_of(special)}), UsageError);
  tied.when = {{"version", "0.1"}};
  CHECK(only_finding(gate({special, tied}, {result_of(tied)})).line == 3);
}

TEST_CASE("a name that does not exist is unmatched, with the nearest one") {
  BaselineEntry entry = entry_of(0, 0);
  entry.key.backend = "fused-fp23";
  const Finding finding = gate({entry}, {result_of(entry_of(0, 0))}).findings.front();
  CHECK(finding.status == Status::unmatched);
  CHECK(finding.message.find("fused-fp32") != std::string::npos);
  BaselineEntry moved = entry_of(0, 0);
  moved.provenance.sweep = "xxh3:0123456789abcdef";
  CHECK(gate({moved}, {result_of(moved)}).exit == ExitCode::usage);
}

TEST_CASE("the pattern of --only matches keys and their parts") {
  const std::string key =
      "meshgrid/align_corners=true,form=arange,widths=2..4096/bf16/eager-cpu/oracle";
  for (const char* pattern : {"", "*", "bf16", "eager-*", "form=arange", "arange", "meshgrid*bf16*",
                              "widths=2..4096", "*/b?16/*"}) {
    CHECK(matches_only(key, pattern));
  }
  for (const char* pattern : {"f16", "eager", "form=linspace", "meshgrid/bf16", "?"}) {
    CHECK_FALSE(matches_only(key, pattern));
  }
  CHECK_FALSE(matches_only(std::string(100'000, 'a'), "*a*a*a*a*a*a*b"));
}

TEST_CASE("the worst of several exit codes") {
  CHECK(worse(ExitCode::regression, ExitCode::usage) == ExitCode::regression);
  CHECK(worse(ExitCode::improvement, ExitCode::usage) == ExitCode::usage);
  CHECK(worse(ExitCode::empty, ExitCode::improvement) == ExitCode::empty);
  CHECK(worse(ExitCode::as_expected, ExitCode::improvement) == ExitCode::improvement);
  CHECK(worse(ExitCode::regression, ExitCode::oracle_failure) == ExitCode::oracle_failure);
}

TEST_CASE("cut output says so and names the option") {
  std::vector<BaselineEntry> entries;
  std::vector<Observation> results;
  for (std::size_t i = 0; i < 50; ++i) {
    entries.push_back(entry_of(3, 1, i + 1));
    entries.back().key = key_of("fused-fp32", std::to_string(i + 2));
    results.push_back(result_of(entries.back()));
    results.back().metrics["steps_max"] = std::uint64_t{2};
  }
  const GateResult result = gate(entries, results);
  const std::string text = gate_text(result, Lines::capped);
  CHECK(text.find("and 10 more rows: --all shows them") != std::string::npos);
  CHECK(text.find("and 40 more findings: --all shows them") != std::string::npos);
  CHECK(gate_text(result, Lines::all).find("--all shows") == std::string::npos);
}

}  // namespace halfulp
