// Contexts that go: what fingerprints have under way there will not come, and what was loaded for them is to
// be loaded anew, since another context may get the address.
//
// Symbols: cuda.h and cuda_runtime_api.h of CUDA 13.0.
#include "hooks/digests/call_digest.h"

namespace detshim {
namespace {

using namespace abi;

constinit DriverFunction<CUresult(CUdevice, unsigned*, int*)> get_state("cuDevicePrimaryCtxGetState");
constinit DriverFunction<CUresult(CUcontext*, CUdevice)> retain("cuDevicePrimaryCtxRetain");
constinit DriverFunction<CUresult(CUdevice)> release("cuDevicePrimaryCtxRelease_v2");

bool has_primary_context(const Hook& hook, CUdevice device) {
  unsigned flags = 0;
  int is_active = 0;
  return get_state.succeeds(hook, device, &flags, &is_active) && is_active != 0;
}

/// 0 where the device has none.
uint64_t primary_context(const Hook& hook, CUdevice device) {
  CUcontext context = nullptr;
  if (release.of(hook) == nullptr || !has_primary_context(hook, device) ||
      !retain.succeeds(hook, &context, device))
    return 0;
  release.succeeds(hook, device);
  return number_of(context);
}

void leave(uint64_t context) {
  leave_context(context);
  forget_hashes_of_context(context);
}

template <typename Call>
CUresult destroy_context(const Call& call, CUcontext context) {
  const CUresult status = call.real(context);
  if (wants_fingerprint(call, status)) leave(number_of(context));
  return status;
}

/// Its primary context goes; or one of its users does, and the context with the last.
template <typename Call>
CUresult reset_device(const Call& call, CUdevice device) {
  if (!wants_fingerprint(call)) return call.real(device);
  const uint64_t context = primary_context(call.hook(), device);
  const CUresult status = call.real(device);
  const bool was_released = contains(call.hook().info().name, "Release");
  if (status == CUresult::success && !(was_released && has_primary_context(call.hook(), device)))
    leave(context);
  return status;
}

template <typename Call>
cudaError reset_current_device(const Call& call) {
  if (!wants_fingerprint(call)) return call.real();
  CUdevice device = 0; // the runtime numbers devices as the driver does
  const bool is_known = succeeded(call.template sibling<cudaError(int*)>("cudaGetDevice"), &device);
  const uint64_t context = is_known ? primary_context(call.hook(), device) : 0;
  const cudaError status = call.real();
  if (status == cudaError::success) leave(context);
  return status;
}

using DestroyContext = CudaCall<CUresult(CUcontext context)>;
using ResetDevice = CudaCall<CUresult(CUdevice device)>;

constexpr Description forgets = {
    .action = Action::none,
    .summary =
        "Forgets what fingerprints had under way in the context, if DETSHIM_FINGERPRINT asks for them.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cuda, DestroyContext, cuCtxDestroy, destroy_context, forgets);
DETSHIM_TEMPLATE_HOOK(cuda, DestroyContext, cuCtxDestroy_v2, destroy_context, forgets);
DETSHIM_TEMPLATE_HOOK(cuda, ResetDevice, cuDevicePrimaryCtxReset, reset_device, forgets);
DETSHIM_TEMPLATE_HOOK(cuda, ResetDevice, cuDevicePrimaryCtxReset_v2, reset_device, forgets);
DETSHIM_TEMPLATE_HOOK(cuda, ResetDevice, cuDevicePrimaryCtxRelease, reset_device, forgets);
DETSHIM_TEMPLATE_HOOK(cuda, ResetDevice, cuDevicePrimaryCtxRelease_v2, reset_device, forgets);
DETSHIM_TEMPLATE_HOOK(cudart, CudaCall<cudaError()>, cudaDeviceReset, reset_current_device, forgets);
