// fstat and statx of a replaced random device (hooks/libc/device_stream.h): a character device, as
// it is natively. Who finds none there takes something else, or ends (libsodium).
//
// In a process that never had such a descriptor each hook costs one load.
#include "hooks/libc/device_stream.h"
#include "hooks/libc/inputs.h"

#include "common/sys.h"
#include "loader/hook.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace detshim {
namespace {

static_assert(sizeof(struct stat) == sizeof(struct stat64));

bool is_stream(int fd, unsigned mode, unsigned long links) {
  uint64_t key;
  return S_ISREG(mode) && links == 0 &&
         device::find(fd, key); // in memory, or a file that lost its name
}

template <typename Call>
int tell_status(const Call& call, int fd, struct stat* state) {
  const int status = call.real(fd, state);
  if (!call.passes())
    note_status_of_open(fd, call.caller());
  if (status != 0 || !device::may_exist || call.passes() ||
      !is_stream(fd, state->st_mode, state->st_nlink))
    return status;
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

/// The call that the function before glibc 2.33 is, with the version of its structure.
template <typename Call>
struct WithVersion {
  const Call& call;
  int version;
  int real(int fd, struct stat* state) const { return call.real(version, fd, state); }
  bool passes() const { return call.passes(); }
  const void* caller() const { return call.caller(); }
};

template <typename Call>
int tell_status_of_version(const Call& call, int version, int fd, struct stat* state) {
  return tell_status(WithVersion<Call>{call, version}, fd, state);
}

constexpr Description is_device = {
    .action = Action::observe,
    .summary =
        "Says of a replaced random device that it is a character device; of others what they are.",
};
using Status = Call<int(int fd, struct stat* state)>;
using StatusOfVersion = Call<int(int version, int fd, struct stat* state)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOKS(libc, Status, fstat, fstat64, tell_status, is_device);
DETSHIM_TEMPLATE_HOOKS(libc, StatusOfVersion, __fxstat, __fxstat64, tell_status_of_version,
                       is_device);

DETSHIM_HOOK(libc, int, statx,
             (int folder, const char* name, int flags, unsigned mask, struct statx* state),
             is_device) {
  DETSHIM_ENTER(statx);
  constexpr unsigned times = STATX_ATIME | STATX_MTIME | STATX_CTIME | STATX_BTIME;
  const int status = call.real(folder, name, flags, mask, state);
  if (options().pins() && call.is_hooked()) {
    if ((mask & times) != 0)
      note_path(name, status, [&] {
        note_file_time(name, call.caller(), UserCall::statx_time);
      });
    note_status(status, folder, name, nullptr);
  }
  if (status != 0 || !device::may_exist || call.passes())
    return status;
  // Of a descriptor itself: without a name, which Linux 6.11 takes for an empty one.
  const bool is_of_descriptor = (flags & AT_EMPTY_PATH) != 0 && (name == nullptr || *name == 0);
  if (!is_of_descriptor || !is_stream(folder, state->stx_mode, state->stx_nlink))
    return status;
  struct statx natively;
  if (sys::call(SYS_statx, AT_FDCWD, sys::address("/dev/urandom"), flags & ~AT_EMPTY_PATH,
                static_cast<long>(mask), sys::address(&natively)) == 0 &&
      S_ISCHR(natively.stx_mode)) {
    *state = natively;
    return status;
  }
  state->stx_mode = S_IFCHR | 0666; // a root without it
  state->stx_rdev_major = 1;
  state->stx_rdev_minor = 9;
  state->stx_size = state->stx_blocks = 0;
  return status;
}
