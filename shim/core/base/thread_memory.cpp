#include "core/base/thread_memory.h"

#include "common/sys.h"
#include "core/base/placement.h"

extern "C" {
extern char __start_detshim_thread[] __attribute__((visibility("hidden")));
extern char __stop_detshim_thread[] __attribute__((visibility("hidden")));
}

namespace detshim {

thread_local constinit detail::ThreadMemory detail::thread_memory = {};
DETSHIM_STARTUP_DATA constinit detail::AtThreadEnd* detail::call_at_thread_end = nullptr;

namespace {

size_t thread_memory_size() {
  return static_cast<size_t>(__stop_detshim_thread - __start_detshim_thread);
}

} // namespace

ptrdiff_t detail::make_thread_memory() {
  ThreadMemory& own = thread_memory;
  const sys::SignalsBlocked no_signals;
  if (own.distance != 0)
    return own.distance; // a handler was here
  auto* const memory = static_cast<char*>(sys::map(thread_memory_size()));
  if (memory == nullptr)
    return 0;
  if (own.given_back != 0 && call_at_thread_end != nullptr)
    call_at_thread_end();
  return own.distance = memory - __start_detshim_thread;
}

uint32_t give_back_thread_memory() {
  detail::ThreadMemory& own = detail::thread_memory;
  if (own.distance == 0)
    return 0;
  sys::unmap(__start_detshim_thread + own.distance, thread_memory_size());
  own.distance = 0;
  return ++own.given_back;
}

} // namespace detshim
