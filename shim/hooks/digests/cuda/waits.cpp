// What tells the program that copies from a GPU have ended: the same in the runtime and the driver.
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 13.0.
#include "core/fingerprint/pending_transfers.h"
#include "hooks/digests/cuda/copies.h"

namespace detshim {
namespace {

using namespace abi;

template <typename Call>
auto wait_for_stream(const Call& call, CUstream stream) {
  const auto status = call.real(stream);
  if (wants_copies(call, status)) end_transfers_of_stream(number_of_stream(call.hook(), stream));
  return status;
}

template <typename Call>
auto wait_for_event(const Call& call, CUevent event) {
  const auto status = call.real(event);
  if (wants_copies(call, status)) end_transfers_of_event(number_of(event));
  return status;
}

template <typename Call>
auto wait_for_context(const Call& call) {
  const auto status = call.real();
  if (wants_copies(call, status)) end_transfers_of_context(current_context(call.hook()));
  return status;
}

template <typename Call, typename... Flags>
auto record_event(const Call& call, CUevent event, CUstream stream, Flags... flags) {
  const auto status = call.real(event, stream, flags...);
  if (wants_copies(call, status)) note_event(number_of(event), number_of_stream(call.hook(), stream));
  return status;
}

template <typename Call>
auto let_stream_wait(const Call& call, CUstream stream, CUevent event, unsigned flags) {
  const auto status = call.real(stream, event, flags);
  if (wants_copies(call, status)) note_wait(number_of_stream(call.hook(), stream), number_of(event));
  return status;
}

constexpr Description noted = {
    .action = Action::observe,
    .summary = "Notes which copies to the host have ended, if DETSHIM_FINGERPRINT asks for them.",
};

template <typename Status>
using StreamCall = CudaCall<Status(CUstream stream)>;
template <typename Status>
using EventCall = CudaCall<Status(CUevent event)>;
template <typename Status>
using ContextCall = CudaCall<Status()>;
template <typename Status>
using RecordEvent = CudaCall<Status(CUevent event, CUstream stream)>;
template <typename Status>
using RecordEventWithFlags = CudaCall<Status(CUevent event, CUstream stream, unsigned flags)>;
template <typename Status>
using StreamWaits = CudaCall<Status(CUstream stream, CUevent event, unsigned flags)>;

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

#define BOTH(HOOK, NAME, GUARD, BODY)                                                                        \
  HOOK(cudart, GUARD<cudaError>, cuda##NAME, BODY, noted);                                                   \
  HOOK(cuda, GUARD<CUresult>, cu##NAME, BODY, noted)

BOTH(DETSHIM_STREAM_HOOK, StreamSynchronize, StreamCall, wait_for_stream);
BOTH(DETSHIM_STREAM_HOOK, StreamQuery, StreamCall, wait_for_stream);
BOTH(DETSHIM_TEMPLATE_HOOK, EventSynchronize, EventCall, wait_for_event);
BOTH(DETSHIM_TEMPLATE_HOOK, EventQuery, EventCall, wait_for_event);
DETSHIM_TEMPLATE_HOOK(cudart, ContextCall<cudaError>, cudaDeviceSynchronize, wait_for_context, noted);
DETSHIM_TEMPLATE_HOOK(cuda, ContextCall<CUresult>, cuCtxSynchronize, wait_for_context, noted);
BOTH(DETSHIM_STREAM_HOOK, EventRecord, RecordEvent, record_event);
BOTH(DETSHIM_STREAM_HOOK, EventRecordWithFlags, RecordEventWithFlags, record_event);
BOTH(DETSHIM_STREAM_HOOK, StreamWaitEvent, StreamWaits, let_stream_wait);
