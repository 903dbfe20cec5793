// Which programs run scripts: what those read and draw is the script's.
#pragma once

#include "common/text.h"

#include <initializer_list>

namespace detshim {

/// True for a shell, by its file's name.
inline bool is_shell(const char* name) {
  for (const char* shell : {"sh", "bash", "dash", "ksh", "ksh93", "zsh", "busybox"})
    if (same_text(name, shell)) return true;
  return false;
}

/// True if a program of that name runs scripts: "python3.11".
inline bool is_interpreter(const char* name) {
  for (const char* start : {"perl", "ruby", "luajit", "lua", "php", "octave", "gawk", "mawk", "awk", "node",
                            "original-awk", "tclsh", "guile", "swipl", "julia", "python", "java", "Rscript"})
    if (starts_with(name, start)) return true;
  return same_text(name, "R") || is_shell(name);
}

} // namespace detshim
