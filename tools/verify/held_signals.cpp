#include "verify/held_signals.h"

#include <ctime>

namespace detshim {
namespace {

/// Those that end a process where nothing is done about them, and may come while runs are compared:
/// from a person, a scheduler (SIGUSR1 is what Slurm's users ask for), a timer that was set before
/// this command started, a limit, a closed pipe.
constexpr int ends_a_process[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1, SIGUSR2,
                                  SIGALRM, SIGXCPU, SIGVTALRM, SIGPROF, SIGPIPE};

/// What a terminal sends goes to the program as well. A timer's signal and a limit's come from the
/// kernel too.
bool may_be_from_terminal(int signal) {
  return signal == SIGINT || signal == SIGQUIT || signal == SIGHUP;
}

} // namespace

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : ends_a_process) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(&held_, signal);
  }
  sigaddset(&held_, SIGCHLD);
  struct sigaction as_usual = {}; // ignored, it would take the program's status with it
  as_usual.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &as_usual, &child_before_);
  as_usual.sa_handler =
      SIG_IGN; // a file that may grow no further (`ulimit -f`) is an error where it is written
  ::sigaction(SIGXFSZ, &as_usual, &size_limit_before_);
  ::sigprocmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() { release(); }

void HeldSignals::release() const {
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  ::sigaction(SIGXFSZ, &size_limit_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<HeldSignals::Event> HeldSignals::wait(int milliseconds) const {
  siginfo_t info = {};
  const timespec most{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  const int signal = ::sigtimedwait(&held_, &info, &most);
  if (signal < 0)
    return {};
  return Event{signal, info.si_code == SI_KERNEL && may_be_from_terminal(signal)};
}

void HeldSignals::check() const {
  while (const std::optional<Event> event = wait(0))
    if (event->signal != SIGCHLD)
      throw Interrupted{event->signal};
}

} // namespace detshim
