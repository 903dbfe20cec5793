// SIGINT and whatever else would end this command are held back while runs are compared, and asked
// for at places where nothing lies half moved.
#pragma once

#include <csignal>
#include <optional>

namespace detshim {

/// Somebody wants this command to end. Outputs are put back on the way out.
struct Interrupted {
  int signal;
};

class HeldSignals {
public:
  /// Those that are ignored (nohup, a job in the background) stay ignored.
  HeldSignals();
  ~HeldSignals();
  HeldSignals& operator=(HeldSignals&&) = delete; // neither copied nor moved

  /// In a child, before it becomes a program: signals are as they were.
  void release() const;

  struct Event {
    int signal;            ///< SIGCHLD, or one that asks for an end
    bool is_from_terminal; ///< then the program has it as well
  };
  /// Waits for at most so long; nothing if none came.
  std::optional<Event> wait(int milliseconds) const;

  /// Throws Interrupted if an end was asked for.
  void check() const;

private:
  sigset_t held_, before_;
  struct sigaction child_before_, size_limit_before_;
};

} // namespace detshim
