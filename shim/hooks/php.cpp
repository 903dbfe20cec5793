// PHP seeds the generator of lcg_value() from the clock and its process's id, inside its one program, where
// no hook can stand before it. It asks libc for the id, once, when the generator is first used.
#include "core/modules.h"
#include "loader/hook.h"

#include <sys/types.h>

namespace detshim {
namespace {

/// Whether the call came from the function that seeds. It is asked again where another place asked last.
bool seeds_lcg(const void* caller) {
  static thread_local constinit const void* other = nullptr; // a place that does not
  if (caller == other) return false;
  Module module;
  if (find_module(caller, module))
    for (const char* name : {"php_combined_lcg", "php_random_combinedlcg_seed_default"}) {
      const void* const start = module.symbol(name);
      if (start != nullptr && start < caller && caller <= function_end(start)) return true;
    }
  other = caller;
  return false;
}

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, pid_t, getpid, (), .action = Action::unfixed,
             .summary = "Recorded where PHP seeds its lcg_value() from it; the id itself stays real.") {
  DETSHIM_ENTER(getpid);
  if (!call.passes() && seeds_lcg(call.caller()))
    call.record(
        Action::unfixed,
        "PHP seeds lcg_value(), and uniqid('', true), from the clock and its process id: take mt_rand or "
        "random_int",
        {});
  return call.real();
}
