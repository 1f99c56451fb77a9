#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <fstream>

#include "harness/error.h"
#include "harness/recording.h"

namespace halfulp {
namespace {

using Catch::Matchers::ContainsSubstring;

/// Reads a recording given as text. What the program does with malformed files is tested through
/// the command line (fidelity_test.py).
std::vector<Record> read_text(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("halfulp-recording-" + std::to_string(getpid()) + ".jsonl");
  std::ofstream(path, std::ios::binary) << text;
  try {
    std::vector<Record> records = read_recordings(path.string());
    std::filesystem::remove(path);
    return records;
  } catch (...) {
    std::filesystem::remove(path);
    throw;
  }
}

const std::string grid =
    R"({"schema": "halfulp-recording/1", "engine": {"library": "torch", "versions": [)"
    R"({"version": "2.14.1", "capability": ["avx2"]}, {"version": "2.15.0"}], "mode": "eager"}, )"
    R"("backend": "eager-cpu+arange_lanes=8", "case": "meshgrid", "params": {"form": "arange", )"
    R"("align_corners": false}, "dtype": "bf16", "digest": "crc32", "widths": "3..7:2,9", )"
    R"("digests": "00000001000000020000000300ABcdef"})";

const std::string scalars =
    "{\"schema\": \"halfulp-scalar-recording/1\",\n \"engine\": {\"library\": \"torch\", "
    "\"version\": \"2.15.0\", \"mode\": \"eager\"},\n \"backend\": \"eager-cpu\", "
    "\"case\": \"scalar-op\", \"records\": [\n"
    R"({"op": "x+s", "dtype": "f16", "scalar": "257", "crc32": "3210ea8d"},)"
    R"({"op": "sqrt", "dtype": "f32", "scalar": null, "crc32": "00000000", "modelled": false},)"
    R"({"op": "rsqrt", "dtype": "f16", "scalar": null, "crc32": "bf7a50a7",)"
    R"( "crc32_without_avx2": "4a4b717a"}]})";

TEST_CASE("a recording of widths is read") {
  const std::vector<Record> records = read_text("\r\n" + grid + "\r\n\n" + grid + "\n");
  REQUIRE(records.size() == 2);
  CHECK_THAT(records[0].where, ContainsSubstring(".jsonl:2"));
  CHECK_THAT(records[1].where, ContainsSubstring(".jsonl:4"));
  const auto& record = std::get<WidthRecord>(records[0].content);
  CHECK(record.engine == "torch 2.14.1,2.15.0 eager");
  CHECK(record.backend == "eager-cpu+arange_lanes=8");
  CHECK(record.case_name == "meshgrid");
  CHECK(record.params.at("form") == "arange");
  CHECK(record.params.at("align_corners") == "false");
  CHECK(record.dtype == bfloat16);
  CHECK(record.widths.size() == 4);
  CHECK(record.digests == std::vector<std::uint32_t>{1, 2, 3, 0xabcdef});
}

TEST_CASE("a recording of scalar operations is read") {
  const std::vector<Record> records = read_text(scalars);
  REQUIRE(records.size() == 3);
  const auto& add = std::get<ScalarRecord>(records[0].content);
  CHECK(add.engine == "torch 2.15.0 eager");
  CHECK(add.op == "x+s");
  CHECK(add.scalar == "257");
  CHECK(add.digest == 0x3210ea8d);
  CHECK(add.modelled);
  CHECK_FALSE(add.digest_without_avx2);
  CHECK_FALSE(std::get<ScalarRecord>(records[1].content).modelled);
  CHECK(std::get<ScalarRecord>(records[2].content).digest_without_avx2 == 0x4a4b717a);
}

TEST_CASE("an empty file gives an empty list") {
  CHECK(read_text("").empty());
  CHECK(read_text(" \r\n\n\t\n").empty());
}

TEST_CASE("messages name the line of a record") {
  CHECK_THROWS_WITH(read_text(grid + "\n" + grid.substr(0, 200)),
                    ContainsSubstring(".jsonl:2:200: "));
  CHECK_THROWS_WITH(read_text(grid.substr(0, 200) + "\n" + grid),
                    ContainsSubstring(".jsonl:1:200: "));
  CHECK_THROWS_WITH(read_text(scalars.substr(0, 200)), ContainsSubstring(".jsonl:4:"));
}

}  // namespace
}  // namespace halfulp
