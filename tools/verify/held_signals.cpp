#include "verify/held_signals.h"

#include <ctime>

namespace detshim {

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) sigaddset(&held_, signal);
  ::sigprocmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() { release(); }

void HeldSignals::release() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

std::optional<HeldSignals::Event> HeldSignals::wait(int milliseconds) const {
  siginfo_t info = {};
  const timespec most{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  const int signal = ::sigtimedwait(&held_, &info, &most);
  if (signal < 0) return {};
  return Event{signal, info.si_code == SI_KERNEL};
}

void HeldSignals::check() const {
  while (const std::optional<Event> event = wait(0))
    if (event->signal != SIGCHLD) throw Interrupted{event->signal};
}

} // namespace detshim
