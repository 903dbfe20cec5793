#include "core/log/counts.h"

#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/lock.h"
#include "core/base/placement.h"
#include "core/identity/process.h"
#include "core/identity/shared_page.h"

namespace detshim {

thread_local constinit detail::CounterBlock detail::counter_block = {};

namespace {

constexpr uint64_t header_size = 64;
constexpr uint32_t format_version = 1;
constexpr uint64_t first_size = 256;       // of the file
constexpr uint64_t most_claimed = 1024;    // entries at once
constexpr uint32_t block_entries = 4;      // of one thread, so that two do not write to one cache line
constexpr uint64_t last_exact_number = 32; // up to there every number is written
constexpr uint32_t a_process = 255;        // in an entry's action: a further process counts in this file

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t entry_size;
  char run[32];
  uint32_t has_further_processes;
  char zero[12];
};
/// A counter as the file has it.
struct Entry {
  uint64_t number;
  uint32_t action;
  uint32_t link; // twice the number, from 1, of the next entry of the same record, and 1 if this one is final
};
static_assert(sizeof(Header) == header_size && sizeof(Entry) == 16);

Entry entry_of(const Counter& counter, bool is_final = false) {
  const uint32_t further = __atomic_load_n(&counter.further, __ATOMIC_RELAXED);
  return {counter.number, counter.action, further << 1 | (is_final && counter.action != 0 ? 1U : 0U)};
}

struct File {
  const char* path = nullptr; // no file without one
  int fd = -1;                // the program may close it, or give its number to another file
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t next = 0;     // the first entry that is nobody's; where files are shared, the page has it
  uint64_t room = 0;     // entries from here on
  uint64_t room_end = 0; // to here are this process's and not handed out
  uint64_t claim = 0;    // so many are claimed next
  uint64_t process =
      0; // the entry that says that this further process counts here; 0 for the file's own process
  bool is_shared = false;
  int (*make)() = nullptr; // of a file that is not there yet
  bool is_missing = false; // it could not be made when it was needed
};
DETSHIM_STARTUP_DATA constinit File file;
constinit uint64_t sums_before[action_count] = {}; // of those entries

// The counters, in pieces of which each is twice as large as the one before: they stay where they are.
constexpr uint64_t first_piece_size = 16;
constexpr int piece_limit = 26; // a billion counters: no number of threads comes there
alignas(4096) constinit Counter
    first_piece[first_piece_size] = {}; // on one page with the rooms of core/log/log_file.h
DETSHIM_STARTUP_DATA constinit Counter* pieces[piece_limit] = {first_piece};
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

using FirstEntries = Entry[(first_size - header_size) / sizeof(Entry)];
void copy_counters(FirstEntries& entries);

/// With the first entries as they stand, so that a process that is killed here leaves no file without them.
bool write_header(int fd, bool with_room) {
  struct {
    Header header;
    FirstEntries entries;
  } begin = {};
  if (with_room) copy_counters(begin.entries);
  __builtin_memcpy(begin.header.magic, "DETSHIMC", 8);
  begin.header.version = format_version;
  begin.header.entry_size = sizeof(Entry);
  __builtin_memcpy(begin.header.run, process().run, sizeof begin.header.run);
  begin.header.has_further_processes = file.is_shared ? 1 : 0;
  return write_to(fd, &begin, with_room ? sizeof begin : sizeof begin.header, 0);
}

bool read_header(int fd);
bool write_all(bool is_final);

/// True if the file is there, or none is to be; makes it if that was put off. With the lock held.
bool make_if_due() {
  if (file.make == nullptr) return true;
  const int fd = file.make();
  struct stat state;
  if (fd < 0 || sys::fstat(fd, state) != 0 || !write_header(fd, true)) {
    if (fd >= 0) sys::close(fd);
    file.is_missing = true;
    return false;
  }
  file.device = state.st_dev;
  file.inode = state.st_ino;
  give_back(keep_descriptor(fd));
  file.is_missing = false;
  __atomic_store_n(&file.make, nullptr, __ATOMIC_SEQ_CST);
  return write_all(false); // what another thread counted meanwhile
}

uint64_t claim(uint64_t entries) {
  return __atomic_fetch_add(file.is_shared ? &shared_page->next_entry : &file.next, entries,
                            __ATOMIC_RELAXED);
}

/// Claims more entries, and makes the file longer before anybody counts in them, so that what is counted
/// finds room on the disk. A further process's first ones are written with its first count.
bool extend() {
  if (!make_if_due()) return false;
  struct stat state;
  const int fd = borrow_descriptor(state);
  if (fd < 0) return false;
  const uint64_t first = claim(file.claim);
  static constexpr char zeros[256] = {};
  constexpr uint64_t entries_of_zeros = sizeof zeros / sizeof(Entry);
  bool done = true;
  for (uint64_t made = 0; done && made < file.claim; made += entries_of_zeros)
    done =
        write_to(fd, zeros, sizeof(Entry) * (file.claim < entries_of_zeros ? file.claim : entries_of_zeros),
                 offset_of(first + made));
  give_back(fd);
  if (!done) return false;
  file.room = first;
  file.room_end = first + file.claim;
  if (file.claim < most_claimed) file.claim *= 2;
  return true;
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
  if (file.room_end - file.room < block_entries && !extend()) return nullptr;
  Counter* const block = place_of(used);
  if (block == nullptr) return nullptr;
  for (uint32_t i = 0; i < block_entries; ++i) block[i] = {0, 0, file.room + i + 1, 0, 0};
  if (file.process != 0 && file.room == file.process)
    block->number = static_cast<uint64_t>(process().pid), block->action = a_process;
  file.room += block_entries;
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

void copy_counters(FirstEntries& entries) {
  each_piece([&](const Counter* counters, uint64_t number) {
    for (uint64_t i = 0; i < number; ++i)
      if (const uint64_t entry = counters[i].entry; entry - 1 < sizeof entries / sizeof entries[0])
        entries[entry - 1] = entry_of(counters[i]);
  });
}

template <typename Item>
void add_up(const Item* items, uint64_t number, uint64_t (&sums)[action_count]) {
  for (uint64_t i = 0; i < number; ++i)
    if (items[i].action < action_count) sums[items[i].action] += items[i].number;
}

bool read_header(int fd, Header& header) {
  return sys::pread(fd, &header, sizeof header, 0) == sizeof header &&
         __builtin_memcmp(header.magic, "DETSHIMC", 8) == 0 && header.entry_size == sizeof(Entry) &&
         __builtin_memcmp(header.run, process().run, sizeof header.run) == 0;
}
bool read_header(int fd) {
  Header header;
  return read_header(fd, header);
}

/// Tells the file that number; a further process's first one together with the entry that says that it is
/// one.
bool write_entry(int fd, const Counter& counter) {
  const Entry entries[] = {{static_cast<uint64_t>(process().pid), a_process, 0}, entry_of(counter)};
  const uint64_t entry = counter.entry - 1;
  const bool is_first = file.process != 0 && entry == file.process + 1;
  return write_to(fd, is_first ? entries : entries + 1, is_first ? sizeof entries : sizeof(Entry),
                  offset_of(is_first ? entry - 1 : entry));
}

} // namespace

void write_count(Counter& counter) {
  if (counter.entry == 0) {
    counter.write_at = ~uint64_t{0};
    return;
  }
  counter.write_at = counter.number + 1 + counter.number / last_exact_number;
  if (counter.number == 1) { // seen by whoever makes the file, or the file is seen here
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&file.make, __ATOMIC_RELAXED) != nullptr) return;
  }
  struct stat state;
  if (const int fd = file.fd; is_ours(fd, state)) {
    write_entry(fd, counter);
    return;
  }
  Lock guard(lock);
  if (!guard.held() || !make_if_due()) return;
  const int fd = borrow_descriptor(state);
  if (fd < 0) return;
  write_entry(fd, counter);
  give_back(fd);
}

void recount_as(Counter& counter, Action action) {
  const auto number = static_cast<uint32_t>(action);
  if (counter.entry == 0 || counter.action == number) return;
  counter.action = number;
  make_counts_file(); // the record has the other action
  write_count(counter);
}

Counter* new_counter(Action action, int64_t& index) {
  detail::CounterBlock& block = detail::counter_block;
  if (block.generation != generation()) block = {nullptr, 0, generation()};
  if (block.left == 0) {
    Lock guard(lock);
    block.counters = guard.held() ? take_block() : nullptr;
    block.left = block.counters == nullptr             ? 0
                 : block.counters->action == a_process ? block_entries - 1
                                                       : block_entries;
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

void count_together(Counter& counter, Counter& other) {
  if (counter.entry == 0 || other.entry == 0 || other.entry >> 31 != 0) return;
  other.further = counter.further;
  __atomic_store_n(&counter.further, static_cast<uint32_t>(other.entry), __ATOMIC_RELEASE);
  Lock guard(lock);
  if (!guard.held() || !make_if_due()) return;
  struct stat state;
  const int fd = borrow_descriptor(state);
  if (fd < 0) return;
  write_entry(fd, other);
  write_entry(fd, counter);
  give_back(fd);
}

namespace {

/// The counters of a process before this one, or of a file before this one, are its own.
void forget_counters() {
  for (int piece = 1; piece < piece_limit && pieces[piece] != nullptr; ++piece) {
    sys::unmap(pieces[piece], size_of_piece(piece) * sizeof(Counter));
    pieces[piece] = nullptr;
  }
  used = 0;
  for (Counter& counter : in_memory)
    if (counter.number != 0)
      counter.number = 0; // looked at first: in a forked child, a page that is written is copied
  for (uint64_t& sum : sums_before)
    if (sum != 0) sum = 0;
}

void let_go_of_file() {
  struct stat state;
  if (is_ours(file.fd, state)) sys::close(file.fd);
  file = {};
}

void take_file(int fd, const char* path, const struct stat& state) {
  file.path = path;
  file.device = state.st_dev;
  file.inode = state.st_ino;
  give_back(keep_descriptor(fd));
}

} // namespace

void use_counts_file(int fd, const char* path) {
  Lock guard(lock);
  let_go_of_file(); // a parent's
  forget_counters();
  if (fd < 0) return;
  struct stat state;
  if (sys::fstat(fd, state) != 0 || (state.st_size == 0 ? !write_header(fd, true) : !read_header(fd))) {
    sys::close(fd);
    return;
  }
  file.claim = first_size / sizeof(Entry);
  file.next = file.room_end = (first_size - header_size) / sizeof(Entry);
  if (state.st_size != 0) { // this process turned into another program: go on behind what is there
    const uint64_t entries = (static_cast<uint64_t>(state.st_size) - header_size) / sizeof(Entry);
    file.room = file.room_end = file.next = (entries + block_entries - 1) / block_entries * block_entries;
    sum_file_counts(fd, sums_before);
  }
  take_file(fd, path, state);
}

void use_counts_file_later(int (*make)(), const char* path) {
  Lock guard(lock);
  let_go_of_file();
  forget_counters();
  file.make = make;
  file.path = path;
  file.claim = first_size / sizeof(Entry);
  file.next = file.room_end = (first_size - header_size) / sizeof(Entry);
}

void make_counts_file() {
  Lock guard(lock);
  if (guard.held()) make_if_due();
}

bool are_counts_kept() { return !file.is_missing; }

bool share_counts_file(SharedPage& page) {
  Lock guard(lock);
  if (!guard.held() || file.path == nullptr || !make_if_due()) return false;
  page.counts_inode = file.inode;
  page.next_entry = file.next;
  file.is_shared = true;
  return true;
}

void take_shared_counts_file(int fd, const char* path) {
  Lock guard(lock);
  let_go_of_file();
  struct stat state;
  if (sys::fstat(fd, state) != 0) return;
  file.is_shared = true;
  take_file(fd, path, state);
}

uint64_t join_counts_file() {
  Lock guard(lock);
  if (!guard.held() || file.path == nullptr || !file.is_shared) return 0;
  forget_counters();
  file.process = file.room = claim(block_entries);
  file.room_end = file.room + block_entries;
  file.claim = block_entries;
  if (__atomic_exchange_n(&shared_page->has_joined, 1, __ATOMIC_RELAXED) == 0) {
    constexpr uint32_t yes = 1;
    struct stat state;
    const int fd = borrow_descriptor(state);
    if (fd >= 0) sys::pwrite(fd, &yes, sizeof yes, offsetof(Header, has_further_processes));
    give_back(fd);
  }
  return file.process;
}

bool can_go_on_in_counts_file(int fd) {
  Header header;
  return read_header(fd, header) && header.has_further_processes == 0;
}

void write_counts() {
  Lock guard(lock);
  if (!guard.held() || used == 0 || file.make != nullptr) return;
  struct stat state;
  const int fd = borrow_descriptor(state);
  if (fd < 0) return;
  const auto is_there = [&state](const Counter& counter) {
    return counter.action == 0 || counter.action == a_process ||
           (counter.number <= last_exact_number && offset_of(counter.entry) <= state.st_size);
  };
  bool are_there = file.process != 0; // what most further processes have counted is
  each_piece([&](const Counter* counters, uint64_t number) {
    for (uint64_t i = 0; i < number; ++i) are_there &= is_there(counters[i]);
  });
  give_back(fd);
  if (!are_there) write_all(true);
}

namespace {

/// Where somebody cut the file short, what this process has counted is written anew.
bool write_all(bool is_final) {
  struct stat state;
  const int fd = borrow_descriptor(state);
  if (fd < 0) return false;
  bool good = read_header(fd) || write_header(fd, false);
  Entry room[32];
  size_t filled = 0;
  uint64_t first = 0; // the entry of the first in the room
  const auto write_room = [&] {
    good = good && (filled == 0 || write_to(fd, room, filled * sizeof(Entry), offset_of(first)));
    filled = 0;
  };
  each_piece([&](Counter* counters, uint64_t number) {
    for (uint64_t i = 0; i < number; ++i) {
      Counter& counter = counters[i];
      counter.write_at = 0; // what is counted from now on makes the number no longer the last
      if (filled == 32 || counter.entry - 1 != first + filled) write_room();
      if (filled == 0) first = counter.entry - 1;
      room[filled++] = entry_of(counter, is_final);
    }
  });
  write_room();
  give_back(fd);
  return good;
}

} // namespace

void sum_own_counts(uint64_t (&sums)[action_count]) {
  add_up(in_memory, action_count, sums);
  for (int action = 0; action < action_count; ++action) sums[action] += sums_before[action];
  each_piece([&](const Counter* counters, uint64_t number) { add_up(counters, number, sums); });
}

bool sum_file_counts(int fd, uint64_t (&sums)[action_count], unsigned* further_processes) {
  if (!read_header(fd)) return false;
  Entry entries[64];
  long offset = header_size;
  for (;;) {
    const long size = sys::pread(fd, entries, sizeof entries, offset);
    if (size < static_cast<long>(sizeof(Entry))) return true;
    const uint64_t number = static_cast<uint64_t>(size) / sizeof(Entry);
    add_up(entries, number, sums);
    for (uint64_t i = 0; further_processes != nullptr && i < number; ++i)
      *further_processes += entries[i].action == a_process ? 1 : 0;
    offset += size;
  }
}

} // namespace detshim
