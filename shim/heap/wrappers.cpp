// The allocator's functions, in front of libc's: what chosen sites get is filled or lies elsewhere, all else
// is as libc gave it.
#include "heap/allocator.h"
#include "heap/mirror.h"
#include "heap/search_file.h"
#include "heap/sites.h"

#include <cerrno>
#include <cstring>

namespace detshim {
namespace {

constexpr size_t page = 4096;

/// nullptr where nothing is to be done: nobody searches, or the allocator is not libc's.
HeapSearch* search_here() {
  HeapSearch* const search = heap_search();
  if (search == nullptr || allocator().foreign == ForeignAllocator::none) return search;
  ForeignAllocator whose = allocator().foreign;
  __atomic_store(&search->foreign, &whose, __ATOMIC_RELAXED);
  return nullptr;
}

/// True if libc has mapped the block by itself and not put it into an arena: a bit in the word before it
/// (glibc's malloc.c, IS_MMAPPED).
bool has_own_pages(const char* block) {
  constexpr size_t bit = 2;
  size_t word;
  __builtin_memcpy(&word, block - sizeof word, sizeof word);
  return (word & bit) != 0;
}

/// What lies at the one place of a block that has pages of its own goes to the other. Of a large one that is
/// mostly untouched, nothing else is touched. `block` is which of them is libc's, and what libc keeps in
/// front of it stays there.
void carry(char* from, char* to, size_t size, const char* block) {
  const size_t before = reinterpret_cast<uintptr_t>(block) % page;
  if (to == block) std::memcpy(from - before, to - before, before);
  if (!move_pages(from, to, size)) {
    std::memcpy(to, from, size);
    if (to == block) empty_pages(from, size);
  } else if (from == block) {
    std::memcpy(from - before, to - before, before);
  }
}

/// What the block holds goes along, what nobody wrote too: else the next one that gets this place would find
/// something else there.
void* move(HeapSearch& search, char* block, bool is_new) {
  const size_t size = allocator().usable_size(block);
  char* const place = mirror_of(block, size, search.distance);
  if (place == nullptr) {
    count_up(search.unmoved);
    return block;
  }
  count_up(search.changed);
  if (!has_own_pages(block))
    std::memcpy(place, block, size);
  else if (is_new)
    empty_pages(place, size);
  else
    carry(block, place, size, block);
  return place;
}

/// The block of libc's that is used at `place`; nullptr for a place that is libc's own.
char* behind(const HeapSearch* search, const void* place) {
  if (search == nullptr || search->change != HeapChange::move || place == nullptr) return nullptr;
  return mirrored(place, search->distance);
}

/// Fresh memory of a site; `is_zero`: the program may count on that.
void* handed_out(void* block, size_t size, bool is_zero, const void* caller) {
  HeapSearch* const search = block == nullptr ? nullptr : search_here();
  if (search == nullptr || !is_chosen(*search, caller, size)) return block;
  if (search->change == HeapChange::move) return move(*search, static_cast<char*>(block), true);
  if (is_zero) return block;
  count_up(search->changed);
  return std::memset(block, static_cast<int>(search->distance), size);
}

void* aligned(size_t alignment, size_t size, const void* caller) {
  void* const block = allocator().allocate_aligned(alignment, size);
  HeapSearch* const search = alignment > page ? search_here() : nullptr;
  if (search == nullptr || search->change != HeapChange::move) return handed_out(block, size, false, caller);
  if (is_chosen(*search, caller, size)) count_up(search->unmoved); // the distance is no multiple of that
  return block;
}

void* resized(void* place, size_t size, const void* caller) {
  if (place == nullptr) return handed_out(allocator().allocate(size), size, false, caller);
  HeapSearch* const search = search_here();
  char* const moved = behind(search, place);
  void* const old = moved != nullptr ? moved : place;
  const size_t old_size = search != nullptr ? allocator().usable_size(old) : 0;
  auto* const used = static_cast<char*>(place);
  const bool is_carried = moved != nullptr && has_own_pages(moved);
  if (is_carried)
    carry(used, moved, old_size, moved);
  else if (moved != nullptr)
    std::memcpy(moved, place, old_size);
  void* const block = allocator().resize(old, size);
  if (block == nullptr && size > 0 && moved != nullptr) { // it stays as it was
    if (is_carried)
      carry(moved, used, old_size, moved);
    else
      std::memcpy(place, moved, old_size);
    return nullptr;
  }
  if (block == nullptr || search == nullptr || !is_chosen(*search, caller, size)) return block;
  if (search->change == HeapChange::move) return move(*search, static_cast<char*>(block), false);
  if (size > old_size) {
    count_up(search->changed);
    std::memset(static_cast<char*>(block) + old_size, static_cast<int>(search->distance), size - old_size);
  }
  return block;
}

} // namespace
} // namespace detshim

using namespace detshim;

#define EXPORTED extern "C" [[gnu::visibility("default"), gnu::used]]
#define CALLER __builtin_return_address(0)

EXPORTED void* malloc(size_t size) noexcept {
  return handed_out(allocator().allocate(size), size, false, CALLER);
}

EXPORTED void* calloc(size_t count, size_t size) noexcept {
  return handed_out(allocator().allocate_zeros(count, size), count * size, true, CALLER);
}

EXPORTED void* realloc(void* place, size_t size) noexcept { return resized(place, size, CALLER); }

EXPORTED void* reallocarray(void* place, size_t count, size_t size) noexcept {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return resized(place, bytes, CALLER);
}

EXPORTED void* memalign(size_t alignment, size_t size) noexcept { return aligned(alignment, size, CALLER); }

EXPORTED void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return aligned(alignment, size, CALLER);
}

EXPORTED int posix_memalign(void** place, size_t alignment, size_t size) noexcept {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* const block = aligned(alignment, size, CALLER);
  if (block == nullptr) return ENOMEM;
  *place = block;
  return 0;
}

EXPORTED void* valloc(size_t size) noexcept { return aligned(page, size, CALLER); }

EXPORTED void* pvalloc(size_t size) noexcept {
  if (size > SIZE_MAX - page) {
    errno = ENOMEM;
    return nullptr;
  }
  return aligned(page, (size + page - 1) & ~(page - 1), CALLER);
}

EXPORTED size_t malloc_usable_size(void* place) noexcept {
  char* const block = behind(heap_search(), place);
  return allocator().usable_size(block != nullptr ? block : place);
}

EXPORTED void free(void* place) noexcept {
  char* const moved = behind(heap_search(), place);
  if (moved != nullptr && has_own_pages(moved)) // which go back to the kernel, whatever they hold
    empty_pages(static_cast<char*>(place), allocator().usable_size(moved));
  else if (moved != nullptr)
    std::memcpy(moved, place, allocator().usable_size(moved));
  allocator().release(moved != nullptr ? moved : place);
}

/// A program whose allocator stands in front of ours may never call it.
[[gnu::constructor]] static void say_whose_it_is() { search_here(); }
