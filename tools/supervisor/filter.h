// Which system calls stop and ask the supervisor: a seccomp filter, inherited by every process of the run.
#pragma once

namespace detshim {

/// Numbers that the supervisor gives to the random devices it opens. The filter can tell descriptors by their
/// number alone, and a read of one of these asks first, so that the device has no end. High, because few
/// programs get there; below 1024, the usual limit and what select() can take.
inline constexpr int first_device_number = 960;
inline constexpr int device_numbers_end = 1024;

/// Puts the filter on the calling thread (one thread alone: call it before others exist), which gives up what
/// setuid programs could gain by it (no_new_privs). Returns the descriptor on which the kernel asks, or a
/// negated errno: -EBUSY where a filter that asks is there already, one more than the kernel allows.
int install_filter();

} // namespace detshim
