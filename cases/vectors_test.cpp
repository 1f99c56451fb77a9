#include "cases/vectors.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>

#include "cases/distributions.h"
#include "cases/inputs.h"
#include "harness/error.h"
#include "harness/npy.h"

namespace halfulp::cases {
namespace {

using Catch::Matchers::ContainsSubstring;

struct Setup {
  VectorDefaults defaults{};
  int vectors = 1;
  bool rows = false;
};

/// The parameters of a case over vectors, complete.
Params complete(const Params& given, const Setup& setup = {}) {
  Case c{};
  c.name = "subject";
  c.parameters = vector_parameters(setup.defaults, setup.vectors);
  if (setup.rows) c.parameters.push_back({"rows", ParamKind::size, "", {}, ""});
  return complete_params(c, given);
}

std::vector<double> x_of(const Params& given, const Format& dtype, std::uint64_t length,
                         const Setup& setup = {}, Vector which = Vector::x) {
  const InputVector v = vector_of(complete(given, setup), dtype, length, which);
  std::vector<double> out(v.f64.empty() ? v.f32.size() : v.f64.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = v.value(i);
  CHECK((dtype == binary64 ? v.f32 : std::vector<float>(v.f64.begin(), v.f64.end())).empty());
  return out;
}

/// The message of a refusal, or "accepted".
std::string refusal(const Params& given, const Format& dtype = binary32, const Setup& setup = {}) {
  try {
    check_vectors(complete(given, setup), dtype, setup.defaults, setup.vectors);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

/// A .npy file that is gone at the end of the test.
class TemporaryFile {
 public:
  TemporaryFile(std::span<const std::uint64_t> encodings, const Format& format,
                const std::vector<std::uint64_t>& shape)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("halfulp-vectors-{}.npy", static_cast<const void*>(this))) {
    std::ofstream(path_, std::ios::binary) << npy_file(encodings, format, shape);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

constexpr std::array<std::uint64_t, 6> six{0x3c00, 0x4000, 0x4200, 0x4400, 0x8000, 0x7c00};

}  // namespace

TEST_CASE("given values are rounded once to the dtype", "[vectors]") {
  const Params given{{"values", "1,0.1,65520,-0,-1e-8,inf,nan"}};
  const auto x = x_of(given, binary16, 7);
  CHECK(x[0] == 1);
  CHECK(x[1] == 0.0999755859375);
  CHECK(std::isinf(x[2]));
  CHECK(std::bit_cast<std::uint64_t>(x[3]) == std::bit_cast<std::uint64_t>(-0.0));
  CHECK((x[4] == 0 && std::signbit(x[4])));
  CHECK(std::isinf(x[5]));
  CHECK(std::isnan(x[6]));
  CHECK(x_of(given, binary64, 7)[1] == 0.1);
  CHECK(vector_axis(complete(given), binary16) == std::vector{exact(7)});
  CHECK_THROWS_WITH(x_of(given, binary16, 8),
                    ContainsSubstring("the vector of --values has 7 values, not 8"));
}

TEST_CASE("a filled vector has any length", "[vectors]") {
  CHECK(x_of({{"fill", "2.25"}}, bfloat16, 3) == std::vector<double>{2.25, 2.25, 2.25});
  CHECK(std::isnan(x_of({{"fill", "nan"}}, binary64, 1)[0]));
  CHECK(x_of({{"fill", "1"}}, binary32, 0).empty());
  CHECK(vector_axis(complete({{"fill", "1"}}), binary32).empty());
}

TEST_CASE("vectors from files", "[vectors]") {
  const TemporaryFile vector(six, binary16, {6});
  const Params given{{"input", vector.path()}};
  CHECK(refusal(given, binary16) == "accepted");
  CHECK(vector_axis(complete(given), binary16) == std::vector{exact(6)});
  const auto x = x_of(given, binary16, 6);
  CHECK(std::vector<double>(x.begin(), x.begin() + 4) == std::vector<double>{1, 2, 3, 4});
  CHECK(std::signbit(x[4]));
  CHECK(std::isinf(x[5]));
  CHECK_THAT(refusal(given, binary32),
             ContainsSubstring("holds float16 ('<f2'); --dtype f32 needs float32 ('<f4')"));
  CHECK_THAT(refusal({{"input", "/nowhere/x.npy"}}),
             ContainsSubstring("cannot read '/nowhere/x.npy'"));
  CHECK_THROWS_WITH(x_of(given, binary16, 5),
                    ContainsSubstring("the vector of --input has 6 values, not 5"));

  const TemporaryFile batch(six, binary16, {2, 3});
  const Params rows{{"input", batch.path()}, {"rows", "2"}};
  CHECK(vector_axis(complete(rows, {.rows = true}), binary16) == std::vector{exact(3)});
  CHECK(x_of(rows, binary16, 3, {.rows = true}).size() == 6);
  CHECK(x_of({{"input", vector.path()}, {"rows", "2"}}, binary16, 3, {.rows = true}).size() == 6);
  CHECK_THAT(refusal({{"input", batch.path()}}, binary16),
             ContainsSubstring("has shape (2, 3); one vector (n,) is needed"));
  CHECK_THAT(refusal({{"input", batch.path()}, {"rows", "3"}}, binary16, {.rows = true}),
             ContainsSubstring("has shape (2, 3); --rows 3 needs (3, n) or (n,)"));
  CHECK_THAT(refusal({{"input", vector.path()}, {"rows", "4"}}, binary16, {.rows = true}),
             ContainsSubstring("the 6 values of --input do not fill 4 rows"));

  const TemporaryFile nothing({}, binary16, {0});
  CHECK(vector_axis(complete({{"input", nothing.path()}}), binary16) == std::vector{exact(0)});
  CHECK(x_of({{"input", nothing.path()}}, binary16, 0).empty());
}

TEST_CASE("drawn vectors are the distributions', rounded once", "[vectors]") {
  const auto expected = [](Draw d, const Format& dtype, std::uint64_t length) {
    std::vector<double> out = draw(d, length);
    for (double& v : out) v = from_values(std::span(&v, 1), dtype).value(0);
    return out;
  };
  for (const Format& dtype : {binary64, binary32, binary16, bfloat16}) {
    CHECK(x_of({}, dtype, 50) == expected({}, dtype, 50));
    CHECK(x_of({{"distribution", "uniform"}, {"seed", "9"}}, dtype, 50) ==
          expected({.distribution = Distribution::uniform, .low = -1, .high = 1, .seed = 9}, dtype,
                   50));
    CHECK(x_of({{"distribution", "log-uniform"}, {"high", "8"}}, dtype, 50) ==
          expected({.distribution = Distribution::log_uniform, .low = 1e-6, .high = 8}, dtype, 50));
    CHECK(x_of({{"distribution", "integers"}}, dtype, 3) == std::vector<double>{0, 1, 2});
    CHECK(x_of({}, dtype, 0).empty());
  }
  CHECK(x_of({}, binary32, 5,
             {.defaults = {.distribution = "log-uniform", .low = "2", .high = "3"}}) ==
        expected({.distribution = Distribution::log_uniform, .low = 2, .high = 3}, binary32, 5));
}

TEST_CASE("a sum of cancelling values is exactly 0 in every dtype, and so is a dot product",
          "[vectors]") {
  const Setup two{.vectors = 2};
  const Params given{{"distribution", "cancelling"}, {"seed", "7"}};
  for (const Format& dtype : {binary64, binary32, binary16, bfloat16}) {
    for (const std::uint64_t n : {2, 9, 1000}) {
      auto x = x_of(given, dtype, n, two);
      const auto y = x_of(given, dtype, n, two, Vector::y);
      std::map<std::pair<double, double>, int> balance;
      for (std::size_t i = 0; i < n; ++i) {
        balance[{std::fabs(x[i]), y[i]}] += x[i] > 0 ? 1 : x[i] < 0 ? -1 : 0;
      }
      for (const auto& [key, count] : balance) CHECK(count == 0);
      CHECK(x != y);
    }
  }
}

TEST_CASE("a second vector is given or drawn from a stream of its own", "[vectors]") {
  const Setup two{.vectors = 2};
  CHECK(x_of({{"values_y", "5,6"}}, binary32, 2, two, Vector::y) == std::vector<double>{5, 6});
  CHECK(x_of({{"fill_y", "7"}}, binary32, 2, two, Vector::y) == std::vector<double>{7, 7});
  CHECK(x_of({}, binary32, 9, two, Vector::y) != x_of({}, binary32, 9, two));
  CHECK(vector_axis(complete({{"values_y", "5,6"}}, two), binary32) == std::vector{exact(2)});
  CHECK(two_vectors(complete({}, two), binary32, exact(4)).size() == 2);
  CHECK(one_vector(complete({}), binary32, exact(4)).front().f32.size() == 4);
  CHECK(refusal({{"values", "1,2"}, {"distribution", "uniform"}}, binary32, two) == "accepted");
  CHECK_THAT(refusal({{"values", "1,2"}, {"values_y", "1,2,3"}}, binary32, two),
             ContainsSubstring("the first vector has 2 values, the second 3"));
  CHECK_THAT(refusal({{"fill_y", "1"}, {"values_y", "1"}}, binary32, two),
             ContainsSubstring("--values-y and --fill-y both give the same vector"));
}

TEST_CASE("rows of a drawn batch are vectors of their own; integers run through", "[vectors]") {
  const Setup batch{.rows = true};
  const auto x = x_of({{"rows", "3"}}, binary32, 4, batch);
  REQUIRE(x.size() == 12);
  CHECK(std::vector(x.begin(), x.begin() + 4) == x_of({}, binary32, 4));
  CHECK(std::vector(x.begin() + 4, x.begin() + 8) != x_of({}, binary32, 4));
  CHECK(x_of({{"rows", "2"}, {"distribution", "integers"}}, binary32, 2, batch) ==
        std::vector<double>{0, 1, 2, 3});
  CHECK(x_of({{"rows", "2"}, {"fill", "1"}}, binary32, 2, batch).size() == 4);
  CHECK_THAT(refusal({{"rows", "2"}, {"values", "1,2,3"}}, binary32, batch),
             ContainsSubstring("the 3 values of --values do not fill 2 rows"));
}

TEST_CASE("options that contradict each other are refused", "[vectors]") {
  CHECK(refusal({}) == "accepted");
  CHECK_THAT(refusal({{"values", "1"}, {"fill", "1"}}),
             ContainsSubstring("--values and --fill both give the same vector; leave one out"));
  CHECK_THAT(refusal({{"values", "1"}, {"input", "x.npy"}}),
             ContainsSubstring("--values and --input both"));
  const std::string idle = "says how to draw a vector, but every vector is given";
  CHECK_THAT(refusal({{"values", "1"}, {"distribution", "uniform"}}),
             ContainsSubstring("--distribution uniform " + idle));
  CHECK_THAT(refusal({{"fill", "1"}, {"seed", "2"}}), ContainsSubstring("--seed 2 " + idle));
  CHECK_THAT(refusal({{"fill", "1"}, {"low", "2"}}), ContainsSubstring("--low 2 " + idle));
  CHECK(refusal({{"values", "1"}, {"distribution", "normal"}, {"seed", "1"}}) == "accepted");
  CHECK_THAT(refusal({{"high", "2"}}),
             ContainsSubstring("--high is for uniform and log-uniform, not for normal"));
  CHECK_THAT(refusal({{"distribution", "uniform"}, {"low", "1"}}),
             ContainsSubstring("--low 1 and --high 1 are no interval"));
  CHECK_THAT(refusal({{"distribution", "uniform"}, {"low", "-1e308"}, {"high", "1e308"}}),
             ContainsSubstring("are no interval"));
  CHECK_THAT(refusal({{"distribution", "log-uniform"}, {"low", "0"}}),
             ContainsSubstring("--low 0: log-uniform needs a positive lower bound"));
  CHECK_THAT(refusal({{"seed", "1/2"}}), ContainsSubstring("--seed 1/2 is not an integer from 0"));
  CHECK_THAT(refusal({{"seed", "-1"}}), ContainsSubstring("--seed -1 is not an integer"));
  const Setup logs{.defaults = {.distribution = "log-uniform", .low = "1e-9", .high = "1e-3"}};
  CHECK(refusal({}, binary32, logs) == "accepted");
  CHECK(refusal({{"values", "1"}}, binary32, logs) == "accepted");
  CHECK(refusal({{"distribution", "normal"}, {"low", "0.000000001"}}, binary32, logs) ==
        "accepted");
  CHECK_THROWS_AS(complete({{"fill", "abc"}}), UsageError);
  CHECK_THROWS_AS(complete({{"values", "1,abc"}}), UsageError);
  CHECK_THROWS_AS(complete({{"distribution", "gaussian"}}), UsageError);
}

}  // namespace halfulp::cases
