// PyTorch's operators that have no deterministic implementation report it as they are called
// (at::Context::alertNotDeterministic), and PyTorch then raises or warns. Here that becomes a
// record for each operator and line; the program goes on. In mode strict PyTorch raises.
#include "common/text.h"
#include "hooks/torch/framework.h"

namespace detshim {
namespace {

using namespace detshim::torch;

/// `requested`: the program asked for errors itself.
template <typename Call>
void record_alert(const Call& call, const char* name, size_t length, bool requested) {
  Text<100> op;
  op.add(name, length);
  const Action action = options().strict() ? Action::refuse
                        : requested        ? Action::observe
                                           : Action::nondeterministic;
  call.record(action,
              requested ? Reason::program_asks_deterministic : Reason::no_deterministic_algorithm,
              {op.c_str()});
}

/// The two ways that a string_view lies in memory.
struct OfC10 {
  const char* text;
  size_t length;
};
struct OfStd { // libstdc++'s
  size_t length;
  const char* text;
};

template <typename Call, typename View>
void alert(const Call& call, const View* name) {
  if (call.passes())
    return call.real(name);
  const bool requested = request() == Request::errors;
  record_alert(call, name->text, name->length, requested);
  // It may leave by an exception, which goes through here.
  if (!options().forces() || options().strict() || requested)
    call.real(name);
}

constexpr Description is_recorded = {
    .action = Action::nondeterministic,
    .fields = {"operator"_in},
    .summary = "Recorded: an operator of PyTorch's that has no deterministic implementation; it "
               "runs without a "
               "warning. Strict lets PyTorch raise.",
};

using AlertOfC10 = Call<void(const OfC10* name)>;
using AlertOfStd = Call<void(const OfStd* name)>;

} // namespace
} // namespace detshim

using namespace detshim;

// static void at::Context::alertNotDeterministic(c10::string_view const&): 1.13, 2.1
DETSHIM_TEMPLATE_HOOK(torch, AlertOfC10,
                      _ZN2at7Context21alertNotDeterministicERKN3c1017basic_string_viewIcEE, alert,
                      is_recorded);
// static void at::Context::alertNotDeterministic(std::string_view const&): 2.6 to 2.15
DETSHIM_TEMPLATE_HOOK(
    torch, AlertOfStd,
    _ZN2at7Context21alertNotDeterministicERKSt17basic_string_viewIcSt11char_traitsIcEE, alert,
    is_recorded);

// void at::Context::alertCuBLASConfigNotDeterministic() const, before cuBLAS's calls: raises where
// CUBLAS_WORKSPACE_CONFIG is another than detshim sets.
DETSHIM_HOOK(
    torch, void, _ZNK2at7Context33alertCuBLASConfigNotDeterministicEv, (const void* self),
    .action = Action::nondeterministic, .fields = {"operator"_in},
    .summary =
        "Recorded where CUBLAS_WORKSPACE_CONFIG is not a deterministic one. Strict lets PyTorch "
        "raise.") {
  DETSHIM_ENTER(_ZNK2at7Context33alertCuBLASConfigNotDeterministicEv);
  const bool raises = options().strict() || request() == Request::errors;
  if (call.passes() || !options().forces() || raises)
    return call.real(self);
  auto* const is_good =
      call.sibling<bool(const void*)>("_ZN2at7Context30checkCuBLASConfigDeterministicEv");
  if (is_good != nullptr && is_good(self))
    return;
  record_alert(call, "cuBLAS", 6, false);
}
