// Reading a replaced random device (hooks/libc/device_stream.h), in the ways of libc that the kernel would
// serve. What the device itself refuses stays refused, so that a program takes the way that it takes
// natively.
//
// In a process that never had such a descriptor each hook costs one load.
#include "hooks/libc/device_stream.h"

#include "common/sys.h"
#include "core/base/user_memory.h"
#include "core/fingerprint/prints.h"
#include "loader/hook.h"

#include <cerrno>
#include <poll.h>
#include <sys/mman.h>
#include <sys/uio.h>

namespace detshim {
namespace {

/// The stream behind a descriptor, where there may be one. For calls that are rare or costly themselves.
bool is_stream(int fd, uint64_t& key) { return device::may_exist && device::find(fd, key); }

template <typename Result>
Result answer(Result result) {
  if (!sys::failed(static_cast<long>(result))) return result;
  errno = static_cast<int>(-result);
  return -1;
}

template <typename Result = ssize_t>
Result refuse(int error) {
  errno = error;
  return static_cast<Result>(-1);
}

/// Where a call reads: at the descriptor's own offset, which moves, or at a given one.
class Place {
public:
  Place(int fd, uint64_t key, const long* at)
      : fd_(fd), key_(key), given_(at != nullptr), at_(at ? *at : 0) {}

  ssize_t read(void* data, size_t size) {
    if (!given_) return device::read(fd_, key_, data, size);
    if (at_ < 0) return -EINVAL;
    const size_t filled = writable_part(data, size);
    if (filled < size && (size = filled) == 0) return -EFAULT;
    device::fill(key_, static_cast<uint64_t>(at_), data, size);
    note_drawn(data, size);
    at_ += static_cast<long>(size);
    return static_cast<ssize_t>(size);
  }

  /// Takes back what was read last and not used.
  void give_back(size_t size) {
    if (given_)
      at_ -= static_cast<long>(size);
    else
      sys::lseek(fd_, -static_cast<long>(size), SEEK_CUR);
  }

  long at() const { return at_; }

private:
  int fd_;
  uint64_t key_;
  bool given_;
  long at_;
};

ssize_t read_at(uint64_t key, void* data, size_t size, long offset) {
  if (size > device::read_limit) size = device::read_limit;
  return answer(Place(-1, key, &offset).read(data, size));
}

ssize_t read_parts(Place place, const iovec* parts, int count) {
  size_t got = 0;
  for (int i = 0; i < count && got < device::read_limit; ++i) {
    const size_t left = device::read_limit - got;
    const size_t part = parts[i].iov_len < left ? parts[i].iov_len : left;
    const ssize_t now = place.read(parts[i].iov_base, part);
    if (now < 0) return got > 0 ? static_cast<ssize_t>(got) : answer(now);
    got += static_cast<size_t>(now);
    if (static_cast<size_t>(now) < part) break;
  }
  return static_cast<ssize_t>(got);
}

/// Whether the kernel would begin to fill them. What it refuses before, the real call is refused too.
bool are_parts(const iovec* parts, int count) {
  if (count <= 0 || count > 1024 || !can_read(parts, static_cast<unsigned>(count) * sizeof *parts))
    return false;
  for (int i = 0; i < count; ++i)
    if (static_cast<ssize_t>(parts[i].iov_len) < 0 || reinterpret_cast<intptr_t>(parts[i].iov_base) < 0)
      return false;
  return true;
}

bool has_room(int pipe) {
  pollfd asked = {pipe, POLLOUT, 0};
  timespec at_once = {};
  return sys::call(SYS_ppoll, sys::address(&asked), 1, sys::address(&at_once), 0) == 1;
}

/// Writes up to `size` bytes of the stream to a descriptor, as sendfile and splice do. A pipe takes what it
/// has room for: the first piece may wait for it, unless `waits` is false, later ones do not.
ssize_t write_stream(int to, Place& place, size_t size, bool is_pipe, bool waits) {
  char bytes[1024]; // a pipe takes as much whole or not at all
  size_t moved = 0;
  if (size > device::read_limit) size = device::read_limit;
  while (moved < size) {
    if (is_pipe && (moved > 0 || !waits) && !has_room(to)) break;
    const size_t part = size - moved < sizeof bytes ? size - moved : sizeof bytes;
    ssize_t done = place.read(bytes, part);
    if (done < 0) return moved > 0 ? static_cast<ssize_t>(moved) : answer(done);
    done = sys::write(to, bytes, part);
    if (done < 0 || static_cast<size_t>(done) < part)
      place.give_back(part - static_cast<size_t>(done < 0 ? 0 : done));
    if (done < 0) return moved > 0 ? static_cast<ssize_t>(moved) : answer(done);
    moved += static_cast<size_t>(done);
    if (static_cast<size_t>(done) < part) break;
  }
  return moved > 0 || size == 0 ? static_cast<ssize_t>(moved) : refuse(EAGAIN);
}

// What the hooks of the functions that read at an offset do: each is there twice, the second time with "64".

template <typename Call>
ssize_t read_at_offset(const Call& call, int fd, void* buffer, size_t size, long offset) {
  uint64_t key;
  if (is_stream(fd, key)) return read_at(key, buffer, size, offset);
  return call.real(fd, buffer, size, offset);
}

template <typename Call>
ssize_t read_at_offset_fortified(const Call& call, int fd, void* buffer, size_t size, long offset,
                                 size_t room) {
  uint64_t key;
  if (size <= room && is_stream(fd, key)) return read_at(key, buffer, size, offset);
  return call.real(fd, buffer, size, offset, room);
}

template <typename Call>
ssize_t read_parts_at_offset(const Call& call, int fd, const iovec* parts, int count, long offset) {
  uint64_t key;
  if (is_stream(fd, key) && are_parts(parts, count)) return read_parts({fd, key, &offset}, parts, count);
  return call.real(fd, parts, count, offset);
}

/// An offset of -1 is the descriptor's own.
template <typename Call>
ssize_t read_parts_with_flags(const Call& call, int fd, const iovec* parts, int count, long offset,
                              int flags) {
  uint64_t key;
  if (is_stream(fd, key) && are_parts(parts, count))
    return read_parts({fd, key, offset == -1 ? nullptr : &offset}, parts, count);
  return call.real(fd, parts, count, offset, flags);
}

template <typename Call>
ssize_t send_stream(const Call& call, int to, int fd, long* offset, size_t size) {
  uint64_t key;
  if (!is_stream(fd, key)) return call.real(to, fd, offset, size);
  Place place(fd, key, offset);
  const ssize_t moved = write_stream(to, place, size, false, true);
  if (offset != nullptr) *offset = place.at();
  return moved;
}

template <typename Call>
void* refuse_map(const Call& call, void* at, size_t size, int access, int flags, int fd, long offset) {
  uint64_t key;
  if (fd >= 0 && (flags & MAP_ANONYMOUS) == 0 && is_stream(fd, key)) {
    errno = ENODEV;
    return MAP_FAILED;
  }
  return call.real(at, size, access, flags, fd, offset);
}

constexpr Description keeps_device_endless = {
    .action = Action::observe,
    .summary = "Lets a replaced random device go on without an end; other files pass.",
};
constexpr Description refuses_as_device = {
    .action = Action::observe,
    .summary = "Refused for a replaced random device, as by the device itself; other files pass.",
};

using ReadAtOffset = Call<ssize_t(int fd, void* buffer, size_t size, long offset)>;
using ReadAtOffsetFortified = Call<ssize_t(int fd, void* buffer, size_t size, long offset, size_t room)>;
using ReadPartsAtOffset = Call<ssize_t(int fd, const iovec* parts, int count, long offset)>;
using ReadPartsWithFlags = Call<ssize_t(int fd, const iovec* parts, int count, long offset, int flags)>;
using SendFile = Call<ssize_t(int to, int fd, long* offset, size_t size)>;
using Map = Call<void*(void* at, size_t size, int access, int flags, int fd, long offset)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, ssize_t, read, (int fd, void* buffer, size_t size), keeps_device_endless) {
  DETSHIM_ENTER(read);
  uint64_t key;
  if (device::may_exist && device::was_seen_at(fd) && device::find(fd, key))
    return answer(device::read(fd, key, buffer, size));
  const ssize_t got = call.real(fd, buffer, size);
  if (!device::may_exist || got < 0 || static_cast<size_t>(got) >= size) return got;
  // What lies ready ended, or it is another file that does.
  if (!device::find(fd, key)) return got;
  const ssize_t more =
      device::read(fd, key, static_cast<char*>(buffer) + got, size - static_cast<size_t>(got));
  return more > 0 ? got + more : got > 0 ? got : answer(more);
}

DETSHIM_HOOK(libc, ssize_t, __read_chk, (int fd, void* buffer, size_t size, size_t room),
             keeps_device_endless) {
  DETSHIM_ENTER(__read_chk);
  uint64_t key;
  if (size <= room && is_stream(fd, key)) return answer(device::read(fd, key, buffer, size));
  return call.real(fd, buffer, size, room);
}

DETSHIM_HOOK(libc, ssize_t, readv, (int fd, const iovec* parts, int count), keeps_device_endless) {
  DETSHIM_ENTER(readv);
  uint64_t key;
  if (is_stream(fd, key) && are_parts(parts, count)) return read_parts({fd, key, nullptr}, parts, count);
  return call.real(fd, parts, count);
}

DETSHIM_TEMPLATE_HOOK(libc, ReadAtOffset, pread, read_at_offset, keeps_device_endless);
DETSHIM_TEMPLATE_HOOK(libc, ReadAtOffset, pread64, read_at_offset, keeps_device_endless);
DETSHIM_TEMPLATE_HOOK(libc, ReadAtOffsetFortified, __pread_chk, read_at_offset_fortified,
                      keeps_device_endless);
DETSHIM_TEMPLATE_HOOK(libc, ReadAtOffsetFortified, __pread64_chk, read_at_offset_fortified,
                      keeps_device_endless);
DETSHIM_TEMPLATE_HOOK(libc, ReadPartsAtOffset, preadv, read_parts_at_offset, keeps_device_endless);
DETSHIM_TEMPLATE_HOOK(libc, ReadPartsAtOffset, preadv64, read_parts_at_offset, keeps_device_endless);
DETSHIM_TEMPLATE_HOOK(libc, ReadPartsWithFlags, preadv2, read_parts_with_flags, keeps_device_endless);
DETSHIM_TEMPLATE_HOOK(libc, ReadPartsWithFlags, preadv64v2, read_parts_with_flags, keeps_device_endless);
DETSHIM_TEMPLATE_HOOK(libc, SendFile, sendfile, send_stream, keeps_device_endless);
DETSHIM_TEMPLATE_HOOK(libc, SendFile, sendfile64, send_stream, keeps_device_endless);

DETSHIM_HOOK(libc, ssize_t, splice,
             (int fd, off64_t* offset, int to, off64_t* to_offset, size_t size, unsigned flags),
             keeps_device_endless) {
  DETSHIM_ENTER(splice);
  uint64_t key;
  struct stat state;
  if (!is_stream(fd, key) || to_offset != nullptr || sys::fstat(to, state) != 0 || !S_ISFIFO(state.st_mode))
    return call.real(fd, offset, to, to_offset, size, flags);
  Place place(fd, key, offset);
  const ssize_t moved = write_stream(to, place, size, true, (flags & SPLICE_F_NONBLOCK) == 0);
  if (offset != nullptr) *offset = place.at();
  return moved;
}

// ------------------------------------------------------------------ what the device refuses

DETSHIM_HOOK(libc, ssize_t, copy_file_range,
             (int fd, off64_t* offset, int to, off64_t* to_offset, size_t size, unsigned flags),
             refuses_as_device) {
  DETSHIM_ENTER(copy_file_range);
  uint64_t key;
  if (is_stream(fd, key) || is_stream(to, key)) return refuse(EINVAL);
  return call.real(fd, offset, to, to_offset, size, flags);
}

DETSHIM_TEMPLATE_HOOK(libc, Map, mmap, refuse_map, refuses_as_device);
DETSHIM_TEMPLATE_HOOK(libc, Map, mmap64, refuse_map, refuses_as_device);
