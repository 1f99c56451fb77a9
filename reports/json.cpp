#include "reports/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <vector>

#include "harness/error.h"
#include "harness/suggest.h"

namespace halfulp {
namespace {

/// A text being parsed, and how far the parser has read.
class Cursor {
 public:
  Cursor(std::string_view text, const std::string& file, std::size_t first_line)
      : text_(text), file_(file), first_line_(first_line), read_(text.data()) {}

  void advance_to(const char* position) { read_ = position; }

  [[noreturn]] void fail(std::string_view what) const {
    const auto read = static_cast<std::size_t>(read_ - text_.data());
    const std::string_view before = text_.substr(0, read == 0 ? 0 : read - 1);
    const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    throw UsageError(fmt::format("{}:{}:{}: {}", file_, first_line_ + line,
                                 before.size() - line_start + 1, what));
  }

 private:
  std::string_view text_;
  const std::string& file_;
  std::size_t first_line_;
  const char* read_;
};

/// Hands the text to nlohmann's parser and tells the cursor how far it came.
struct TrackedIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* position;
  Cursor* cursor;

  reference operator*() const { return *position; }
  TrackedIterator& operator++() {
    cursor->advance_to(++position);
    return *this;
  }
  TrackedIterator operator++(int) {
    const TrackedIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TrackedIterator& other) const { return position == other.position; }
};

/// The library's words for what is wrong, without its error number and position and without what it
/// read, which may be long and unprintable.
std::string syntax_error_text(std::string_view message) {
  if (message.find("number overflow") != std::string_view::npos) return "number too large";
  std::string text(message.substr(std::min(message.find("syntax error"), message.size())));
  if (const auto read = text.find("; last read: "); read != std::string::npos) {
    const auto expected = text.rfind("; expected ");
    text.erase(read, expected == std::string::npos || expected < read ? std::string::npos
                                                                      : expected - read);
  }
  return text;
}

/// Builds the value from parser events and refuses what strict JSON readers disagree about.
class StrictBuilder : public nlohmann::json_sax<Json> {
 public:
  StrictBuilder(const Cursor& cursor, const JsonLimits& limits)
      : cursor_(cursor), limits_(limits) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override {
    if (value < -static_cast<std::int64_t>(max_json_integer)) refuse_integer();
    return add(value);
  }
  bool number_unsigned(std::uint64_t value) override {
    if (value > max_json_integer) refuse_integer();
    return add(value);
  }
  bool number_float(double value, const std::string& token) override {
    if (token.find_first_of(".eE") == std::string::npos) refuse_integer();
    return add(value);
  }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { cursor_.fail("binary values are not JSON"); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    const auto [place, inserted] = open_.back()->get_ref<Json::object_t&>().emplace(name, nullptr);
    if (!inserted) cursor_.fail("duplicate key " + in_quotes(name));
    member_ = &place->second;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    cursor_.fail(syntax_error_text(error.what()));
  }

 private:
  [[noreturn]] void refuse_integer() const {
    cursor_.fail("integer beyond 2^53; write it as a string");
  }

  Json* place(Json&& value) {
    if (++values_ > limits_.values) {
      cursor_.fail(fmt::format("more than {} values", limits_.values));
    }
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_array()) {
      auto& elements = open_.back()->get_ref<Json::array_t&>();
      elements.push_back(std::move(value));
      return &elements.back();
    }
    return &(*member_ = std::move(value));
  }
  bool add(Json&& value) {
    place(std::move(value));
    return true;
  }
  bool open(Json&& container) {
    if (open_.size() == limits_.depth) {
      cursor_.fail(fmt::format("nested deeper than {} levels", limits_.depth));
    }
    open_.push_back(place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const Cursor& cursor_;
  const JsonLimits& limits_;
  Json root_;
  std::vector<Json*> open_;  ///< containers being filled; a parent does not grow meanwhile
  Json* member_ = nullptr;   ///< where the value of the last key goes
  std::size_t values_ = 0;
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

}  // namespace

std::string read_text_file(const std::string& path, const JsonLimits& limits) {
  const auto fail = [&path](int error) {
    throw UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(error)));
  };
  const File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) fail(errno);
  std::string text;
  std::vector<char> chunk(std::size_t{1} << 20);
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    text.append(chunk.data(), got);
    if (text.size() > limits.bytes) {
      throw UsageError(fmt::format("cannot read '{}': larger than {} bytes", path, limits.bytes));
    }
  }
  if (std::ferror(file.get()) != 0) fail(errno);
  return text;
}

Json parse_json(std::string_view text, const std::string& file, std::size_t first_line,
                const JsonLimits& limits) {
  Cursor cursor(text, file, first_line);
  // The library takes a NUL byte for the end of the text and would ignore what follows it.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    cursor.advance_to(&text[nul] + 1);
    cursor.fail("NUL byte: not a text file");
  }
  StrictBuilder builder(cursor, limits);
  const TrackedIterator begin{std::to_address(text.begin()), &cursor};
  const TrackedIterator end{std::to_address(text.end()), &cursor};
  Json::sax_parse(begin, end, &builder);
  return builder.take();
}

ObjectReader::ObjectReader(const Json& value, std::string where)
    : members_(value.is_object() ? value.get_ref<const Json::object_t&>()
                                 : throw UsageError(fmt::format("{}: expected an object, found {}",
                                                                where, value.type_name()))),
      where_(std::move(where)) {}

void ObjectReader::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : members_) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      fail(unknown_name("key", key, {keys.begin(), keys.size()}));
    }
  }
}

bool ObjectReader::has(std::string_view key) const { return members_.contains(key); }

const Json& ObjectReader::at(std::string_view key) const {
  const auto found = members_.find(key);
  if (found == members_.end()) fail(fmt::format("missing key '{}'", key));
  return found->second;
}

const std::string& ObjectReader::text(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_string()) {
    fail(fmt::format("'{}' must be a string, not {}", key, value.type_name()));
  }
  return value.get_ref<const std::string&>();
}

bool ObjectReader::boolean(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_boolean()) {
    fail(fmt::format("'{}' must be true or false, not {}", key, value.type_name()));
  }
  return value.get<bool>();
}

const Json::array_t& ObjectReader::array(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_array()) fail(fmt::format("'{}' must be a list, not {}", key, value.type_name()));
  return value.get_ref<const Json::array_t&>();
}

ObjectReader ObjectReader::object(std::string_view key) const {
  return {at(key), fmt::format("{}: '{}'", where_, key)};
}

void ObjectReader::fail(std::string_view what) const {
  throw UsageError(fmt::format("{}: {}", where_, what));
}

}  // namespace halfulp
