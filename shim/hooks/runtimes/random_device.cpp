// std::random_device of libstdc++ and libc++, by their mangled names.
//
// libstdc++ takes RDSEED or RDRAND before it asks libc, so libc's hooks never see it. The
// constructors are left alone: they check the token, and a bad one still throws.
#include "core/base/thread_memory.h"
#include "hooks/support/entropy_source.h"

namespace detshim {
namespace {

struct Devices {
  EntropySource<WordStream> libstdcxx;
  EntropySource<WordStream> libcxx;
};
DETSHIM_THREAD_MEMORY Devices devices_of_thread = {};

} // namespace
} // namespace detshim

using namespace detshim;

// std::random_device::_M_getval()
DETSHIM_HOOK(
    libstdcxx, unsigned, _ZNSt13random_device9_M_getvalEv, (void* self), .action = Action::pin,
    .summary =
        "std::random_device of libstdc++: draws from this thread's stream, whatever the token.") {
  Devices& devices = of_this_thread(devices_of_thread);
  DETSHIM_DRAW(_ZNSt13random_device9_M_getvalEv, devices.libstdcxx.call_sites);
  if (!draw.pinned)
    return draw.real()(self);
  return given(devices.libstdcxx.ready(Kind::random_device, draw).word());
}

// std::__1::random_device::operator()()
DETSHIM_HOOK(libcxx, unsigned, _ZNSt3__113random_deviceclEv, (void* self), .action = Action::pin,
             .summary = "std::random_device of libc++: draws from this thread's stream.") {
  Devices& devices = of_this_thread(devices_of_thread);
  DETSHIM_DRAW(_ZNSt3__113random_deviceclEv, devices.libcxx.call_sites);
  if (!draw.pinned)
    return draw.real()(self);
  return given(devices.libcxx.ready(Kind::libcxx_random_device, draw).word());
}
