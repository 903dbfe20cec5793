// Decides when a number in memory is written to the file: each one up to last_exact_count, then
// ever more seldom, and all as the process ends. The file is the process's own if device and inode
// are those that it opened; a descriptor proves nothing, as the program may have closed it. Where
// there is no file, or no room in it, calls are summed by action in memory.
//
// It cannot know when SIGKILL comes. What the file then says is a lower bound.
#include "core/log/counts.h"

#include "common/counts_file.h"
#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/own_stack.h"
#include "core/base/placement.h"
#include "core/base/signal_safe_lock.h"
#include "core/identity/process.h"
#include "core/identity/shared_page.h"

namespace detshim {

thread_local constinit detail::CounterBlock detail::counter_block = {};

namespace {

constexpr uint64_t first_entries = 12;  // that the file begins with
constexpr uint64_t first_claimed = 16;  // entries at once
constexpr uint64_t most_claimed = 1024; // likewise
constexpr uint32_t block_entries = 4;   // of one thread, so that two do not write to one cache line

using Header = CountsHeader;
using Entry = CountsEntry;

Entry entry_of(const Counter& counter, bool is_final = false) {
  return {__atomic_load_n(&counter.number, __ATOMIC_RELAXED), counter.action,
          is_final && counter.action != 0 ? 1U : 0U};
}

struct File {
  const char* path = nullptr; // no file without one
  int fd = -1;                // the program may close it, or give its number to another file
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t next = 0; // the first entry that is nobody's; where files are shared, the page has it
  uint64_t room = 0; // entries from here on
  uint64_t room_end = 0; // to here are this process's and not handed out
  uint64_t claim = 0;    // so many are claimed next
  uint64_t process =
      0; // the entry that says that this further process counts here; 0 for the file's own process
  bool is_shared = false;
};
DETSHIM_STARTUP_DATA constinit File file;
// The counters, in pieces of which each is twice as large as the one before: they stay where they
// are.
constexpr uint64_t first_piece_size = 16;
constexpr int piece_limit = 26; // a billion counters: no number of threads comes there
alignas(4096) constinit Counter
    first_piece[first_piece_size] = {}; // on one page with the rooms of core/log/log_file.h

constexpr uint64_t size_of_piece(int piece) { return first_piece_size << piece; }

struct CounterPieces {
  uint64_t lock;
  uint64_t used; ///< handed out
  Counter* of[piece_limit];
};
DETSHIM_STARTUP_DATA constinit CounterPieces pieces = {0, 0, {first_piece}};

struct CountsInMemory {
  /// Used where there is no file, by all threads and records of one action.
  Counter of[action_count];
  uint64_t sums_before[action_count]; ///< of the entries of a file that this process goes on in
};
constinit CountsInMemory in_memory = {};

bool is_ours(int fd, struct stat& state) {
  return fd >= 0 && sys::fstat(fd, state) == 0 && state.st_dev == file.device &&
         state.st_ino == file.inode;
}

/// Keeps a descriptor only where it is out of the program's way, which may count on the lowest
/// numbers and have few: the number to use, which is file.fd if it is kept.
int keep_descriptor(int fd) {
  constexpr long out_of_the_way = 48; // as the log's own, core/log/log_file.cpp
  const int moved = sys::fcntl(fd, F_DUPFD_CLOEXEC, out_of_the_way);
  if (moved < 0)
    return fd;
  sys::close(fd);
  return file.fd = moved;
}

/// The descriptor, opened again if need be; -1 if the file is not there. To be given back. With the
/// lock held.
int borrow_descriptor(struct stat& state) {
  if (file.path == nullptr)
    return -1;
  if (is_ours(file.fd, state))
    return file.fd;
  const int fd = sys::openat(AT_FDCWD, file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (is_ours(fd, state))
    return keep_descriptor(fd);
  if (fd >= 0)
    sys::close(fd);
  return -1;
}
void give_back(int fd) {
  if (fd >= 0 && fd != file.fd)
    sys::close(fd);
}

bool write_to(int fd, const void* data, size_t size, long offset) {
  return sys::may_grow_to(static_cast<uint64_t>(offset) + size) &&
         sys::pwrite(fd, data, size, offset) == static_cast<long>(size);
}

/// With the first entries, so that a disk that is full is known before anybody counts in them.
bool write_header(int fd) {
  struct {
    Header header;
    Entry entries[first_entries];
  } begin = {counts_header(process().run, file.is_shared), {}};
  return write_to(fd, &begin, sizeof begin, 0);
}

uint64_t claim(uint64_t entries) {
  return __atomic_fetch_add(file.is_shared ? &shared_page->next_entry : &file.next, entries,
                            __ATOMIC_RELAXED);
}

/// Claims more entries, and makes the file longer before anybody counts in them, so that what is
/// counted finds room on the disk. A further process's first ones are written with its first count.
bool extend() {
  struct stat state;
  const int fd = borrow_descriptor(state);
  if (fd < 0)
    return false;
  const uint64_t first = claim(file.claim);
  static constexpr char zeros[256] = {};
  constexpr uint64_t entries_of_zeros = sizeof zeros / sizeof(Entry);
  bool done = true;
  for (uint64_t made = 0; done && made < file.claim; made += entries_of_zeros)
    done = write_to(fd, zeros,
                    sizeof(Entry) * (file.claim < entries_of_zeros ? file.claim : entries_of_zeros),
                    offset_of_count(first + made));
  give_back(fd);
  if (!done)
    return false;
  file.room = first;
  file.room_end = first + file.claim;
  if (file.claim < most_claimed)
    file.claim *= 2;
  return true;
}

/// Where that counter is, or will be; nullptr if there is no memory for it.
Counter* place_of(uint64_t index) {
  int piece = 0;
  for (; piece < piece_limit && index >= size_of_piece(piece); ++piece)
    index -= size_of_piece(piece);
  if (piece == piece_limit)
    return nullptr;
  if (pieces.of[piece] == nullptr)
    pieces.of[piece] = static_cast<Counter*>(sys::map(size_of_piece(piece) * sizeof(Counter)));
  return pieces.of[piece] == nullptr ? nullptr : pieces.of[piece] + index;
}

Counter* take_block() {
  if (file.path == nullptr)
    return nullptr;
  if (file.room_end - file.room < block_entries && !extend())
    return nullptr;
  Counter* const block = place_of(pieces.used);
  if (block == nullptr)
    return nullptr;
  for (uint32_t i = 0; i < block_entries; ++i)
    block[i] = {0, 0, file.room + i + 1, 0, 0, 0};
  if (file.process != 0 && file.room == file.process)
    block->number = static_cast<uint64_t>(process().pid), block->action = process_entry;
  file.room += block_entries;
  __atomic_store_n(&pieces.used, pieces.used + block_entries, __ATOMIC_RELEASE);
  return block;
}

/// Calls visit(counters, number of them) for each piece of those that are handed out.
template <typename Visit>
void each_piece(Visit visit) {
  uint64_t left = __atomic_load_n(&pieces.used, __ATOMIC_ACQUIRE);
  for (int piece = 0; left > 0; ++piece) {
    const uint64_t here = left < size_of_piece(piece) ? left : size_of_piece(piece);
    visit(pieces.of[piece], here);
    left -= here;
  }
}

template <typename Item>
void add_up(const Item* items, uint64_t number, uint64_t (&sums)[action_count]) {
  for (uint64_t i = 0; i < number; ++i)
    if (items[i].action < action_count)
      sums[items[i].action] += items[i].number;
}

bool read_header(int fd, Header& header) {
  return sys::pread(fd, &header, sizeof header, 0) == sizeof header && is_counts_header(header) &&
         __builtin_memcmp(header.run, process().run, sizeof header.run) == 0;
}
bool read_header(int fd) {
  Header header;
  return read_header(fd, header);
}

/// Tells the file that number; a further process's first one together with the entry that says that
/// it is one.
bool write_entry(int fd, const Counter& counter) {
  const Entry entries[] = {{static_cast<uint64_t>(process().pid), process_entry, 0},
                           entry_of(counter)};
  const uint64_t entry = counter.entry - 1;
  const bool is_first = file.process != 0 && entry == file.process + 1;
  return write_to(fd, is_first ? entries : entries + 1, is_first ? sizeof entries : sizeof(Entry),
                  offset_of_count(is_first ? entry - 1 : entry));
}

/// All numbers, as the last ones. Where somebody cut the file short, what this process has counted
/// is written anew.
void write_all(int fd) {
  bool good = true;
  if (Header header; !read_header(fd, header)) {
    header = counts_header(process().run, file.is_shared);
    good = write_to(fd, &header, sizeof header, 0);
  }
  Entry room[32];
  size_t filled = 0;
  uint64_t first = 0; // the entry of the first in the room
  const auto write_room = [&] {
    good =
        good && (filled == 0 || write_to(fd, room, filled * sizeof(Entry), offset_of_count(first)));
    filled = 0;
  };
  each_piece([&](Counter* counters, uint64_t number) {
    for (uint64_t i = 0; i < number; ++i) {
      Counter& counter = counters[i];
      counter.write_at = 0; // what is counted from now on makes the number no longer the last
      if (counter.is_shared != 0)
        counter.is_final = 1;
      if (filled == 32 || counter.entry - 1 != first + filled)
        write_room();
      if (filled == 0)
        first = counter.entry - 1;
      room[filled++] = entry_of(counter, true);
    }
  });
  write_room();
}

} // namespace

namespace {

void write_number_here(const Counter& counter) {
  struct stat state;
  if (const int fd = file.fd; counter.is_shared == 0 && is_ours(fd, state)) {
    write_entry(fd, counter);
    return;
  }
  SignalSafeLock guard(pieces.lock); // of a shared counter the larger number is to be told last
  const int fd = guard.held() ? borrow_descriptor(state) : -1;
  if (fd < 0)
    return;
  write_entry(fd, counter);
  give_back(fd);
}

void write_number(const Counter& counter) {
  on_own_stack([&counter] {
    write_number_here(counter);
  });
}

/// The file lags behind by a 64th at most.
void count_shared(Counter& counter) {
  const uint64_t number = __atomic_add_fetch(&counter.number, 1, __ATOMIC_RELAXED);
  uint64_t step = 1;
  while (step <= number / 128)
    step *= 2;
  const bool was_final = __atomic_exchange_n(&counter.is_final, 0, __ATOMIC_RELAXED) != 0;
  if (counter.entry != 0 && (was_final || number <= last_exact_count || number % step == 0))
    write_number(counter);
}

} // namespace

void count_slowly(Counter& counter) {
  if (counter.is_shared != 0)
    return count_shared(counter);
  ++counter.number;
  counter.write_at = counter.entry == 0 ? ~uint64_t{0} : next_written_count(counter.number);
  if (counter.entry != 0)
    write_number(counter);
}

void recount_as(Counter& counter, Action action) {
  const auto number = static_cast<uint32_t>(action);
  if (counter.entry == 0 || counter.action == number)
    return;
  counter.action = number;
  write_number(counter);
}

Counter* new_counter(Action action, int64_t& index) {
  detail::CounterBlock& block = detail::counter_block;
  if (block.generation != generation())
    block = {nullptr, 0, generation()};
  if (block.left == 0) {
    SignalSafeLock guard(pieces.lock);
    block.counters = guard.held() ? take_block() : nullptr;
    block.left = block.counters == nullptr                 ? 0
                 : block.counters->action == process_entry ? block_entries - 1
                                                           : block_entries;
  }
  if (block.left == 0) {
    index = -1;
    Counter& shared = in_memory.of[static_cast<int>(action)];
    shared.action = static_cast<uint32_t>(action);
    share(shared);
    return &shared;
  }
  Counter* counter = block.counters + (block_entries - block.left--);
  index = static_cast<int64_t>(counter->entry) - 1;
  counter->action = static_cast<uint32_t>(action);
  return counter;
}

namespace {

/// The counters of a process before this one, or of a file before this one, are its own.
void forget_counters() {
  for (int piece = 1; piece < piece_limit && pieces.of[piece] != nullptr; ++piece) {
    sys::unmap(pieces.of[piece], size_of_piece(piece) * sizeof(Counter));
    pieces.of[piece] = nullptr;
  }
  pieces.used = 0;
  for (Counter& counter : in_memory.of)
    if (counter.number != 0)
      counter.number = 0; // looked at first: in a forked child, a page that is written is copied
  for (uint64_t& sum : in_memory.sums_before)
    if (sum != 0)
      sum = 0;
}

void let_go_of_file() {
  struct stat state;
  if (is_ours(file.fd, state))
    sys::close(file.fd);
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
  SignalSafeLock guard(pieces.lock);
  let_go_of_file(); // a parent's
  forget_counters();
  if (fd < 0)
    return;
  struct stat state;
  if (sys::fstat(fd, state) != 0 || (state.st_size == 0 ? !write_header(fd) : !read_header(fd))) {
    sys::close(fd);
    return;
  }
  file.claim = first_claimed;
  file.next = file.room_end = first_entries;
  if (state.st_size != 0) { // this process turned into another program: go on behind what is there
    const uint64_t entries =
        (static_cast<uint64_t>(state.st_size) - sizeof(Header)) / sizeof(Entry);
    file.room = file.room_end = file.next =
        (entries + block_entries - 1) / block_entries * block_entries;
    sum_file_counts(fd, in_memory.sums_before);
  }
  take_file(fd, path, state);
}

bool share_counts_file(SharedPage& page) {
  SignalSafeLock guard(pieces.lock);
  if (!guard.held() || file.path == nullptr)
    return false;
  page.counts_inode = file.inode;
  page.next_entry = file.next;
  file.is_shared = true;
  return true;
}

void take_shared_counts_file(int fd, const char* path) {
  SignalSafeLock guard(pieces.lock);
  let_go_of_file();
  struct stat state;
  if (sys::fstat(fd, state) != 0)
    return;
  file.is_shared = true;
  take_file(fd, path, state);
}

uint64_t join_counts_file() {
  SignalSafeLock guard(pieces.lock);
  if (!guard.held() || file.path == nullptr || !file.is_shared)
    return 0;
  forget_counters();
  file.process = file.room = claim(block_entries);
  file.room_end = file.room + block_entries;
  file.claim = block_entries;
  if (__atomic_exchange_n(&shared_page->has_joined, 1, __ATOMIC_RELAXED) == 0) {
    constexpr uint32_t yes = 1;
    struct stat state;
    const int fd = borrow_descriptor(state);
    if (fd >= 0)
      sys::pwrite(fd, &yes, sizeof yes, offsetof(Header, has_further_processes));
    give_back(fd);
  }
  return file.process;
}

bool can_go_on_in_counts_file(int fd) {
  Header header;
  return read_header(fd, header) && header.has_further_processes == 0;
}

namespace {

void write_counts_here() {
  SignalSafeLock guard(pieces.lock);
  if (!guard.held() || pieces.used == 0)
    return;
  struct stat state;
  const int fd = borrow_descriptor(state);
  if (fd < 0)
    return;
  const auto is_there = [&state](const Counter& counter) {
    return counter.action == 0 || counter.action == process_entry ||
           (counter.number <= last_exact_count && offset_of_count(counter.entry) <= state.st_size);
  };
  bool are_there = file.process != 0; // what most further processes have counted is
  each_piece([&](const Counter* counters, uint64_t number) {
    for (uint64_t i = 0; i < number; ++i)
      are_there &= is_there(counters[i]);
  });
  if (!are_there)
    write_all(fd);
  give_back(fd);
}

} // namespace

void write_counts() { on_own_stack(write_counts_here); }

void sum_own_counts(uint64_t (&sums)[action_count]) {
  add_up(in_memory.of, action_count, sums);
  for (int action = 0; action < action_count; ++action)
    sums[action] += in_memory.sums_before[action];
  each_piece([&](const Counter* counters, uint64_t number) {
    add_up(counters, number, sums);
  });
}

bool sum_file_counts(int fd, uint64_t (&sums)[action_count], unsigned* processes) {
  if (!read_header(fd))
    return false;
  Entry entries[64];
  long offset = sizeof(Header);
  bool has_first = false; // the one whose name the file has: it may have counted nothing
  unsigned further = 0;
  for (;;) {
    const long size = sys::pread(fd, entries, sizeof entries, offset);
    if (size < static_cast<long>(sizeof(Entry)))
      break;
    const uint64_t number = static_cast<uint64_t>(size) / sizeof(Entry);
    add_up(entries, number, sums);
    for (uint64_t i = 0; i < number; ++i) {
      further += entries[i].action == process_entry ? 1 : 0;
      has_first |= entries[i].action != 0 && entries[i].action != process_entry;
    }
    offset += size;
  }
  if (processes != nullptr)
    *processes += further + (has_first ? 1 : 0);
  return true;
}

} // namespace detshim
