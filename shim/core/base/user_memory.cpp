#include "core/base/user_memory.h"

#include "common/sys.h"

#include <sys/random.h>

namespace detshim {

thread_local constinit uintptr_t detail::writable_pages[pages_kept] = {};

namespace {

/// By a call that writes there and nowhere else: what it writes is written over. A null pointer
/// means to it that nothing is to be written. A filter that refuses it says nothing about memory.
bool can_write(uintptr_t at, size_t size) {
  const long answer =
      size >= 8
          ? sys::call(SYS_rt_sigprocmask, SIG_BLOCK, 0, static_cast<long>(at), 8)
          : sys::call(SYS_getrandom, static_cast<long>(at), static_cast<long>(size), GRND_NONBLOCK);
  return answer != -EFAULT && at != 0;
}

/// Asks about each page once, as long as what is read goes forward.
class PageByPage {
public:
  /// True if the byte at that address can be read.
  bool can_read(uintptr_t at) {
    const uintptr_t page = detail::page_of(at);
    if (page == known_)
      return true;
    if (!sys::can_read(at))
      return false;
    known_ = page;
    return true;
  }

private:
  uintptr_t known_ = 0;
};

bool can_read_text(const char* text, PageByPage& pages) {
  for (auto at = reinterpret_cast<uintptr_t>(text);; ++at) {
    if (!pages.can_read(at))
      return false;
    if (*reinterpret_cast<const char*>(at) == 0)
      return true;
  }
}

} // namespace

size_t detail::ask_for_writable_part(void* data, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  for (uintptr_t at = begin, end = begin + size; at != end;) {
    const uintptr_t page = page_of(at);
    const uintptr_t next = page * 4096 < end ? page * 4096 : end;
    if (end < begin || !can_write(at, next - at))
      return at - begin; // or beyond all memory
    writable_pages[page % pages_kept] = page;
    at = next;
  }
  return size;
}

bool can_read(const void* data, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(data), end = begin + size;
  for (uintptr_t at = begin; at < end; at = (at / 4096 + 1) * 4096)
    if (!sys::can_read(at))
      return false;
  return begin <= end; // not beyond all memory
}

size_t copy_readable(uintptr_t from, void* to, size_t size) {
  // Not by process_vm_readv: filters of services end a program for it, which has never read
  // another's memory.
  PageByPage pages;
  auto* const target = static_cast<char*>(to);
  size_t done = 0;
  while (done < size && pages.can_read(from + done)) {
    const size_t in_page = 4096 - (from + done) % 4096;
    const size_t part = in_page < size - done ? in_page : size - done;
    __builtin_memcpy(target + done, reinterpret_cast<const void*>(from + done), part);
    done += part;
  }
  return done;
}

bool can_read_text(const char* text) {
  PageByPage pages;
  return can_read_text(text, pages);
}

bool can_read_texts(char* const* texts) {
  PageByPage pages_of_array;
  PageByPage pages_of_texts;
  for (; texts != nullptr; ++texts) {
    // A pointer that is not aligned may lie in two pages.
    const auto begin = reinterpret_cast<uintptr_t>(texts);
    if (!pages_of_array.can_read(begin) || !pages_of_array.can_read(begin + sizeof *texts - 1))
      return false;
    if (*texts == nullptr)
      return true;
    if (!can_read_text(*texts, pages_of_texts))
      return false;
  }
  return true;
}

} // namespace detshim
