#include "loader/real_of_caller.h"

#include <dlfcn.h>

namespace detshim {
namespace {

// What was decided, for an object and a hook. Read without a lock: an entry counts if its sequence number is
// even and the same before and after.
struct Entry {
  uint32_t sequence;
  uint32_t epoch; // draw_epoch(): after dlclose another object may lie there
  const Hook* hook;
  const void* asking; ///< its dynamic section
  const void* real;
};
constinit Entry entries[64] = {};

Entry& entry_for(const Hook& hook, const void* asking) {
  return entries[spread(reinterpret_cast<uintptr_t>(&hook) / sizeof(Hook) ^
                        reinterpret_cast<uintptr_t>(asking) >> 4) >>
                 58];
}

bool remembered(const Entry& entry, const Hook& hook, const void* asking, const void*& real) {
  const uint32_t before = __atomic_load_n(&entry.sequence, __ATOMIC_ACQUIRE);
  const bool fits = __atomic_load_n(&entry.hook, __ATOMIC_RELAXED) == &hook &&
                    __atomic_load_n(&entry.asking, __ATOMIC_RELAXED) == asking &&
                    __atomic_load_n(&entry.epoch, __ATOMIC_RELAXED) == draw_epoch();
  real = __atomic_load_n(&entry.real, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return fits && (before & 1) == 0 && __atomic_load_n(&entry.sequence, __ATOMIC_RELAXED) == before;
}

void remember(Entry& entry, const Hook& hook, const void* asking, const void* real) {
  uint32_t sequence = __atomic_load_n(&entry.sequence, __ATOMIC_RELAXED);
  if ((sequence & 1) != 0 || !__atomic_compare_exchange_n(&entry.sequence, &sequence, sequence + 1, false,
                                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return; // another thread is at it
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&entry.hook, &hook, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.asking, asking, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.epoch, draw_epoch(), __ATOMIC_RELAXED);
  __atomic_store_n(&entry.real, real, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.sequence, sequence + 2, __ATOMIC_RELEASE);
}

/// The copy of the library that the object's other references are bound to.
bool find_bound_copy(const Module& asking, const char* library, Module& copy) {
  return each_binding(asking, [&](const char*, const void* target, const void*) {
    return !asking.holds(target) && find_module(target, copy) && is_of_library(copy, library);
  });
}

template <typename Signature>
Signature* libc_function(const char* name) {
  Hook* hook = find_hook(name);
  if (hook->real == nullptr) find_real(*hook);
  return reinterpret_cast<Signature*>(const_cast<void*>(hook->real));
}

const void* choose(const Hook& hook, const Module& asking) {
  const char* name = hook.info().name;
  Module copy;
  if (find_bound_copy(asking, hook.info().library, copy))
    if (const void* own = copy.symbol(name)) return own;
  auto* look_up = libc_function<void*(void*, const char*)>("dlsym");
  if (look_up == nullptr) return nullptr;
  if (const void* global = look_up(RTLD_NEXT, name)) return global;
  auto* open = libc_function<void*(const char*, int)>("dlopen");
  auto* close = libc_function<int(void*)>("dlclose");
  void* handle = open != nullptr && close != nullptr ? open(asking.path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (handle == nullptr) return nullptr;
  const void* local = look_up(handle, name);
  close(handle);
  return local != hook.wrapper() ? local : nullptr;
}

} // namespace

const void* real_of_caller(const Hook& hook, const void* caller) {
  Module asking;
  if (!find_module(caller, asking)) return nullptr;
  Entry& entry = entry_for(hook, asking.dynamic);
  const void* real = nullptr;
  if (remembered(entry, hook, asking.dynamic, real)) return real;
  real = choose(hook, asking);
  remember(entry, hook, asking.dynamic, real);
  return real;
}

} // namespace detshim
