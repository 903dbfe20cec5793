// The descriptor on which the kernel asks about system calls, seccomp_unotify(2).
#pragma once

#include "supervisor/descriptor.h"

#include <cstdint>
#include <vector>

#include <linux/seccomp.h>

namespace detshim {

class Listener {
public:
  explicit Listener(OwnedDescriptor descriptor);

  int descriptor() const { return descriptor_.number(); }

  /// The next call that waits; nullptr if its task is gone by now. Valid until the next call of this
  /// function.
  const seccomp_notif* receive();

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
  mutable std::vector<std::uint64_t> request_, response_; // as large as this kernel has them
};

} // namespace detshim
