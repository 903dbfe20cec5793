// Where each run of `verify` is to be ended, and where a killed one is killed: at a line.
#pragma once

#include "verify/pattern.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace detshim {

inline constexpr const char* ends_of_lines = "\n\r"; // progress bars use the second

/// At the first line that matches, or at the one that has the last of so many values.
class RunEnd {
public:
  static RunEnd at_line(Pattern line) { return {std::move(line), std::nullopt}; }
  /// Of a metric; without one of any result that the program prints under a name.
  static RunEnd at_value(std::size_t values, std::optional<Pattern> metric) {
    return {std::move(metric), values};
  }

  const std::optional<Pattern>& pattern() const { return pattern_; }
  /// Nothing for one at a line that matches.
  const std::optional<std::size_t>& values() const { return values_; }

private:
  RunEnd(std::optional<Pattern> pattern, std::optional<std::size_t> values)
      : pattern_(std::move(pattern)), values_(values) {}

  std::optional<Pattern> pattern_;
  std::optional<std::size_t> values_;
};

/// Reads the lines of one stream in order.
class RunEndSearch {
public:
  explicit RunEndSearch(const RunEnd& end) : end_(end) {}

  /// How much of the text stands before the end of the line at which the run ends; nothing where no
  /// line does, and of a line without its end.
  std::optional<std::size_t> find(std::string_view lines);

private:
  bool ends_at(std::string_view line);

  const RunEnd& end_;
  std::map<std::string, std::size_t, std::less<>> seen_; ///< by the result's name
};

} // namespace detshim
