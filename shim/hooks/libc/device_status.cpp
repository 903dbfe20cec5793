// fstat and statx of a replaced random device (hooks/libc/device_stream.h): a character device, as it is
// natively. Who finds none there takes something else, a clock for instance (SWI-Prolog).
//
// In a process that never had such a descriptor each hook costs one load.
#include "hooks/libc/device_stream.h"

#include "common/sys.h"
#include "loader/hook.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace detshim {
namespace {

int settled(int status, int fd, struct stat* state) {
  uint64_t key;
  if (status != 0 || !device::may_exist) return status;
  const bool is_in_memory = S_ISREG(state->st_mode) && state->st_nlink == 0; // or has lost its name
  if (!is_in_memory || !device::find(fd, key)) return status;
  struct stat natively;
  if (sys::stat("/dev/urandom", natively) == 0 && S_ISCHR(natively.st_mode)) {
    *state = natively;
    return status;
  }
  state->st_mode = S_IFCHR | 0666; // a root without it
  state->st_rdev = makedev(1, 9);
  state->st_size = state->st_blocks = 0;
  return status;
}

/// Whether statx was asked for a descriptor itself: without a name, which Linux 6.11 takes for an empty one.
bool asks_for_descriptor(const char* name, int flags) {
  return (flags & AT_EMPTY_PATH) != 0 && (name == nullptr || *name == 0);
}

void settle(int fd, int flags, unsigned mask, struct statx& state) {
  uint64_t key;
  const bool is_in_memory = S_ISREG(state.stx_mode) && state.stx_nlink == 0;
  if (!is_in_memory || !device::find(fd, key)) return;
  struct statx natively;
  if (sys::call(SYS_statx, AT_FDCWD, sys::address("/dev/urandom"), flags & ~AT_EMPTY_PATH,
                static_cast<long>(mask), sys::address(&natively)) == 0 &&
      S_ISCHR(natively.stx_mode)) {
    state = natively;
    return;
  }
  state.stx_mode = S_IFCHR | 0666; // a root without it
  state.stx_rdev_major = 1;
  state.stx_rdev_minor = 9;
  state.stx_size = state.stx_blocks = 0;
}

} // namespace
} // namespace detshim

using namespace detshim;

#define DETSHIM_STATUS                                                                                       \
  .action = Action::observe,                                                                                 \
  .summary = "Says of a replaced random device that it is a character device; of others what they are."

static_assert(sizeof(struct stat) == sizeof(struct stat64));

DETSHIM_HOOK(libc, int, fstat, (int fd, struct stat* state), DETSHIM_STATUS) {
  DETSHIM_ENTER(fstat);
  const int status = call.real(fd, state);
  return call.passes() ? status : settled(status, fd, state);
}

DETSHIM_HOOK(libc, int, fstat64, (int fd, struct stat64* state), DETSHIM_STATUS) {
  DETSHIM_ENTER(fstat64);
  const int status = call.real(fd, state);
  return call.passes() ? status : settled(status, fd, reinterpret_cast<struct stat*>(state));
}

// The names before glibc 2.33.
DETSHIM_HOOK(libc, int, __fxstat, (int version, int fd, struct stat* state), DETSHIM_STATUS) {
  DETSHIM_ENTER(__fxstat);
  const int status = call.real(version, fd, state);
  return call.passes() ? status : settled(status, fd, state);
}

DETSHIM_HOOK(libc, int, __fxstat64, (int version, int fd, struct stat64* state), DETSHIM_STATUS) {
  DETSHIM_ENTER(__fxstat64);
  const int status = call.real(version, fd, state);
  return call.passes() ? status : settled(status, fd, reinterpret_cast<struct stat*>(state));
}

DETSHIM_HOOK(libc, int, statx, (int folder, const char* name, int flags, unsigned mask, struct statx* state),
             DETSHIM_STATUS) {
  DETSHIM_ENTER(statx);
  const int status = call.real(folder, name, flags, mask, state);
  if (call.passes() || status != 0 || !device::may_exist) return status;
  if (asks_for_descriptor(name, flags)) settle(folder, flags, mask, *state);
  return status;
}
