// What stands in for a random device.
//
// Under the descriptor's number lies a file in memory. Its name is the key of an endless stream,
// its offset is the place in it, and both go wherever the descriptor goes: dup, fork, exec, another
// process. It is not where the bytes come from: a hook that reads makes them, as a function of the
// key and the offset, straight into the caller's buffer. So nothing grows, whatever is read and
// wherever, and an open writes next to nothing. The few bytes in the file are for readers that meet
// no hook.
//
// stdio reads inside libc, where no hook sees it. A FILE for such a descriptor is therefore one of
// fopencookie's, which asks us for its bytes in whatever way it is read; its fileno is the
// descriptor's.
#pragma once

#include "common/sys.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <sys/types.h>

namespace detshim::device {

/// Whether a descriptor of this process may be such a file. Until then the hooks that read cost one
/// load.
extern bool may_exist;

/// What the device gives at most in one call.
inline constexpr size_t read_limit = 33554431;

/// Whether one of them may have been opened for writing too. Until then writing costs one load.
extern bool may_be_written;

/// A new file for the stream of that key, opened with the flags of open(2), under the lowest free
/// number: that, or -1. The reading hooks look for it from now on.
int make(uint64_t key, int flags);

bool closes_on_exec(int fd);
/// Puts what is behind `from` under the number `fd`, which closes on exec as before.
bool take_number(int from, int fd);

/// What libc's function returns for that answer of the kernel's; sets errno.
ssize_t answer(long result);

/// While it lives, what a call is to write to in place of `fd`: of a stream the kernel's device,
/// which takes all that is written, elsewhere `fd` itself.
class Target {
public:
  explicit Target(int fd)
      : fd_(__builtin_expect(may_be_written, 0) ? open_kernels(fd) : fd), given_(fd) {}
  ~Target() {
    if (fd_ != given_)
      sys::close(fd_);
  }
  Target& operator=(Target&&) = delete; // neither copied nor moved

  int number() const { return fd_; }

private:
  static int open_kernels(int fd);

  int fd_, given_;
};

/// The key of the stream behind a descriptor; false if there is no stream behind it.
bool find(int fd, uint64_t& key);

/// Makes the file behind the descriptor hold what readers without a hook may want, 16 MiB from
/// where the descriptor stands now.
void lengthen(int fd, uint64_t key);

/// True if the number was a stream's when it was last looked at: find() is then worth its system
/// call before a read. For other numbers it is after a read that gave less than it was asked for.
bool was_seen_at(int fd);

/// Bytes of the stream from an offset on.
void fill(uint64_t key, uint64_t offset, void* data, size_t size);

/// Reads as read(2) does; the result, or a negated errno.
ssize_t read(int fd, uint64_t key, void* data, size_t size);

/// A FILE for the descriptor `fd` (a stream's), with the mode of fopen; nullptr if there is no
/// memory.
FILE* open_file(int fd, const char* mode);

/// Frees a FILE whose descriptor stays open; `spare` is closed in its place.
void drop_file(FILE* file, int spare);

/// Puts `file` (of open_file) in the place of stdin, until it is closed.
void take_standard_input(FILE* file);

/// Undoes that for a FILE that is to be opened anew: what to open in its place.
FILE* give_standard_input_back(FILE* file);

} // namespace detshim::device

namespace detshim {

/// Notices that a parent had a random device replaced, whose descriptor may be inherited (`program
/// < /dev/urandom`), so that reading it goes on without an end here too. From the constructor.
void look_at_inherited_input();

} // namespace detshim
