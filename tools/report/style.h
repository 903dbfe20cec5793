// Colour for people at a terminal.
#pragma once

#include <cstdlib>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

namespace detshim {

/// True if standard output is a terminal that wants colour (NO_COLOR, see no-color.org, says that it does
/// not).
inline bool wants_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool refused =
      (no_colour != nullptr && *no_colour != 0) || (terminal != nullptr && std::string(terminal) == "dumb");
  return !refused && ::isatty(STDOUT_FILENO) == 1;
}

/// Of the terminal that standard output is; 0 where it is none, or has no width.
inline std::size_t terminal_columns() {
  winsize size = {};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct Style {
  bool colour = false;
  std::size_t columns = 0; ///< of a line; 0: lines are whole

  std::string bold(const std::string& text) const { return wrapped(text, "1"); }
  std::string red(const std::string& text) const { return wrapped(text, "1;31"); }
  std::string faint(const std::string& text) const { return wrapped(text, "2"); }

private:
  std::string wrapped(const std::string& text, const char* code) const {
    return colour ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
  }
};

} // namespace detshim
