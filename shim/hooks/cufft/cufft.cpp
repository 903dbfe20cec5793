// cuFFT: nothing to force. None of a plan's properties is timed (cufft.h of 12.5: patient JIT, threads of the
// host, Bluestein only, no FMA), and there are no others. What may make its transforms differ is recorded:
// the program's own code inside them, and several GPUs.
#include "abi/cufft.h"
#include "hooks/cufft/outputs.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

/// The ways to make a plan.
template <typename Call, typename... Arguments>
cufftResult make_plan(const Call& call, cufftHandle* plan, Arguments... arguments) {
  if (!call.passes()) record_library_once(call, cufft_library);
  const cufftResult result = call.real(plan, arguments...);
  if constexpr (sizeof...(Arguments) != 0)
    if (options().fingerprint_calls && !call.passes() && result == cufftResult::success)
      remember_plan(*plan, arguments...);
  return result;
}

/// Records a callback that cuFFT has taken.
template <typename Call>
void record_callback(const Call& call, cufftResult result, cufftXtCallbackType type) {
  record_library_once(call, cufft_library);
  if (result == cufftResult::success)
    call.record(Action::observe, Reason::callback, {static_cast<int>(type)});
}

constexpr Description says_library = {.action = Action::observe, .summary = "Says which cuFFT answers."};

using Create = OutermostCall<cufftResult(cufftHandle* plan)>;
using Plan1d = OutermostCall<cufftResult(cufftHandle* plan, int nx, cufftType type, int batch)>;
using Plan2d = OutermostCall<cufftResult(cufftHandle* plan, int nx, int ny, cufftType type)>;
using Plan3d = OutermostCall<cufftResult(cufftHandle* plan, int nx, int ny, int nz, cufftType type)>;
using PlanMany = OutermostCall<cufftResult(cufftHandle* plan, int rank, int* n, int* in_embed, int in_stride,
                                           int in_distance, int* out_embed, int out_stride, int out_distance,
                                           cufftType type, int batch)>;

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_TEMPLATE_HOOK(cufft, Create, cufftCreate, make_plan, says_library);
DETSHIM_TEMPLATE_HOOK(cufft, Plan1d, cufftPlan1d, make_plan, says_library);
DETSHIM_TEMPLATE_HOOK(cufft, Plan2d, cufftPlan2d, make_plan, says_library);
DETSHIM_TEMPLATE_HOOK(cufft, Plan3d, cufftPlan3d, make_plan, says_library);
DETSHIM_TEMPLATE_HOOK(cufft, PlanMany, cufftPlanMany, make_plan, says_library);

DETSHIM_HOOK(cufft, cufftResult, cufftXtSetCallback,
             (cufftHandle plan, void** routine, cufftXtCallbackType type, void** info),
             .action = Action::observe, .fields = {"type"},
             .summary = "Recorded: the program's own code runs inside the transform.") {
  DETSHIM_ENTER_OUTERMOST(cufftXtSetCallback);
  const cufftResult result = call.real(plan, routine, type, info);
  if (!call.passes()) record_callback(call, result, type);
  return result;
}

DETSHIM_HOOK(cufft, cufftResult, cufftXtSetJITCallback,
             (cufftHandle plan, const char* symbol, const void* code, size_t code_size,
              cufftXtCallbackType type, void** info),
             .action = Action::observe, .fields = {"type"},
             .summary = "Recorded: the program's own code runs inside the transform.") {
  DETSHIM_ENTER_OUTERMOST(cufftXtSetJITCallback);
  const cufftResult result = call.real(plan, symbol, code, code_size, type, info);
  if (!call.passes()) record_callback(call, result, type);
  return result;
}

DETSHIM_HOOK(cufft, cufftResult, cufftXtSetGPUs, (cufftHandle plan, int count, int* which),
             .action = Action::unfixed, .fields = {"gpus"},
             .summary = "Recorded: of a transform on several GPUs nothing is said of its repeatability.") {
  DETSHIM_ENTER_OUTERMOST(cufftXtSetGPUs);
  const cufftResult result = call.real(plan, count, which);
  if (call.passes()) return result;
  record_library_once(call, cufft_library);
  if (result != cufftResult::success) return result;
  if (count > 1)
    call.record(Action::unfixed, Reason::several_devices, {count});
  else
    call.record(Action::observe, Reason::one_device, {count});
  return result;
}
