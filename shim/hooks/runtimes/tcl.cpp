// Tcl seeds the rand() of its expressions from the clock and an address when it is first asked for a number.
#include "common/text.h"
#include "loader/hook.h"

using namespace detshim;

struct Tcl_Interp;

DETSHIM_HOOK(libtcl, Tcl_Interp*, Tcl_CreateInterp, (), .action = Action::pin, .fields = {"seed"},
             .summary = "Seeds the interpreter's rand() as srand() does, before the program can.") {
  DETSHIM_ENTER(Tcl_CreateInterp);
  Tcl_Interp* const interpreter = call.real();
  if (call.passes() || !options().pins() || makes_secrets() || interpreter == nullptr) return interpreter;
  auto* const evaluate = call.beside<int(Tcl_Interp*, const char*, int, int)>("Tcl_EvalEx");
  auto* const forget_result = call.beside<void(Tcl_Interp*)>("Tcl_ResetResult");
  static thread_local constinit uint64_t made = 0;
  static thread_local constinit uint32_t made_in = 0;
  const Thread& thread = this_thread();
  if (made_in != thread.generation) made = 0, made_in = thread.generation;
  const uint64_t seed = stream_key(thread, Kind::tcl_seed, made++) % 0x7FFFFFFE + 1;
  Text<48> script;
  script.add("expr {srand(").add(seed).add(")}");
  const bool done = evaluate != nullptr && forget_result != nullptr &&
                    evaluate(interpreter, script.c_str(), static_cast<int>(script.length()), 0) == 0;
  if (forget_result != nullptr) forget_result(interpreter);
  call.record(done ? Action::pin : Action::unfixed,
              done ? Reason::seeded_by_runtime : Reason::seeded_by_runtime, {seed});
  return interpreter;
}
