// What this process has read of clocks and ids: noted by hooks/libc/clocks.cpp, asked by
// core/seeds/seed_origin.cpp.
//
// Rules, each because a program broke without it:
// - A note is some stores into memory of the thread's own: no lock, no system call, no look at who the thread
// is. It
//   happens in programs that read a clock a million times a second, in sandboxes, and in signal handlers.
// - For each entry in the code that reads, the first and the latest reading are kept: a value read once at
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
  const void* call_site; ///< return address of the call
  uint64_t a, b;         ///< see Source
  uint64_t order;        ///< the how-manyeth of its thread, from 1; 0 while it is written
};

/// What another thread may be writing at this moment; Source::none if it is.
inline ClockSample copy_of(const ClockSample& reading) {
  const uint64_t order = __atomic_load_n(&reading.order, __ATOMIC_ACQUIRE);
  const ClockSample copy = reading;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return order != 0 && order == __atomic_load_n(&reading.order, __ATOMIC_RELAXED) ? copy : ClockSample{};
}

/// ClockSamples that the calling thread opens a file.
void note_opening();

/// The calling thread ends: its samples may be overwritten by another's.
void leave_clock_samples();

inline constexpr size_t call_site_count = 32;

/// The samples of one thread.
struct ClockSamples {
  uint32_t generation = 0; ///< of the process that the thread belonged to
  bool in_use = false;
  bool owner_is_first = false; ///< the first thread of the first process
  uint64_t owner_key = 0;      ///< names the thread's streams
  uint64_t order = 0;          ///< readings so far
  uint64_t seeded = 0;         ///< the same when the thread last seeded something
  uint64_t opened = 0;         ///< the same when it last opened a file, from which a seed may come
  ClockSamples* next = nullptr;
  ClockSample first[call_site_count] = {};
  ClockSample latest[call_site_count] = {};
};

namespace detail {
extern thread_local constinit ClockSamples* own_clock_samples;
ClockSamples* begin_clock_samples();

/// By the low bits alone: see above.
inline size_t index_of(const void* call_site) {
  const auto low = reinterpret_cast<uintptr_t>(call_site) & 0xfff;
  return (low ^ low >> 5) % call_site_count;
}

/// So that copy_of() in another thread tells a whole reading from a half.
inline void write(ClockSample& entry, const ClockSample& reading) {
  __atomic_store_n(&entry.order, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  entry.source = reading.source, entry.call_site = reading.call_site, entry.a = reading.a,
  entry.b = reading.b;
  __atomic_store_n(&entry.order, reading.order, __ATOMIC_RELEASE);
}
} // namespace detail

/// ClockSamples a reading of the calling thread. Async-signal-safe; makes a system call only in a process
/// with many threads.
inline void note_clock_sample(Source source, uint64_t a, uint64_t b, const void* call_site) {
  ClockSamples* samples = detail::own_clock_samples;
  if (__builtin_expect(samples == nullptr || samples->generation != generation(), 0))
    if ((samples = detail::begin_clock_samples()) == nullptr) return;
  const size_t entry = detail::index_of(call_site);
  const ClockSample reading = {source, call_site, a, b, ++samples->order};
  if (__builtin_expect(samples->latest[entry].call_site != call_site, 0))
    detail::write(samples->first[entry], reading);
  detail::write(samples->latest[entry], reading);
}

/// The calling thread's samples in this process; nullptr if it has read nothing.
ClockSamples* own_clock_samples();
/// What the main threads of a run's ranks have read, in memory that the ranks have in common: a value that
/// one rank read and sent to the others is that rank's reading on all of them.
struct RankClockSamples {
  static constexpr uint32_t limit = 256;
  uint32_t taken;
  char unused[60];
  ClockSamples of[limit];
};

/// The main thread samples into `mine` from now on, and each_thread_samples() visits all of `ranks`. At the
/// start alone.
void share_clock_samples(const RankClockSamples* ranks, ClockSamples* mine);

/// The newest of all threads' samples in this process, ended threads and those of before a fork among them: a
/// list by ClockSamples::next. Another thread may be writing to its own.
const ClockSamples* newest_clock_samples();
/// Those of this run's ranks; nullptr if there are none.
const RankClockSamples* rank_clock_samples();

template <typename Visit>
void each_thread_samples(Visit visit) {
  for (const ClockSamples* samples = newest_clock_samples(); samples != nullptr; samples = samples->next)
    visit(*samples);
  const RankClockSamples* ranks = rank_clock_samples();
  const uint32_t taken = ranks == nullptr ? 0 : __atomic_load_n(&ranks->taken, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < taken && i < RankClockSamples::limit; ++i) visit(ranks->of[i]);
}

} // namespace detshim
