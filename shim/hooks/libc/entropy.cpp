// Entropy from libc: getrandom, getentropy, the arc4random family, and syscall(SYS_getrandom).
//
// arc4random and getentropy make the system call inside libc, without the symbol getrandom, so each
// needs a wrapper of its own.
#include "hooks/libc/raw_calls.h"
#include "hooks/support/entropy_source.h"

#include "common/sys.h"
#include "core/base/thread_memory.h"
#include "core/base/user_memory.h"
#include "hooks/runtimes/python_seeds.h"
#include "hooks/support/printed_names.h"
#include "loader/infrastructure.h"

#include <cerrno>
#include <cstddef>
#include <sys/random.h>
#include <sys/types.h>

namespace detshim {
namespace {

struct Sources {
  EntropySource<Stream> getrandom;
  CallSites insecure_call_sites;
  EntropySource<Stream> getentropy;
  EntropySource<WordStream> arc4random;
  EntropySource<Stream> arc4random_buf; // the second stream of its kind
  CallSites arc4random_uniform_call_sites;
  CallSites syscall_sites;
  EntropySource<Stream> infrastructure; // its call_sites are those of the hooks
  InfrastructureCallers infrastructure_callers;
};
DETSHIM_THREAD_MEMORY Sources sources_of_thread = {};

Sources& this_thread_sources() { return of_this_thread(sources_of_thread); }

constexpr size_t getrandom_limit = 33554431; // what one call gives at most (getrandom(2))
constexpr unsigned insecure = 4;             // GRND_INSECURE, which older headers lack

/// Flags that the kernel answers with EINVAL (getrandom(2), drivers/char/random.c).
constexpr bool is_refused(unsigned flags) {
  constexpr unsigned known = GRND_NONBLOCK | GRND_RANDOM | insecure,
                     contrary = GRND_RANDOM | insecure;
  return (flags & ~known) != 0 || (flags & contrary) == contrary;
}

int answer_fault() {
  errno = EFAULT;
  return -1;
}

/// Fills from that source, or for what is not the program's from one of its own.
template <typename Draw>
void fill(Sources& sources, EntropySource<Stream>& source, Kind kind, uint64_t k, const Draw& draw,
          const void* caller, void* buffer, size_t size) {
  if (sources.infrastructure_callers.include(caller, draw.first))
    sources.infrastructure.ready(Kind::infrastructure).fill(buffer, size);
  else
    source.ready(kind, draw, k).fill(buffer, size), note_given(buffer, size);
}

template <typename Draw>
ssize_t fill_getrandom(Sources& sources, void* buffer, size_t size, const Draw& draw,
                       const void* caller) {
  if (size > getrandom_limit)
    size = getrandom_limit;
  const size_t filled = writable_part(buffer, size);
  if (__builtin_expect(filled == 0, 0))
    return answer_fault();
  fill(sources, sources.getrandom, Kind::getrandom, 0, draw, caller, buffer, filled);
  return static_cast<ssize_t>(filled);
}

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, ssize_t, getrandom, (void* buffer, size_t size, unsigned flags),
             .action = Action::pin,
             .summary = "Fills the buffer from this thread's stream; a cryptography library gets "
                        "the kernel's bytes.") {
  if (size == 0) { // whether there is such a call: no draw
    DETSHIM_ENTER(getrandom);
    return call.real(buffer, size, flags);
  }
  Sources& sources = this_thread_sources();
  // Bytes that need not be good are no key: Rust orders its hash maps by them.
  const bool is_insecure = (flags & insecure) != 0;
  Draw<hooks::getrandom_signature> draw(
      hooks::getrandom, is_insecure ? sources.insecure_call_sites : sources.getrandom.call_sites,
      __builtin_return_address(0), is_insecure ? Purpose::no_key : Purpose::any);
  if (draw.first)
    exchange_imported_seeds(__builtin_return_address(0));
  if (!draw.pinned || is_refused(flags)) {
    const ssize_t given = draw.real()(buffer, size, flags);
    note_drawn_name(buffer, given > 0 ? static_cast<size_t>(given) : 0,
                    __builtin_return_address(0));
    return given;
  }
  return fill_getrandom(sources, buffer, size, draw, __builtin_return_address(0));
}

DETSHIM_HOOK(libc, int, getentropy, (void* buffer, size_t size), .action = Action::pin,
             .summary = "Fills the buffer from this thread's stream; a cryptography library gets "
                        "the kernel's bytes.") {
  Sources& sources = this_thread_sources();
  DETSHIM_DRAW(getentropy, sources.getentropy.call_sites);
  if (!draw.pinned || size == 0 || size > 256)
    return draw.real()(buffer, size);
  if (writable_part(buffer, size) < size)
    return answer_fault();
  fill(sources, sources.getentropy, Kind::getentropy, 0, draw, __builtin_return_address(0), buffer,
       size);
  return 0;
}

DETSHIM_HOOK(libc, uint32_t, arc4random, (), .action = Action::pin,
             .summary = "Draws from this thread's stream.") {
  Sources& sources = this_thread_sources();
  DETSHIM_DRAW(arc4random, sources.arc4random.call_sites);
  if (draw.pinned)
    return given(sources.arc4random.ready(Kind::arc4random, draw).word());
  if (hooks::arc4random.real != nullptr)
    return draw.real()();
  uint32_t word; // before glibc 2.36, reached by a weak reference
  kernel_random(&word, sizeof word);
  return word;
}

DETSHIM_HOOK(libc, void, arc4random_buf, (void* buffer, size_t size), .action = Action::pin,
             .summary = "Fills the buffer from this thread's stream.") {
  Sources& sources = this_thread_sources();
  DETSHIM_DRAW(arc4random_buf, sources.arc4random_buf.call_sites);
  if (draw.pinned)
    fill(sources, sources.arc4random_buf, Kind::arc4random, 1, draw, __builtin_return_address(0),
         buffer, size);
  else if (hooks::arc4random_buf.real != nullptr)
    draw.real()(buffer, size);
  else
    kernel_random(buffer, size);
}

DETSHIM_HOOK(libc, uint32_t, arc4random_uniform, (uint32_t bound), .action = Action::pin,
             .summary = "Draws below the bound, without bias, from this thread's stream.") {
  Sources& sources = this_thread_sources();
  DETSHIM_DRAW(arc4random_uniform, sources.arc4random_uniform_call_sites);
  if (!draw.pinned && hooks::arc4random_uniform.real != nullptr)
    return draw.real()(bound);
  if (bound < 2)
    return 0;
  // Words below 2^32 mod bound are drawn again, so that every remainder has as many words.
  const uint32_t lowest = (0u - bound) % bound;
  for (;;) {
    uint32_t word;
    if (draw.pinned)
      word = given(sources.arc4random.ready(Kind::arc4random, draw).word());
    else
      kernel_random(&word, sizeof word);
    if (word >= lowest)
      return word % bound;
  }
}

long detshim::getrandom_by_number(const RawCall& call, void* buffer, size_t size, unsigned flags) {
  Sources& sources = this_thread_sources();
  Draw<hooks::syscall_signature> draw(call.hook(), sources.syscall_sites, call.caller());
  if (draw.first)
    exchange_imported_seeds(call.caller());
  if (!draw.pinned || size == 0 || is_refused(flags))
    return draw.real()(SYS_getrandom, buffer, size, flags);
  return fill_getrandom(sources, buffer, size, draw, call.caller());
}
