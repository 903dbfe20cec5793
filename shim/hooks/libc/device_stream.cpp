#include "hooks/libc/device_stream.h"

#include "common/philox.h"
#include "common/text.h"
#include "core/base/own_stack.h"
#include "core/base/placement.h"
#include "core/base/user_memory.h"
#include "core/fingerprint/output_digests.h"
#include "core/identity/process.h"
#include "loader/hook.h"

#include <cerrno>

namespace detshim {

namespace hooks {
DETSHIM_DECLARE_HOOK(fopen);
} // namespace hooks

namespace device {

DETSHIM_STARTUP_DATA constinit bool may_exist = false;
DETSHIM_STARTUP_DATA constinit bool may_be_written = false;

namespace {

constexpr size_t piece =
    256; // for readers that meet no hook: io_uring, a system call made without libc
constexpr const char* memory_name = "detshim-urandom-";
constexpr const char* link_start = "/memfd:detshim-urandom-";

/// The numbers, and 1, of the descriptors whose streams were last seen. One may be something
/// else by now.
constinit int seen[64] = {};

int& seen_at(int fd) { return seen[static_cast<unsigned>(fd) % 64]; }

void remember(int fd) { __atomic_store_n(&seen_at(fd), fd + 1, __ATOMIC_RELAXED); }

/// As files in memory are.
bool is_nameless(const struct stat& state) { return S_ISREG(state.st_mode) && state.st_nlink == 0; }

/// The key in the name of the file.
bool find_by_name(int fd, uint64_t& key) {
  Text<32> link;
  link.add("/proc/self/fd/").add(static_cast<uint64_t>(fd));
  char target[64];
  if (sys::failed(sys::readlink(link.c_str(), target, sizeof target)))
    return false;
  if (!starts_with(target, link_start))
    return false;
  key = 0;
  for (const char* c = target + text_length(link_start); *c != 0 && *c != ' '; ++c)
    key = key << 4 | static_cast<uint64_t>(*c <= '9' ? *c - '0' : *c - 'a' + 10);
  return true;
}

/// Writes the stream's bytes from one offset to another into the file.
bool write(int fd, uint64_t key, uint64_t from, uint64_t to) {
  char bytes[1024];
  if (!sys::may_grow_to(to))
    return false;
  while (from < to) {
    const size_t size = to - from < sizeof bytes ? to - from : sizeof bytes;
    fill(key, from, bytes, size);
    if (sys::pwrite(fd, bytes, size, static_cast<long>(from)) != static_cast<long>(size))
      return false;
    from += size;
  }
  return true;
}

/// What open(2) keeps of its flags, as far as a file in memory can have them.
constexpr int kept_flags = O_ACCMODE | O_NONBLOCK | O_APPEND | O_SYNC;

/// Another descriptor of the file behind one, which has rights of its own.
int open_again(int fd, int flags) {
  Text<32> link;
  link.add("/proc/self/fd/").add(static_cast<uint64_t>(fd));
  return sys::openat(AT_FDCWD, link.c_str(), flags | O_CLOEXEC);
}

} // namespace

int make(uint64_t key, int flags) {
  Text<48> name;
  name.add(memory_name).add_hex(key, 16);
  const int fd =
      sys::memfd_create(name.c_str(), (flags & O_CLOEXEC) != 0 ? 1 /* MFD_CLOEXEC */ : 0);
  if (fd < 0)
    return -1;
  if (sys::may_grow_to(piece))
    write(fd, key, 0, piece);
  // A file in memory is made for writing too. Without /proc it stays so.
  if (const int opened = open_again(fd, flags & kept_flags); opened >= 0) {
    sys::dup3(opened, fd, flags & O_CLOEXEC);
    sys::close(opened);
  }
  if ((flags & O_ACCMODE) == O_RDWR)
    may_be_written = true;
  remember(fd);
  may_exist = true;
  mark_device_replaced();
  return fd;
}

bool closes_on_exec(int fd) {
  const int flags = sys::fcntl(fd, F_GETFD);
  return flags > 0 && (flags & FD_CLOEXEC) != 0;
}

bool take_number(int from, int fd) {
  return sys::dup3(from, fd, closes_on_exec(fd) ? O_CLOEXEC : 0) == fd;
}

ssize_t answer(long result) {
  if (!sys::failed(result))
    return result;
  errno = static_cast<int>(-result);
  return -1;
}

bool was_seen_at(int fd) { return __atomic_load_n(&seen_at(fd), __ATOMIC_RELAXED) == fd + 1; }

void lengthen(int fd, uint64_t key) {
  constexpr uint64_t long_enough = 16 << 20;
  const long at = sys::lseek(fd, 0, SEEK_CUR);
  if (at < 0 || !sys::may_grow_to(static_cast<uint64_t>(at) + long_enough))
    return;
  // The descriptor may be open for reading alone: a program opened /dev/fd/N.
  const int writer = open_again(fd, O_RDWR);
  if (writer < 0)
    return;
  const auto here = static_cast<uint64_t>(at);
  write(writer, key, here < long_enough ? 0 : here, here + long_enough);
  sys::close(writer);
}

bool find(int fd, uint64_t& key) {
  struct stat state;
  const bool is_nameless_file = fd >= 0 && sys::fstat(fd, state) == 0 && is_nameless(state);
  forget(state);
  if (!is_nameless_file || !find_by_name(fd, key))
    return false;
  remember(fd);
  return true;
}

void fill(uint64_t key, uint64_t offset, void* data, size_t size) {
  auto* out = static_cast<char*>(data);
  while (size > 0) {
    const PhiloxBlock block = stream_block(key, offset / sizeof block);
    const size_t skipped = offset % sizeof block;
    if (skipped == 0 && size >= sizeof block) {
      __builtin_memcpy(out, &block, sizeof block); // of a size that the compiler knows
      out += sizeof block, offset += sizeof block, size -= sizeof block;
      continue;
    }
    const size_t rest = sizeof block - skipped;
    const size_t part = size < rest ? size : rest;
    __builtin_memcpy(out, reinterpret_cast<const char*>(&block) + skipped, part);
    out += part, offset += part, size -= part;
  }
}

int Target::open_kernels(int fd) {
  uint64_t key;
  if ((sys::fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDWR || !find(fd, key))
    return fd;
  const int kernels = sys::openat(AT_FDCWD, "/dev/urandom", O_WRONLY | O_CLOEXEC);
  return kernels < 0 ? fd : kernels;
}

ssize_t read(int fd, uint64_t key, void* data, size_t size) {
  if (size > read_limit)
    size = read_limit;
  const size_t filled = writable_part(data, size);
  if (filled < size && (size = filled) == 0)
    return -EFAULT;
  // Moved before anything is given: whoever shares the descriptor gets other bytes.
  const long end = sys::lseek(fd, static_cast<long>(size), SEEK_CUR);
  if (sys::failed(end))
    return end;
  fill(key, static_cast<uint64_t>(end) - size, data, size);
  note_drawn(data, size);
  return static_cast<ssize_t>(size);
}

// ------------------------------------------------------------------ stdio

namespace {

struct StandardInput {
  FILE* own = nullptr;  ///< takes the place of stdin,
  FILE* real = nullptr; ///< which was this
};
constinit StandardInput standard_input = {};

int descriptor_of(void* cookie) { return static_cast<int>(reinterpret_cast<intptr_t>(cookie)); }

ssize_t read_cookie(void* cookie, char* data, size_t size) {
  const int fd = descriptor_of(cookie);
  uint64_t key;
  // The number may have been given to something else: dup2.
  return answer(find(fd, key) ? read(fd, key, data, size) : sys::read(fd, data, size));
}

/// The device takes what is written to it, and goes on as if nothing were.
ssize_t write_cookie(void* cookie, const char* data, size_t size) {
  const int fd = descriptor_of(cookie);
  uint64_t key;
  return find(fd, key) ? static_cast<ssize_t>(size) : answer(sys::write(fd, data, size));
}

int seek_cookie(void* cookie, off64_t* offset, int whence) {
  const ssize_t at = answer(sys::lseek(descriptor_of(cookie), *offset, whence));
  if (at < 0)
    return -1;
  *offset = at;
  return 0;
}

int close_cookie(void* cookie) {
  const int fd = descriptor_of(cookie);
  if (standard_input.own != nullptr && standard_input.own->_fileno == fd)
    give_standard_input_back(standard_input.own);
  return answer(sys::close(fd)) < 0 ? -1 : 0;
}

} // namespace

FILE* open_file(int fd, const char* mode) {
  const auto rights = static_cast<unsigned>(sys::fcntl(fd, F_GETFL)) & O_ACCMODE;
  const bool is_both = contains(mode, "+");
  if ((rights == O_RDONLY && (is_both || *mode != 'r')) ||
      (rights == O_WRONLY && (is_both || *mode == 'r')))
    return nullptr; // libc refuses it
  if (hooks::fopen.state == Hook::State::unknown)
    find_real(hooks::fopen);
  auto* const open =
      find_sibling<FILE*(void*, const char*, cookie_io_functions_t)>(hooks::fopen, "fopencookie");
  if (open == nullptr)
    return nullptr;
  FILE* const file = open(reinterpret_cast<void*>(static_cast<intptr_t>(fd)), mode,
                          {read_cookie, write_cookie, seek_cookie, close_cookie});
  if (file != nullptr)
    file->_fileno = fd; // or fileno would fail; libstdc++ reads from it
  return file;
}

void drop_file(FILE* file, int spare) {
  auto* const close = find_sibling<int(FILE*)>(hooks::fopen, "fclose");
  if (close == nullptr) { // the FILE stays, unused
    sys::close(spare);
    return;
  }
  file->_fileno = spare;
  close(file);
}

void take_standard_input(FILE* file) {
  standard_input.real = stdin;
  standard_input.own = file;
  stdin = file;
}

FILE* give_standard_input_back(FILE* file) {
  if (file != standard_input.own || file == nullptr)
    return file;
  if (stdin == standard_input.own)
    stdin = standard_input.real;
  standard_input.own = nullptr;
  return standard_input.real;
}

} // namespace device
} // namespace detshim
