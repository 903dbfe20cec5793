// What tells the program that copies from a GPU have ended: the same in the runtime and the driver.
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 13.0.
#include "core/fingerprint/pending_transfers.h"
#include "hooks/cuda/driver.h"

namespace detshim {
namespace {

using namespace abi;

// What is noted.

void end_of_stream(const Hook& hook, CUstream stream) {
  end_transfers_of_stream(number_of_stream(hook, stream));
}
void end_of_event(const Hook&, CUevent event) { end_transfers_of_event(number_of(event)); }
void end_of_context(const Hook& hook) { end_transfers_of_context(current_context(hook)); }
void end_of_given_context(const Hook& hook, CUcontext context) {
  end_transfers_of_context(context != nullptr ? number_of(context) : current_context(hook));
}

template <typename... Flags>
void recorded(const Hook& hook, CUevent event, CUstream stream, Flags...) {
  note_event(number_of(event), number_of_stream(hook, stream));
}
void stream_waits(const Hook& hook, CUstream stream, CUevent event, unsigned /*flags*/) {
  note_wait(number_of_stream(hook, stream), number_of(event));
}

template <auto note, typename Call, typename... Arguments>
auto note_after(const Call& call, Arguments... arguments) {
  const auto status = call.real(arguments...);
  if (wants_fingerprint(call, status))
    note(call.hook(), arguments...);
  return status;
}

constexpr Description noted = {
    .action = Action::observe,
    .summary = "Notes which copies to the host have ended, if DETSHIM_FINGERPRINT asks for them.",
};

} // namespace
} // namespace detshim

using namespace detshim;

#define BOTH(HOOK, NAME, PARAMS, NOTE)                                                             \
  HOOK(cudart, CudaCall<cudaError PARAMS>, cuda##NAME, note_after<NOTE>, noted);                   \
  HOOK(cuda, CudaCall<CUresult PARAMS>, cu##NAME, note_after<NOTE>, noted)

BOTH(DETSHIM_STREAM_HOOK, StreamSynchronize, (CUstream), end_of_stream);
BOTH(DETSHIM_STREAM_HOOK, StreamQuery, (CUstream), end_of_stream);
BOTH(DETSHIM_TEMPLATE_HOOK, EventSynchronize, (CUevent), end_of_event);
BOTH(DETSHIM_TEMPLATE_HOOK, EventQuery, (CUevent), end_of_event);
DETSHIM_TEMPLATE_HOOK(cudart, CudaCall<cudaError()>, cudaDeviceSynchronize,
                      note_after<end_of_context>, noted);
DETSHIM_TEMPLATE_HOOK(cuda, CudaCall<CUresult()>, cuCtxSynchronize, note_after<end_of_context>,
                      noted);
DETSHIM_TEMPLATE_HOOK(cuda, CudaCall<CUresult(CUcontext)>, cuCtxSynchronize_v2,
                      note_after<end_of_given_context>, noted);
BOTH(DETSHIM_STREAM_HOOK, EventRecord, (CUevent, CUstream), recorded<>);
BOTH(DETSHIM_STREAM_HOOK, EventRecordWithFlags, (CUevent, CUstream, unsigned flags),
     recorded<unsigned>);
BOTH(DETSHIM_STREAM_HOOK, StreamWaitEvent, (CUstream, CUevent, unsigned flags), stream_waits);
