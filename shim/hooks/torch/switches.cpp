// PyTorch's switches of determinism (at::Context), by their mangled names. Its operators ask for
// them at each call, through the loader, so that what is answered here holds for Python and for C++
// programs, whatever they set. What the program sets is kept behind it, for
// `DETSHIM_DISABLE=torch`, which leaves all of this.
#include "common/text.h"
#include "core/python/frames.h"
#include "hooks/torch/framework.h"

namespace detshim {
namespace {

using namespace detshim::torch;

/// Python's functions ask from there; operators ask from elsewhere.
bool is_python_binding(const void* caller) {
  Module module;
  return find_module(caller, module) && starts_with(file_name(module.path), "libtorch_python");
}

/// Where the answers of is_python_binding() are kept, for what each torch.empty() asks. Nothing of
/// PyTorch is unloaded.
struct KnownCallers {
  const void* callers[8];

  bool have(const void* caller) const {
    for (const void* const& known : callers)
      if (__atomic_load_n(&known, __ATOMIC_RELAXED) == caller)
        return true;
    return false;
  }
  void add(const void* caller) {
    const auto place =
        (reinterpret_cast<uintptr_t>(caller) >> 4) % (sizeof callers / sizeof *callers);
    __atomic_store_n(&callers[place], caller, __ATOMIC_RELAXED);
  }
};
constinit KnownCallers operators = {};

bool is_asked_by_python(const void* caller) {
  if (operators.have(caller))
    return false;
  if (is_python_binding(caller))
    return true;
  operators.add(caller);
  return false;
}

/// Files of packages that end the program where deterministic algorithms are on, also where these
/// only warn, and have nothing else to take.
constexpr char ending_files[][64] = {
    "/transformer_engine/pytorch/ops/fused/grouped_mlp.py", // 2.20
    "/flashinfer/cake_rmsnorm_train_backend/__init__.py",   // 0.7.4: for more than two dimensions
};

bool is_ending_file(const char* file) {
  for (const auto& ending : ending_files)
    if (ends_with(file, ending))
      return true;
  return false;
}

/// True if what asks would end the program, which has not asked for that. Its question is the
/// innermost frame but one: PyTorch's function in Python is before it.
bool would_end_the_program(const void* caller) {
  if (options().strict() || request() == Request::errors || !is_asked_by_python(caller))
    return false;
  constexpr int deepest = 3;
  bool is_there = false;
  each_python_frame(deepest, [&](const PythonFrame& frame) {
    is_there |= is_ending_file(frame.file);
  });
  return is_there;
}

template <bool forced, typename Call>
bool answer(const Call& call, const void* self) {
  if (call.passes() || !options().forces())
    return call.real(self);
  record_forced(call);
  return forced;
}

constexpr const char* on_off[] = {"off", "on"};

/// A switch that is set to `value`, and stays `kept`.
template <typename Call>
void record_switch(const Call& call, bool value, bool kept) {
  if (options().forces())
    record_forced(call);
  if (value == kept)
    call.record(Action::observe, Reason::left_alone, {on_off[value], on_off[value]});
  else if (options().forces())
    call.record(Action::replace, Reason::nondeterministic, {on_off[value], on_off[kept]});
  else
    call.record(Action::nondeterministic, Reason::nondeterministic, {on_off[value], on_off[value]});
}

template <bool kept, typename Call>
void set_switch(const Call& call, void* self, bool value) {
  call.real(self, value);
  if (!call.passes())
    record_switch(call, value, kept);
}

using Question = Call<bool(const void* self)>;
using Switch = Call<void(void* self, bool value)>;
constexpr auto keeps_on = set_switch<true, Switch>;
constexpr auto keeps_off = set_switch<false, Switch>;

} // namespace
} // namespace detshim

using namespace detshim;

// bool at::Context::deterministicAlgorithms() const. Each torch.empty() asks.
DETSHIM_HOOK(
    torch, bool, _ZNK2at7Context23deterministicAlgorithmsEv, (const void* self),
    .action = Action::replace,
    .summary = "PyTorch's operators take their deterministic implementations. Code that would end "
               "the program is told no.") {
  DETSHIM_ENTER(_ZNK2at7Context23deterministicAlgorithmsEv);
  if (!call.passes() && options().forces() && would_end_the_program(call.caller())) {
    call.record(Action::nondeterministic, Reason::ends_without_fallback, {});
    return call.real(self);
  }
  if (call.passes() || options().forces())
    return answer<true>(call, self);
  const bool is_on = call.real(self);
  record_framework(call.hook(), is_on && request() != Request::warn_only);
  return is_on;
}

// bool at::Context::deterministicAlgorithmsWarnOnly() const. Attention's operators are
// deterministic only where this is false; where Python asks, it wants to know whether operators
// raise, and they do not.
DETSHIM_HOOK(
    torch, bool, _ZNK2at7Context31deterministicAlgorithmsWarnOnlyEv, (const void* self),
    .action = Action::replace,
    .summary =
        "False for operators, of which some are deterministic only then; for Python, whether "
        "operators raise.") {
  DETSHIM_ENTER(_ZNK2at7Context31deterministicAlgorithmsWarnOnlyEv);
  if (call.passes() || !options().forces())
    return call.real(self);
  record_forced(call);
  return is_python_binding(call.caller()) && tell_python_warn_only();
}

// bool at::Context::deterministicCuDNN() const
DETSHIM_TEMPLATE_HOOK(
    torch, Question, _ZNK2at7Context18deterministicCuDNNEv, answer<true>, .action = Action::replace,
    .summary =
        "PyTorch asks cuDNN for deterministic algorithms (torch.backends.cudnn.deterministic).");

// bool at::Context::deterministicMkldnn() const, not in 2.1
DETSHIM_TEMPLATE_HOOK(
    torch, Question, _ZNK2at7Context19deterministicMkldnnEv, answer<true>,
    .action = Action::replace,
    .summary =
        "PyTorch asks oneDNN for deterministic algorithms (torch.backends.mkldnn.deterministic).");

// bool at::Context::benchmarkCuDNN() const
DETSHIM_TEMPLATE_HOOK(torch, Question, _ZNK2at7Context14benchmarkCuDNNEv, answer<false>,
                      .action = Action::replace,
                      .summary = "PyTorch times no convolutions (torch.backends.cudnn.benchmark).");

// bool at::Context::deterministicFillUninitializedMemory() const, not in 2.1. A program that has
// not asked for determinism does not expect its memory to be filled with NaN.
DETSHIM_HOOK(torch, bool, _ZNK2at7Context36deterministicFillUninitializedMemoryEv,
             (const void* self), .action = Action::replace,
             .summary =
                 "PyTorch fills new tensors where the program asked for determinism itself, or "
                 "DETSHIM_FILL is nan.") {
  DETSHIM_ENTER(_ZNK2at7Context36deterministicFillUninitializedMemoryEv);
  const bool fills = call.real(self);
  if (call.passes() || !options().forces())
    return fills;
  return fills && (request() != Request::none || options().fill == Fill::nan);
}

// void at::Context::setDeterministicAlgorithms(bool, bool warn_only)
DETSHIM_HOOK(
    torch, void, _ZN2at7Context26setDeterministicAlgorithmsEbb,
    (void* self, bool on, bool warn_only), .action = Action::replace,
    .fields = {"requested"_in, "effective"_out},
    .summary =
        "Keeps PyTorch's deterministic algorithms on (torch.use_deterministic_algorithms).") {
  DETSHIM_ENTER(_ZN2at7Context26setDeterministicAlgorithmsEbb);
  call.real(self, on, warn_only);
  if (call.passes())
    return;
  note_request(on, warn_only);
  record_switch(call, on, true);
}

DETSHIM_TEMPLATE_HOOK(torch, Switch, _ZN2at7Context21setDeterministicCuDNNEb, keeps_on,
                      .action = Action::replace, .fields = {"requested"_in, "effective"_out},
                      .summary = "Keeps torch.backends.cudnn.deterministic on.");
DETSHIM_TEMPLATE_HOOK(torch, Switch, _ZN2at7Context22setDeterministicMkldnnEb, keeps_on,
                      .action = Action::replace, .fields = {"requested"_in, "effective"_out},
                      .summary = "Keeps torch.backends.mkldnn.deterministic on.");
DETSHIM_TEMPLATE_HOOK(torch, Switch, _ZN2at7Context17setBenchmarkCuDNNEb, keeps_off,
                      .action = Action::replace, .fields = {"requested"_in, "effective"_out},
                      .summary = "Keeps torch.backends.cudnn.benchmark off.");
