#include "heap/allocator.h"

#include "common/text.h"
#include "core/base/modules.h"

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace detshim {
namespace {

constinit Allocator found = {};
constinit bool is_found = false;

/// The first definition behind our own object; false where it is not libc's.
template <typename Function>
bool find_next(const char* name, Function& function) {
  bool behind_us = false, is_libc = false;
  each_module([&](const Module& module) {
    if (is_own(module)) {
      behind_us = true;
      return false;
    }
    const void* const address = behind_us ? module.symbol(name) : nullptr;
    if (address == nullptr) return false;
    __builtin_memcpy(&function, &address, sizeof address);
    is_libc = starts_with(file_name(module.path), "libc.so");
    return true;
  });
  return is_libc;
}

} // namespace

const Allocator& allocator() {
  if (__atomic_load_n(&is_found, __ATOMIC_ACQUIRE)) return found;
  // Two threads that come here at once write the same.
  Allocator next = {__libc_malloc, __libc_calloc, __libc_realloc, __libc_memalign, __libc_free,
                    nullptr,       true};
  next.is_libc &= find_next("malloc", next.allocate);
  next.is_libc &= find_next("calloc", next.allocate_zeros);
  next.is_libc &= find_next("realloc", next.resize);
  next.is_libc &= find_next("memalign", next.allocate_aligned);
  next.is_libc &= find_next("free", next.release);
  next.is_libc &= find_next("malloc_usable_size", next.usable_size);
  found = next;
  __atomic_store_n(&is_found, true, __ATOMIC_RELEASE);
  return found;
}

} // namespace detshim
