#include "hooks/libc/rand_r_cache.h"

#include "common/sys.h"
#include "core/base/signal_safe_lock.h"

namespace detshim {

thread_local constinit RandRCache::Table* RandRCache::own = nullptr;

namespace {

// All tables, and of those the ones that no thread has. None is given back: another thread may be looking
// into it. So there are as many as threads that drew were alive at once.
constinit void* all = nullptr;
constinit void* unused = nullptr;
constinit uint64_t lock = 0;

} // namespace

bool RandRCache::any_thread_holds(uint64_t state) const {
  const auto* table = static_cast<const Table*>(__atomic_load_n(&all, __ATOMIC_ACQUIRE));
  for (; table != nullptr; table = table->next)
    if (__atomic_load_n(&table->entries[slot(state)], __ATOMIC_RELAXED) == (mark_ | state)) return true;
  return false;
}

RandRCache::Table* RandRCache::take_table() {
  SignalSafeLock guard(lock);
  auto* table = static_cast<Table*>(unused);
  if (table != nullptr) {
    unused = table->next_unused;
    return table;
  }
  table = static_cast<Table*>(sys::map(sizeof(Table))); // pages that are not written cost nothing
  if (table == nullptr) return nullptr;
  table->next = static_cast<Table*>(all);
  __atomic_store_n(&all, static_cast<void*>(table), __ATOMIC_RELEASE);
  return table;
}

void leave_rand_r_cache() {
  if (RandRCache::own == nullptr) return;
  SignalSafeLock guard(lock);
  RandRCache::own->next_unused = static_cast<RandRCache::Table*>(unused);
  unused = RandRCache::own;
  RandRCache::own = nullptr;
}

} // namespace detshim
