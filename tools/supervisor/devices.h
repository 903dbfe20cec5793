// The random devices that the supervisor gives: files in memory, as the library itself gives them
// (shim/hooks/libc/devices.cpp), named by the key of their stream.
//
// A pipe or a socket would have no end, but gives as much as happens to be in it: short reads that differ
// from run to run, where the device always gives what was asked for. A file gives whole reads and the same
// position to everybody who shares it, but ends; so reads of the numbers that it is given under (filter.h)
// ask first, and it grows before they go on. What it holds is a function of its name and the offset alone.
#pragma once

#include "support/descriptor.h"

#include <cstdint>

#include <linux/seccomp.h>

namespace detshim {

/// A new file for the stream, open as asked. Not open where none could be made. `is_wide` makes it so long
/// that it will do for readers that do not ask.
OwnedDescriptor make_device(std::uint64_t key, bool is_writable, bool is_wide);

/// The number under which the task can be given a device: the lowest free one of ours; -1 if there is none.
int free_device_number(int thread);

/// Before a read, readv, pread, dup or fcntl of one of our numbers goes on: if it is such a file, lets it
/// grow as far as the call will reach. A copy under another number is read without asking: for that it is
/// made long.
void extend_device(const seccomp_notif& call);

} // namespace detshim
