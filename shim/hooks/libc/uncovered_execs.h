// Programs that no preload reaches, found when they are executed.
#pragma once

#include "core/base/hook_table.h"

namespace detshim {

/// Who gives a program its randomness.
enum class Reach {
  covered,    ///< the library will be in it, or nothing is known
  supervised, ///< the supervisor answers for it (--trap-syscalls)
  uncovered,  ///< the kernel alone
};

/// True if a program with that environment will have us in it: without that, its environment is left alone.
bool preloads_us(char* const* environment);

/// Remembers whether this process's environment does. From the constructor only.
void note_own_preload();

/// Looks at the program that is about to be executed, and where the library cannot be in it (statically
/// linked, Go's own system calls, another user's rights, an environment without us) records it as uncovered
/// and says so on stderr, once for each program, with the rank that the environment gives it if that is
/// another. `searches` tells whether a name without a slash is looked for in PATH. Legal in a vfork child.
Reach record_escape(const Hook& hook, const char* program, bool searches, char* const* environment,
                    const void* caller);

/// The same for a program that is open already.
Reach record_escape(const Hook& hook, int fd, char* const* environment, const void* caller);

/// The same for execveat's arguments.
Reach record_escape(const Hook& hook, int folder, const char* path, char* const* environment, int flags,
                    const void* caller);

} // namespace detshim
