#include "core/readings.h"

#include "core/identity.h"
#include "core/sys.h"

namespace detshim {
namespace {

// So many threads' notes need no system call: a process in a sandbox may make none.
constinit Notes pool[16] = {};
constinit uint32_t pool_used = 0;
constinit Notes* newest = nullptr;
constinit const RankNotes* ranks = nullptr;

thread_local constinit Notes* own = nullptr;

Notes* take_notes() {
  for (Notes* notes = __atomic_load_n(&newest, __ATOMIC_ACQUIRE); notes != nullptr; notes = notes->next)
    if (!__atomic_load_n(&notes->in_use, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&notes->in_use, true, __ATOMIC_ACQUIRE)) {
      Notes* const next = notes->next;
      *notes = {};
      notes->next = next;
      notes->in_use = true;
      return notes;
    }
  const uint32_t index = __atomic_fetch_add(&pool_used, 1, __ATOMIC_RELAXED);
  Notes* fresh = index < sizeof pool / sizeof pool[0] ? &pool[index] : static_cast<Notes*>(sys::map(sizeof(Notes)));
  if (fresh == nullptr) return nullptr;
  fresh->in_use = true;
  fresh->next = __atomic_load_n(&newest, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&newest, &fresh->next, fresh, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
  return fresh;
}

Notes* begin(Notes& notes) {
  const uint64_t label = detail::thread.label; // its creator has written it; this_thread() makes system calls
  notes.owner_key = derive(process().key, label);
  notes.owner_is_first = process().is_first && label == 0;
  notes.generation = generation();
  return own = &notes;
}

/// The calling thread's notes in this process. Those of before a fork stay, as another thread's: what the parent read
/// is the parent's.
[[gnu::noinline]] Notes* begin_notes() {
  if (generation() == 0) process();
  Notes* notes = take_notes();
  return notes != nullptr ? begin(*notes) : nullptr;
}

/// By the low bits alone: see readings.h.
size_t place_of(const void* site) {
  const auto low = reinterpret_cast<uintptr_t>(site) & 0xfff;
  return (low ^ low >> 5) % reading_site_count;
}

} // namespace

void note_reading(Source source, uint64_t a, uint64_t b, const void* site) {
  Notes* notes = own;
  if (__builtin_expect(notes == nullptr || notes->generation != generation(), 0)) {
    notes = begin_notes();
    if (notes == nullptr) return;
  }
  const size_t place = place_of(site);
  const Reading reading = {source, site, a, b, ++notes->order};
  Reading& latest = notes->latest[place];
  if (__builtin_expect(latest.site != site, 0)) notes->first[place] = reading;
  latest = reading;
}

void note_opening() {
  if (Notes* notes = own_notes()) notes->opened = notes->order;
}

void leave_readings() {
  if (Notes* notes = own) __atomic_store_n(&notes->in_use, false, __ATOMIC_RELEASE);
  own = nullptr;
}

Notes* own_notes() { return own != nullptr && own->generation == generation() ? own : nullptr; }
const Notes* newest_notes() { return __atomic_load_n(&newest, __ATOMIC_ACQUIRE); }
const RankNotes* rank_notes() { return ranks; }

void share_notes(const RankNotes* shared, Notes* mine) {
  ranks = shared;
  const Notes* before = own_notes();
  if (before != nullptr) { // another library's constructor has read a clock
    __builtin_memcpy(mine->first, before->first, sizeof mine->first);
    __builtin_memcpy(mine->latest, before->latest, sizeof mine->latest);
    mine->order = before->order;
  }
  begin(*mine);
}

} // namespace detshim
