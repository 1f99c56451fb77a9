#include "harness/gate_writers.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "reports/gate_parts.h"
#include "reports/json.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

Finding finding(Status status, ExitCode exit, std::string message = "what was found") {
  Finding f;
  f.status = status;
  f.exit = exit;
  f.key = "meshgrid/form=arange,widths=2..4096/bf16/eager-cpu/oracle";
  f.file = "base.json";
  f.line = 7;
  f.message = std::move(message);
  f.reason = "typed ramp";
  f.command = "halfulp sweep meshgrid --form arange";
  f.fingerprint = "xxh3:0123456789abcdef";
  f.expected = {{"differing", std::uint64_t{3}}, {"abs_max", 0.5}};
  f.actual = {{"differing", std::uint64_t{4}}, {"abs_max", 0.5}};
  f.witness = WitnessText{.width = "300",
                          .index = 269,
                          .actual = "0x3f7e",
                          .expected = "0x3f7f",
                          .actual_value = "0.9921875",
                          .expected_value = "0.99609375",
                          .exact = "297/299"};
  return f;
}

GateResult result_of(std::vector<Finding> findings, ExitCode exit = ExitCode::regression) {
  GateResult result;
  for (const Finding& f : findings) ++result.counts[static_cast<std::size_t>(f.status)];
  result.findings = std::move(findings);
  result.baselines = {"base.json"};
  result.exit = exit;
  return result;
}

Json sarif_results(const GateResult& result) {
  return parse_json(sarif_json(result), "sarif")["runs"][0]["results"];
}

TEST_CASE("unsafe bytes become visible text") {
  CHECK(safe_text(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(safe_text("\x1b[31m\x7f\r\n\t") == "\\x1b[31m\\x7f\\x0d\n\t");
  CHECK(safe_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  const std::string bad = "\xef\xbf\xbd";
  CHECK(safe_text("\xff") == bad);
  CHECK(safe_text("\xc3") == bad);                                // cut off
  CHECK(safe_text("\xc0\xaf") == bad + bad);                      // overlong
  CHECK(safe_text("\xed\xa0\x80") == bad + bad + bad);            // a surrogate
  CHECK(safe_text("\xf4\x90\x80\x80") == bad + bad + bad + bad);  // beyond U+10FFFF
  CHECK(safe_text("\xef\xbf\xbe\xef\xbf\xbf") == bad + bad);      // U+FFFE and U+FFFF
  CHECK(safe_line("a\nb\tc") == "a b c");
}

TEST_CASE("only metrics that moved are listed") {
  const auto moved = moved_figures(finding(Status::fail, ExitCode::regression));
  REQUIRE(moved.size() == 1);
  CHECK(moved[0].name == "differing");
  CHECK(moved[0].old_value == "3");
  CHECK(moved[0].new_value == "4");
  Finding gone = finding(Status::missing, ExitCode::empty);
  gone.actual.clear();
  CHECK(moved_figures(gone).size() == 2);
  CHECK(moved_figures(gone)[1].new_value == "-");
}

TEST_CASE("JUnit tells failures, errors and skipped tests apart") {
  const std::string xml = junit_xml(result_of(
      {finding(Status::pass, ExitCode::as_expected), finding(Status::xfail, ExitCode::as_expected),
       finding(Status::xpass, ExitCode::improvement), finding(Status::fail, ExitCode::regression),
       finding(Status::unmatched, ExitCode::usage), finding(Status::missing, ExitCode::empty)}));
  CHECK_THAT(xml, ContainsSubstring("tests=\"6\" failures=\"2\" errors=\"2\" skipped=\"1\""));
  CHECK_THAT(xml, ContainsSubstring("<skipped message=\"xfail: typed ramp\">"));
  CHECK_THAT(xml, ContainsSubstring("witness (300, 269): 0x3f7e 0.9921875, expected 0x3f7f"));
  CHECK_THAT(xml, ContainsSubstring("reproduce: halfulp sweep meshgrid --form arange"));
}

TEST_CASE("no writer turns a red verdict green") {
  GateResult empty = result_of({}, ExitCode::empty);
  CHECK_THAT(junit_xml(empty), ContainsSubstring("errors=\"1\""));
  empty.problems = {"base.json holds no entry"};
  CHECK_THAT(junit_xml(empty), ContainsSubstring("message=\"base.json holds no entry\""));
  CHECK_THAT(markdown_summary(empty), ContainsSubstring("not as expected"));
  CHECK_THAT(markdown_summary(empty), ContainsSubstring("**base.json holds no entry**"));
  CHECK(github_annotations(empty) == "::error title=halfulp gate::base.json holds no entry\n");
  const Json invocation = parse_json(sarif_json(empty), "sarif")["runs"][0]["invocations"][0];
  CHECK(invocation["executionSuccessful"] == false);
  CHECK(invocation["exitCode"] == 5);
  CHECK(invocation["toolExecutionNotifications"][0]["message"]["text"] ==
        "base.json holds no entry");
}

TEST_CASE("SARIF says what became of each finding") {
  const auto state = [](Finding f) {
    const Json results = sarif_results(result_of({std::move(f)}));
    return results.empty() ? "left out" : results[0]["baselineState"].get<std::string>();
  };
  CHECK(state(finding(Status::pass, ExitCode::as_expected)) == "left out");
  CHECK(state(finding(Status::xfail, ExitCode::as_expected)) == "unchanged");
  CHECK(state(finding(Status::xpass, ExitCode::improvement)) == "absent");
  CHECK(state(finding(Status::changed, ExitCode::improvement)) == "updated");
  CHECK(state(finding(Status::unavailable, ExitCode::as_expected)) == "unchanged");
  CHECK(state(finding(Status::unavailable, ExitCode::empty)) == "new");
  CHECK(state(finding(Status::missing, ExitCode::empty)) == "new");
  CHECK(state(finding(Status::unmatched, ExitCode::usage)) == "new");
  Finding clean = finding(Status::fail, ExitCode::regression);
  CHECK(state(clean) == "updated");
  clean.expected = {{"differing", std::uint64_t{0}}};
  CHECK(state(clean) == "new");
}

TEST_CASE("SARIF locations are URIs of lines") {
  Finding f = finding(Status::fail, ExitCode::regression);
  const auto place = [](const Finding& found) {
    return sarif_results(result_of({found}))[0]["locations"][0]["physicalLocation"];
  };
  f.file = "a b/%#?\xc3\xa9.json";
  CHECK(place(f)["artifactLocation"]["uri"] == "a%20b/%25%23%3F%C3%A9.json");
  CHECK(place(f)["region"]["startLine"] == 7);
  f.file = "/tmp/base.json";
  f.line = 0;
  CHECK(place(f)["artifactLocation"]["uri"] == "file:///tmp/base.json");
  CHECK_FALSE(place(f).contains("region"));
}

TEST_CASE("annotations escape what GitHub decodes") {
  Finding f = finding(Status::fail, ExitCode::regression, "100% ::warning::\nb");
  f.file = "a,b:c%.json";
  f.reason.clear();
  f.command.clear();
  f.witness.reset();
  f.actual = f.expected;
  CHECK(github_annotations(result_of({f})) ==
        "::error file=a%2Cb%3Ac%25.json,line=7,title=halfulp fail%3A "
        "meshgrid/form=arange%2Cwidths=2..4096/bf16/eager-cpu/oracle::100%25 ::warning::%0Ab%0A"
        "a,b:c%25.json:7%0A\n");
  CHECK(github_annotations(result_of({finding(Status::xfail, ExitCode::as_expected)})).empty());
  CHECK_THAT(github_annotations(result_of({finding(Status::xpass, ExitCode::improvement)})),
             ContainsSubstring("::warning file=base.json,line=7,"));
}

TEST_CASE("Markdown tables survive hostile text") {
  Finding f = finding(Status::xfail, ExitCode::as_expected);
  f.reason = "a|b\n<script>`x`|[y](z) \\";
  const std::string text = markdown_summary(result_of({f}, ExitCode::as_expected));
  CHECK_THAT(text, ContainsSubstring("| 4 | a\\|b &lt;script&gt;\\`x\\`\\|\\[y\\](z) \\\\ |\n"));
  Finding red = finding(Status::fail, ExitCode::regression);
  red.command = "halfulp ```` x";
  CHECK_THAT(markdown_summary(result_of({red})),
             ContainsSubstring("`````sh\nhalfulp ```` x\n`````\n"));
  CHECK_THAT(markdown_summary(result_of({red})), ContainsSubstring("| differing | 3 | 4 |"));
}

TEST_CASE("a long Markdown summary says that it was cut") {
  const std::vector<Finding> many(130, finding(Status::fail, ExitCode::regression));
  CHECK_THAT(markdown_summary(result_of(many)),
             ContainsSubstring("and 30 more: `halfulp gate --all` shows them."));
}

}  // namespace
}  // namespace halfulp
