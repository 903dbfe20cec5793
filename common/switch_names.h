// Which variables are taken for switches of determinism, by their names alone.
#pragma once

namespace detshim {

/// True if the name has "determinis" in it, in any case. `text`: a name, or an entry NAME=value.
constexpr bool speaks_of_determinism(const char* text) {
  constexpr const char* word = "DETERMINIS";
  for (; *text != 0 && *text != '='; ++text) {
    int i = 0;
    while (word[i] != 0 && (text[i] & ~0x20) == word[i])
      ++i;
    if (word[i] == 0)
      return true;
  }
  return false;
}

} // namespace detshim
