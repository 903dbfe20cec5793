#include "core/fingerprint/copies.h"

#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/lock.h"
#include "core/base/table.h"

#include <sys/uio.h>

namespace detshim {
namespace {

/// What was put into a stream: a copy, or a wait for what another stream had by then.
struct Entry {
  uint64_t stream, context, order;
  Print* print;                       // of a copy
  HostArea area;                      // of a copy
  uint64_t other_stream, other_order; // of a wait
};

constexpr size_t most_entries = 1024, piece = 1 << 16;

// All of it behind the lock, but for a look at `count`, which tells where there is nothing to be done.
struct Copies {
  uint32_t generation;
  size_t count;
  uint64_t order;
  Entry entries[most_entries]; // in the order in which they came
  Table<8> event_streams, event_orders;
  unsigned char bytes[piece];
};
constinit Copies copies = {};
constinit uint64_t lock = 0;

constexpr const char* why_gone = "its memory was gone when the program had waited for it";
constexpr const char* why_never = "the program never waited for it";
constexpr const char* why_overwritten = "copied over before the program waited for it";
constexpr const char* why_many = "more copies under way than are kept";

/// A child forgets its parent's: what a GPU does for that is none of its business.
void begin() {
  if (copies.generation == generation()) return;
  copies.generation = generation();
  copies.count = 0;
  copies.event_streams.clear();
  copies.event_orders.clear();
}

/// Calls visit(row) for each row; false as soon as visit is.
template <typename Visit>
bool each_row(const HostArea& area, Visit visit) {
  const auto* const start = static_cast<const unsigned char*>(area.start);
  for (size_t slice = 0; slice < area.slices; ++slice)
    for (size_t row = 0; row < area.rows; ++row)
      if (!visit(start + slice * area.slice_pitch + row * area.pitch)) return false;
  return true;
}

/// Rows in pieces, so that contents have one hash however they are read.
template <typename Read>
bool hash_area(const HostArea& area, uint64_t& hash, Read read) {
  hash = 0;
  return each_row(area, [&](const unsigned char* row) {
    for (size_t done = 0; done < area.width;) {
      const size_t size = area.width - done < piece ? area.width - done : piece;
      const void* const bytes = read(row + done, size);
      if (bytes == nullptr) return false;
      hash = content_hash(bytes, size, hash);
      done += size;
    }
    return true;
  });
}

/// The program may have given the memory back: read in a way that fails where there is none.
const void* read_carefully(const void* from, size_t size) {
  iovec here = {copies.bytes, size};
  iovec there = {const_cast<void*>(from), size};
  const long got =
      sys::call(SYS_process_vm_readv, sys::getpid(), sys::address(&here), 1, sys::address(&there), 1, 0);
  return got == static_cast<long>(size) ? copies.bytes : nullptr;
}

void end_copy(Entry& entry) {
  uint64_t hash;
  if (hash_area(entry.area, hash, read_carefully))
    add_print(entry.print, entry.area.size(), hash);
  else
    add_unread_print(entry.print, entry.area.size(), why_gone);
  release_print(entry.print);
}

void leave_unread(Entry& entry, const char* why) {
  add_unread_print(entry.print, entry.area.size(), why);
  release_print(entry.print);
}

/// Takes those entries out for which is_done(entry) holds.
template <typename IsDone>
void take_out(IsDone is_done) {
  size_t kept = 0;
  for (size_t i = 0; i < copies.count; ++i)
    if (!is_done(copies.entries[i])) copies.entries[kept++] = copies.entries[i];
  __atomic_store_n(&copies.count, kept, __ATOMIC_RELAXED);
}

/// A place for one more; nullptr if there is none.
Entry* add(uint64_t stream, uint64_t context) {
  if (copies.count == most_entries) return nullptr;
  Entry& entry = copies.entries[copies.count];
  entry = {};
  entry.stream = stream;
  entry.context = context;
  entry.order = ++copies.order;
  __atomic_store_n(&copies.count, copies.count + 1, __ATOMIC_RELAXED);
  return &entry;
}

/// What the stream had up to that point has ended, and so has what it waited for.
void end_stream(uint64_t stream, uint64_t order) {
  constexpr size_t most = 64;
  struct {
    uint64_t stream, order;
  } due[most] = {{stream, order}};
  size_t number = 1;
  for (size_t i = 0; i < number; ++i)
    take_out([&](Entry& entry) {
      if (entry.stream != due[i].stream || entry.order > due[i].order) return false;
      if (entry.print != nullptr)
        end_copy(entry);
      else if (number < most)
        due[number++] = {entry.other_stream, entry.other_order};
      return true;
    });
}

bool has_copies() { return __atomic_load_n(&copies.count, __ATOMIC_RELAXED) != 0; }

} // namespace

void add_copy(Print* print, const HostArea& area) {
  if (print == nullptr) return;
  uint64_t hash;
  hash_area(area, hash, [](const void* bytes, size_t) { return bytes; });
  add_print(print, area.size(), hash);
}

void add_copy_in_stream(Print* print, const HostArea& area, uint64_t stream, uint64_t context) {
  if (print == nullptr) return;
  Lock guard(lock);
  if (!guard.held()) return;
  begin();
  take_out([&](Entry& entry) {
    const bool is_overwritten = entry.print != nullptr && entry.area.start == area.start;
    if (is_overwritten) leave_unread(entry, why_overwritten);
    return is_overwritten;
  });
  Entry* const entry = add(stream, context);
  if (entry == nullptr) return add_unread_print(print, area.size(), why_many);
  hold_print(print);
  entry->print = print;
  entry->area = area;
}

void note_event(uint64_t event, uint64_t stream) {
  if (!has_copies()) return;
  Lock guard(lock);
  if (!guard.held()) return;
  begin();
  copies.event_streams.insert(event) = stream;
  copies.event_orders.insert(event) = copies.order;
}

void note_wait(uint64_t stream, uint64_t event) {
  if (!has_copies()) return;
  Lock guard(lock);
  if (!guard.held()) return;
  begin();
  const uint64_t* const other = copies.event_streams.find(event);
  if (other == nullptr || *other == stream) return;
  if (Entry* const entry = add(stream, 0); entry != nullptr) {
    entry->other_stream = *other;
    entry->other_order = *copies.event_orders.find(event);
  }
}

void end_copies_of_stream(uint64_t stream) {
  if (!has_copies()) return;
  Lock guard(lock);
  if (!guard.held()) return;
  begin();
  end_stream(stream, ~uint64_t{0});
}

void end_copies_of_event(uint64_t event) {
  if (!has_copies()) return;
  Lock guard(lock);
  if (!guard.held()) return;
  begin();
  const uint64_t* const stream = copies.event_streams.find(event);
  if (stream != nullptr) end_stream(*stream, *copies.event_orders.find(event));
}

void end_copies_of_context(uint64_t context) {
  if (!has_copies()) return;
  Lock guard(lock);
  if (!guard.held()) return;
  begin();
  take_out([&](Entry& entry) {
    const bool is_done = entry.print != nullptr && entry.context == context;
    if (is_done) end_copy(entry);
    return is_done;
  });
  if (copies.count == 0) return;
  take_out([](const Entry& entry) { return entry.print == nullptr && entry.context == 0; });
}

void end_copies() {
  if (!has_copies()) return;
  Lock guard(lock);
  if (!guard.held() || copies.generation != generation()) return;
  take_out([](Entry& entry) {
    if (entry.print != nullptr) leave_unread(entry, why_never);
    return true;
  });
}

} // namespace detshim
