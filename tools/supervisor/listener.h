// The descriptor on which the kernel asks about system calls, seccomp_unotify(2).
#pragma once

#include "support/descriptor.h"

#include <cstdint>
#include <vector>

#include <linux/seccomp.h>

namespace detshim {

class Listener {
public:
  /// A call's task, and who takes the call, run on one processor from here on: they take turns, without
  /// waking another up. Not on a kernel before 6.6.
  explicit Listener(OwnedDescriptor descriptor);

  int descriptor() const { return descriptor_.number(); }

  /// Waits for a call, which stands until the next one. nullptr if its task is gone by now, or if nobody is
  /// left who could call.
  const seccomp_notif* receive();

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
  std::vector<std::uint64_t> request_; ///< as large as this kernel has one
  std::size_t response_words_;         ///< so is that
};

} // namespace detshim
