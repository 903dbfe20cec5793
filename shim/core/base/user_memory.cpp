#include "core/base/user_memory.h"

#include "common/sys.h"

#include <sys/random.h>

namespace detshim {

thread_local constinit uintptr_t detail::writable_pages[pages_kept] = {};

namespace {

/// By a call that writes there and nowhere else: what it writes is written over. A null pointer means to it
/// that nothing is to be written. A filter that refuses it says nothing about memory.
bool can_write(uintptr_t at, size_t size) {
  const long answer =
      size >= 8 ? sys::call(SYS_rt_sigprocmask, SIG_BLOCK, 0, static_cast<long>(at), 8)
                : sys::call(SYS_getrandom, static_cast<long>(at), static_cast<long>(size), GRND_NONBLOCK);
  return answer != -EFAULT && at != 0;
}

} // namespace

size_t detail::ask_for_writable_part(void* data, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  for (uintptr_t at = begin, end = begin + size; at != end;) {
    const uintptr_t page = page_of(at);
    const uintptr_t next = page * 4096 < end ? page * 4096 : end;
    if (end < begin || !can_write(at, next - at)) return at - begin; // or beyond all memory
    writable_pages[page % pages_kept] = page;
    at = next;
  }
  return size;
}

bool can_read(const void* data, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(data), end = begin + size;
  for (uintptr_t at = begin; at < end; at = (at / 4096 + 1) * 4096)
    if (!sys::can_read(at)) return false;
  return begin <= end; // not beyond all memory
}

} // namespace detshim
