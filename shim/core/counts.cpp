#include "core/counts.h"

#include "core/identity.h"
#include "core/lock.h"
#include "core/placement.h"
#include "core/sys.h"

namespace detshim {
namespace {

constexpr uint64_t header_size = 64;
constexpr uint32_t format_version = 1;
constexpr uint64_t extension = 16384;     // bytes made to exist at a time
constexpr uint64_t mapped_size = 4 << 20; // address space alone: pages exist as far as the file was extended
constexpr uint64_t entry_limit = (mapped_size - header_size) / sizeof(Counter);
constexpr uint32_t block_entries = 4; // one cache line, so that two threads do not write to the same one

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t entry_size;
  char run[32];
  char zero[16];
};
static_assert(sizeof(Header) == header_size && sizeof(Counter) == 16);

struct File {
  const char* path = nullptr; // opened again for each extension: the program may close any descriptor
  char* data = nullptr;       // the whole mapping
  uint64_t size = 0;          // bytes that exist
  uint64_t used = 0;          // entries handed out
  uint64_t device = 0;        // which file is mapped: the folder may be removed and made again meanwhile
  uint64_t inode = 0;
};
DETSHIM_STARTUP_DATA constinit File file;

// Used where there is no file. Shared by threads and records of one action; additions may get lost between
// threads, which the missing file's warning covers.
constinit Counter in_memory[action_count] = {};

constinit uint64_t lock = 0;

/// Makes the next page exist on the disk before anybody writes to it through the mapping: a page that the
/// disk has no room for would kill the program with SIGBUS.
bool extend(int fd) {
  if (file.size + extension > mapped_size || !sys::may_grow_to(file.size + extension)) return false;
  const long done = sys::call(SYS_fallocate, fd, 0, static_cast<long>(file.size), extension);
  if (sys::failed(done)) {
    static constexpr char zeros[512] = {}; // a file system without fallocate, or a full one
    for (uint64_t at = 0; at < extension; at += sizeof zeros)
      if (sys::pwrite(fd, zeros, sizeof zeros, static_cast<long>(file.size + at)) != sizeof zeros)
        return false;
  }
  file.size += extension;
  return true;
}

int open_file(int more_flags) {
  return sys::openat(AT_FDCWD, file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | more_flags, 0600);
}

bool reopen_and_extend() {
  const int fd = open_file(0);
  if (fd < 0) return false;
  struct stat state;
  const bool is_same =
      sys::fstat(fd, state) == 0 && state.st_dev == file.device && state.st_ino == file.inode;
  const bool done = is_same && extend(fd);
  sys::close(fd);
  return done;
}

Counter* take_entries(int64_t& index) {
  if (file.data == nullptr || file.used + block_entries > entry_limit) return nullptr;
  while (header_size + (file.used + block_entries) * sizeof(Counter) > file.size)
    if (!reopen_and_extend()) return nullptr;
  index = static_cast<int64_t>(file.used);
  file.used += block_entries;
  return reinterpret_cast<Counter*>(file.data + header_size) + index;
}

void add_up(const Counter* counters, uint64_t count, uint64_t (&sums)[action_count]) {
  for (uint64_t i = 0; i < count; ++i)
    if (counters[i].action < action_count) sums[counters[i].action] += counters[i].number;
}

} // namespace

Counter* new_counter(Action action, int64_t& index) {
  Thread& thread = this_thread();
  if (thread.count_block_left == 0) {
    int64_t first = -1;
    Lock guard(lock);
    thread.count_block = guard.held() ? take_entries(first) : nullptr;
    thread.count_block_first = first;
    thread.count_block_left = thread.count_block != nullptr ? block_entries : 0;
  }
  if (thread.count_block_left == 0) {
    index = -1;
    in_memory[static_cast<int>(action)].action = static_cast<uint32_t>(action);
    return &in_memory[static_cast<int>(action)];
  }
  const uint32_t at = block_entries - thread.count_block_left--;
  Counter* counter = thread.count_block + at;
  index = thread.count_block_first + at;
  counter->action = static_cast<uint32_t>(action);
  return counter;
}

void use_counts_file(const char* path) {
  Lock guard(lock);
  // A parent's mapping stays the parent's: it is given up here, never written to.
  if (file.data != nullptr) sys::unmap(file.data, mapped_size);
  file = {};
  for (Counter& counter : in_memory) counter.number = 0;
  if (path == nullptr) return;
  file.path = path;
  const int fd = open_file(O_CREAT);
  struct stat state;
  if (fd < 0 || sys::fstat(fd, state) != 0 || !S_ISREG(state.st_mode)) {
    if (fd >= 0) sys::close(fd);
    return;
  }
  file.device = state.st_dev;
  file.inode = state.st_ino;

  constexpr long prot_read_write = 3;
  constexpr long map_shared = 1;
  const long mapping = sys::call(SYS_mmap, 0, mapped_size, prot_read_write, map_shared, fd, 0);
  file.size = static_cast<uint64_t>(state.st_size) / extension * extension;
  const bool fresh = file.size == 0;
  const bool usable = !sys::failed(mapping) && (!fresh || extend(fd));
  sys::close(fd);
  if (!usable) {
    if (!sys::failed(mapping)) sys::call(SYS_munmap, mapping, mapped_size);
    return;
  }
  file.data = reinterpret_cast<char*>(static_cast<uintptr_t>(mapping));
  if (fresh) {
    auto* header = reinterpret_cast<Header*>(file.data);
    __builtin_memcpy(header->magic, "DETSHIMC", 8);
    header->version = format_version;
    __builtin_memcpy(header->run, process().run, sizeof header->run);
    header->entry_size = sizeof(Counter);
  } else { // this process turned into another program: go on behind what is there
    file.used = (file.size - header_size) / sizeof(Counter) / block_entries * block_entries;
  }
}

void sum_own_counts(uint64_t (&sums)[action_count]) {
  add_up(in_memory, action_count, sums);
  if (file.data != nullptr) add_up(reinterpret_cast<Counter*>(file.data + header_size), file.used, sums);
}

bool is_of_another_run(const char* path) {
  const int fd = sys::openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  Header header;
  const bool other = sys::pread(fd, &header, sizeof header, 0) == sizeof header &&
                     __builtin_memcmp(header.run, process().run, sizeof header.run) != 0;
  sys::close(fd);
  return other;
}

bool sum_file_counts(int fd, uint64_t (&sums)[action_count]) {
  Header header;
  if (sys::pread(fd, &header, sizeof header, 0) != sizeof header) return false;
  if (__builtin_memcmp(header.magic, "DETSHIMC", 8) != 0 || header.entry_size != sizeof(Counter))
    return false;
  if (__builtin_memcmp(header.run, process().run, sizeof header.run) != 0) return false;
  Counter counters[64];
  long offset = header_size;
  for (;;) {
    const long size = sys::pread(fd, counters, sizeof counters, offset);
    if (size < static_cast<long>(sizeof(Counter))) return true;
    add_up(counters, static_cast<uint64_t>(size) / sizeof(Counter), sums);
    offset += size;
  }
}

} // namespace detshim
