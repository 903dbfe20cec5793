// OpenSSL's generator (RAND_bytes(3)), which the kernel seeds once: what a program takes out of it
// afterwards leaves no draw from the kernel. What it takes may be a key, so it stays random unless
// the user gives it up.
#include "core/base/thread_memory.h"
#include "hooks/support/entropy_source.h"

namespace detshim {
namespace {

struct Sources {
  EntropySource<Stream> bytes;
  CallSites private_call_sites;
};
DETSHIM_THREAD_MEMORY Sources sources_of_thread = {};

constexpr int success = 1; // RAND_bytes(3), "RETURN VALUES"

template <typename Signature>
int fill(Hook& hook, CallSites& call_sites, const void* caller, unsigned char* buffer, int size) {
  Draw<Signature> draw(hook, call_sites, caller);
  if (!draw.pinned || size <= 0)
    return draw.real()(buffer, size);
  of_this_thread(sources_of_thread)
      .bytes.ready(Kind::openssl, draw)
      .fill(buffer, static_cast<size_t>(size));
  return success;
}

constexpr Description gives_bytes = {
    .action = Action::pin,
    .summary = "Recorded: it may be a key, and stays random. Of a file that DETSHIM_KEEP_ENTROPY "
               "gives up, from this thread's stream.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(openssl, int, RAND_bytes, (unsigned char* buffer, int size), gives_bytes) {
  return fill<hooks::RAND_bytes_signature>(hooks::RAND_bytes,
                                           of_this_thread(sources_of_thread).bytes.call_sites,
                                           __builtin_return_address(0), buffer, size);
}

DETSHIM_HOOK(openssl, int, RAND_priv_bytes, (unsigned char* buffer, int size), gives_bytes) {
  return fill<hooks::RAND_priv_bytes_signature>(
      hooks::RAND_priv_bytes, of_this_thread(sources_of_thread).private_call_sites,
      __builtin_return_address(0), buffer, size);
}
