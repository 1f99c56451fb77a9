// Reading recordings: `halfulp-recording/1` (JSON lines) and `halfulp-scalar-recording/1`.
#include "harness/recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "harness/backend.h"
#include "harness/error.h"
#include "harness/fidelity.h"
#include "harness/suggest.h"
#include "reports/json.h"

namespace halfulp {
namespace {

constexpr std::string_view width_schema = "halfulp-recording/1";
constexpr std::string_view scalar_schema = "halfulp-scalar-recording/1";
constexpr std::size_t digest_digits = 8;

/// Runs a check that knows nothing of files and adds the place to its message.
template <typename Check>
decltype(auto) at_place(const ObjectReader& object, Check check) {
  try {
    return check();
  } catch (const UsageError& error) {
    object.fail(error.what());
  }
}

std::uint32_t parse_digest(const ObjectReader& object, std::string_view key,
                           std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    object.fail(
        fmt::format("'{}' holds {}, which is not a hexadecimal digest", key, in_quotes(digits)));
  }
  return value;
}

std::uint32_t read_digest(const ObjectReader& object, std::string_view key) {
  const std::string& digits = object.text(key);
  if (digits.size() != digest_digits) {
    object.fail(fmt::format("'{}' has {} digits, expected {}", key, digits.size(), digest_digits));
  }
  return parse_digest(object, key, digits);
}

std::vector<std::uint32_t> read_digests(const ObjectReader& object, std::uint64_t widths) {
  const std::string& digits = object.text("digests");
  if (digits.size() != digest_digits * widths) {
    object.fail(fmt::format("'digests' has {} digits, expected {} for {} widths", digits.size(),
                            digest_digits * widths, widths));
  }
  std::vector<std::uint32_t> digests;
  digests.reserve(static_cast<std::size_t>(widths));
  for (std::size_t at = 0; at < digits.size(); at += digest_digits) {
    const auto digest = std::string_view(digits).substr(at, digest_digits);
    digests.push_back(parse_digest(object, "digests", digest));
  }
  return digests;
}

/// `torch 2.14.1,2.15.0 eager`: library, versions and mode of an engine; what else it says is free.
std::string read_engine(const ObjectReader& record) {
  const ObjectReader engine = record.object("engine");
  std::vector<std::string> versions;
  if (engine.has("versions")) {
    for (const Json& entry : engine.array("versions")) {
      versions.push_back(ObjectReader(entry, engine.where() + ": 'versions'").text("version"));
    }
  } else {
    versions.push_back(engine.text("version"));
  }
  return fmt::format("{} {} {}", engine.text("library"), fmt::join(versions, ","),
                     engine.text("mode"));
}

std::string read_param(const ObjectReader& params, const std::string& name, const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  params.fail(fmt::format("{} must be a string, an integer, true or false, not {}", in_quotes(name),
                          value.type_name()));
}

Params read_params(const ObjectReader& record, const Case& c) {
  const ObjectReader params = record.object("params");
  Params given;
  for (const auto& [name, value] : params.members()) {
    given[name] = read_param(params, name, value);
  }
  return at_place(params, [&] { return complete_params(c, given); });
}

Format read_dtype(const ObjectReader& record, const Case& c) {
  const std::string& name = record.text("dtype");
  const auto found = find_format(name);
  if (!found) {
    std::vector<std::string_view> known;
    for (const NamedFormat& format : all_formats()) known.push_back(format.short_name);
    record.fail(unknown_name("dtype", name, known));
  }
  at_place(record, [&] { check_dtype(c, found->format); });
  return found->format;
}

std::string read_backend(const ObjectReader& record) {
  const std::string& name = record.text("backend");
  at_place(record, [&] { find_backend(name); });
  return name;
}

const Case& read_case(const ObjectReader& record) {
  const std::string& name = record.text("case");
  return at_place(record, [&]() -> const Case& { return find_case(name); });
}

WidthRecord read_width_record(const ObjectReader& record) {
  record.allow_only(
      {"schema", "engine", "backend", "case", "params", "dtype", "digest", "widths", "digests"});
  if (record.text("digest") != "crc32") record.fail("'digest' must be 'crc32'");
  const Case& c = read_case(record);
  const std::string& widths = record.text("widths");
  if (c.axis_values != nullptr) record.fail(fmt::format("case '{}' has no widths", c.name));
  WidthRecord result{.engine = read_engine(record),
                     .backend = read_backend(record),
                     .case_name = std::string(c.name),
                     .params = read_params(record, c),
                     .dtype = read_dtype(record, c),
                     .widths = at_place(record, [&] { return Widths::parse(widths); }),
                     .digests = {}};
  result.digests = read_digests(record, result.widths.size());
  return result;
}

ScalarRecord read_scalar_record(const ObjectReader& record, const Case& c,
                                const std::string& engine, const std::string& backend) {
  record.allow_only({"op", "dtype", "scalar", "crc32", "crc32_without_avx2", "modelled"});
  ScalarRecord result{.engine = engine,
                      .backend = backend,
                      .op = record.text("op"),
                      .dtype = read_dtype(record, c),
                      .scalar = record.at("scalar").is_null() ? "" : record.text("scalar"),
                      .digest = read_digest(record, "crc32"),
                      .digest_without_avx2 = {},
                      .modelled = !record.has("modelled") || record.boolean("modelled")};
  if (record.has("crc32_without_avx2")) {
    result.digest_without_avx2 = read_digest(record, "crc32_without_avx2");
  }
  at_place(record, [&] {
    const Params params = complete_params(c, scalar_params(result));
    if (c.check != nullptr) c.check(params, result.dtype);
  });
  return result;
}

void read_scalar_file(const ObjectReader& file, const std::string& name,
                      std::vector<Record>& records) {
  file.allow_only({"schema", "engine", "backend", "case", "records"});
  const Case& c = read_case(file);
  if (c.name != "scalar-op") file.fail("'case' must be 'scalar-op'");
  const std::string engine = read_engine(file);
  const std::string backend = read_backend(file);
  std::size_t number = 0;
  for (const Json& entry : file.array("records")) {
    const ObjectReader record(entry, fmt::format("{}: record {}", file.where(), ++number));
    records.push_back(
        {fmt::format("{}#{}", name, number), read_scalar_record(record, c, engine, backend)});
  }
}

/// Reads one JSON value, whichever of the schemas it has.
void read_value(const Json& value, const std::string& path, std::size_t line,
                std::vector<Record>& records) {
  const ObjectReader object(value, fmt::format("{}:{}", path, line));
  const std::string& schema = object.text("schema");
  const std::string name = std::filesystem::path(path).filename().string();
  if (schema == width_schema) {
    records.push_back({fmt::format("{}:{}", name, line), read_width_record(object)});
  } else if (schema == scalar_schema) {
    read_scalar_file(object, name, records);
  } else {
    constexpr std::array known{width_schema, scalar_schema};
    object.fail(unknown_name("schema", schema, known));
  }
}

struct Line {
  std::string_view text;
  std::size_t number;
};

std::vector<Line> non_empty_lines(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back({line, number});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Does the file hold one value over several lines, rather than one value a line? A truncated first
/// line is told from the first line of a longer value by what follows it.
bool is_single_value(const std::vector<Line>& lines) {
  if (lines.size() < 2) return true;
  const auto last = lines[0].text.find_last_not_of(" \t\r");
  return lines[0].text[last] != '}' && !lines[1].text.starts_with('{');
}

}  // namespace

std::vector<Record> read_recordings(const std::string& path) {
  const std::string text = read_text_file(path);
  const std::vector<Line> lines = non_empty_lines(text);
  std::vector<Record> records;
  if (lines.empty()) return records;
  if (is_single_value(lines)) {
    read_value(parse_json(text, path), path, lines[0].number, records);
    return records;
  }
  for (const Line& line : lines) {
    read_value(parse_json(line.text, path, line.number), path, line.number, records);
  }
  return records;
}

}  // namespace halfulp
