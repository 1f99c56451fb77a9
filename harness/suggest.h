// Unknown names: one clear line with the nearest known one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace halfulp {

/// The known name nearest to `name`, or empty if none is near: by edit distance (a swap of
/// neighbours counts once, case not at all) at most about a third of the letters, else the first
/// that begins with `name`.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// "unknown KIND 'NAME'; did you mean 'NEAREST'? (known: a, b, c)".
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> known);

/// Input as messages quote it: 'abc', on one line, cut after 60 characters, anything unprintable as
/// `\xNN`.
std::string in_quotes(std::string_view text);

}  // namespace halfulp
