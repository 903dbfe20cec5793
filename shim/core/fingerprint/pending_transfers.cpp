#include "core/fingerprint/pending_transfers.h"

#include "common/sys.h"
#include "core/base/generations.h"
#include "core/base/hash.h"
#include "core/base/mapped.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/table.h"

#include <sys/uio.h>

namespace detshim {
namespace {

/// What was put into a stream: a copy, the output of a call, or a wait for what another stream had
/// by then.
struct Entry {
  uint64_t stream, context, order;
  DigestSequence* sequence; // nullptr: of a wait
  DigestMoment moment;
  HostArea area;                      // of a copy
  Output output;                      // of a call
  Reason why_unread;                  // of either
  uint64_t other_stream, other_order; // of a wait

  bool is_copy() const { return area.start != nullptr; }
  size_t bytes() const { return is_copy() ? area.size() : output.bytes; }
};

constexpr size_t most_entries = 8192, piece = 1 << 16;

// All of it behind the lock, but for a look at `count`, which tells where there is nothing to be
// done.
struct Transfers {
  uint32_t generation;
  size_t count;
  uint64_t order;
  Entry entries[most_entries]; // in the order in which they came
  Table<8> event_streams, event_orders;
  unsigned char bytes[piece];
};
constinit Mapped<Transfers> memory;
constinit uint64_t lock = 0;

/// Where there is memory for them.
Transfers& transfers() { return *memory.peek(); }

/// A child forgets its parent's: what a GPU does for the parent is not the child's.
void begin() {
  if (memory.get() == nullptr || transfers().generation == generation())
    return;
  transfers().generation = generation();
  transfers().count = 0;
  transfers().event_streams.clear();
  transfers().event_orders.clear();
}

/// Rows in pieces, so that contents have one hash however they are read.
template <typename Read>
bool hash_area(const HostArea& area, uint64_t& hash, Read read) {
  hash = 0;
  const auto* row = static_cast<const unsigned char*>(area.start);
  for (size_t i = 0; i < area.rows; ++i, row += area.pitch)
    for (size_t done = 0; done < area.width;) {
      const size_t size = area.width - done < piece ? area.width - done : piece;
      const void* const bytes = read(row + done, size);
      if (bytes == nullptr)
        return false;
      hash = content_hash(bytes, size, hash);
      done += size;
    }
  return true;
}

/// The program may have given the memory back: read in a way that fails where there is no memory.
const void* read_carefully(const void* from, size_t size) {
  iovec here = {transfers().bytes, size};
  iovec there = {const_cast<void*>(from), size};
  const long got = sys::call(SYS_process_vm_readv, sys::getpid(), sys::address(&here), 1,
                             sys::address(&there), 1, 0);
  return got == static_cast<long>(size) ? transfers().bytes : nullptr;
}

void leave_unread(Entry& entry, Reason why) {
  add_digest(entry.sequence, {entry.bytes(), 0, why}, entry.moment);
  release_digests(entry.sequence);
}

/// True without parts.
bool read_or_give_back(const PendingHash& pending, uint64_t& hash) {
  if (pending.parts == 0 || read_hash(pending, hash))
    return true;
  give_back_hash_slot(pending);
  return false;
}

void give_back(const Output& output) {
  if (output.inputs.parts != 0)
    give_back_hash_slot(output.inputs);
  if (output.output.parts != 0)
    give_back_hash_slot(output.output);
}

void end_copy(Entry& entry) {
  if (entry.why_unread != Reason::none) {
    give_back(entry.output);
    return leave_unread(entry, entry.why_unread);
  }
  OutputDigest digest{entry.bytes(), 0};
  if (entry.is_copy()) {
    if (!hash_area(entry.area, digest.hash, read_carefully))
      return leave_unread(entry, Reason::memory_gone);
  } else {
    const Output& output = entry.output;
    const bool has_inputs = read_or_give_back(output.inputs, digest.inputs);
    digest.has_inputs = output.has_inputs && has_inputs;
    if (output.numbers != 0)
      digest.inputs = mix(digest.inputs, output.numbers);
    if (!read_or_give_back(output.output, digest.hash))
      return leave_unread(entry, Reason::hash_missing);
  }
  add_digest(entry.sequence, digest, entry.moment);
  release_digests(entry.sequence);
}

/// True if it can be ended without the program's having waited for it.
bool has_ended(const Entry& entry) {
  if (entry.why_unread != Reason::none)
    return true;
  return !entry.is_copy() &&
         (entry.output.output.parts == 0 || is_hash_there(entry.output.output)) &&
         (entry.output.inputs.parts == 0 || is_hash_there(entry.output.inputs));
}

/// Takes those entries out for which is_done(entry) holds.
template <typename IsDone>
void take_out(IsDone is_done) {
  size_t kept = 0;
  for (size_t i = 0; i < transfers().count; ++i)
    if (!is_done(transfers().entries[i]))
      transfers().entries[kept++] = transfers().entries[i];
  __atomic_store_n(&transfers().count, kept, __ATOMIC_RELAXED);
}

/// A place for one more; nullptr if all are taken.
Entry* add(uint64_t stream, uint64_t context) {
  if (transfers().count == most_entries)
    return nullptr;
  Entry& entry = transfers().entries[transfers().count];
  entry = {};
  entry.stream = stream;
  entry.context = context;
  entry.order = ++transfers().order;
  __atomic_store_n(&transfers().count, transfers().count + 1, __ATOMIC_RELAXED);
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
      if (entry.stream != due[i].stream || entry.order > due[i].order)
        return false;
      if (entry.sequence != nullptr)
        end_copy(entry);
      else if (number < most)
        due[number++] = {entry.other_stream, entry.other_order};
      return true;
    });
}

/// Ends what has ended, each stream's from its first on.
void end_what_has_ended() {
  constexpr size_t most = 64;
  uint64_t held_up[most]; // streams, by what has not ended
  size_t number = 0;
  take_out([&](Entry& entry) {
    if (entry.sequence == nullptr)
      return false;
    for (size_t i = 0; i < number; ++i)
      if (held_up[i] == entry.stream)
        return false;
    if (number < most && has_ended(entry))
      return end_copy(entry), true;
    if (number < most)
      held_up[number++] = entry.stream;
    return false;
  });
}

/// A place for one more sequence in that stream; nullptr if all are taken.
Entry* add(DigestSequence* sequence, uint64_t stream, uint64_t context) {
  if (memory.peek() == nullptr)
    return nullptr;
  if (transfers().count == most_entries)
    end_what_has_ended();
  Entry* const entry = add(stream, context);
  if (entry == nullptr)
    return nullptr;
  hold_digests(sequence);
  entry->sequence = sequence;
  entry->moment = digest_moment();
  return entry;
}

/// Makes run(), with the lock held, where something is under way.
template <typename Run>
void with_transfers(Run run) {
  const Transfers* const all = memory.peek();
  if (all == nullptr || __atomic_load_n(&all->count, __ATOMIC_RELAXED) == 0)
    return;
  SignalSafeLock guard(lock);
  if (!guard.held())
    return;
  begin();
  if (transfers().count != 0)
    run();
}

/// Puts one more sequence into a stream by fill(entry); without room for it, it is unread. False
/// where the lock cannot be had.
template <typename Fill>
bool put_into_stream(DigestSequence* sequence, size_t bytes, uint64_t stream, uint64_t context,
                     Fill fill) {
  SignalSafeLock guard(lock);
  if (sequence == nullptr || !guard.held())
    return false;
  begin();
  Entry* const entry = add(sequence, stream, context);
  if (entry != nullptr)
    fill(*entry);
  else
    add_digest(sequence, {bytes, 0, Reason::too_many_copies});
  return entry != nullptr;
}

} // namespace

void add_copy(DigestSequence* sequence, const HostArea& area) {
  if (sequence == nullptr)
    return;
  uint64_t hash;
  hash_area(area, hash, [](const void* bytes, size_t) {
    return bytes;
  });
  SignalSafeLock guard(lock);
  if (guard.held())
    add_digest(sequence, {area.size(), hash});
}

void add_copy_in_stream(DigestSequence* sequence, const HostArea& area, uint64_t stream,
                        uint64_t context) {
  with_transfers([&] {
    for (size_t i = 0; i < transfers().count; ++i)
      if (transfers().entries[i].is_copy() && transfers().entries[i].area.start == area.start)
        transfers().entries[i].why_unread = Reason::overwritten_before_wait;
  });
  put_into_stream(sequence, area.size(), stream, context, [&](Entry& entry) {
    entry.area = area;
  });
}

void add_unread_in_stream(DigestSequence* sequence, size_t bytes, Reason why, uint64_t stream,
                          uint64_t context) {
  put_into_stream(sequence, bytes, stream, context, [&](Entry& entry) {
    entry.output.bytes = bytes, entry.why_unread = why;
  });
}

void add_output_in_stream(DigestSequence* sequence, const Output& output, uint64_t stream,
                          uint64_t context) {
  if (!put_into_stream(sequence, output.bytes, stream, context, [&](Entry& entry) {
        entry.output = output;
      }))
    give_back(output);
}

void note_event(uint64_t event, uint64_t stream) {
  with_transfers([&] {
    transfers().event_streams.insert(event) = stream;
    transfers().event_orders.insert(event) = transfers().order;
  });
}

void note_wait(uint64_t stream, uint64_t event) {
  with_transfers([&] {
    const uint64_t* const other = transfers().event_streams.find(event);
    if (other == nullptr || *other == stream)
      return;
    if (Entry* const entry = add(stream, 0); entry != nullptr) {
      entry->other_stream = *other;
      entry->other_order = *transfers().event_orders.find(event);
    }
  });
}

void end_transfers_of_stream(uint64_t stream) {
  with_transfers([&] {
    end_stream(stream, ~uint64_t{0});
  });
}

void end_transfers_of_event(uint64_t event) {
  with_transfers([&] {
    const uint64_t* const stream = transfers().event_streams.find(event);
    if (stream != nullptr)
      end_stream(*stream, *transfers().event_orders.find(event));
  });
}

void end_transfers_of_context(uint64_t context) {
  with_transfers([&] {
    take_out([&](Entry& entry) {
      const bool is_done = entry.sequence != nullptr && entry.context == context;
      if (is_done)
        end_copy(entry);
      return is_done;
    });
    take_out([](const Entry& entry) {
      return entry.sequence == nullptr && entry.context == 0;
    });
  });
}

void end_transfers() {
  with_transfers([] {
    end_what_has_ended();
    take_out([](Entry& entry) {
      if (entry.sequence == nullptr)
        return true;
      leave_unread(entry,
                   entry.why_unread != Reason::none ? entry.why_unread : Reason::never_awaited);
      return true;
    });
  });
}

} // namespace detshim
