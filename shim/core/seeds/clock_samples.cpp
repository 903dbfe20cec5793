#include "core/seeds/clock_samples.h"

#include "common/sys.h"
#include "core/identity/thread.h"

#include <initializer_list>

namespace detshim {

thread_local constinit Notes* detail::own_notes = nullptr;

namespace {

// So many threads' notes need no system call: a process in a sandbox may make none.
constinit Notes pool[16] = {};
constinit uint32_t pool_used = 0;
constinit Notes* newest = nullptr;
constinit const RankNotes* ranks = nullptr;

/// Forgets what another thread has noted. The list stays as it is: others walk along it meanwhile.
void clear(Notes& notes) {
  notes.generation = 0;
  notes.order = notes.seeded = notes.opened = 0;
  for (ClockSample* readings : {notes.first, notes.latest})
    for (size_t i = 0; i < reading_site_count; ++i) detail::write(readings[i], ClockSample{});
}

Notes* take_notes() {
  for (Notes* notes = __atomic_load_n(&newest, __ATOMIC_ACQUIRE); notes != nullptr; notes = notes->next)
    if (!__atomic_load_n(&notes->in_use, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&notes->in_use, true, __ATOMIC_ACQUIRE)) {
      clear(*notes);
      return notes;
    }
  const uint32_t index = __atomic_fetch_add(&pool_used, 1, __ATOMIC_RELAXED);
  Notes* fresh =
      index < sizeof pool / sizeof pool[0] ? &pool[index] : static_cast<Notes*>(sys::map(sizeof(Notes)));
  if (fresh == nullptr) return nullptr;
  fresh->in_use = true;
  fresh->next = __atomic_load_n(&newest, __ATOMIC_RELAXED);
  while (
      !__atomic_compare_exchange_n(&newest, &fresh->next, fresh, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
  return fresh;
}

Notes* begin(Notes& notes) {
  const uint64_t label = detail::thread.label; // its creator has written it; this_thread() makes system calls
  notes.owner_key = derive(process().key, label);
  notes.owner_is_first = process().is_first && label == 0;
  notes.generation = generation();
  return detail::own_notes = &notes;
}

} // namespace

/// The calling thread's notes in this process. Those of before a fork stay, as another thread's: what the
/// parent read is the parent's.
Notes* detail::begin_notes() {
  if (generation() == 0) process();
  Notes* notes = take_notes();
  return notes != nullptr ? begin(*notes) : nullptr;
}

void note_opening() {
  if (Notes* notes = own_notes()) notes->opened = notes->order;
}

void leave_readings() {
  if (Notes* notes = detail::own_notes) __atomic_store_n(&notes->in_use, false, __ATOMIC_RELEASE);
  detail::own_notes = nullptr;
}

Notes* own_notes() {
  Notes* const notes = detail::own_notes;
  return notes != nullptr && notes->generation == generation() ? notes : nullptr;
}
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
