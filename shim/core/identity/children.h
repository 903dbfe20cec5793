// Names for the children of this process: forked, executed, and made by libc where neither the fork
// handlers nor the hooks of exec come by.
#pragma once

#include "common/run_variable.h"
#include "core/base/signal_safe_lock.h"

namespace detshim {

/// The internal variable's entry for a program that is about to be executed: in this process, or,
/// if the caller is a child that still shares this process's memory (vfork), in that child. `argv`
/// is the program's command line; `is_log_awaited`: of RunVariable, where it is this process's.
void write_exec_entry(RunEntry& entry, char* const argv[], bool is_log_awaited);

/// The same for a child process that is about to be made together with its program (posix_spawn).
/// Takes the next ordinal of the calling thread. The first child of a process that drew nothing
/// takes over its name (a wrapper such as sh or time is transparent), and this process goes on
/// under another.
void write_spawn_entry(RunEntry& entry, char* const argv[]);

/// While it lives, the published variable names a child that libc makes and executes by itself
/// (popen). One at a time: a second thread waits.
class HiddenChild {
public:
  HiddenChild();
  ~HiddenChild();
  HiddenChild& operator=(HiddenChild&&) = delete; // neither copied nor moved

private:
  SpinGuard guard_;
};

/// Around a call that forks without running the fork handlers (_Fork, clone): names the child as
/// they would.
class UnseenFork {
public:
  UnseenFork();
  ~UnseenFork();                                ///< in the child too
  UnseenFork& operator=(UnseenFork&&) = delete; // neither copied nor moved
};

/// The program was told that the child with that id has ended. If it asked without waiting, when it
/// asks is a race. A shell's handler of signals does so too, but a shell goes on only when its
/// command has ended.
void note_ended_child(int id, bool was_polled);

/// Registers the fork handlers and puts the internal variable into the environment. From the
/// constructor only.
void publish_identity();

} // namespace detshim
