#include "heap/search_file.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/environment.h"
#include "core/base/generations.h"
#include "core/base/modules.h"

namespace detshim {
namespace {

constexpr uintptr_t not_asked = 0, there_is_none = 1;
constinit uintptr_t mapped = not_asked;

/// Whether a forked child has another generation: no handler of fork() is told where clone(2) was called
/// itself. Children of vfork() share theirs, as they do the loader's lock.
constinit bool notices_forks = false;

HeapSearch* map_file(const char* path) {
  const int file = sys::openat(AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  const long at = sys::call(SYS_mmap, 0, heap_search_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  struct stat state = {};
  const bool is_whole = sys::fstat(file, state) == 0 && state.st_size >= static_cast<long>(heap_search_size);
  sys::close(file);
  if (sys::failed(at)) return nullptr;
  auto* const search = reinterpret_cast<HeapSearch*>(static_cast<uintptr_t>(at));
  if (is_whole && search->magic == is_heap_search) return search;
  sys::unmap(search, heap_search_size);
  return nullptr;
}

HeapSearch* find_file() {
  Text<64> start;
  start.add(heap_search_variable).add('=');
  for (char** entry = given_environment(); *entry != nullptr; ++entry) // libc has none yet
    if (starts_with(*entry, start.c_str())) return map_file(*entry + start.length());
  return nullptr;
}

} // namespace

HeapSearch* heap_search() {
  uintptr_t at = __atomic_load_n(&mapped, __ATOMIC_ACQUIRE);
  if (at == not_asked) {
    HeapSearch* const found = find_file();
    const uintptr_t wanted = found != nullptr ? reinterpret_cast<uintptr_t>(found) : there_is_none;
    if (__atomic_compare_exchange_n(&mapped, &at, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      at = wanted;
      if (found != nullptr) {
        count_up(found->processes);
        begin_generation();
        wipe_generation_in_children();
        __atomic_store_n(&notices_forks, true, __ATOMIC_RELEASE);
      }
    } else if (found != nullptr) {
      sys::unmap(found, heap_search_size); // another thread was first
    }
  }
  return at == there_is_none ? nullptr : reinterpret_cast<HeapSearch*>(at);
}

void notice_fork() {
  if (!__atomic_load_n(&notices_forks, __ATOMIC_ACQUIRE) || generation() != 0) return;
  assume_loader_lock_is_stuck();
  begin_generation();
}

bool chooses(const HeapSearch& search, uint64_t name) {
  if (search.sites_are != HeapSites::listed) return true;
  const auto* first =
      reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(&search) + heap_chosen_at);
  for (uint64_t count = search.chosen; count > 0;) {
    const uint64_t half = count / 2;
    if (first[half] == name) return true;
    if (first[half] < name) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return false;
}

void list_site(HeapSearch& search, uint64_t name) {
  const uint64_t index = __atomic_fetch_add(&search.sites, 1, __ATOMIC_RELAXED);
  if (index >= most_heap_sites) return;
  auto* const sites = reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(&search) + heap_sites_at);
  __atomic_store_n(&sites[index], name, __ATOMIC_RELAXED);
}

void list_text(HeapSearch& search, const char* text, size_t length) {
  const uint64_t at = __atomic_fetch_add(&search.text_length, length, __ATOMIC_RELAXED);
  if (at + length > heap_texts_size) return;
  __builtin_memcpy(reinterpret_cast<char*>(&search) + heap_texts_at + at, text, length);
}

} // namespace detshim
