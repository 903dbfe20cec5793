// /dev/urandom and /dev/random, however they are opened, and /proc/sys/kernel/random/uuid.
//
// The descriptor is replaced, not marked: after the real open, a file in memory with this thread's bytes
// takes the descriptor's number. So read, readv, dup, fdopen, std::ifstream and an exec'd child all see the
// same bytes without a table of descriptors. The file holds a first piece of an endless stream; the name of
// the file is the stream's key, and the read hooks append the next piece when a reader comes to the end.
//
// The fortified names (__open_2 and its family) are what programs built with _FORTIFY_SOURCE call: Perl among
// them.
#include "hooks/libc/inherited_input.h"

#include "core/readings.h"
#include "core/sys.h"
#include "core/text.h"
#include "loader/draw.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <sys/sysmacros.h>
#include <sys/uio.h>

namespace detshim {
namespace {

constexpr size_t piece = 16384;       // what an open is given: copying it costs more than the open itself
constexpr size_t stdio_piece = 65536; // stdio reads inside libc, where no hook sees the end coming
constexpr const char* memory_name = "detshim-urandom-";
constexpr const char* uuid_path = "/proc/sys/kernel/random/uuid";

struct Devices {
  uint32_t generation = 0;
  uint64_t opened = 0; // devices opened by this thread so far
  uint64_t uuids = 0;
};
thread_local constinit Devices devices;

// Whether a descriptor of this process may be such a file. Until then the read hooks cost one load.
constinit bool may_have_memory = false;

bool is_random_device(const struct stat& state) {
  return S_ISCHR(state.st_mode) && major(state.st_rdev) == 1 &&
         (minor(state.st_rdev) == 8 || minor(state.st_rdev) == 9);
}

Devices& this_thread_devices() {
  const Thread& thread = this_thread();
  if (devices.generation != thread.generation) devices = {thread.generation, 0, 0};
  return devices;
}

/// Writes bytes [from, to) of a stream into a file in memory, which then ends at `to`.
bool write_stream(int fd, uint64_t key, size_t from, size_t to) {
  if (!sys::may_grow_to(to)) return false;
  PhiloxBlock blocks[64];
  for (size_t at = from; at < to; at += sizeof blocks) {
    for (size_t i = 0; i < 64; ++i) blocks[i] = stream_block(key, at / sizeof(PhiloxBlock) + i);
    if (sys::pwrite(fd, blocks, sizeof blocks, static_cast<long>(at)) != sizeof blocks) return false;
  }
  return true;
}

/// Puts `memory` in the place of `fd`, with its close-on-exec flag.
bool replace(int memory, int fd) {
  const int flags = sys::fcntl(fd, F_GETFD);
  return sys::dup3(memory, fd, flags > 0 && (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0) == fd;
}

bool replace_by_stream(int fd, size_t size) {
  const uint64_t key = stream_key(this_thread(), Kind::urandom, this_thread_devices().opened++);
  Text<48> name;
  name.add(memory_name).add_hex(key, 16);
  const int memory = sys::memfd_create(name.c_str(), 1 /* MFD_CLOEXEC */);
  if (memory < 0) return false;
  const bool done = write_stream(memory, key, 0, size) && replace(memory, fd);
  sys::close(memory);
  if (done) {
    may_have_memory = true;
    mark_device_replaced();
  }
  return done;
}

/// A random (version 4) UUID as the kernel's file gives it (RFC 9562, 5.4).
bool replace_by_uuid(int fd) {
  PhiloxBlock block = stream_block(stream_key(this_thread(), Kind::uuid, this_thread_devices().uuids++), 0);
  auto* bytes = reinterpret_cast<unsigned char*>(&block);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  Text<40> text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text.add('-');
    text.add_hex(bytes[i], 2);
  }
  text.add('\n');
  const int memory = sys::memfd_create("detshim-uuid", 1 /* MFD_CLOEXEC */);
  if (memory < 0) return false;
  const bool done = sys::pwrite(memory, text.c_str(), text.length(), 0) == static_cast<long>(text.length()) &&
                    replace(memory, fd);
  sys::close(memory);
  return done;
}

/// Looks at a descriptor that was just opened, and replaces it if it gives entropy.
void settle(Hook& hook, int fd, const char* path, size_t size, const void* caller) {
  if (fd < 0 || options().off() || hook.disabled) return;
  note_opening();
  const bool is_uuid = path != nullptr && same_text(path, uuid_path);
  struct stat state;
  if (!is_uuid && (sys::fstat(fd, state) != 0 || !is_random_device(state))) return;
  const int flags = sys::fcntl(fd, F_GETFL);
  if ((flags & O_ACCMODE) == O_WRONLY || (flags & O_PATH) != 0) return; // nothing can be read from it
  DrawSites sites;
  const char* shown = path != nullptr ? path : "";
  if (!decide_draw(hook, sites, caller, {shown})) return;
  if (!(is_uuid ? replace_by_uuid(fd) : replace_by_stream(fd, size)))
    record({hook.info->library, hook.info->name, hook.info->fields}, Action::unfixed, caller,
           "no file in memory could be made: the kernel's bytes were given", {shown});
}

// ------------------------------------------------------------------ readers at the end of the file

/// The stream behind a descriptor, if it is one of ours (an inherited one too).
bool is_stream(int fd, uint64_t& key, const struct stat& state) {
  if (!S_ISREG(state.st_mode) || state.st_nlink != 0) return false;
  Text<32> link;
  link.add("/proc/self/fd/").add(static_cast<uint64_t>(fd));
  char target[64];
  if (sys::failed(sys::readlink(link.c_str(), target, sizeof target))) return false;
  constexpr const char* start = "/memfd:detshim-urandom-";
  if (!starts_with(target, start)) return false;
  key = 0;
  for (const char* c = target + text_length(start); *c != 0 && *c != ' '; ++c)
    key = key << 4 | static_cast<uint64_t>(*c <= '9' ? *c - '0' : *c - 'a' + 10);
  return true;
}

/// Makes the next `size` bytes exist. True if the descriptor is a stream and something was added. What is
/// written is a function of the offset alone, so processes that share the file may do this at once.
bool extend(int fd, size_t size) {
  struct stat state;
  uint64_t key;
  if (sys::fstat(fd, state) != 0 || !is_stream(fd, key, state)) return false;
  const long at = sys::lseek(fd, 0, SEEK_CUR);
  if (at < 0) return false;
  const auto end = static_cast<size_t>(state.st_size);
  const size_t wanted = (static_cast<size_t>(at) + size + piece - 1) / piece * piece;
  if (wanted <= end) return false;
  // The descriptor may be open for reading alone: a program opened /dev/fd/N.
  Text<32> link;
  link.add("/proc/self/fd/").add(static_cast<uint64_t>(fd));
  const int writer = sys::openat(AT_FDCWD, link.c_str(), O_RDWR | O_CLOEXEC);
  if (writer < 0) return false;
  const bool done = write_stream(writer, key, end / piece * piece, wanted);
  sys::close(writer);
  return done;
}

constexpr size_t read_limit = 33554431; // what the device gives at most in one call

} // namespace

// Declared in hooks/libc/inherited_input.h.
void look_at_inherited_input() {
  if (device_was_replaced()) may_have_memory = true;
}

} // namespace detshim

using namespace detshim;

namespace {

unsigned mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
}

} // namespace

#define DETSHIM_OPENER .action = Action::pin, .fields = {"path"}
#define DETSHIM_OPENER_SUMMARY                                                                               \
  "A random device's descriptor is replaced by this thread's bytes; other files pass."

// open(path, flags, mode) and its 64-bit twin
#define DETSHIM_OPEN(NAME)                                                                                   \
  DETSHIM_HOOK(libc, int, NAME, (const char* path, int flags, ...), DETSHIM_OPENER,                          \
               .summary = DETSHIM_OPENER_SUMMARY) {                                                          \
    DETSHIM_ENTER(NAME);                                                                                     \
    va_list arguments;                                                                                       \
    va_start(arguments, flags);                                                                              \
    const int fd = call.real(path, flags, mode_of(flags, arguments));                                        \
    va_end(arguments);                                                                                       \
    if (!call.passes()) settle(hooks::NAME, fd, path, piece, call.caller());                                 \
    return fd;                                                                                               \
  }
DETSHIM_OPEN(open)
DETSHIM_OPEN(open64)

#define DETSHIM_OPENAT(NAME)                                                                                 \
  DETSHIM_HOOK(libc, int, NAME, (int folder, const char* path, int flags, ...), DETSHIM_OPENER,              \
               .summary = DETSHIM_OPENER_SUMMARY) {                                                          \
    DETSHIM_ENTER(NAME);                                                                                     \
    va_list arguments;                                                                                       \
    va_start(arguments, flags);                                                                              \
    const int fd = call.real(folder, path, flags, mode_of(flags, arguments));                                \
    va_end(arguments);                                                                                       \
    if (!call.passes()) settle(hooks::NAME, fd, path, piece, call.caller());                                 \
    return fd;                                                                                               \
  }
DETSHIM_OPENAT(openat)
DETSHIM_OPENAT(openat64)

#define DETSHIM_OPEN_2(NAME)                                                                                 \
  DETSHIM_HOOK(libc, int, NAME, (const char* path, int flags), DETSHIM_OPENER,                               \
               .summary = DETSHIM_OPENER_SUMMARY) {                                                          \
    DETSHIM_ENTER(NAME);                                                                                     \
    const int fd = call.real(path, flags);                                                                   \
    if (!call.passes()) settle(hooks::NAME, fd, path, piece, call.caller());                                 \
    return fd;                                                                                               \
  }
DETSHIM_OPEN_2(__open_2)
DETSHIM_OPEN_2(__open64_2)

#define DETSHIM_OPENAT_2(NAME)                                                                               \
  DETSHIM_HOOK(libc, int, NAME, (int folder, const char* path, int flags), DETSHIM_OPENER,                   \
               .summary = DETSHIM_OPENER_SUMMARY) {                                                          \
    DETSHIM_ENTER(NAME);                                                                                     \
    const int fd = call.real(folder, path, flags);                                                           \
    if (!call.passes()) settle(hooks::NAME, fd, path, piece, call.caller());                                 \
    return fd;                                                                                               \
  }
DETSHIM_OPENAT_2(__openat_2)
DETSHIM_OPENAT_2(__openat64_2)

#define DETSHIM_FOPEN(NAME)                                                                                  \
  DETSHIM_HOOK(libc, FILE*, NAME, (const char* path, const char* mode), DETSHIM_OPENER,                      \
               .summary = DETSHIM_OPENER_SUMMARY) {                                                          \
    DETSHIM_ENTER(NAME);                                                                                     \
    FILE* const file = call.real(path, mode);                                                                \
    if (file != nullptr && !call.passes())                                                                   \
      settle(hooks::NAME, fileno(file), path, stdio_piece, call.caller());                                   \
    return file;                                                                                             \
  }
DETSHIM_FOPEN(fopen)
DETSHIM_FOPEN(fopen64)

#define DETSHIM_FREOPEN(NAME)                                                                                \
  DETSHIM_HOOK(libc, FILE*, NAME, (const char* path, const char* mode, FILE* before), DETSHIM_OPENER,        \
               .summary = DETSHIM_OPENER_SUMMARY) {                                                          \
    DETSHIM_ENTER(NAME);                                                                                     \
    FILE* const file = call.real(path, mode, before);                                                        \
    if (file != nullptr && !call.passes())                                                                   \
      settle(hooks::NAME, fileno(file), path, stdio_piece, call.caller());                                   \
    return file;                                                                                             \
  }
DETSHIM_FREOPEN(freopen)
DETSHIM_FREOPEN(freopen64)

// ------------------------------------------------------------------ reading on
//
// The device has no end. These hooks add to a replaced descriptor's file when a read comes to its end, and
// cost one load in a process that never had such a descriptor.

#define DETSHIM_READER .action = Action::observe
#define DETSHIM_READER_SUMMARY "Lets a replaced random device go on without an end; other files pass."

DETSHIM_HOOK(libc, ssize_t, read, (int fd, void* buffer, size_t size), DETSHIM_READER,
             .summary = DETSHIM_READER_SUMMARY) {
  DETSHIM_ENTER(read);
  const ssize_t got = call.real(fd, buffer, size);
  if (!may_have_memory || got < 0 || static_cast<size_t>(got) >= size ||
      static_cast<size_t>(got) >= read_limit)
    return got;
  if (!extend(fd, size - static_cast<size_t>(got))) return got;
  const ssize_t more = call.real(fd, static_cast<char*>(buffer) + got, size - static_cast<size_t>(got));
  return more > 0 ? got + more : got;
}

DETSHIM_HOOK(libc, ssize_t, __read_chk, (int fd, void* buffer, size_t size, size_t room), DETSHIM_READER,
             .summary = DETSHIM_READER_SUMMARY) {
  DETSHIM_ENTER(__read_chk);
  if (may_have_memory && size <= room) extend(fd, size < read_limit ? size : read_limit);
  return call.real(fd, buffer, size, room);
}

DETSHIM_HOOK(libc, ssize_t, readv, (int fd, const iovec* parts, int count), DETSHIM_READER,
             .summary = DETSHIM_READER_SUMMARY) {
  DETSHIM_ENTER(readv);
  if (may_have_memory && parts != nullptr) {
    size_t size = 0;
    for (int i = 0; i < count; ++i) size += parts[i].iov_len;
    extend(fd, size < read_limit ? size : read_limit);
  }
  return call.real(fd, parts, count);
}

DETSHIM_HOOK(libc, size_t, fread, (void* buffer, size_t size, size_t count, FILE* file), DETSHIM_READER,
             .summary = DETSHIM_READER_SUMMARY) {
  DETSHIM_ENTER(fread);
  size_t bytes;
  if (may_have_memory && file != nullptr && !__builtin_mul_overflow(size, count, &bytes))
    extend(fileno(file), bytes + stdio_piece);
  return call.real(buffer, size, count, file);
}

DETSHIM_HOOK(libc, size_t, fread_unlocked, (void* buffer, size_t size, size_t count, FILE* file),
             DETSHIM_READER, .summary = DETSHIM_READER_SUMMARY) {
  DETSHIM_ENTER(fread_unlocked);
  size_t bytes;
  if (may_have_memory && file != nullptr && !__builtin_mul_overflow(size, count, &bytes))
    extend(fileno(file), bytes + stdio_piece);
  return call.real(buffer, size, count, file);
}
