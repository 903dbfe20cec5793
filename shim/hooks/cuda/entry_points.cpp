// How programs reach the CUDA driver without linking to it: a program with a static runtime (nvcc's
// default, and every CUDA library) looks up cuGetProcAddress by dlsym, and through it everything
// else. They are given the wrappers of what is hooked.
//
// Symbols: cuda.h and cuda_runtime_api.h of CUDA 13.0; cuGetProcAddress is there since 11.3, its
// second version since 12.0, the runtime's cudaGetDriverEntryPointByVersion since 12.5.
#include "hooks/cuda/driver.h"
#include "loader/lookups.h"

namespace detshim {
namespace {

using namespace abi;

/// Gives our own hook in place of what the real lookup has found. All of these functions begin
/// alike.
template <typename Call, typename... Arguments>
auto answer_lookup(const Call& call, const char* symbol, void** function, Arguments... arguments) {
  const auto status = call.real(symbol, function, arguments...);
  if (call.passes() || status != decltype(status)::success || symbol == nullptr ||
      function == nullptr)
    return status;
  bool unseen = false;
  *function = const_cast<void*>(
      answer_entry_point(call.hook(), "cuda", symbol, *function, call.caller(), unseen));
  const bool matters =
      options().fill != Fill::off || options().fingerprint ||
      starts_with(symbol, "cuLaunchKernel"); // the verdict depends on the kernels that ran
  if (unseen && matters)
    call.record(Action::uncovered, Reason::unknown_entry_point, {symbol, ""});
  return status;
}

constexpr Description answers = {
    .action = Action::uncovered,
    .fields = {"symbol"_in, "file"_in},
    .summary = "Answers with the hook of the function that was found; a second copy of the driver "
               "is recorded.",
};

using RuntimeLookup = Call<words_signature<cudaError, 2, const char*, void**>>;
using RuntimeLookupByVersion = Call<words_signature<cudaError, 3, const char*, void**>>;
using DriverLookup = Call<words_signature<CUresult, 2, const char*, void**>>;
using DriverLookup2 = Call<words_signature<CUresult, 3, const char*, void**>>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cuda, DriverLookup, cuGetProcAddress, answer_lookup, answers);
DETSHIM_TEMPLATE_HOOK(cuda, DriverLookup2, cuGetProcAddress_v2, answer_lookup, answers);
DETSHIM_STREAM_HOOK(cudart, RuntimeLookup, cudaGetDriverEntryPoint, answer_lookup, answers);
DETSHIM_STREAM_HOOK(cudart, RuntimeLookupByVersion, cudaGetDriverEntryPointByVersion, answer_lookup,
                    answers);
