// What system(3) does around its shell, as glibc does it (sysdeps/posix/system.c).
#pragma once

#include "core/base/signal_safe_lock.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

namespace detshim {

/// While one lives, SIGINT and SIGQUIT are ignored in the process, and SIGCHLD is blocked in its
/// thread.
class ShellSignals {
public:
  ShellSignals() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    {
      SignalSafeLock guard(lock);
      if (shells++ == 0)
        sigaction(SIGINT, &ignore, &interrupt), sigaction(SIGQUIT, &ignore, &quit);
    }
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, &mask);
  }
  ~ShellSignals() { restore(); }
  ShellSignals& operator=(ShellSignals&&) = delete; // neither copied nor moved

  void restore() {
    {
      SignalSafeLock guard(lock);
      if (--shells == 0)
        sigaction(SIGINT, &interrupt, nullptr), sigaction(SIGQUIT, &quit, nullptr);
    }
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  }

  /// Signals that the shell gets back as they were.
  sigset_t defaults() const {
    sigset_t set;
    sigemptyset(&set);
    if (interrupt.sa_handler != SIG_IGN)
      sigaddset(&set, SIGINT);
    if (quit.sa_handler != SIG_IGN)
      sigaddset(&set, SIGQUIT);
    return set;
  }

  sigset_t mask;

private:
  static constinit inline uint64_t lock = 0;
  static constinit inline unsigned shells = 0;
  static inline struct sigaction interrupt, quit; // as they were before the first shell
};

/// Runs the command in a shell, which spawn(&child, &attributes, argv) starts, and waits for it.
template <typename Spawn>
int run_shell(const char* command, Spawn spawn) {
  struct Shell {
    ShellSignals signals;
    pid_t child = -1;
  } shell;

  const sigset_t defaults = shell.signals.defaults();
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &shell.signals.mask);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  char name[] = "sh", option[] = "-c";
  char* const argv[] = {name, option, const_cast<char*>(command), nullptr};
  const int error = spawn(&shell.child, &attributes, argv);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    errno = error;
    return 127 << 8; // as if the shell had ended so
  }

  int status = -1;
  const auto stop = [](void* data) { // the thread is cancelled
    auto* cancelled = static_cast<Shell*>(data);
    kill(cancelled->child, SIGKILL);
    while (waitpid(cancelled->child, nullptr, 0) < 0 && errno == EINTR)
      continue;
    cancelled->signals.restore();
  };
  pthread_cleanup_push(stop, &shell);
  pid_t ended;
  do
    ended = waitpid(shell.child, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended != shell.child)
    status = -1;
  pthread_cleanup_pop(0);
  return status;
}

} // namespace detshim
