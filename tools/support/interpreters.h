// Which programs run scripts.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace detshim {

/// Interpreters, by how their files are called: "python3.11".
inline constexpr std::string_view interpreters[] = {
    "perl",  "ruby",  "luajit", "lua",   "php",  "octave", "gawk", "mawk", "original-awk", "busybox",
    "tclsh", "guile", "swipl",  "julia", "bash", "dash",   "zsh",  "ksh",  "python"};

/// True if a program of that name runs scripts.
inline bool is_interpreter(std::string_view name) {
  return name == "R" || std::ranges::any_of(interpreters, [&](std::string_view interpreter) {
           return name.starts_with(interpreter);
         });
}

/// True for a shell.
inline bool is_shell(std::string_view name) {
  return name == "sh" || name == "bash" || name == "dash" || name == "ksh" || name == "zsh";
}

} // namespace detshim
