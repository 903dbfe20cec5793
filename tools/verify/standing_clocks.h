// What a program prints of its clocks, told by a run in which they stand still.
#pragma once

#include <string>
#include <vector>

namespace detshim {

/// How the lines look that hold what is nothing while no time passes: regular expressions, a group
/// around one number each.
struct StandingFormats {
  std::vector<std::string> times; ///< 0 then
  std::vector<std::string> rates; ///< infinite, or no number, or a thousand times as much and large
};

/// Stands for what is known to be volatile in a line: a moment, say.
inline constexpr char volatile_part = '\1';

/// One text of two runs, of which the second one's clocks stood still.
struct TextOfBoth {
  std::string usual, standing;
};

/// By all that both have printed and written. Nothing where a number differs in another way, or
/// where the same kind of line has such a number elsewhere, in any of the texts.
StandingFormats find_standing_formats(const std::vector<TextOfBoth>& texts);

} // namespace detshim
