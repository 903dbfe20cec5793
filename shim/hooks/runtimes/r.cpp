// R's generator seeds itself from the clock and the process's id when something is first drawn.
#include "core/identity/thread.h"
#include "loader/hook.h"

namespace detshim {
namespace {

/// What it takes to call set.seed().
class R {
public:
  /// False where R has not all of it.
  bool find(const Hook& hook) {
    for (int i = 0; i < symbol_count; ++i) {
      symbols_[i] = find_sibling(hook, names[i]);
      if (symbols_[i] == nullptr)
        return false;
    }
    return true;
  }

  /// The program has neither seeded the generator nor drawn.
  bool is_unseeded() const {
    const Object state = function<Object(Object, Object)>(find_variable)(
        variable(global), function<Object(const char*)>(install)(".Random.seed"));
    return state == variable(unbound);
  }

  /// False where R refuses.
  bool set_seed(int seed) const {
    auto* const protected_one = function<Object(Object)>(protect);
    const Object number = protected_one(function<Object(int)>(integer)(seed));
    const Object name = function<Object(const char*)>(install)("set.seed");
    const Object expression = protected_one(function<Object(Object, Object)>(call)(name, number));
    int error = 0;
    function<Object(Object, Object, int*)>(evaluate)(expression, variable(base), &error);
    function<void(int)>(unprotect)(2);
    return error == 0;
  }

private:
  using Object = void*;
  enum Symbol {
    install,
    find_variable,
    call,
    integer,
    evaluate,
    protect,
    unprotect,
    global,
    base,
    unbound,
    symbol_count,
  };
  static constexpr const char* names[] = {
      "Rf_install", "Rf_findVarInFrame", "Rf_lang2",    "Rf_ScalarInteger", "R_tryEvalSilent",
      "Rf_protect", "Rf_unprotect",      "R_GlobalEnv", "R_BaseEnv",        "R_UnboundValue",
  };

  template <typename Function>
  Function* function(Symbol symbol) const {
    return reinterpret_cast<Function*>(const_cast<void*>(symbols_[symbol]));
  }
  Object variable(Symbol symbol) const { return *static_cast<const Object*>(symbols_[symbol]); }

  const void* symbols_[symbol_count] = {};
};

/// How often this thread has seeded R's generator.
struct Seedings {
  uint64_t number;
  uint32_t generation; ///< of the process that counts
};
thread_local constinit Seedings seedings_of_thread = {};

int next_seed() {
  const Thread& thread = this_thread();
  Seedings& seedings = seedings_of_thread;
  if (seedings.generation != thread.generation)
    seedings = {0, thread.generation};
  return static_cast<int>(stream_key(thread, Kind::r_seed, seedings.number++) & 0x7FFFFFFF);
}

} // namespace
} // namespace detshim

using namespace detshim;

// Called before each draw, by R itself and by its packages ("Writing R Extensions", 6.3).
DETSHIM_HOOK(libR, void, GetRNGstate, (), .action = Action::pin, .fields = {"seed"_out},
             .summary = "Seeds R's generator as set.seed() does, where the program has not.") {
  DETSHIM_ENTER(GetRNGstate);
  if (call.passes())
    return call.real();
  if (!options().pins()) {
    call.record(Action::nondeterministic, Reason::observed, {});
    return call.real();
  }
  R r;
  if (!r.find(call.hook())) {
    call.record(Action::nondeterministic, Reason::seeded_by_runtime, {});
    return call.real();
  }
  if (r.is_unseeded()) {
    const int seed = next_seed();
    call.record(Action::pin, Reason::seeded_by_runtime, {seed});
    if (!r.set_seed(seed))
      call.record(Action::nondeterministic, Reason::seeded_by_runtime, {seed});
  }
  call.real();
}
