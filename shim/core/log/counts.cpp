#include "core/log/counts.h"

#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/lock.h"
#include "core/base/placement.h"
#include "core/identity/process.h"

namespace detshim {

thread_local constinit detail::CounterBlock detail::counter_block = {};

namespace {

constexpr uint64_t header_size = 64;
constexpr uint32_t format_version = 1;
constexpr uint64_t first_size = 256;          // of the file; then it doubles,
constexpr uint64_t largest_extension = 16384; // by no more than that
constexpr uint32_t block_entries = 4;         // of one thread, so that two do not write to one cache line

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t entry_size;
  char run[32];
  char zero[16];
};
/// A counter as the file has it.
struct Entry {
  uint64_t number;
  uint32_t action;
  uint32_t is_final;
};
static_assert(sizeof(Header) == header_size && sizeof(Entry) == 16);

struct File {
  const char* path = nullptr; // no file without one
  int fd = -1;                // the program may close it, or give its number to another file
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;   // bytes that were made to exist
  uint64_t before = 0; // entries of an earlier program of this process
};
DETSHIM_STARTUP_DATA constinit File file;
constinit uint64_t sums_before[action_count] = {}; // of those entries

// The counters, in pieces of which each is twice as large as the one before: they stay where they are.
constexpr uint64_t first_piece_size = 64;
constexpr int piece_limit = 24; // a billion counters: no number of threads comes there
alignas(64) constinit Counter first_piece[first_piece_size] = {};
constinit Counter* pieces[piece_limit] = {first_piece};
DETSHIM_STARTUP_DATA constinit uint64_t used = 0; // handed out

constexpr uint64_t size_of_piece(int piece) { return first_piece_size << piece; }

// Used where there is no file. Shared by threads and records of one action; additions may get lost between
// threads, which the missing file's warning covers.
constinit Counter in_memory[action_count] = {};

DETSHIM_STARTUP_DATA constinit uint64_t lock = 0;

constexpr long offset_of(uint64_t entry) { return static_cast<long>(header_size + entry * sizeof(Entry)); }

bool is_ours(int fd, struct stat& state) {
  return fd >= 0 && sys::fstat(fd, state) == 0 && state.st_dev == file.device && state.st_ino == file.inode;
}

/// Keeps a descriptor only where it is out of the program's way, which may count on the lowest numbers and
/// have few: the number to use, which is file.fd if it is kept.
int keep_descriptor(int fd) {
  constexpr long out_of_the_way = 48; // as the log's own, core/log/log_file.cpp
  const int moved = sys::fcntl(fd, F_DUPFD_CLOEXEC, out_of_the_way);
  if (moved < 0) return fd;
  sys::close(fd);
  return file.fd = moved;
}

/// The descriptor, opened again if need be; -1 if the file is not there. To be given back. With the lock
/// held.
int borrow_descriptor(struct stat& state) {
  if (file.path == nullptr) return -1;
  if (is_ours(file.fd, state)) return file.fd;
  const int fd = sys::openat(AT_FDCWD, file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (is_ours(fd, state)) return keep_descriptor(fd);
  if (fd >= 0) sys::close(fd);
  return -1;
}
void give_back(int fd) {
  if (fd >= 0 && fd != file.fd) sys::close(fd);
}

bool write_to(int fd, const void* data, size_t size, long offset) {
  return sys::may_grow_to(static_cast<uint64_t>(offset) + size) &&
         sys::pwrite(fd, data, size, offset) == static_cast<long>(size);
}

bool write_header(int fd) {
  struct {
    Header header;
    char zeros[first_size - header_size];
  } begin = {};
  __builtin_memcpy(begin.header.magic, "DETSHIMC", 8);
  begin.header.version = format_version;
  begin.header.entry_size = sizeof(Entry);
  __builtin_memcpy(begin.header.run, process().run, sizeof begin.header.run);
  return write_to(fd, &begin, sizeof begin, 0);
}

/// Makes the file longer before anybody counts in it, so that what is counted finds room on the disk.
bool extend() {
  struct stat state;
  const int fd = borrow_descriptor(state);
  bool done = fd >= 0;
  const uint64_t extension = file.size < largest_extension ? file.size : largest_extension;
  static constexpr char zeros[256] = {};
  for (uint64_t at = 0; done && at < extension; at += sizeof zeros)
    done = write_to(fd, zeros, sizeof zeros, static_cast<long>(file.size + at));
  give_back(fd);
  if (done) file.size += extension;
  return done;
}

/// Where that counter is, or will be; nullptr if there is no memory for it.
Counter* place_of(uint64_t index) {
  int piece = 0;
  for (; piece < piece_limit && index >= size_of_piece(piece); ++piece) index -= size_of_piece(piece);
  if (piece == piece_limit) return nullptr;
  if (pieces[piece] == nullptr)
    pieces[piece] = static_cast<Counter*>(sys::map(size_of_piece(piece) * sizeof(Counter)));
  return pieces[piece] == nullptr ? nullptr : pieces[piece] + index;
}

Counter* take_block() {
  if (file.path == nullptr) return nullptr;
  const uint64_t entry = file.before + used;
  if (static_cast<uint64_t>(offset_of(entry + block_entries)) > file.size && !extend()) return nullptr;
  Counter* const block = place_of(used);
  if (block == nullptr) return nullptr;
  for (uint32_t i = 0; i < block_entries; ++i) block[i] = {0, 0, entry + i + 1, 0, 0};
  __atomic_store_n(&used, used + block_entries, __ATOMIC_RELEASE);
  return block;
}

/// Calls visit(counters, number of them) for each piece of those that are handed out.
template <typename Visit>
void each_piece(Visit visit) {
  uint64_t left = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (int piece = 0; left > 0; ++piece) {
    const uint64_t here = left < size_of_piece(piece) ? left : size_of_piece(piece);
    visit(pieces[piece], here);
    left -= here;
  }
}

template <typename Item>
void add_up(const Item* items, uint64_t number, uint64_t (&sums)[action_count]) {
  for (uint64_t i = 0; i < number; ++i)
    if (items[i].action < action_count) sums[items[i].action] += items[i].number;
}

bool read_header(int fd) {
  Header header;
  return sys::pread(fd, &header, sizeof header, 0) == sizeof header &&
         __builtin_memcmp(header.magic, "DETSHIMC", 8) == 0 && header.entry_size == sizeof(Entry) &&
         __builtin_memcmp(header.run, process().run, sizeof header.run) == 0;
}

} // namespace

void write_count(Counter& counter) {
  if (counter.entry == 0) {
    counter.write_at = ~uint64_t{0};
    return;
  }
  counter.write_at = counter.number + 1 + counter.number / 32;
  const long offset = offset_of(counter.entry - 1);
  struct stat state;
  if (const int fd = file.fd; is_ours(fd, state)) {
    const Entry entry = {counter.number, counter.action, 0};
    write_to(fd, &entry, sizeof entry, offset);
    return;
  }
  Lock guard(lock);
  const int fd = guard.held() ? borrow_descriptor(state) : -1;
  if (fd < 0) return;
  const Entry entry = {counter.number, counter.action, 0};
  write_to(fd, &entry, sizeof entry, offset);
  give_back(fd);
}

Counter* new_counter(Action action, int64_t& index) {
  detail::CounterBlock& block = detail::counter_block;
  if (block.generation != generation()) block = {nullptr, 0, generation()};
  if (block.left == 0) {
    Lock guard(lock);
    block.counters = guard.held() ? take_block() : nullptr;
    block.left = block.counters != nullptr ? block_entries : 0;
  }
  if (block.left == 0) {
    index = -1;
    in_memory[static_cast<int>(action)].action = static_cast<uint32_t>(action);
    return &in_memory[static_cast<int>(action)];
  }
  Counter* counter = block.counters + (block_entries - block.left--);
  index = static_cast<int64_t>(counter->entry) - 1;
  counter->action = static_cast<uint32_t>(action);
  return counter;
}

void use_counts_file(int fd, const char* path) {
  Lock guard(lock);
  struct stat state;
  if (is_ours(file.fd, state)) sys::close(file.fd); // a parent's
  each_piece([](Counter* counters, uint64_t number) {
    if (counters == first_piece) __builtin_memset(counters, 0, number * sizeof(Counter));
  });
  for (int piece = 1; piece < piece_limit && pieces[piece] != nullptr; ++piece) {
    sys::unmap(pieces[piece], size_of_piece(piece) * sizeof(Counter));
    pieces[piece] = nullptr;
  }
  file = {};
  used = 0;
  for (Counter& counter : in_memory) counter.number = 0;
  for (uint64_t& sum : sums_before) sum = 0;
  if (fd < 0) return;
  if (sys::fstat(fd, state) != 0 || (state.st_size == 0 ? !write_header(fd) : !read_header(fd))) {
    sys::close(fd);
    return;
  }
  file.path = path;
  file.device = state.st_dev;
  file.inode = state.st_ino;
  file.size = first_size;
  if (state.st_size != 0) { // this process turned into another program: go on behind what is there
    const uint64_t entries = (static_cast<uint64_t>(state.st_size) - header_size) / sizeof(Entry);
    file.before = (entries + block_entries - 1) / block_entries * block_entries;
    file.size = static_cast<uint64_t>(offset_of(file.before));
    sum_file_counts(fd, sums_before);
  }
  give_back(keep_descriptor(fd));
}

bool is_counts_file_of_run(int fd) { return read_header(fd); }

void write_counts() {
  Lock guard(lock);
  struct stat state;
  const int fd = guard.held() && used != 0 ? borrow_descriptor(state) : -1;
  if (fd < 0) return;
  // Somebody cut it short: what this process has counted is written anew.
  bool good = static_cast<uint64_t>(state.st_size) >= file.size || write_header(fd);
  uint64_t entry = file.before;
  each_piece([&](Counter* counters, uint64_t number) {
    Entry room[32];
    for (uint64_t done = 0; good && done < number;) {
      size_t filled = 0;
      for (; filled < 32 && done < number; ++filled, ++done) {
        Counter& counter = counters[done];
        counter.write_at = 0; // what is counted from now on makes the number no longer the last
        room[filled] = {counter.number, counter.action, counter.action != 0 ? 1U : 0U};
      }
      good = write_to(fd, room, filled * sizeof(Entry), offset_of(entry));
      entry += filled;
    }
  });
  give_back(fd);
}

void sum_own_counts(uint64_t (&sums)[action_count]) {
  add_up(in_memory, action_count, sums);
  for (int action = 0; action < action_count; ++action) sums[action] += sums_before[action];
  each_piece([&](const Counter* counters, uint64_t number) { add_up(counters, number, sums); });
}

bool sum_file_counts(int fd, uint64_t (&sums)[action_count]) {
  if (!read_header(fd)) return false;
  Entry entries[64];
  long offset = header_size;
  for (;;) {
    const long size = sys::pread(fd, entries, sizeof entries, offset);
    if (size < static_cast<long>(sizeof(Entry))) return true;
    add_up(entries, static_cast<uint64_t>(size) / sizeof(Entry), sums);
    offset += size;
  }
}

} // namespace detshim
