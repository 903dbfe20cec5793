#include "core/seeds/clock_samples.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/identity/thread.h"

#include <initializer_list>

namespace detshim {

thread_local constinit ClockSamples* detail::own_clock_samples = nullptr;

namespace {

struct SamplesOfThreads {
  /// So many threads' samples need no system call: a process in a sandbox may make none.
  ClockSamples pool[16];
  uint32_t pool_used = 0;
  ClockSamples* newest = nullptr; ///< of a list
  const RankClockSamples* of_ranks = nullptr;
  bool has_other_reading = false;
};
constinit SamplesOfThreads threads;

/// Forgets what another thread has noted. The list stays as it is: others walk along it meanwhile.
void clear(ClockSamples& samples) {
  samples.generation = 0;
  samples.order = samples.seeded = 0;
  samples.has_forgotten = false;
  samples.entropy_count = 0;
  __builtin_memset(samples.entropy, 0, sizeof samples.entropy);
  for (ClockSample* readings : {samples.first, samples.latest})
    for (size_t i = 0; i < call_site_count; ++i)
      detail::write(readings[i], ClockSample{});
}

ClockSamples* take_clock_samples() {
  for (ClockSamples* samples = __atomic_load_n(&threads.newest, __ATOMIC_ACQUIRE);
       samples != nullptr; samples = samples->next)
    if (!__atomic_load_n(&samples->in_use, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&samples->in_use, true, __ATOMIC_ACQUIRE)) {
      clear(*samples);
      return samples;
    }
  const uint32_t index = __atomic_fetch_add(&threads.pool_used, 1, __ATOMIC_RELAXED);
  ClockSamples* fresh = index < sizeof threads.pool / sizeof threads.pool[0]
                            ? &threads.pool[index]
                            : static_cast<ClockSamples*>(sys::map(sizeof(ClockSamples)));
  if (fresh == nullptr)
    return nullptr;
  fresh->in_use = true;
  fresh->next = __atomic_load_n(&threads.newest, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&threads.newest, &fresh->next, fresh, false, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {}
  return fresh;
}

ClockSamples* begin(ClockSamples& samples) {
  const uint64_t label =
      detail::thread.label; // its creator has written it; this_thread() makes system calls
  samples.owner_key = derive(process().key, label);
  samples.owner_is_first = process().is_first && label == 0;
  samples.generation = generation();
  return detail::own_clock_samples = &samples;
}

} // namespace

/// The calling thread's samples in this process. Those of before a fork stay, as another thread's:
/// what the parent read is the parent's.
ClockSamples* detail::begin_clock_samples() {
  if (generation() == 0)
    process();
  ClockSamples* samples = take_clock_samples();
  return samples != nullptr ? begin(*samples) : nullptr;
}

void note_other_reading() { __atomic_store_n(&threads.has_other_reading, true, __ATOMIC_RELAXED); }
bool has_other_reading() { return __atomic_load_n(&threads.has_other_reading, __ATOMIC_RELAXED); }

bool is_reader(const Module& module) {
  char path[600];
  module_path(module, path, sizeof path);
  bool is_it = *module.path == 0;
  for (const char* name :
       {"libstdc++.so", "libc++.so", "libgfortran.so", "libgomp.so", "libpython", "python"})
    is_it |= starts_with(file_name(path), name);
  return is_it;
}

void leave_clock_samples() {
  if (ClockSamples* samples = detail::own_clock_samples)
    __atomic_store_n(&samples->in_use, false, __ATOMIC_RELEASE);
  detail::own_clock_samples = nullptr;
}

ClockSamples* own_clock_samples() {
  ClockSamples* const samples = detail::own_clock_samples;
  return samples != nullptr && samples->generation == generation() ? samples : nullptr;
}
const ClockSamples* newest_clock_samples() {
  return __atomic_load_n(&threads.newest, __ATOMIC_ACQUIRE);
}
const RankClockSamples* rank_clock_samples() { return threads.of_ranks; }

void share_clock_samples(const RankClockSamples* shared, ClockSamples* mine) {
  threads.of_ranks = shared;
  const ClockSamples* before = own_clock_samples();
  if (before != nullptr) { // another library's constructor has read a clock
    __builtin_memcpy(mine->first, before->first, sizeof mine->first);
    __builtin_memcpy(mine->latest, before->latest, sizeof mine->latest);
    mine->order = before->order;
    mine->has_forgotten = before->has_forgotten;
  }
  size_t count = 0;
  each_module([&](const Module& module) {
    if (!is_reader(module))
      return false;
    CodeRange& range = mine->readers[count++];
    for (int i = 0; i < module.header_count; ++i)
      if (const ElfW(Phdr)& header = module.headers[i]; header.p_type == PT_LOAD) {
        const auto* const at = reinterpret_cast<const unsigned char*>(module.base + header.p_vaddr);
        if (range.begin == nullptr)
          range.begin = at;
        range.end = at + header.p_memsz;
      }
    return count == sizeof mine->readers / sizeof *mine->readers;
  });
  begin(*mine);
}

namespace {

/// A number with one more byte, as Python hashes it: the remainder by 2^61 - 1
/// (sys.hash_info.modulus), by which 2^61 is 1.
uint64_t next_digit(uint64_t number, unsigned char byte) {
  constexpr int bits = 61;
  constexpr uint64_t modulus = (uint64_t{1} << bits) - 1;
  const uint64_t rotated = (number << 8 & modulus) | number >> (bits - 8);
  return (rotated + byte) % modulus;
}

} // namespace

void detail::note_long_number(const unsigned char* data, size_t size) {
  uint64_t highest_first = 0, lowest_first = 0;
  for (size_t i = 0; i < size; ++i) {
    highest_first = next_digit(highest_first, data[i]);
    lowest_first = next_digit(lowest_first, data[size - 1 - i]);
  }
  note_words(&highest_first, sizeof highest_first);
  note_words(&lowest_first, sizeof lowest_first);
}

} // namespace detshim
