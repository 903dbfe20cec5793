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

/// Whether an object of the program's asks for the one of that path.
bool is_linked(const char* path) {
  return each_module([path](const Module& module) { return module.needs(file_name(path)); });
}

/// Whose definition that is.
ForeignAllocator owner(const Module& module) {
  if (starts_with(file_name(module.path), "libc.so")) return ForeignAllocator::none;
  if (module.path[0] == 0) return ForeignAllocator::its_own;
  return is_linked(module.path) ? ForeignAllocator::linked : ForeignAllocator::preloaded;
}

/// The first definition behind our own object, and whose it is; that of one in front of it where there is
/// one.
template <typename Function>
void find_next(const char* name, Function& function, ForeignAllocator& foreign) {
  bool behind_us = false;
  each_module([&](const Module& module) {
    if (is_own(module)) {
      behind_us = true;
      return false;
    }
    const void* const address = module.symbol(name);
    if (address == nullptr) return false;
    if (foreign == ForeignAllocator::none) foreign = owner(module);
    if (!behind_us) return false;
    __builtin_memcpy(&function, &address, sizeof address);
    return true;
  });
}

} // namespace

const Allocator& allocator() {
  if (__atomic_load_n(&is_found, __ATOMIC_ACQUIRE)) return found;
  // Two threads that come here at once write the same.
  Allocator next = {__libc_malloc, __libc_calloc, __libc_realloc,        __libc_memalign,
                    __libc_free,   nullptr,       ForeignAllocator::none};
  find_next("malloc", next.allocate, next.foreign);
  find_next("calloc", next.allocate_zeros, next.foreign);
  find_next("realloc", next.resize, next.foreign);
  find_next("memalign", next.allocate_aligned, next.foreign);
  find_next("free", next.release, next.foreign);
  find_next("malloc_usable_size", next.usable_size, next.foreign);
  found = next;
  __atomic_store_n(&is_found, true, __ATOMIC_RELEASE);
  return found;
}

} // namespace detshim
