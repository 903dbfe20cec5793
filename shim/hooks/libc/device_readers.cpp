// Reading a replaced random device (hooks/libc/device_stream.h), in the ways of libc that the
// kernel would serve. What the device itself refuses stays refused, so that a program takes the way
// that it takes natively.
//
// In a process that never had such a descriptor each hook costs one load.
#include "hooks/libc/device_stream.h"

#include "common/sys.h"
#include "core/base/user_memory.h"
#include "core/fingerprint/output_digests.h"
#include "core/log/file_uses.h"
#include "loader/hook.h"

#include <cerrno>
#include <sys/mman.h>
#include <sys/uio.h>

namespace detshim {
namespace {

/// The stream behind a descriptor, where there may be one. For calls that are rare or costly
/// themselves.
bool is_stream(int fd, uint64_t& key) {
  note_read_of(fd);
  return device::may_exist && device::find(fd, key);
}

ssize_t refuse(int error) { return device::answer(-error); }

/// Reads as pread does of the device: at an offset, or, without one, as read does.
ssize_t read_once(int fd, uint64_t key, const long* offset, void* data, size_t size) {
  if (offset == nullptr)
    return device::read(fd, key, data, size);
  if (*offset < 0)
    return -EINVAL;
  if (size > device::read_limit)
    size = device::read_limit;
  const size_t filled = writable_part(data, size);
  if (filled < size && (size = filled) == 0)
    return -EFAULT;
  device::fill(key, static_cast<uint64_t>(*offset), data, size);
  note_drawn(data, size);
  return static_cast<ssize_t>(size);
}

ssize_t read_parts(int fd, uint64_t key, const long* offset, const iovec* parts, int count) {
  size_t got = 0;
  for (int i = 0; i < count && got < device::read_limit; ++i) {
    const size_t left = device::read_limit - got;
    const size_t part = parts[i].iov_len < left ? parts[i].iov_len : left;
    const long at = (offset != nullptr ? *offset : 0) + static_cast<long>(got);
    const ssize_t now =
        read_once(fd, key, offset != nullptr ? &at : nullptr, parts[i].iov_base, part);
    if (now < 0)
      return got > 0 ? static_cast<ssize_t>(got) : device::answer(now);
    got += static_cast<size_t>(now);
    if (static_cast<size_t>(now) < part)
      break;
  }
  return static_cast<ssize_t>(got);
}

/// Whether the kernel would begin to fill them. What it refuses before, the real call is refused
/// too.
bool are_parts(const iovec* parts, int count) {
  if (count <= 0 || count > 1024 || !can_read(parts, static_cast<unsigned>(count) * sizeof *parts))
    return false;
  for (int i = 0; i < count; ++i)
    if (static_cast<ssize_t>(parts[i].iov_len) < 0 ||
        reinterpret_cast<intptr_t>(parts[i].iov_base) < 0)
      return false;
  return true;
}

// What the hooks of the functions that read at an offset do: each is there twice, the second time
// with "64".

/// The fortified form knows how much room there is.
template <typename Call, typename... Room>
ssize_t read_at_offset(const Call& call, int fd, void* buffer, size_t size, long offset,
                       Room... room) {
  uint64_t key;
  if (((size <= room) && ...) && is_stream(fd, key))
    return device::answer(read_once(fd, key, &offset, buffer, size));
  return call.real(fd, buffer, size, offset, room...);
}

/// The flags that a read of the device takes: those of linux/fs.h up to RWF_NOAPPEND. RWF_ATOMIC is
/// for writes, and the device does not have what later ones ask for.
constexpr int flags_of_device = 0x3F;

/// With flags, an offset of -1 is the descriptor's own.
template <typename Call, typename... Flags>
ssize_t read_parts_at_offset(const Call& call, int fd, const iovec* parts, int count, long offset,
                             Flags... flags) {
  uint64_t key;
  if (is_stream(fd, key) && are_parts(parts, count)) {
    if ((((flags & ~flags_of_device) != 0) || ...))
      return refuse(EOPNOTSUPP);
    return read_parts(fd, key, sizeof...(Flags) != 0 && offset == -1 ? nullptr : &offset, parts,
                      count);
  }
  return call.real(fd, parts, count, offset, flags...);
}

/// As kernels from 5.10 to 5.18 refuse it for the device, after which programs read and write.
template <typename Call>
ssize_t refuse_sending(const Call& call, int to, int fd, long* offset, size_t size) {
  uint64_t key;
  return is_stream(fd, key) ? refuse(EINVAL) : call.real(to, fd, offset, size);
}

template <typename Call>
ssize_t refuse_moving(const Call& call, int fd, off64_t* offset, int to, off64_t* to_offset,
                      size_t size, unsigned flags) {
  uint64_t key;
  if (is_stream(fd, key) || is_stream(to, key))
    return refuse(EINVAL);
  return call.real(fd, offset, to, to_offset, size, flags);
}

template <typename Call>
void* refuse_map(const Call& call, void* at, size_t size, int access, int flags, int fd,
                 long offset) {
  uint64_t key;
  if (fd >= 0 && (flags & MAP_ANONYMOUS) == 0 && is_stream(fd, key))
    return reinterpret_cast<void*>(refuse(ENODEV)); // MAP_FAILED
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
using ReadAtOffsetFortified =
    Call<ssize_t(int fd, void* buffer, size_t size, long offset, size_t room)>;
using ReadPartsAtOffset = Call<ssize_t(int fd, const iovec* parts, int count, long offset)>;
using ReadPartsWithFlags =
    Call<ssize_t(int fd, const iovec* parts, int count, long offset, int flags)>;
using SendFile = Call<ssize_t(int to, int fd, long* offset, size_t size)>;
using MoveData =
    Call<ssize_t(int fd, off64_t* offset, int to, off64_t* to_offset, size_t size, unsigned flags)>;
using Map = Call<void*(void* at, size_t size, int access, int flags, int fd, long offset)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, ssize_t, read, (int fd, void* buffer, size_t size), keeps_device_endless) {
  DETSHIM_ENTER(read);
  note_read_of(fd);
  uint64_t key;
  if (device::may_exist && device::was_seen_at(fd) && device::find(fd, key))
    return device::answer(device::read(fd, key, buffer, size));
  const ssize_t got = call.real(fd, buffer, size);
  if (!device::may_exist || got < 0 || static_cast<size_t>(got) >= size)
    return got;
  // What lies ready ended, or it is another file that does.
  if (!device::find(fd, key))
    return got;
  const ssize_t more =
      device::read(fd, key, static_cast<char*>(buffer) + got, size - static_cast<size_t>(got));
  return more > 0 ? got + more : got > 0 ? got : device::answer(more);
}

DETSHIM_HOOK(libc, ssize_t, __read_chk, (int fd, void* buffer, size_t size, size_t room),
             keeps_device_endless) {
  DETSHIM_ENTER(__read_chk);
  uint64_t key;
  if (size <= room && is_stream(fd, key))
    return device::answer(device::read(fd, key, buffer, size));
  return call.real(fd, buffer, size, room);
}

DETSHIM_HOOK(libc, ssize_t, readv, (int fd, const iovec* parts, int count), keeps_device_endless) {
  DETSHIM_ENTER(readv);
  uint64_t key;
  if (is_stream(fd, key) && are_parts(parts, count))
    return read_parts(fd, key, nullptr, parts, count);
  return call.real(fd, parts, count);
}

DETSHIM_TEMPLATE_HOOKS(libc, ReadAtOffset, pread, pread64, read_at_offset, keeps_device_endless);
DETSHIM_TEMPLATE_HOOKS(libc, ReadAtOffsetFortified, __pread_chk, __pread64_chk, read_at_offset,
                       keeps_device_endless);
DETSHIM_TEMPLATE_HOOKS(libc, ReadPartsAtOffset, preadv, preadv64, read_parts_at_offset,
                       keeps_device_endless);
DETSHIM_TEMPLATE_HOOKS(libc, ReadPartsWithFlags, preadv2, preadv64v2, read_parts_at_offset,
                       keeps_device_endless);
// ------------------------------------------------------------------ what the device refuses

DETSHIM_TEMPLATE_HOOKS(libc, SendFile, sendfile, sendfile64, refuse_sending, refuses_as_device);
DETSHIM_TEMPLATE_HOOKS(libc, MoveData, splice, copy_file_range, refuse_moving, refuses_as_device);
DETSHIM_TEMPLATE_HOOKS(libc, Map, mmap, mmap64, refuse_map, refuses_as_device);
