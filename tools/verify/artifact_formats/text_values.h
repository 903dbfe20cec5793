// Files of text that hold values: .csv, .tsv, .json and .jsonl, value by value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// Takes one value after another: what stands between blanks, line ends, commas, semicolons, colons, brackets
/// and braces. What is in quotes is one.
class TextValues {
public:
  explicit TextValues(std::string_view text) : rest_(text) {}

  /// False behind the last.
  bool next();

  std::string_view value() const { return value_; }
  std::size_t line() const { return line_; }     ///< from 1
  std::size_t number() const { return number_; } ///< in its line, from 1
  /// "line 3, value 2, behind "loss"": behind the value before it in the line, else the heading of its
  /// column.
  std::string place() const;

private:
  std::string_view rest_, value_, before_;
  std::size_t line_ = 1, number_ = 0;
  std::vector<std::string_view> first_line_;
};

/// The number that is all of the text.
std::optional<double> number_of(std::string_view text);

} // namespace detshim
