// What a program prints of its clocks, told by two runs in which they go by steps.
#pragma once

#include <string>
#include <vector>

namespace detshim {

/// How the lines look that hold times and rates: regular expressions, a group around one number
/// each.
struct SteppedFormats {
  std::vector<std::string> times; ///< twice as much with steps that are twice as long
  std::vector<std::string> rates; ///< half as much
};

/// Stands for what is known to be volatile in a line: a moment, say.
inline constexpr char volatile_part = '\1';

/// One text of three runs: as usual, with clocks that go by steps, and by steps twice as long.
struct SteppedText {
  std::string usual, once, twice;
};

/// By all that the runs have printed and written. Nothing where a number differs in another way, or
/// where the same kind of line has such a number elsewhere, in any of the texts.
SteppedFormats find_stepped_formats(const std::vector<SteppedText>& texts);

} // namespace detshim
