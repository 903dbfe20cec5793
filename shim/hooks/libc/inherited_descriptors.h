// Programs that the library will not be in, and that inherit a random device which was replaced.
//
// They read its file without a hook, and would come to an end that the device does not have. So they get the
// device itself, which is recorded: a program that works goes before one that is pinned. Under
// --trap-syscalls, where the file is as good as what the supervisor gives, it gets as long as that.
#pragma once

#include "hooks/libc/uncovered_execs.h"

namespace detshim {

/// Gives this process the kernel's devices itself: a filter that it is about to put on forbids what the hooks
/// read streams with.
void give_kernels_for_good();

/// Around the call that executes such a program. If that returns, or makes a child, the descriptors of this
/// process are what they were. Legal in a vfork child.
class InheritedDescriptors {
public:
  explicit InheritedDescriptors(Reach reach);
  ~InheritedDescriptors();
  InheritedDescriptors& operator=(InheritedDescriptors&&) = delete; // neither copied nor moved

private:
  void give_kernels(int fd);

  struct Given {
    int fd;
    int stream; ///< where the stream is meanwhile
  };
  static constexpr int most = 8;
  int count_ = 0;
  Given given_[most];
};

} // namespace detshim
