// Strict JSON. Reading is safe against hostile files; writing never produces anything but JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace halfulp {

/// What was read: keys are sorted, so that a lookup in a hostile object stays cheap.
using Json = nlohmann::json;
/// What will be written: keys stay in the order of insertion.
using OrderedJson = nlohmann::ordered_json;

/// Largest integer that a JSON number may hold; readers that use doubles change larger ones.
inline constexpr std::uint64_t max_json_integer = std::uint64_t{1} << 53;

/// What a file may contain before it is refused.
struct JsonLimits {
  std::size_t bytes = std::size_t{256} << 20;
  std::size_t depth = 64;
  std::size_t values = 10'000'000;
};

/// The bytes of a file (or pipe). Throws UsageError when it is unreadable, a directory or too
/// large.
std::string read_text_file(const std::string& path, const JsonLimits& limits = {});

/// Parses one JSON value and nothing after it. `file` and `first_line` say where the text stands.
/// Throws UsageError `FILE:LINE:COLUMN: …` for anything but strict JSON, and for duplicate keys,
/// integers beyond 2^53, NUL bytes and exceeded limits.
Json parse_json(std::string_view text, const std::string& file, std::size_t first_line = 1,
                const JsonLimits& limits = {});

/// An object that was read, with checks of what it holds. Refers to the value; does not own it.
class ObjectReader {
 public:
  /// `where` names the object in messages. Throws UsageError when the value is not an object.
  ObjectReader(const Json& value, std::string where);

  /// Throws UsageError for any other key, naming the nearest of these.
  void allow_only(std::initializer_list<std::string_view> keys) const;
  bool has(std::string_view key) const;

  // Each throws UsageError when the key is missing or its value has another type.
  const Json& at(std::string_view key) const;
  const std::string& text(std::string_view key) const;
  bool boolean(std::string_view key) const;
  const Json::array_t& array(std::string_view key) const;
  ObjectReader object(std::string_view key) const;

  const Json::object_t& members() const { return members_; }
  const std::string& where() const { return where_; }
  /// Throws UsageError `WHERE: what`.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  const Json::object_t& members_;
  std::string where_;
};

/// An integer as a JSON number, or as text beyond 2^53.
OrderedJson json_integer(std::uint64_t value);
/// A double as a JSON number, or as the text `nan`, `inf` or `-inf`.
OrderedJson json_number(double value);

/// JSON text with a newline at the end: containers that fit stand on one line, doubles are the
/// shortest that read back equal, and bytes that are not UTF-8 are replaced.
std::string json_text(const OrderedJson& value);

}  // namespace halfulp
