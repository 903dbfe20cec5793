// A line on a terminal that says how far a long piece of work is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>

#include <unistd.h>

namespace detshim {

class Progress {
public:
  /// `what`: "looking into loaded code". Nothing is said in the first second, nor where stderr is no
  /// terminal.
  explicit Progress(const char* what) : what_(what), is_wanted_(::isatty(STDERR_FILENO) == 1) {}
  ~Progress() {
    if (is_shown_) std::fputs("\r\x1b[K", stderr);
  }
  Progress& operator=(Progress&&) = delete; // neither copied nor moved

  void step(std::size_t done, std::size_t all) {
    if (!is_wanted_ || std::chrono::steady_clock::now() - begin_ < std::chrono::seconds(1)) return;
    is_shown_ = true;
    std::fprintf(stderr, "\r\x1b[Kdetshim: %s, %zu of %zu files", what_, done, all);
    std::fflush(stderr);
  }

private:
  const char* what_;
  bool is_wanted_, is_shown_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace detshim
