// What every form returns on vectors without numbers, of one number, with NaN and infinities, of
// subnormals and of equal maxima. Infinities and NaN follow IEEE 754 in the oracle as on engines.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "cases/vector_query.h"

namespace halfulp::cases {
namespace {

/// The same in every dtype and on every engine, in the oracle too.
struct Special {
  std::string_view subject;
  std::vector<std::string> forms;
  std::string values;
  std::string_view expected;  ///< decimals
};

const std::vector<std::string> shifts{"naive", "stable"};
const std::vector<std::string> stable{"stable"};
const std::vector<std::string> naive{"naive"};
const std::vector<std::string> losses{"naive", "logsumexp-minus-logit", "log-softmax"};
const std::vector<std::string> variances{"naive", "two-pass", "welford", "merge"};
const std::vector<std::string> unmerged{"naive", "two-pass", "welford"};

void check(const Special& s, std::string_view dtype, std::int64_t width = -1) {
  for (const std::string& form : s.forms) {
    for (const char* backend : {"stepwise", "fused-fp32", "oracle"}) {
      INFO(s.subject << ' ' << form << " of " << s.values << ' ' << dtype << ' ' << backend);
      Params params{{"form", form}};
      if (width < 0) params["values"] = s.values;
      CHECK(decimals({s.subject, params, dtype, backend, width}) == s.expected);
    }
  }
}

}  // namespace

TEST_CASE("Vectors with NaN and infinities") {
  const std::vector<Special> rows{{"softmax", shifts, "nan,nan", "nan nan"},
                                  {"softmax", shifts, "1,nan", "nan nan"},
                                  {"softmax", shifts, "-inf,-inf", "nan nan"},
                                  {"softmax", shifts, "inf,inf", "nan nan"},
                                  {"softmax", shifts, "-inf,1", "0 1"},
                                  {"softmax", naive, "inf,1", "nan 0"},
                                  {"softmax", stable, "inf,1", "nan nan"},
                                  {"softmax", naive, "inf,-inf", "nan 0"},
                                  {"softmax", stable, "inf,-inf", "nan nan"},
                                  {"log-softmax", shifts, "nan,nan", "nan nan"},
                                  {"log-softmax", shifts, "-inf,-inf", "nan nan"},
                                  {"log-softmax", shifts, "-inf,1", "-inf 0"},
                                  {"log-softmax", naive, "inf,1", "nan -inf"},
                                  {"log-softmax", stable, "inf,1", "nan nan"},
                                  {"log-softmax", naive, "inf,-inf", "nan -inf"},
                                  {"log-softmax", stable, "inf,-inf", "nan nan"},
                                  {"logsumexp", shifts, "nan,nan", "nan"},
                                  {"logsumexp", shifts, "1,nan", "nan"},
                                  {"logsumexp", shifts, "inf,nan", "nan"},
                                  {"logsumexp", shifts, "-inf,-inf", "-inf"},
                                  {"logsumexp", shifts, "inf,inf", "inf"},
                                  {"logsumexp", shifts, "inf,1", "inf"},
                                  {"logsumexp", shifts, "inf,-inf", "inf"},
                                  {"logsumexp", stable, "-inf,1", "1"},
                                  {"cross-entropy", losses, "nan,nan", "nan"},
                                  {"cross-entropy", losses, "-inf,-inf", "nan"},
                                  {"cross-entropy", losses, "inf,1", "nan"},
                                  {"cross-entropy", losses, "-inf,1", "inf"},
                                  {"cross-entropy", losses, "inf,-inf", "nan"},
                                  {"variance", variances, "nan,nan", "nan"},
                                  {"variance", unmerged, "inf,1", "nan"},
                                  {"variance", unmerged, "inf,-inf", "nan"},
                                  {"variance", variances, "-inf,-inf", "nan"},
                                  {"layer-norm", unmerged, "nan,nan", "nan nan"},
                                  {"layer-norm", unmerged, "inf,1", "nan nan"},
                                  {"layer-norm", unmerged, "inf,-inf", "nan nan"}};
  for (const char* dtype : {"f32", "f16", "bf16"}) {
    for (const Special& s : rows) check(s, dtype);
  }
}

TEST_CASE("Merging elements at infinite distance gives an infinite variance, not NaN") {
  for (const char* x : {"inf,1", "inf,-inf"}) {
    const Params params{{"form", "merge"}, {"values", x}};
    CHECK(decimals({"variance", params}) == "inf");
    CHECK(decimals({"variance", params, "f32", "fused-fp32"}) == "inf");
    CHECK(decimals({"variance", params, "f32", "oracle"}) == "nan");
  }
}

TEST_CASE("Vectors of no elements") {
  const std::vector<Special> rows{{"softmax", shifts, "", ""},
                                  {"log-softmax", shifts, "", ""},
                                  {"logsumexp", shifts, "", "-inf"},
                                  {"variance", variances, "", "nan"},
                                  {"layer-norm", unmerged, "", ""}};
  for (const char* dtype : {"f32", "f16", "bf16"}) {
    for (const Special& s : rows) check(s, dtype, 0);
  }
}

TEST_CASE("The sample variance of no elements divides by -1") {
  for (const char* backend : {"stepwise", "fused-fp32", "oracle"}) {
    const auto sample = [&](const char* form) {
      return decimals({"variance", {{"form", form}, {"correction", "1"}}, "f32", backend, 0});
    };
    CHECK(sample("naive") == "nan");
    CHECK(sample("two-pass") == "-0");
    CHECK(sample("welford") == "-0");
    CHECK(sample("merge") == "-0");
  }
}

TEST_CASE("logsumexp shifts by the largest finite numbers too") {
  for (const char* backend : {"stepwise", "fused-fp32", "oracle"}) {
    INFO(backend);
    CHECK(results({"logsumexp", {{"values", "0x1.fffffep127,0"}}, "f32", backend}) == "0x7f7fffff");
    CHECK(results({"logsumexp", {{"values", "-0x1.fffffep127"}}, "f32", backend}) == "0xff7fffff");
    CHECK(results({"logsumexp", {{"values", "65504,0"}}, "f16", backend}) == "0x7bff");
    CHECK(results({"logsumexp", {{"values", "0x1.fep127,0"}}, "bf16", backend}) == "0x7f7f");
  }
}

TEST_CASE("Vectors of one element") {
  const std::vector<Special> rows{
      {"softmax", shifts, "1.5", "1"},     {"log-softmax", shifts, "1.5", "0"},
      {"logsumexp", stable, "1.5", "1.5"}, {"cross-entropy", {"logsumexp-minus-logit"}, "1.5", "0"},
      {"variance", variances, "1.5", "0"}, {"layer-norm", unmerged, "1.5", "0"}};
  for (const char* dtype : {"f32", "f16", "bf16"}) {
    for (const Special& s : rows) check(s, dtype);
  }
  // The loss of a single class is -(0 - log 1), a negative zero.
  CHECK(decimals({"cross-entropy", {{"form", "log-softmax"}, {"values", "1.5"}}}) == "-0");
  CHECK(decimals({"cross-entropy", {{"form", "naive"}, {"values", "1.5"}}}) == "-0");
  const Params sample{{"values", "1.5"}, {"correction", "1"}};
  CHECK(decimals({"variance", sample}) == "nan");
  CHECK(decimals({"variance", sample, "f32", "oracle"}) == "nan");
}

TEST_CASE("Equal maxima share evenly") {
  const std::vector<Special> rows{{"softmax", shifts, "3,3,-inf,3",
                                   "0.3333333432674408 0.3333333432674408 0 0.3333333432674408"},
                                  {"softmax", shifts, "0,0", "0.5 0.5"},
                                  {"variance", variances, "3,3,3", "0"},
                                  {"layer-norm", unmerged, "3,3,3", "0 0 0"}};
  for (const Special& s : rows) check(s, "f32");
  for (const char* backend : {"stepwise", "fused-fp32", "oracle"}) {
    for (const char* form : {"naive", "stable"}) {
      const Params params{{"form", form}, {"values", "3,3,3"}};
      CHECK(results({"log-softmax", params, "f32", backend}) == "0xbf8c9f54 0xbf8c9f54 0xbf8c9f54");
      CHECK(results({"logsumexp", params, "f32", backend}) == "0x408327d5");
    }
  }
}

TEST_CASE("Subnormal elements") {
  const std::string x = "1e-45,3e-45";  // the first two subnormals of float32
  for (const char* backend : {"stepwise", "fused-fp32", "oracle"}) {
    INFO(backend);
    for (const std::string& form : shifts) {
      const Params params{{"form", form}, {"values", x}};
      CHECK(decimals({"softmax", params, "f32", backend}) == "0.5 0.5");
      CHECK(results({"log-softmax", params, "f32", backend}) == "0xbf317218 0xbf317218");
      CHECK(results({"logsumexp", params, "f32", backend}) == "0x3f317218");
    }
    for (const std::string& form : losses) {
      const Params params{{"form", form}, {"values", x}};
      CHECK(results({"cross-entropy", params, "f32", backend}) == "0x3f317218");
    }
    for (const std::string& form : variances) {
      CHECK(decimals({"variance", {{"form", form}, {"values", x}}, "f32", backend}) == "0");
    }
  }
  // The mean of 1 and 2 units is 1.5 units, which rounds to 2; Welford's 1 + 0.5 rounds to 1 + 0.
  const auto normalised = [&](const char* form, const char* backend) {
    return results({"layer-norm", {{"form", form}, {"values", x}}, "f32", backend});
  };
  CHECK(normalised("two-pass", "stepwise") == "0x8000013c 0x00000000");
  CHECK(normalised("welford", "stepwise") == "0x00000000 0x0000013c");
  CHECK(normalised("two-pass", "oracle") == "0x8000009e 0x0000009e");
}

}  // namespace halfulp::cases
