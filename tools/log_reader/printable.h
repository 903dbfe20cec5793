// Text from a log, a program or an ELF file, made safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace detshim {

/// `text` as valid UTF-8 without anything that a terminal would obey: control characters (line ends too),
/// characters that turn the writing direction, and stray bytes appear as \x1b, \u202e, \xff.
std::string printable(std::string_view text);

/// The same between single quotes.
std::string in_quotes(std::string_view text);

} // namespace detshim
