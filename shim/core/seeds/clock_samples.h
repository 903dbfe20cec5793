// What this process has read of clocks and ids: noted by hooks/libc/clocks.cpp, asked by
// core/seeds/rules/.
//
// Rules, each because a program broke without it:
// - A note is some stores into memory of the thread's own: no lock, no system call, no look at who
//   the thread is. Programs read a clock a million times a second, in sandboxes, and in signal
//   handlers.
// - Of each call site the first and the latest reading are kept: a value read once at the start is
//   known after a million readings elsewhere. Entries are found by the low bits of addresses, which
//   are the same in every run.
#pragma once

#include "core/base/generations.h"
#include "core/base/modules.h"

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
  return order != 0 && order == __atomic_load_n(&reading.order, __ATOMIC_RELAXED) ? copy
                                                                                  : ClockSample{};
}

/// True for the program, for the library of its language, and for OpenMP's, which reads a clock for
/// the program alone: what others read they read for themselves.
bool is_reader(const Module& module);

/// The program has read something else that is another in each run (/proc, a network, a timer):
/// what it passes may be made of that.
void note_other_reading();
bool has_other_reading();

/// The calling thread ends: its samples may be overwritten by another's.
void leave_clock_samples();

inline constexpr size_t call_site_count = 32;

/// The samples of one thread.
struct ClockSamples {
  uint32_t generation = 0; ///< of the process that the thread belonged to
  bool in_use = false;
  bool owner_is_first = false; ///< the first thread of the first process
  bool has_forgotten = false;  ///< there were more call sites than places
  uint64_t owner_key = 0;      ///< names the thread's streams
  uint64_t order = 0;          ///< readings so far
  uint64_t seeded = 0;         ///< the same when the thread last seeded something
  CodeRange readers[4] = {};   ///< of a rank: its program and its language's library (is_reader)
  ClockSamples* next = nullptr;
  ClockSample first[call_site_count] = {};
  ClockSample latest[call_site_count] = {};
  uint32_t entropy[32] = {}; ///< the latest words of it that the thread was given
  uint32_t entropy_count = 0;
};

namespace detail {
extern thread_local constinit ClockSamples* own_clock_samples;
ClockSamples* begin_clock_samples();

inline ClockSamples* own_or_new_clock_samples() {
  ClockSamples* const samples = own_clock_samples;
  const bool is_known =
      __builtin_expect(samples != nullptr && samples->generation == generation(), 1);
  return is_known ? samples : begin_clock_samples();
}

/// The entry of a call site, its own or an empty one. By the low bits alone: see above.
inline size_t entry_of(ClockSamples& samples, const void* call_site) {
  const auto low = reinterpret_cast<uintptr_t>(call_site) & 0xfff;
  const size_t home = (low ^ low >> 5) % call_site_count;
  for (size_t i = 0; i < call_site_count; ++i) {
    const size_t entry = (home + i) % call_site_count;
    const void* const known = samples.latest[entry].call_site;
    if (known == call_site || known == nullptr)
      return entry;
  }
  samples.has_forgotten = true;
  return home;
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

/// ClockSamples a reading of the calling thread. Async-signal-safe; makes a system call only in a
/// process with many threads.
inline void note_clock_sample(Source source, uint64_t a, uint64_t b, const void* call_site) {
  ClockSamples* const samples = detail::own_or_new_clock_samples();
  if (samples == nullptr)
    return;
  const size_t entry = detail::entry_of(*samples, call_site);
  const ClockSample reading = {source, call_site, a, b, ++samples->order};
  if (__builtin_expect(samples->latest[entry].call_site != call_site, 0))
    detail::write(samples->first[entry], reading);
  detail::write(samples->latest[entry], reading);
}

namespace detail {

inline void note_words(const void* data, size_t size) {
  ClockSamples* const samples = own_or_new_clock_samples();
  for (size_t at = 0; samples != nullptr && at < size; at += 4)
    __builtin_memcpy(&samples->entropy[samples->entropy_count++ % 32],
                     static_cast<const char*>(data) + at, 4);
}

void note_long_number(const unsigned char* data, size_t size);

} // namespace detail

/// Notes entropy of our own, so that a seed made of it is known for one: a word or two as they are,
/// 16 or 32 bytes as Python hashes the whole numbers that they make (NumPy's SeedSequence draws
/// one).
inline void note_entropy(const void* data, size_t size) {
  if (size == 4 || size == 8)
    detail::note_words(data, size);
  else if (size == 16 || size == 32)
    detail::note_long_number(static_cast<const unsigned char*>(data), size);
}

/// The calling thread's samples in this process; nullptr if it has read nothing.
ClockSamples* own_clock_samples();
/// What the main threads of a run's ranks have read, in memory that the ranks have in common: a
/// value that one rank read and sent to the others is that rank's reading on all of them.
struct RankClockSamples {
  static constexpr uint32_t limit = 256;
  uint32_t taken;
  char unused[60];
  ClockSamples of[limit];
};

/// The main thread samples into `mine` from now on, and each_thread_samples() visits all of
/// `ranks`. At the start alone.
void share_clock_samples(const RankClockSamples* ranks, ClockSamples* mine);

/// The newest of all threads' samples in this process, ended threads and those of before a fork
/// among them: a list by ClockSamples::next. Another thread may be writing to its own.
const ClockSamples* newest_clock_samples();
/// Those of this run's ranks; nullptr if there are none.
const RankClockSamples* rank_clock_samples();

template <typename Visit>
void each_thread_samples(Visit visit) {
  for (const ClockSamples* samples = newest_clock_samples(); samples != nullptr;
       samples = samples->next)
    visit(*samples);
  const RankClockSamples* ranks = rank_clock_samples();
  const uint32_t taken = ranks == nullptr ? 0 : __atomic_load_n(&ranks->taken, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < taken && i < RankClockSamples::limit; ++i)
    visit(ranks->of[i]);
}

} // namespace detshim
