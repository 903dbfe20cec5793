// Memory that the program hands over. The kernel answers EFAULT where there is no memory; a load or
// a store of our own would end the program.
//
// What a call fills is asked about before: writable_part(). Of what a call reads the kernel's own
// answer mostly tells: was_read().
//
// To ask the kernel costs as much as a draw, so each thread remembers the pages that it asked about
// last. One that the program takes away afterwards is not asked about again (docs/LIMITS.md).
#pragma once

#include <cerrno>
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
  if (__builtin_expect(is_known && detail::page_of(begin + size - 1) == page, 1))
    return size;
  return detail::ask_for_writable_part(data, size);
}

/// True if all of that can be read.
bool can_read(const void* data, size_t size);

/// Copies what can be read of `size` bytes, from the first on, and returns how many bytes that
/// were. For what the program may have protected or unmapped.
size_t copy_readable(uintptr_t from, void* to, size_t size);

/// True if the text can be read up to its end.
bool can_read_text(const char* text);

/// The same for each text of an array that a null pointer ends, as programs are executed with.
/// nullptr is an array of none.
bool can_read_texts(char* const* texts);

/// True if a text that a call of the kernel was handed can be read. `answer`: the call's, with
/// errno as it left it. A call that went well has read it, and so has one that found no file.
/// Others may have failed before they looked: that is asked. False for nullptr.
inline bool was_read(const char* text, long answer) {
  if (text == nullptr)
    return false;
  return answer >= 0 || errno == ENOENT || can_read_text(text);
}

} // namespace detshim
