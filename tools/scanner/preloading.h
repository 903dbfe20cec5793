// Whether LD_PRELOAD brings a library into the program that a command starts, told before it is
// started.
#pragma once

#include "support/ask.h"

#include <string>

namespace detshim {

/// The file of a program, as execvp() finds it; empty if it finds nothing.
std::string find_executable(const std::string& program);

/// What glibc's loader says that it would load of a file, with `preloaded` in front, if
/// that is not empty: it maps all that the file needs, and starts nothing of it.
Reply list_loaded(const std::string& loader, const std::string& file, const std::string& preloaded);

enum class Preloading {
  comes_up,
  reaches_children, ///< not it, but what it starts: it is statically linked, and hands its
                    ///< environment on
  fails,            ///< it would run without the library, or not at all because of it
  not_told,
};

struct PreloadingAnswer {
  Preloading is = Preloading::not_told;
  std::string why; ///< with what to do about it; empty where it comes up. Safe to print
};

/// Whether `library` comes up in `program`, which execvp() would execute, or of a script in its
/// interpreter. Asks the program's own dynamic loader, if it is glibc's.
PreloadingAnswer ask_preloading(const std::string& program, const std::string& library);

} // namespace detshim
