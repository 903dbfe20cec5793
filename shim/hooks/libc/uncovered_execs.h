// Programs that no preload reaches, found when they are executed.
#pragma once

#include "core/base/hook_table.h"

#include <fcntl.h>

namespace detshim {

/// True if this program was linked by Go.
bool is_of_go();

/// True if a program with that environment will have us in it: without that, its environment is
/// left alone.
bool preloads_us(char* const* environment);

/// True if a program with that environment, which the library reaches, will leave its log where
/// this one's is.
bool shares_log(char* const* environment);

/// Remembers whether this process's environment does. From the constructor only.
void note_own_preload();

/// A program that is about to be executed, as the call names it.
struct Program {
  const char* path;
  bool searches = false; ///< a name without a slash is looked for in PATH
  int folder = AT_FDCWD; ///< where a relative path begins; or the open program, see is_open()
  int flags = 0;         ///< execveat's

  bool is_open() const { return *path == 0 && (flags & AT_EMPTY_PATH) != 0; }
};

/// True if the library will be in the program, or nothing is known. Where it cannot be (statically
/// linked, Go's own system calls, another user's rights, an environment without us) records it as
/// uncovered and reports that on stderr, once for each program, with the rank that the environment
/// gives it if that is another. Legal in a vfork child.
bool reaches(const Hook& hook, const Program& program, char* const* environment,
             const void* caller);

} // namespace detshim
