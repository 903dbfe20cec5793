// cuFFT: nothing to force. What may make its transforms differ is recorded: the program's own code inside
// them, and several GPUs.
#include "abi/cufft.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

constinit uint32_t library_said = 0;

template <typename Call>
void say_library(const Call& call) {
  record_library_once(call.hook(), library_said,
                      [&](auto& text) { add_version_number(call, "cufftGetVersion", text); });
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

// The ways to make a plan.
#define DETSHIM_FFT_PLAN(NAME, PARAMS, ARGUMENTS)                                                            \
  DETSHIM_HOOK(cufft, cufftResult, NAME, (DETSHIM_LIST PARAMS), .action = Action::observe,                   \
               .summary = "Says which cuFFT answers.") {                                                     \
    DETSHIM_ENTER_OUTERMOST(NAME);                                                                           \
    if (!call.passes()) say_library(call);                                                                   \
    return call.real(DETSHIM_LIST ARGUMENTS);                                                                \
  }

DETSHIM_FFT_PLAN(cufftCreate, (cufftHandle * plan), (plan))
DETSHIM_FFT_PLAN(cufftPlan1d, (cufftHandle * plan, int nx, cufftType type, int batch),
                 (plan, nx, type, batch))
DETSHIM_FFT_PLAN(cufftPlan2d, (cufftHandle * plan, int nx, int ny, cufftType type), (plan, nx, ny, type))
DETSHIM_FFT_PLAN(cufftPlan3d, (cufftHandle * plan, int nx, int ny, int nz, cufftType type),
                 (plan, nx, ny, nz, type))
DETSHIM_FFT_PLAN(cufftPlanMany,
                 (cufftHandle * plan, int rank, int* n, int* in_embed, int in_stride, int in_distance,
                  int* out_embed, int out_stride, int out_distance, cufftType type, int batch),
                 (plan, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance, type,
                  batch))

DETSHIM_HOOK(cufft, cufftResult, cufftXtSetCallback,
             (cufftHandle plan, void** routine, cufftXtCallbackType type, void** info),
             .action = Action::observe, .fields = {"type"},
             .summary = "Recorded: the program's own code runs inside the transform.") {
  DETSHIM_ENTER_OUTERMOST(cufftXtSetCallback);
  if (!call.passes()) {
    say_library(call);
    call.record(Action::observe, "the program's own code runs inside the transform",
                {static_cast<int>(type)});
  }
  return call.real(plan, routine, type, info);
}

DETSHIM_HOOK(cufft, cufftResult, cufftXtSetJITCallback,
             (cufftHandle plan, const char* symbol, const void* code, size_t code_size,
              cufftXtCallbackType type, void** info),
             .action = Action::observe, .fields = {"type"},
             .summary = "Recorded: the program's own code runs inside the transform.") {
  DETSHIM_ENTER_OUTERMOST(cufftXtSetJITCallback);
  if (!call.passes()) {
    say_library(call);
    call.record(Action::observe, "the program's own code runs inside the transform",
                {static_cast<int>(type)});
  }
  return call.real(plan, symbol, code, code_size, type, info);
}

DETSHIM_HOOK(cufft, cufftResult, cufftXtSetGPUs, (cufftHandle plan, int count, int* which),
             .action = Action::unfixed, .fields = {"gpus"},
             .summary = "Recorded: of a transform on several GPUs nothing is said of its repeatability.") {
  DETSHIM_ENTER_OUTERMOST(cufftXtSetGPUs);
  if (!call.passes()) {
    say_library(call);
    if (count > 1)
      call.record(Action::unfixed, "of several GPUs cuFFT does not say that results repeat", {count});
    else
      call.record(Action::observe, "one GPU", {count});
  }
  return call.real(plan, count, which);
}
