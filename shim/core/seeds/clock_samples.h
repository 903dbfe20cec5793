// What this process has read of clocks and ids: noted by hooks/libc/clocks.cpp, asked by
// core/seeds/seed_origin.cpp.
//
// Rules, each because a program broke without it:
// - A note is some stores into memory of the thread's own: no lock, no system call, no look at who the thread
// is. It
//   happens in programs that read a clock a million times a second, in sandboxes, and in signal handlers.
// - For each place in the code that reads, the first and the latest reading are kept: a value read once at
// the start
//   is still known after a million readings from elsewhere. Places are told apart by the low bits of their
//   address, which address-space randomisation leaves alone: what is forgotten is the same in every run.
#pragma once

#include "core/base/generations.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// What was read, and what its two numbers are.
enum class Source : uint8_t {
  none,
  seconds,      ///< time(): seconds
  nanoseconds,  ///< clock_gettime, timespec_get: seconds, nanoseconds
  microseconds, ///< gettimeofday: seconds, microseconds
  ticks,        ///< clock, times: a count
  id,           ///< of a process or thread
};

struct ClockSample {
  Source source;
  const void* site; ///< return address of the call
  uint64_t a, b;    ///< see Source
  uint64_t order;   ///< the how-manyeth of its thread, from 1; 0 while it is written
};

/// What another thread may be writing at this moment; Source::none if it is.
inline ClockSample copy_of(const ClockSample& reading) {
  const uint64_t order = __atomic_load_n(&reading.order, __ATOMIC_ACQUIRE);
  const ClockSample copy = reading;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return order != 0 && order == __atomic_load_n(&reading.order, __ATOMIC_RELAXED) ? copy : ClockSample{};
}

/// Notes that the calling thread opens a file.
void note_opening();

/// The calling thread ends: its notes may be overwritten by another's.
void leave_readings();

inline constexpr size_t reading_site_count = 32;

/// The notes of one thread.
struct Notes {
  uint32_t generation = 0; ///< of the process that the thread belonged to
  bool in_use = false;
  bool owner_is_first = false; ///< the first thread of the first process
  uint64_t owner_key = 0;      ///< names the thread's streams
  uint64_t order = 0;          ///< readings so far
  uint64_t seeded = 0;         ///< the same when the thread last seeded something
  uint64_t opened = 0;         ///< the same when it last opened a file, from which a seed may come
  Notes* next = nullptr;
  ClockSample first[reading_site_count] = {};
  ClockSample latest[reading_site_count] = {};
};

namespace detail {
extern thread_local constinit Notes* own_notes;
Notes* begin_notes();

/// By the low bits alone: see above.
inline size_t place_of(const void* site) {
  const auto low = reinterpret_cast<uintptr_t>(site) & 0xfff;
  return (low ^ low >> 5) % reading_site_count;
}

/// So that copy_of() in another thread tells a whole reading from a half.
inline void write(ClockSample& place, const ClockSample& reading) {
  __atomic_store_n(&place.order, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  place.source = reading.source, place.site = reading.site, place.a = reading.a, place.b = reading.b;
  __atomic_store_n(&place.order, reading.order, __ATOMIC_RELEASE);
}
} // namespace detail

/// Notes a reading of the calling thread. Async-signal-safe; makes a system call only in a process with many
/// threads.
inline void note_clock_sample(Source source, uint64_t a, uint64_t b, const void* site) {
  Notes* notes = detail::own_notes;
  if (__builtin_expect(notes == nullptr || notes->generation != generation(), 0))
    if ((notes = detail::begin_notes()) == nullptr) return;
  const size_t place = detail::place_of(site);
  const ClockSample reading = {source, site, a, b, ++notes->order};
  if (__builtin_expect(notes->latest[place].site != site, 0)) detail::write(notes->first[place], reading);
  detail::write(notes->latest[place], reading);
}

/// The calling thread's notes in this process; nullptr if it has read nothing.
Notes* own_notes();
/// What the main threads of a run's ranks have read, in memory that the ranks have in common: a value that
/// one rank read and sent to the others is that rank's reading on all of them.
struct RankNotes {
  static constexpr uint32_t limit = 256;
  uint32_t taken;
  char unused[60];
  Notes of[limit];
};

/// The main thread notes into `mine` from now on, and each_notes() visits all of `ranks`. At the start alone.
void share_notes(const RankNotes* ranks, Notes* mine);

/// The newest of all threads' notes in this process, ended threads and those of before a fork among them: a
/// list by Notes::next. Another thread may be writing to its own.
const Notes* newest_notes();
/// Those of this run's ranks; nullptr if there are none.
const RankNotes* rank_notes();

template <typename Visit>
void each_notes(Visit visit) {
  for (const Notes* notes = newest_notes(); notes != nullptr; notes = notes->next) visit(*notes);
  const RankNotes* ranks = rank_notes();
  const uint32_t taken = ranks == nullptr ? 0 : __atomic_load_n(&ranks->taken, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < taken && i < RankNotes::limit; ++i) visit(ranks->of[i]);
}

} // namespace detshim
