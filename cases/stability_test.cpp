// The figures of the naive and the stable forms, each computed here. Those of the engines were also
// computed by an independent model in rational and 400-bit arithmetic.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "cases/vector_query.h"
#include "harness/error.h"

namespace halfulp::cases {
namespace {

constexpr std::string_view ten_values =
    "1,0.999998987,1.000002027,0.99999702,1.000004053,0.999994993,1.00000596,0.999993026,"
    "1.000007987,0.999991";

/// What the stepwise machine, fused-fp32 and the oracle return.
struct Figure {
  std::string_view subject;
  Params params;
  std::string_view dtype;
  std::string stepwise;
  std::string fused;
  std::string oracle;
};

void check(const Figure& f) {
  INFO(f.subject << ' ' << f.dtype << ' '
                 << (f.params.contains("form") ? f.params.at("form") : std::string()));
  VectorQuery query{f.subject, f.params, f.dtype};
  CHECK(results(query) == f.stepwise);
  query.backend = "fused-fp32";
  CHECK(results(query) == f.fused);
  query.backend = "oracle";
  CHECK(results(query) == f.oracle);
}

Params of(std::string form, std::string_view values) {
  return {{"form", std::move(form)}, {"values", std::string(values)}};
}

Params with(Params params, std::string name, std::string value) {
  params[std::move(name)] = std::move(value);
  return params;
}

std::string repeated(std::string_view word, int count) {
  std::string out(word);
  for (int k = 1; k < count; ++k) out.append(" ").append(word);
  return out;
}

/// Real numbers have no signed zero: a zero from an interval around 0 is +0, an exact -0 stays.
bool same_values(const Encodings& a, const Encodings& b) {
  return std::ranges::equal(a.bits, b.bits, [&](std::uint64_t x, std::uint64_t y) {
    return is_finite(x, a.format) && is_finite(y, b.format) &&
           ordinal(x, a.format) == ordinal(y, b.format);
  });
}

}  // namespace

TEST_CASE("The variance of 1e6, 1e6 + 1, 1e6 + 2 is 2/3, and -65536 as the naive form has it") {
  const std::string_view values = "1000000..1000002";
  check({"variance", of("naive", values), "f32", "0xc7800000", "0xc7800000", "0x3f2aaaab"});
  for (const char* form : {"two-pass", "welford", "merge"}) {
    check({"variance", of(form, values), "f32", "0x3f2aaaab", "0x3f2aaaab", "0x3f2aaaab"});
  }
  CHECK(decimals({"variance", of("naive", values)}) == "-65536");
  const Case& c = find_case("variance");
  const Format dtype = parse_format("f32");
  const Params params = complete_params(c, of("naive", values));
  AxisBinder binder(c, params, dtype);
  const auto oracle = make_oracle(OracleKind::exact, c.build(params, 3), dtype);
  oracle->bind(binder.binding(exact(3)));
  CHECK(oracle->exact_text(0) == "2/3");
  CHECK(oracle->exact_errors(0, -65536).abs == 65536 + 2.0 / 3);
  CHECK(oracle->exact_errors(0, static_cast<double>(2.0F / 3)).abs == 0x1p-24 / 3);
}

TEST_CASE("The variance of ten values near 1: the naive form is negative, its root NaN") {
  check({"variance", of("naive", ten_values), "f32", "0xb4000000", "0xb4000000", "0x2df811ae"});
  check({"variance", of("two-pass", ten_values), "f32", "0x2df81266", "0x2df81266", "0x2df811ae"});
  check({"variance", of("welford", ten_values), "f32", "0x2df83266", "0x2df83266", "0x2df811ae"});
  CHECK(decimals({"variance", of("naive", ten_values)}) == "-1.1920928955078125e-07");
  const Params root = with(of("naive", ten_values), "output", "std");
  check({"variance", root, "f32", "nan", "nan", "0x36b2317a"});
  const Params sample = with(of("two-pass", ten_values), "correction", "1");
  check({"variance", sample, "f32", "0x2e09d155", "0x2e09d155", "0x2e09d0ef"});
}

TEST_CASE("A constant vector has variance 0 by Welford's update, by merging, and exactly") {
  for (const char* dtype : {"f32", "f16", "bf16"}) {
    for (const char* form : {"naive", "two-pass", "welford", "merge"}) {
      for (const char* value : {"0.1", "1000", "-3"}) {
        for (const std::int64_t width : {1, 2, 7, 100, 3000}) {
          INFO(dtype << ' ' << form << ' ' << value << ' ' << width);
          VectorQuery query{"variance", {{"form", form}, {"fill", value}}, dtype, "oracle", width};
          CHECK(decimals(query) == "0");
          query.backend = "stepwise";
          const bool is_update = std::string_view(form) == "welford" || form[0] == 'm';
          if (is_update) CHECK(decimals(query) == "0");
        }
      }
    }
  }
}

TEST_CASE("A constant vector has variance 0 in two passes where its sum is exact") {
  const auto constant = [](const char* form, const char* value, const char* dtype,
                           std::int64_t width, std::string_view backend = "stepwise") {
    return decimals({"variance", {{"form", form}, {"fill", value}}, dtype, backend, width});
  };
  for (const std::int64_t width : {1, 2, 3, 7, 10, 16}) {
    INFO(width);
    CHECK(constant("two-pass", "1000000", "f32", width) == "0");
    CHECK(constant("two-pass", "-3", "f32", width) == "0");
    CHECK(constant("two-pass", "-3", "f16", width) == "0");
    CHECK(constant("two-pass", "-3", "bf16", width) == "0");
  }
  CHECK(constant("naive", "1000000", "f32", 7) == "65536");
  CHECK(constant("naive", "1000000", "f32", 100) == "-131072");
  // 7 times 0.1 added up in float32 and divided by 7 is not 0.1.
  CHECK(constant("two-pass", "0.1", "f32", 7) == "5.551115123125783e-17");
  CHECK(constant("two-pass", "0.1", "bf16", 7) == "2.384185791015625e-07");
  // A sum of ones stops at 2048 in float16 and at 256 in bfloat16.
  const auto ones = [&](const char* dtype, std::string_view backend) {
    const VectorQuery query{
        "variance", {{"form", "two-pass"}, {"fill", "1"}}, dtype, backend, 3000};
    return results(query);
  };
  CHECK(ones("f16", "stepwise") == "0x2d76");
  CHECK(ones("f16", "fused-fp32") == "0x0000");
  CHECK(ones("bf16", "stepwise") == "0x3dae");
  CHECK(ones("bf16", "fused-fp32") == "0x0000");
}

TEST_CASE("Cross-entropy of two equal logits is ln 2 whatever they are") {
  for (const char* v : {"0", "1", "1e4", "1e6", "1e8", "-1e8"}) {
    const std::string logits = std::string(v) + "," + v;
    const std::string ln2 = "0x3f317218";
    check({"cross-entropy", of("log-softmax", logits), "f32", ln2, ln2, ln2});
    const VectorQuery oracle{"cross-entropy", of("naive", logits), "f32", "oracle"};
    CHECK(results(oracle) == ln2);
  }
  const auto subtracted = [](const char* v) {
    const Params params = of("logsumexp-minus-logit", std::string(v) + "," + v);
    CHECK(results({"cross-entropy", params, "f32", "oracle"}) == "0x3f317218");
    CHECK(results({"cross-entropy", params, "f32", "fused-fp32"}) ==
          results({"cross-entropy", params}));
    return decimals({"cross-entropy", params});
  };
  CHECK(subtracted("1e4") == "0.693359375");
  CHECK(subtracted("1e6") == "0.6875");
  CHECK(subtracted("1e8") == "0");
  CHECK(results({"cross-entropy", of("naive", "1e4,1e4")}) == "nan");
}

TEST_CASE("logsumexp where exp overflows or underflows") {
  struct Row {
    std::string_view values;
    std::string_view dtype;
    std::string naive;   ///< both engines
    std::string stable;  ///< stepwise
    std::string oracle;  ///< and the stable form of fused-fp32
  };
  const std::vector<Row> rows{
      {"500,501,502", "f32", "inf", "0x43fb342c", "0x43fb342c"},
      {"500,501,502", "f16", "inf", "0x5fda", "0x5fda"},
      {"500,501,502", "bf16", "inf", "0x43fb", "0x43fb"},
      {"7,7,7,7", "f32", "0x41062e43", "0x41062e43", "0x41062e43"},
      {"7,7,7,7", "f16", "0x4831", "0x4832", "0x4831"},
      {"7,7,7,7", "bf16", "0x4106", "0x4106", "0x4106"},
      {"1000,0,0", "f32", "inf", "0x447a0000", "0x447a0000"},
      {"1000,0,0", "f16", "inf", "0x63d0", "0x63d0"},
      {"1000,0,0", "bf16", "inf", "0x447a", "0x447a"},
      {"-1000,-1000,-1000", "f32", "-inf", "0xc479b9b0", "0xc479b9b0"},
      {"-1000,-1000,-1000", "f16", "-inf", "0xe3ce", "0xe3ce"},
      {"-1000,-1000,-1000", "bf16", "-inf", "0xc47a", "0xc47a"},
      {"-inf,-inf", "f32", "-inf", "-inf", "-inf"},
      {"-inf,-inf", "f16", "-inf", "-inf", "-inf"},
      {"-inf,-inf", "bf16", "-inf", "-inf", "-inf"},
  };
  for (const Row& r : rows) {
    INFO(r.values);
    check({"logsumexp", of("naive", r.values), r.dtype, r.naive, r.naive, r.oracle});
    check({"logsumexp", of("stable", r.values), r.dtype, r.stable, r.oracle, r.oracle});
  }
}

TEST_CASE("softmax of 100, 101, 102: the naive form has no numbers left") {
  const std::string_view x = "100,101,102";
  const std::string f32 = "0x3db861f3 0x3e7a9a1a 0x3f2a4d3b";
  const std::string f16 = "0x2dc3 0x33d5 0x3952";
  const std::string bf16 = "0x3db8 0x3e7b 0x3f2a";
  const std::string lost = repeated("nan", 3);
  check({"softmax", of("naive", x), "f32", lost, lost, f32});
  check({"softmax", of("naive", x), "f16", lost, lost, f16});
  check({"softmax", of("naive", x), "bf16", lost, lost, bf16});
  check({"softmax", of("stable", x), "f32", f32, f32, f32});
  check({"softmax", of("stable", x), "f16", "0x2dc3 0x33d4 0x3952", f16, f16});
  check({"softmax", of("stable", x), "bf16", "0x3db9 0x3e7b 0x3f2b", bf16, bf16});
}

TEST_CASE("exp overflows above 11.09 in float16") {
  // ln 65520 = 11.0901; the float16 below it is 11.0859375, the next 11.09375.
  CHECK(results({"softmax", of("naive", "11.0859375"), "f16"}) == "0x3c00");
  CHECK(results({"softmax", of("naive", "11.09375"), "f16"}) == "nan");
  CHECK(results({"softmax", of("stable", "11.09375"), "f16"}) == "0x3c00");
  CHECK(results({"softmax", of("naive", "11.09375,0"), "f16"}) == "nan 0x0000");
  const VectorQuery fused{"softmax", of("naive", "11.09375"), "f16", "fused-fp32"};
  CHECK(results(fused) == "0x3c00");
}

TEST_CASE("Forms of a case mean the same") {
  struct Family {
    std::string_view subject;
    std::vector<std::string> forms;
  };
  const std::vector<Family> families{
      {"softmax", {"naive", "stable"}},
      {"log-softmax", {"naive", "stable"}},
      {"logsumexp", {"naive", "stable"}},
      {"cross-entropy", {"naive", "logsumexp-minus-logit", "log-softmax"}},
      {"variance", {"naive", "two-pass", "welford", "merge"}},
      {"layer-norm", {"naive", "two-pass", "welford"}}};
  for (const Family& family : families) {
    for (const char* dtype : {"f32", "f16", "bf16"}) {
      for (const std::int64_t width : {1, 2, 3, 17, 40}) {
        VectorQuery query{family.subject, {{"form", family.forms[0]}}, dtype, "oracle", width};
        const Encodings expected = evaluate(query);
        for (const std::string& form : family.forms) {
          INFO(family.subject << ' ' << form << ' ' << dtype << ' ' << width);
          query.params["form"] = form;
          CHECK(same_values(evaluate(query), expected));
        }
      }
    }
  }
}

TEST_CASE("Long vectors: where sums in the dtype stop") {
  struct Row {
    std::string_view subject;
    const char* dtype;
    std::int64_t width;
    std::string_view stepwise;
    std::string_view right;  ///< fused-fp32 and the oracle
  };
  // Of zeros: every exponential is 1, their sum stops at 2048 in float16 and at 256 in bfloat16.
  const std::vector<Row> rows{{"logsumexp", "f16", 3000, "0x47a0", "0x4801"},
                              {"softmax", "f16", 3000, "0x1000", "0x0d76"},
                              {"logsumexp", "bf16", 3000, "0x40b1", "0x4100"},
                              {"softmax", "bf16", 3000, "0x3b80", "0x39af"},
                              {"logsumexp", "f32", 100000, "0x413834f1", "0x413834f1"},
                              {"softmax", "f32", 100000, "0x3727c5ac", "0x3727c5ac"}};
  for (const Row& r : rows) {
    INFO(r.subject << ' ' << r.dtype);
    const auto first = [&](std::string_view backend) {
      const std::string all = results({r.subject, {{"fill", "0"}}, r.dtype, backend, r.width});
      return all.substr(0, all.find(' '));
    };
    CHECK(first("stepwise") == r.stepwise);
    CHECK(first("fused-fp32") == r.right);
    CHECK(first("oracle") == r.right);
  }
}

TEST_CASE("Parameters that make no sense are refused") {
  const auto message = [](const VectorQuery& query) -> std::string {
    try {
      results(query);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(message({"cross-entropy", {{"target", "3"}, {"values", "1,2,3"}}}) ==
        "cross-entropy: --target 3 and a vector of 3 values (the first has index 0)");
  CHECK(message({"cross-entropy", {{"target", "-1"}, {"values", "1"}}}) ==
        "cross-entropy: --target -1 is not an integer from 0 to 16777215");
  CHECK(message({"cross-entropy", {{"target", "1/2"}, {"values", "1"}}}) ==
        "cross-entropy: --target 1/2 is not an integer from 0 to 16777215");
  CHECK(message({"layer-norm", {{"eps", "-1"}, {"values", "1"}}}) ==
        "layer-norm: --eps -1 is negative");
  CHECK(message({"softmax", {{"values", "1"}}, "f64"}).starts_with("softmax does not support f64"));
  CHECK(message({"cross-entropy", {{"target", "2"}, {"values", "1,2,3"}}}) == "accepted");
}

}  // namespace halfulp::cases
