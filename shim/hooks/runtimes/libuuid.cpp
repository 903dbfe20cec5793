// libuuid: uuidgen, and whatever names things by it.
//
// It draws from getrandom, but how many numbers it throws away before, and what it mixes in, follow
// the clock and the process's id. So the UUID itself is pinned.
#include "core/base/thread_memory.h"
#include "core/python/frames.h"
#include "hooks/support/entropy_source.h"
#include "hooks/support/printed_names.h"
#include "loader/python_draws.h"

namespace detshim {
namespace {

struct Uuids {
  EntropySource<Stream> random;
  CallSites random_call_sites, any_call_sites;
};
DETSHIM_THREAD_MEMORY Uuids uuids_of_thread = {};

/// Makes a random UUID (version 4; RFC 9562, 5.4) of this thread's stream.
template <typename Signature>
void make(Hook& hook, CallSites Uuids::*call_sites, const void* caller, unsigned char* out) {
  Uuids& uuids = of_this_thread(uuids_of_thread);
  Draw<Signature> draw(hook, uuids.*call_sites, caller);
  if (!draw.pinned || out == nullptr)
    return draw.real()(out);
  uuids.random.ready(Kind::libuuid, draw).fill(out, 16);
  out[6] = static_cast<unsigned char>((out[6] & 0x0F) | 0x40);
  out[8] = static_cast<unsigned char>((out[8] & 0x3F) | 0x80);
}

/// True if Python's uuid takes but the node out of it: the address of a network interface. On a
/// host without one libuuid makes one up, with the bit of a group's address (RFC 9562, 6.10).
bool is_asked_for_the_node(const unsigned char* uuid) {
  constexpr int node_at = 10;
  if ((uuid[node_at] & 1) != 0)
    return false;
  PythonCallSite call_site;
  find_python_call_site(call_site, PythonDetail::all, false);
  return call_site.count > 0 && same_text(call_site.frames[0].function, "_unix_getnode") &&
         ends_with(call_site.frames[0].file, "/uuid.py");
}

constexpr Description makes_uuid = {
    .action = Action::pin,
    .summary = "Makes the UUID of this thread's stream, a random one.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libuuid, void, uuid_generate_random, (unsigned char* out), makes_uuid) {
  make<hooks::uuid_generate_random_signature>(
      hooks::uuid_generate_random, &Uuids::random_call_sites, __builtin_return_address(0), out);
}

DETSHIM_HOOK(libuuid, void, uuid_generate, (unsigned char* out), makes_uuid) {
  make<hooks::uuid_generate_signature>(hooks::uuid_generate, &Uuids::any_call_sites,
                                       __builtin_return_address(0), out);
}

DETSHIM_HOOK(libuuid, void, uuid_generate_time, (unsigned char* out),
             .action = Action::nondeterministic,
             .summary = "Recorded: a UUID of the time differs in each run.") {
  DETSHIM_ENTER(uuid_generate_time);
  if (!call.passes())
    call.record(Action::nondeterministic, Reason::uuid_of_time, {});
  call.real(out);
}

DETSHIM_HOOK(libuuid, int, uuid_generate_time_safe, (unsigned char* out),
             .action = Action::nondeterministic,
             .summary = "Recorded: a UUID of the time differs in each run; a name of a package, "
                        "and a host's address taken "
                        "out of it, are only observed.") {
  DETSHIM_ENTER(uuid_generate_time_safe);
  const int status = call.real(out);
  if (call.passes())
    return status;
  if (out != nullptr && is_asked_for_the_node(out))
    call.record(Action::observe, Reason::host_address, {});
  else if (python_package_names_things()) {
    note_drawn_name(out, 16, call.caller());
    call.record(Action::observe, Reason::names_things, {});
  } else
    call.record(Action::nondeterministic, Reason::uuid_of_time, {});
  return status;
}
