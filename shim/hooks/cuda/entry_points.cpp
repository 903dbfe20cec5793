// How programs reach the CUDA driver without linking to it: a program with a static runtime (nvcc's default,
// and every CUDA library) looks up cuGetProcAddress by dlsym, and through it everything else. They are given
// the wrappers of what is hooked.
//
// Symbols: cuda.h and cuda_runtime_api.h of CUDA 13.0; cuGetProcAddress is there since 11.3, its second
// version since 12.0, the runtime's cudaGetDriverEntryPointByVersion since 12.5.
#include "hooks/cuda/library.h"
#include "loader/lookups.h"

namespace detshim {
namespace {

/// A hook of ours in place of what the real lookup, which succeeded, has found.
template <typename Call, typename Status>
void answer(const Call& call, Status status, const char* symbol, void** function) {
  if (call.passes() || status != Status::success || symbol == nullptr || function == nullptr) return;
  bool unseen = false;
  *function =
      const_cast<void*>(answer_entry_point(call.hook(), "cuda", symbol, *function, call.caller(), unseen));
  if (unseen && (options().fill != Fill::off || options().kernels))
    call.record(Action::uncovered, "another function of that name than those that are hooked", {symbol, ""});
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(
    cuda, CUresult, cuGetProcAddress, (const char* symbol, void** function, int version, uint64_t flags),
    .action = Action::uncovered, .fields = {"symbol", "file"},
    .summary = "Answers with the hook of the function that was found; a second copy of the driver is "
               "recorded.") {
  DETSHIM_ENTER(cuGetProcAddress);
  const CUresult status = call.real(symbol, function, version, flags);
  answer(call, status, symbol, function);
  return status;
}

DETSHIM_HOOK(cuda, CUresult, cuGetProcAddress_v2,
             (const char* symbol, void** function, int version, uint64_t flags, int* found),
             .action = Action::uncovered, .fields = {"symbol", "file"},
             .summary =
                 "Answers with the hook of the function that was found; a second copy of the driver is "
                 "recorded.") {
  DETSHIM_ENTER(cuGetProcAddress_v2);
  const CUresult status = call.real(symbol, function, version, flags, found);
  answer(call, status, symbol, function);
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaGetDriverEntryPoint,
             (const char* symbol, void** function, unsigned long long flags, int* found),
             .action = Action::uncovered, .fields = {"symbol", "file"},
             .summary =
                 "Answers with the hook of the function that was found; a second copy of the driver is "
                 "recorded.") {
  DETSHIM_ENTER(cudaGetDriverEntryPoint);
  const cudaError status = call.real(symbol, function, flags, found);
  answer(call, status, symbol, function);
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaGetDriverEntryPoint_ptsz,
             (const char* symbol, void** function, unsigned long long flags, int* found),
             .action = Action::uncovered, .fields = {"symbol", "file"},
             .summary =
                 "Answers with the hook of the function that was found; a second copy of the driver is "
                 "recorded.") {
  DETSHIM_ENTER(cudaGetDriverEntryPoint_ptsz);
  const cudaError status = call.real(symbol, function, flags, found);
  answer(call, status, symbol, function);
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaGetDriverEntryPointByVersion,
             (const char* symbol, void** function, unsigned version, unsigned long long flags, int* found),
             .action = Action::uncovered, .fields = {"symbol", "file"},
             .summary =
                 "Answers with the hook of the function that was found; a second copy of the driver is "
                 "recorded.") {
  DETSHIM_ENTER(cudaGetDriverEntryPointByVersion);
  const cudaError status = call.real(symbol, function, version, flags, found);
  answer(call, status, symbol, function);
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaGetDriverEntryPointByVersion_ptsz,
             (const char* symbol, void** function, unsigned version, unsigned long long flags, int* found),
             .action = Action::uncovered, .fields = {"symbol", "file"},
             .summary =
                 "Answers with the hook of the function that was found; a second copy of the driver is "
                 "recorded.") {
  DETSHIM_ENTER(cudaGetDriverEntryPointByVersion_ptsz);
  const cudaError status = call.real(symbol, function, version, flags, found);
  answer(call, status, symbol, function);
  return status;
}
