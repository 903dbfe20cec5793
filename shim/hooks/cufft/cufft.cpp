// cuFFT: nothing to force. None of a plan's properties is timed (cufft.h of 12.5: patient JIT,
// threads of the host, Bluestein only, no FMA), and there are no others. What may make its
// transforms differ is recorded: the program's own code inside them, and several GPUs. So are the
// transforms themselves, of which NVIDIA says nothing: PyTorch is bound to them, and calls them
// seldom.
#include "abi/cufft.h"
#include "hooks/support/functions.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

/// Records a callback that cuFFT has taken.
constexpr auto set_callback = [](const auto& call, auto... arguments) {
  call.record(Action::observe, Reason::callback,
              {static_cast<int>(argument_of_type<cufftXtCallbackType>(arguments...))});
};
constexpr auto set_devices = [](const auto& call, cufftHandle /*plan*/, int count, int* /*which*/) {
  if (count > 1)
    call.record(Action::nondeterministic, Reason::several_devices, {count});
  else
    call.record(Action::observe, Reason::one_device, {count});
};
constexpr Description records_callback = {
    .action = Action::observe,
    .fields = {"type"_in},
    .summary = "Recorded: the program's own code runs inside the transform.",
};

constexpr Description says_library = {.action = Action::observe,
                                      .summary = "Says which cuFFT answers."};

constexpr Description records_transform = {
    .action = Action::observe,
    .summary = "Recorded: NVIDIA does not say whether it is repeatable.",
};

template <int count>
using Words = CallOfWords<cufftResult, count>;
using SetCallback = OutermostCall<cufftResult(Word, Word, cufftXtCallbackType, Word)>;
using SetGPUs = OutermostCall<cufftResult(cufftHandle plan, int count, int* which)>;
using SetJitCallback =
    OutermostCall<cufftResult(Word, Word, Word, Word, cufftXtCallbackType, Word)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cufft, Words<1>, cufftCreate, name_library, says_library);
DETSHIM_TEMPLATE_HOOKS(cufft, Words<4>, cufftPlan1d, cufftPlan2d, name_library, says_library);
DETSHIM_TEMPLATE_HOOK(cufft, Words<5>, cufftPlan3d, name_library, says_library);
DETSHIM_TEMPLATE_HOOK(cufft, Words<11>, cufftPlanMany, name_library, says_library);
DETSHIM_TEMPLATE_HOOK(cufft, SetCallback, cufftXtSetCallback, say_after<set_callback>,
                      records_callback);
DETSHIM_TEMPLATE_HOOK(cufft, SetJitCallback, cufftXtSetJITCallback, say_after<set_callback>,
                      records_callback);

DETSHIM_TEMPLATE_HOOK(
    cufft, SetGPUs, cufftXtSetGPUs, say_after<set_devices>, .action = Action::nondeterministic,
    .fields = {"gpus"_in},
    .summary = "Recorded: of a transform on several GPUs nothing is said of its repeatability.");

// After each name: how many arguments it takes. They are a plan, what goes in and what comes out;
// complex ones have a direction.
#define TRANSFORM(NAME, COUNT)                                                                     \
  DETSHIM_TEMPLATE_HOOK(cufft, Words<COUNT>, NAME, record_observed<Reason::undocumented>,          \
                        records_transform)

TRANSFORM(cufftExecC2C, 4);
TRANSFORM(cufftExecZ2Z, 4);
TRANSFORM(cufftExecR2C, 3);
TRANSFORM(cufftExecD2Z, 3);
TRANSFORM(cufftExecC2R, 3);
TRANSFORM(cufftExecZ2D, 3);
TRANSFORM(cufftXtExec, 4);
TRANSFORM(cufftXtExecDescriptor, 4);
TRANSFORM(cufftXtExecDescriptorC2C, 4);
TRANSFORM(cufftXtExecDescriptorZ2Z, 4);
TRANSFORM(cufftXtExecDescriptorR2C, 3);
TRANSFORM(cufftXtExecDescriptorD2Z, 3);
TRANSFORM(cufftXtExecDescriptorC2R, 3);
TRANSFORM(cufftXtExecDescriptorZ2D, 3);
