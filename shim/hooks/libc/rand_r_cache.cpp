#include "hooks/libc/rand_r_cache.h"

#include "common/sys.h"
#include "core/base/signal_safe_lock.h"

namespace detshim {

thread_local constinit RandRCache::Table* RandRCache::own = nullptr;
thread_local constinit uint64_t RandRCache::last = 0;

namespace {

/// No table is given back: another thread may be looking into it. So there are as many as threads
/// that drew were alive at once.
struct Tables {
  void* all = nullptr;
  void* unused = nullptr; ///< those that no thread has
  uint64_t lock = 0;
};
constinit Tables tables = {};

} // namespace

bool RandRCache::any_thread_holds(uint64_t state) const {
  const auto* table = static_cast<const Table*>(__atomic_load_n(&tables.all, __ATOMIC_ACQUIRE));
  for (; table != nullptr; table = table->next)
    if (__atomic_load_n(&table->entries[slot(state)], __ATOMIC_RELAXED) == (mark_ | state))
      return true;
  return false;
}

RandRCache::Table* RandRCache::take_table() {
  SignalSafeLock guard(tables.lock);
  auto* table = static_cast<Table*>(tables.unused);
  if (table != nullptr) {
    tables.unused = table->next_unused;
    return table;
  }
  table = static_cast<Table*>(sys::map(sizeof(Table))); // pages that are not written cost nothing
  if (table == nullptr)
    return nullptr;
  table->next = static_cast<Table*>(tables.all);
  __atomic_store_n(&tables.all, static_cast<void*>(table), __ATOMIC_RELEASE);
  return table;
}

void leave_rand_r_cache() {
  if (RandRCache::own == nullptr)
    return;
  SignalSafeLock guard(tables.lock);
  RandRCache::own->next_unused = static_cast<RandRCache::Table*>(tables.unused);
  tables.unused = RandRCache::own;
  RandRCache::own = nullptr;
}

} // namespace detshim
