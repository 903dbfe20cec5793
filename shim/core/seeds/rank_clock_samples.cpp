#include "core/seeds/rank_clock_samples.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/signal_safe_lock.h"
#include "core/identity/process.h"
#include "core/log/log_file.h"
#include "core/policy/options.h"
#include "core/seeds/clock_samples.h"

namespace detshim {
namespace {

/// The file, as long as it may get. Its blocks are made as they are taken.
int open_file() {
  SignalSafeLock guard(log_file::lock);
  const int folder = guard.held() ? log_file::open_folder(true) : -1;
  if (folder < 0)
    return -1;
  // Ranks that no process of the run has started have the launcher in common, and the folder if the
  // user gave it.
  Text<64> name;
  if (process().root_pid == process().pid && !process().is_of_job)
    name.add("parent-").add(static_cast<uint64_t>(sys::call(SYS_getppid)));
  else
    name.add(process().run);
  name.add(".readings");
  const int fd = sys::openat(folder, name.c_str(),
                             O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  sys::close(folder);
  struct stat state;
  if (fd >= 0 && sys::fstat(fd, state) == 0 && S_ISREG(state.st_mode) && state.st_nlink == 1 &&
      state.st_uid == static_cast<uid_t>(sys::call(SYS_geteuid)))
    return fd;
  if (fd >= 0)
    sys::close(fd);
  return -1;
}

/// The file's memory, all of whose pages exist: one that the disk has no room for would kill the
/// program with SIGBUS.
RankClockSamples* map_whole(int fd) {
  constexpr long size = sizeof(RankClockSamples);
  if (!sys::may_grow_to(size) || sys::failed(sys::call(SYS_fallocate, fd, 0, 0, size)))
    return nullptr;
  const long mapped = sys::call(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return sys::failed(mapped) ? nullptr : reinterpret_cast<RankClockSamples*>(mapped);
}

} // namespace

void share_clock_samples_with_ranks() {
  if (!process().rank_given || !options().pins())
    return;
  const int fd = open_file();
  if (fd < 0)
    return;
  RankClockSamples* const ranks = map_whole(fd);
  sys::close(fd);
  if (ranks == nullptr)
    return;
  const uint32_t index = __atomic_fetch_add(&ranks->taken, 1, __ATOMIC_ACQ_REL);
  if (index < RankClockSamples::limit)
    share_clock_samples(ranks, &ranks->of[index]);
}

} // namespace detshim
