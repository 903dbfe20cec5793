// A line on a terminal that says how far a long piece of work is.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

namespace detshim {

/// Nothing is said where stderr is no terminal that can take a line back.
class Progress {
public:
  /// Of steps, from the first second on.
  Progress() = default;
  /// Of one piece of work, at once.
  explicit Progress(const std::string& text) : next_() { say(text); }
  ~Progress() {
    if (is_shown_)
      std::fputs("\r\x1b[K", stderr);
  }
  Progress& operator=(Progress&&) = delete; // neither copied nor moved

  /// In the place of what was said before, at most five times a second.
  void say(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    if (!is_wanted_ || now < next_)
      return;
    next_ = now + std::chrono::milliseconds(200);
    is_shown_ = true;
    std::fprintf(stderr, "\r\x1b[Kdetshim: %s", text.c_str());
  }

private:
  static bool is_terminal() {
    const char* const name = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && name != nullptr && std::string(name) != "dumb";
  }

  bool is_wanted_ = is_terminal(), is_shown_ = false;
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

} // namespace detshim
