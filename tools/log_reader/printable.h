// Text from a log, a program or an ELF file, made safe for a terminal.
#pragma once

#include "common/text.h"

#include <string>
#include <string_view>

namespace detshim {

/// `text` as valid UTF-8 without anything that a terminal would obey: control characters (line ends too),
/// characters that turn the writing direction, and stray bytes appear as \x1b, \u202e, \xff.
inline std::string printable(std::string_view text) {
  constexpr std::size_t longest = 4; // of a byte that is shown as \x1b; a character of three has six
  std::string result(longest * text.size() + 2, '\0');
  TextWriter to(result.data(), result.size());
  to.add_printable(text.data(), text.size());
  result.resize(to.length());
  return result;
}

} // namespace detshim
