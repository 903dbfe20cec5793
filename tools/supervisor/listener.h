// The descriptor on which the kernel asks about system calls, seccomp_unotify(2).
#pragma once

#include "support/descriptor.h"

#include <cstdint>
#include <vector>

#include <linux/seccomp.h>

namespace detshim {

/// Room for one call that waits, as large as this kernel has it.
class Request {
public:
  const seccomp_notif& call() const { return *reinterpret_cast<const seccomp_notif*>(room_.data()); }

private:
  friend class Listener;
  std::vector<std::uint64_t> room_;
};

class Listener {
public:
  explicit Listener(OwnedDescriptor descriptor);

  int descriptor() const { return descriptor_.number(); }

  /// Waits for a call. False if its task is gone by now, or if nobody is left who could call.
  bool receive(Request& request) const;

  /// Has a call's task, and who takes the call, run on one processor: they take turns, without waking another
  /// up. Not on a kernel before 6.6.
  void use_one_processor() const;

  /// True once no task has the filter any more.
  bool is_abandoned() const;

  /// True if the task still waits in that call: what was looked up by its number until now was its own.
  bool still_waits(const seccomp_notif& call) const;

  /// Ends the call with that result. False if it does not wait any more.
  bool answer(const seccomp_notif& call, std::int64_t result) const;

  /// Has the kernel execute the call as if there were no filter.
  bool let_go_on(const seccomp_notif& call) const;

  /// Ends the call with a copy of the descriptor `fd`, in the task under that number (the lowest free one for
  /// -1). False if the task could not be given it, and still waits.
  bool answer_with_descriptor(const seccomp_notif& call, int fd, int number, bool close_on_exec) const;

private:
  bool send(const seccomp_notif& call, std::int64_t result, std::uint32_t flags) const;

  OwnedDescriptor descriptor_;
  std::size_t request_words_, response_words_; // as this kernel has them
};

} // namespace detshim
