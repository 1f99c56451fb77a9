#include "harness/export.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "harness/error.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

Key key_of(std::string form, std::string backend) {
  Key key;
  key.subject = "meshgrid";
  key.params = complete_params(find_case("meshgrid"), {{"form", std::move(form)}});
  key.widths = "2..4";
  key.dtype = "bf16";
  key.backend = std::move(backend);
  key.reference = "oracle";
  return key;
}

ExportSize size_of(std::int64_t n, double backend, double rounded) {
  constexpr double atol = 0.1;
  return {exact(n), {{backend <= atol, backend}, {rounded <= atol, rounded}}};
}

std::string message_of(std::string_view text) {
  try {
    NodeTemplate::parse(text).expand(key_of("arange", "eager-cpu"), exact(300));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("templates expand placeholders") {
  const auto expand = [](std::string_view text) {
    return NodeTemplate::parse(text).expand(key_of("arange", "eager-cpu"), exact(300));
  };
  CHECK(expand("t.py::test[cpu-{dtype}-{width}]") == "t.py::test[cpu-bf16-300]");
  CHECK(expand("{case} {torch_dtype} {backend} {form} {align_corners}") ==
        "meshgrid bfloat16 eager-cpu arange true");
  CHECK(expand("{{{dtype}}}") == "{bf16}");
  CHECK(expand("plain") == "plain");
}

TEST_CASE("templates that say nothing clear are refused in one line") {
  CHECK_THAT(message_of("{widht}"), ContainsSubstring("unknown placeholder 'widht'; did you mean "
                                                      "'width'?"));
  CHECK_THAT(message_of("{height}"), ContainsSubstring("{height} has no value for meshgrid/"));
  CHECK_THAT(message_of("{b}"), ContainsSubstring("{b} has no value for meshgrid/"));
  CHECK(message_of("") == "--template is empty");
  CHECK_THAT(message_of("a\tb"), ContainsSubstring("control characters: 'a\\x09b'"));
  for (const std::string_view stray : {"{", "}", "a{dtype", "dtype}", "{a{dtype}}", "{dtype}}"}) {
    CHECK_THAT(message_of(stray), ContainsSubstring("stray"));
  }
  CHECK_THAT(message_of("{}"), ContainsSubstring("unknown placeholder ''"));
}

TEST_CASE("reasons carry the numbers") {
  CHECK(miss_reason(size_of(4, 0.4, 0.2).found) ==
        "unreachable in this dtype (smallest attainable tolerance 0.2)");
  CHECK(miss_reason(size_of(4, 0.4, 0.05).found) ==
        "this backend misses it (0.4; correctly rounded 0.05)");
}

TEST_CASE("an id that stands for several results is listed if any misses") {
  const std::vector<ExportSubject> subjects{
      {key_of("arange", "eager-cpu"), {size_of(2, 0, 0), size_of(3, 0.3, 0.05)}, {}},
      {key_of("arange", "fused-fp32"), {size_of(2, 0, 0), size_of(3, 0.05, 0.05)}, {}}};
  const auto merged = expected_failures(subjects, NodeTemplate::parse("t[{width}]"));
  REQUIRE(merged.listed.size() == 1);
  CHECK(merged.ids == 2);
  CHECK(merged.merged == std::vector<std::string>{"backend"});
  CHECK(merged.listed[0].id == "t[3]");
  CHECK(merged.listed[0].reason ==
        "eager-cpu: this backend misses it (0.3; correctly rounded 0.05)");

  const auto apart = expected_failures(subjects, NodeTemplate::parse("t[{backend}-{width}]"));
  CHECK(apart.ids == 4);
  CHECK(apart.merged.empty());
  REQUIRE(apart.listed.size() == 1);
  CHECK(apart.listed[0].id == "t[eager-cpu-3]");
  CHECK(apart.listed[0].reason == "this backend misses it (0.3; correctly rounded 0.05)");

  const auto whole = expected_failures(subjects, NodeTemplate::parse("t"));
  REQUIRE(whole.listed.size() == 1);
  CHECK(whole.merged == std::vector<std::string>{"backend", "width"});
  CHECK(whole.listed[0].reason ==
        "eager-cpu 3: this backend misses it (0.3; correctly rounded 0.05)");
}

TEST_CASE("the summary groups sizes by powers of two") {
  const std::vector<ExportSubject> subjects{
      {key_of("arange", "eager-cpu"),
       {size_of(2, 0, 0), size_of(3, 0.3, 0.05), size_of(4, 0.4, 0.2), size_of(5, 0.5, 0.25)},
       {}},
      {key_of("arange", "cuda"), {}, "no device"}};
  std::string text;
  for (const auto& [key, value] : attainable_summary(subjects, {"0.1", "0", {}})) {
    text += key + ": " + value + "\n";
  }
  CHECK(text ==
        "tolerance: |actual - exact| <= 0.1 + 0 * |exact|\n"
        "result-1: meshgrid/align_corners=true,form=arange,normalized=true,widths=2..4/bf16/"
        "eager-cpu: 3 of 4 sizes miss it\n"
        "unreachable-in-this-dtype-1: 4..5\n"
        "this-backend-misses-it-1: 3\n"
        "smallest-attainable-atol-1: sizes 2..3: correctly rounded 0.05, this backend 0.3, "
        "1 of 2 meet it\n"
        "smallest-attainable-atol-1: sizes 4..5: correctly rounded 0.25, this backend 0.5, "
        "0 of 2 meet it\n"
        "skipped-2: meshgrid/align_corners=true,form=arange,normalized=true,widths=2..4/bf16/"
        "cuda: no device\n");
}

TEST_CASE("files hold the failures in the consumer's format") {
  const ExpectedFailures failures{
      .listed = {{"t.py::a[\"\\]", "why\n\"1\""}, {"t.py::b", "x"}}, .ids = 3, .merged = {}};
  const ExportContext context{.header = {{"schema", "s/1"}, {"k", "a\nb"}, {"k", "c"}},
                              .phase = "call",
                              .exception = "torch.testing.Error"};
  CHECK(pytest_manifest(failures, context) ==
        "# schema: s/1\n# k: a b; c\n"
        "call\ttorch.testing.Error\tt.py::a[\"\\]\n"
        "call\ttorch.testing.Error\tt.py::b\n");
  CHECK(node_id_list(failures, context) == "t.py::a[\"\\]\nt.py::b\n");
  const std::string conftest = conftest_file(failures, context);
  CHECK_THAT(conftest, ContainsSubstring("\"t.py::a[\\\"\\\\]\""));
  CHECK_THAT(conftest, ContainsSubstring("\"why\\x0a\\\"1\\\"\": ["));
  CHECK_THAT(conftest, ContainsSubstring("import torch.testing\n"));
  CHECK_THAT(conftest, ContainsSubstring("raises=torch.testing.Error, strict=True"));
}

}  // namespace
}  // namespace halfulp
