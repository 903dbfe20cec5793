// libuuid: uuidgen, and whatever names things by it.
//
// It draws from getrandom, but how many numbers it throws away before, and what it mixes in, follow the clock
// and the process's id. So the UUID itself is pinned.
#include "core/base/python_frames.h"
#include "core/base/thread_memory.h"
#include "hooks/libc/entropy_source.h"

namespace detshim {
namespace {

struct Uuids {
  EntropySource<Stream> random;
  DrawSites any_sites;
};
DETSHIM_THREAD_MEMORY Uuids uuids_of_thread = {};

/// A random UUID (version 4; RFC 9562, 5.4) from this thread's stream.
template <typename Draw>
void make(Uuids& uuids, unsigned char* out, const Draw& draw) {
  uuids.random.ready(Kind::libuuid, draw).fill(out, 16);
  out[6] = static_cast<unsigned char>((out[6] & 0x0F) | 0x40);
  out[8] = static_cast<unsigned char>((out[8] & 0x3F) | 0x80);
}

/// True if Python's uuid takes but the node out of it: the address of a network interface. On a host without
/// one libuuid makes one up, with the bit of a group's address (RFC 9562, 6.10).
bool is_asked_for_the_node(const unsigned char* uuid) {
  constexpr int node_at = 10;
  if ((uuid[node_at] & 1) != 0) return false;
  PythonPlace place;
  find_python_place(place, PythonDetail::all, false);
  return place.count > 0 && same_text(place.frames[0].function, "_unix_getnode") &&
         ends_with(place.frames[0].file, "/uuid.py");
}

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libuuid, void, uuid_generate_random, (unsigned char* out), .action = Action::pin,
             .summary = "Makes the UUID of this thread's stream.") {
  Uuids& uuids = of_this_thread(uuids_of_thread);
  DETSHIM_DRAW(uuid_generate_random, uuids.random.sites);
  if (!draw.pinned || out == nullptr) return draw.real()(out);
  make(uuids, out, draw);
}

DETSHIM_HOOK(libuuid, void, uuid_generate, (unsigned char* out), .action = Action::pin,
             .summary = "Makes the UUID of this thread's stream, a random one.") {
  Uuids& uuids = of_this_thread(uuids_of_thread);
  DETSHIM_DRAW(uuid_generate, uuids.any_sites);
  if (!draw.pinned || out == nullptr) return draw.real()(out);
  make(uuids, out, draw);
}

DETSHIM_HOOK(libuuid, void, uuid_generate_time, (unsigned char* out), .action = Action::unfixed,
             .summary = "Recorded: a UUID of the time differs in each run.") {
  DETSHIM_ENTER(uuid_generate_time);
  if (!call.passes()) call.record(Action::unfixed, Reason::uuid_of_time, {});
  call.real(out);
}

DETSHIM_HOOK(libuuid, int, uuid_generate_time_safe, (unsigned char* out), .action = Action::unfixed,
             .summary =
                 "Recorded: a UUID of the time differs in each run (Python's uuid1); where Python takes "
                 "the host's address out of it, only observed.") {
  DETSHIM_ENTER(uuid_generate_time_safe);
  const int status = call.real(out);
  if (call.passes()) return status;
  if (out != nullptr && is_asked_for_the_node(out))
    call.record(Action::observe, Reason::host_address, {});
  else
    call.record(Action::unfixed, Reason::uuid_of_time, {});
  return status;
}
