#include "verify/held_signals.h"

#include <ctime>

namespace detshim {

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&held_, signal);
  }
  sigaddset(&held_, SIGCHLD);
  struct sigaction as_usual = {}; // ignored, it would take the program's status with it
  as_usual.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &as_usual, &child_before_);
  ::sigprocmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() { release(); }

void HeldSignals::release() const {
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<HeldSignals::Event> HeldSignals::wait(int milliseconds) const {
  siginfo_t info = {};
  const timespec most{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  const int signal = ::sigtimedwait(&held_, &info, &most);
  if (signal < 0) return {};
  return Event{signal, info.si_code == SI_KERNEL};
}

void HeldSignals::check() const {
  while (const std::optional<Event> event = wait(0))
    if (event->signal != SIGCHLD) throw Interrupted{event->signal};
}

} // namespace detshim
