// Whether LD_PRELOAD brings a library into the program that a command starts, told before it is started.
#pragma once

#include <string>

namespace detshim {

/// The file of a program, as execvp() finds it; empty if there is none.
std::string find_executable(const std::string& program);

/// Why `program`, which execvp() would execute, or of a script its interpreter, would run without `library`,
/// with what to do about it; empty where it comes up, or where that cannot be told. Asks the program's own
/// dynamic loader (`--list`, ld.so(8)), which maps all that the program needs and starts nothing of it. Safe
/// to print.
std::string why_not_preloaded(const std::string& program, const std::string& library);

} // namespace detshim
