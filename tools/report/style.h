// Colour for people at a terminal.
#pragma once

#include <cstdlib>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

namespace detshim {

/// Whether standard output gets colour: NO_COLOR (no-color.org) wins over CLICOLOR_FORCE
/// (bixense.com/clicolors), and that over what the terminal is.
inline bool wants_colour() {
  const auto value_of = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (!value_of("NO_COLOR").empty())
    return false;
  if (const std::string forced = value_of("CLICOLOR_FORCE"); !forced.empty() && forced != "0")
    return true;
  return value_of("TERM") != "dumb" && ::isatty(STDOUT_FILENO) == 1;
}

/// Of the terminal that standard output is; 0 where it is not a terminal, or has no width.
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
