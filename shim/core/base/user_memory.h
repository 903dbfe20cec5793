// Memory that the program hands over, to be filled above all. The kernel answers EFAULT where there is none;
// a store of ours would end the program.
//
// To ask the kernel costs as much as a draw, so each thread remembers the pages that it asked about last. One
// that the program takes away afterwards is not asked about again (docs/LIMITS.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {

namespace detail {
/// Its number, or that of a part of it, from 1 on.
constexpr uintptr_t page_of(uintptr_t address) { return address / 4096 + 1; }
constexpr int pages_kept = 4;
extern thread_local constinit uintptr_t writable_pages[pages_kept];
size_t ask_for_writable_part(void* data, size_t size);
} // namespace detail

/// So many of these bytes can be written, from the first on: what the kernel would fill.
inline size_t writable_part(void* data, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t page = detail::page_of(begin);
  const auto here = detail::page_of(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  const bool is_known = page == here || page == detail::writable_pages[page % detail::pages_kept];
  if (__builtin_expect(is_known && detail::page_of(begin + size - 1) == page, 1)) return size;
  return detail::ask_for_writable_part(data, size);
}

/// True if all of that can be read.
bool can_read(const void* data, size_t size);

} // namespace detshim
