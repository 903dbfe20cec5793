// Small pieces of wording.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace detshim {

/// "1 call", "2 calls".
std::string counted(std::uint64_t number, const std::string& singular, const std::string& plural);
std::string counted(std::uint64_t number, const std::string& singular);

/// "a, b and c".
std::string enumerated(const std::vector<std::string>& parts);

/// "a, b, c".
template <typename Texts>
std::string joined(const Texts& texts, const char* between = ", ") {
  std::string result;
  for (const std::string& text : texts)
    result += (result.empty() ? "" : between) + text;
  return result;
}

/// What stands between those characters: "a", "" and "b" of "a,,b,".
std::vector<std::string> split(const std::string& text, char between);

/// Letters that are missing, too many, others, or exchanged with their neighbour: the optimal
/// string alignment.
std::size_t distance_between(const std::string& word, const std::string& other);

/// "; did you mean verify?": the one of `known` that is `word` but for a slip of a finger or two;
/// else nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

/// True if some_of() does not name them all.
bool are_cut(const std::vector<std::string>& names);

/// "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& names);

/// Columns that `text` takes on a terminal, near enough: one a character.
std::size_t width(const std::string& text);

/// `text` in lines of at most that many columns, broken at spaces; `indent` begins each but the
/// first. A longer word is whole. 0 columns: one line.
std::string broken(const std::string& text, std::size_t columns, const std::string& indent = "");

/// `text` with spaces behind it, up to that width.
std::string padded(const std::string& text, std::size_t to);

/// `text`, or its beginning and "..." where it takes more columns than that.
std::string cut(const std::string& text, std::size_t to);

/// `text`, of a log, a program or a file, as valid UTF-8 without anything that a terminal would
/// obey: control characters (line ends too), characters that turn the writing direction, and stray
/// bytes appear as \x1b, \u202e, \xff.
std::string printable(std::string_view text);

/// The same between single quotes.
std::string in_quotes(std::string_view text);

/// `text` with the name of each file in place of its path.
std::string with_base_names(const std::string& text);

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> words);
bool starts_with_any_of(std::string_view text, std::initializer_list<std::string_view> beginnings);

/// Nothing for an empty text.
inline std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// The number that is all of the text.
template <typename Number>
std::optional<Number> number_in(std::string_view text, int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// A moment in UTC, by a format of strftime's.
std::string moment_text(std::time_t moment, const char* format);

/// 20261121T003512-4711-9f3c: the name of a run of this process, docs/LOG_FORMAT.md.
std::string new_run_name(std::time_t began);

/// This machine's name; empty where it has none.
std::string host_name();

/// What stands behind the last slash.
std::string base_name(const std::string& file);

} // namespace detshim
