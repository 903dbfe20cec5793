// R's generator seeds itself from the clock and the process's id when something is first drawn.
#include "core/identity/thread.h"
#include "loader/hook.h"

using namespace detshim;

// Called before each draw, by R itself and by its packages ("Writing R Extensions", 6.3).
DETSHIM_HOOK(libR, void, GetRNGstate, (), .action = Action::pin, .fields = {"seed"},
             .summary = "Seeds R's generator as set.seed() does, where the program has not.") {
  DETSHIM_ENTER(GetRNGstate);
  if (call.passes() || !options().pins()) {
    if (!call.passes()) call.record(Action::nondeterministic, Reason::observed, {});
    return call.real();
  }
  using Object = void*;
  auto* const install = call.sibling<Object(const char*)>("Rf_install");
  auto* const find = call.sibling<Object(Object, Object)>("Rf_findVarInFrame");
  auto* const call_of = call.sibling<Object(Object, Object)>("Rf_lang2");
  auto* const integer = call.sibling<Object(int)>("Rf_ScalarInteger");
  auto* const evaluate = call.sibling<Object(Object, Object, int*)>("R_tryEvalSilent");
  auto* const protect = call.sibling<Object(Object)>("Rf_protect");
  auto* const unprotect = call.sibling<void(int)>("Rf_unprotect");
  const auto* const global = static_cast<const Object*>(find_sibling(call.hook(), "R_GlobalEnv"));
  const auto* const base = static_cast<const Object*>(find_sibling(call.hook(), "R_BaseEnv"));
  const auto* const unbound = static_cast<const Object*>(find_sibling(call.hook(), "R_UnboundValue"));
  if (install == nullptr || find == nullptr || call_of == nullptr || integer == nullptr ||
      evaluate == nullptr || protect == nullptr || unprotect == nullptr || global == nullptr ||
      base == nullptr || unbound == nullptr) {
    call.record(Action::nondeterministic, Reason::seeded_by_runtime, {});
    return call.real();
  }
  if (find(*global, install(".Random.seed")) == *unbound) {
    static thread_local constinit uint64_t seeded = 0;
    static thread_local constinit uint32_t seeded_in = 0;
    const Thread& thread = this_thread();
    if (seeded_in != thread.generation) seeded = 0, seeded_in = thread.generation;
    const auto seed = static_cast<int>(stream_key(thread, Kind::r_seed, seeded++) & 0x7FFFFFFF);
    call.record(Action::pin, Reason::seeded_by_runtime, {seed});
    const Object expression = protect(call_of(install("set.seed"), protect(integer(seed))));
    int error = 0;
    evaluate(expression, *base, &error);
    unprotect(2);
    if (error != 0) call.record(Action::nondeterministic, Reason::seeded_by_runtime, {seed});
  }
  call.real();
}
