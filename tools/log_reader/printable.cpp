#include "log_reader/printable.h"

#include "common/text.h"

namespace detshim {

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 4; // of a byte that is shown as \x1b; a character of three has six
  std::string result(longest * text.size() + 2, '\0');
  TextWriter to(result.data(), result.size());
  to.add_printable(text.data(), text.size());
  result.resize(to.length());
  return result;
}

std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

} // namespace detshim
