// What tells the program that copies from a GPU have ended: the same in the runtime and the driver.
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 13.0.
#include "core/fingerprint/pending_transfers.h"
#include "hooks/support/driver.h"

namespace detshim {
namespace {

using namespace abi;

template <typename Call>
auto wait_for_stream(const Call& call, CUstream stream) {
  const auto status = call.real(stream);
  if (wants_fingerprint(call, status)) end_transfers_of_stream(number_of_stream(call.hook(), stream));
  return status;
}

template <typename Call>
auto wait_for_event(const Call& call, CUevent event) {
  const auto status = call.real(event);
  if (wants_fingerprint(call, status)) end_transfers_of_event(number_of(event));
  return status;
}

template <typename Call>
auto wait_for_context(const Call& call) {
  const auto status = call.real();
  if (wants_fingerprint(call, status)) end_transfers_of_context(current_context(call.hook()));
  return status;
}

template <typename Call, typename... Flags>
auto record_event(const Call& call, CUevent event, CUstream stream, Flags... flags) {
  const auto status = call.real(event, stream, flags...);
  if (wants_fingerprint(call, status)) note_event(number_of(event), number_of_stream(call.hook(), stream));
  return status;
}

template <typename Call>
auto let_stream_wait(const Call& call, CUstream stream, CUevent event, unsigned flags) {
  const auto status = call.real(stream, event, flags);
  if (wants_fingerprint(call, status)) note_wait(number_of_stream(call.hook(), stream), number_of(event));
  return status;
}

constexpr Description noted = {
    .action = Action::observe,
    .summary = "Notes which copies to the host have ended, if DETSHIM_FINGERPRINT asks for them.",
};

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

#define BOTH(HOOK, NAME, PARAMS, BODY)                                                                       \
  HOOK(cudart, CudaCall<cudaError PARAMS>, cuda##NAME, BODY, noted);                                         \
  HOOK(cuda, CudaCall<CUresult PARAMS>, cu##NAME, BODY, noted)

BOTH(DETSHIM_STREAM_HOOK, StreamSynchronize, (CUstream), wait_for_stream);
BOTH(DETSHIM_STREAM_HOOK, StreamQuery, (CUstream), wait_for_stream);
BOTH(DETSHIM_TEMPLATE_HOOK, EventSynchronize, (CUevent), wait_for_event);
BOTH(DETSHIM_TEMPLATE_HOOK, EventQuery, (CUevent), wait_for_event);
DETSHIM_TEMPLATE_HOOK(cudart, CudaCall<cudaError()>, cudaDeviceSynchronize, wait_for_context, noted);
DETSHIM_TEMPLATE_HOOK(cuda, CudaCall<CUresult()>, cuCtxSynchronize, wait_for_context, noted);
BOTH(DETSHIM_STREAM_HOOK, EventRecord, (CUevent, CUstream), record_event);
BOTH(DETSHIM_STREAM_HOOK, EventRecordWithFlags, (CUevent, CUstream, unsigned flags), record_event);
BOTH(DETSHIM_STREAM_HOOK, StreamWaitEvent, (CUstream, CUevent, unsigned flags), let_stream_wait);
