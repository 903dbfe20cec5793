#include "heap/mirror.h"

#include "common/sys.h"

#include <initializer_list>

namespace detshim {
namespace {

// The address space, in pieces whose mirror is mapped as a whole when the first block of it is moved.
constexpr int piece_bits = 30, address_bits = 48;
constexpr uintptr_t piece_size = uintptr_t{1} << piece_bits;
enum State : uint8_t { untouched, is_mapped, has_no_room };
constinit State pieces[uintptr_t{1} << (address_bits - piece_bits)] = {};

/// Upwards from the lower quarter of what x86-64 has, where programs lie that are not position independent,
/// and downwards from the rest: nothing else is there.
constexpr uintptr_t border = uintptr_t{1} << 46;

uintptr_t away(uintptr_t address, uintptr_t distance) {
  return address < border ? address + distance : address - distance;
}

State state_of(uintptr_t address) {
  return address >> address_bits != 0
             ? has_no_room
             : static_cast<State>(__atomic_load_n(
                   reinterpret_cast<const uint8_t*>(&pieces[address >> piece_bits]), __ATOMIC_ACQUIRE));
}

void set_state(uintptr_t address, State state) {
  __atomic_store_n(reinterpret_cast<uint8_t*>(&pieces[address >> piece_bits]), state, __ATOMIC_RELEASE);
}

bool map_piece(uintptr_t address, uintptr_t distance) {
  const uintptr_t begin = address & ~(piece_size - 1);
  const auto wanted = static_cast<long>(away(begin, distance));
  const long got = sys::call(SYS_mmap, wanted, piece_size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) {
    set_state(address, is_mapped);
    return true;
  }
  if (!sys::failed(got)) sys::call(SYS_munmap, got, piece_size); // a kernel that does not know the flag
  // Another thread may be between its mapping and its word for it.
  constexpr int patience = 1000;
  for (int i = 0; got == -EEXIST && i < patience && state_of(address) == untouched; ++i)
    sys::call(SYS_sched_yield);
  if (state_of(address) == untouched) set_state(address, has_no_room);
  return state_of(address) == is_mapped;
}

constexpr uintptr_t page = 4096;
uintptr_t page_of(const char* place) { return reinterpret_cast<uintptr_t>(place) & ~(page - 1); }
uintptr_t page_behind(const char* place, size_t size) { return page_of(place + size + page - 1); }

} // namespace

char* mirror_of(char* block, size_t size, uint64_t distance) {
  const auto begin = reinterpret_cast<uintptr_t>(block);
  const uintptr_t last = begin + (size > 0 ? size - 1 : 0);
  if ((begin < border) != (last < border)) return nullptr;
  for (uintptr_t piece = begin >> piece_bits; piece <= last >> piece_bits; ++piece) {
    const uintptr_t address = piece << piece_bits;
    const State state = state_of(address);
    if (state == has_no_room || (state == untouched && !map_piece(address, distance))) return nullptr;
  }
  return reinterpret_cast<char*>(away(begin, distance));
}

char* mirrored(const void* place, uint64_t distance) {
  const auto at = reinterpret_cast<uintptr_t>(place);
  for (const uintptr_t block : {at - distance, at + distance})
    if (block >> address_bits == 0 && state_of(block) == is_mapped && away(block, distance) == at)
      return reinterpret_cast<char*>(block);
  return nullptr;
}

bool move_pages(char* from, char* to, size_t size) {
  const uintptr_t begin = page_of(from);
  const auto length = static_cast<long>(page_behind(from, size) - begin);
  constexpr int may_move = 1, to_this_place = 2, leave_it_mapped = 4; // of linux/mman.h
  return !sys::failed(sys::call(SYS_mremap, static_cast<long>(begin), length, length,
                                may_move | to_this_place | leave_it_mapped, static_cast<long>(page_of(to))));
}

void empty_pages(char* begin, size_t size) {
  const uintptr_t from = page_of(begin), to = page_behind(begin, size);
  // Not MADV_DONTNEED: it leaves pages as they are that are locked, and unreadable what the program made so.
  const long got =
      sys::call(SYS_mmap, static_cast<long>(from), static_cast<long>(to - from), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (!sys::failed(got)) return;
  sys::call(SYS_madvise, static_cast<long>(from), static_cast<long>(to - from), MADV_DONTNEED);
}

} // namespace detshim
