// Kernel launches of the CUDA runtime and driver, counted by the kernel's name if DETSHIM_KERNELS asks for
// it: two runs that launch other kernels, or as many of one more often, differ there first.
// DETSHIM_FINGERPRINT wants their number alone.
//
// Nothing is changed. A name is looked up after the launch has succeeded: the kernel is known and loaded
// then, so that asking for its name fails in no way that the program could notice.
//
// Symbols: cuda_runtime_api.h, cuda.h, crt/host_runtime.h and crt/device_functions.h of CUDA 13.0.
#include "core/base/mapped.h"
#include "core/fingerprint/output_digests.h"
#include "hooks/support/driver.h"
#include "hooks/support/shared_use.h"

namespace detshim {
namespace {

using namespace abi;

/// Names by the functions on the host that stand for kernels, and by CUkernel: without locks, for kernels are
/// registered by static constructors of every library, and looked up at each launch. Where it is full,
/// further kernels are not remembered. Mapped at its first use: most programs count no kernels.
constinit Mapped<ObjectTable<65536, 64>> names = {};

/// Remembers the name, which must stay where it is as long as the kernel can be launched. A later name for
/// the same address wins: what was there was unloaded.
void remember(const void* kernel, const char* name) {
  auto* const all = names.get();
  auto* const entry = all != nullptr && name != nullptr ? all->insert(kernel) : nullptr;
  if (entry != nullptr) __atomic_store_n(&entry->value, reinterpret_cast<uintptr_t>(name), __ATOMIC_RELEASE);
}

/// The name, or nullptr.
const char* remembered(const void* kernel) {
  auto* const all = names.peek();
  const auto* const entry = all != nullptr ? all->find(kernel) : nullptr;
  return entry == nullptr ? nullptr
                          : reinterpret_cast<const char*>(__atomic_load_n(&entry->value, __ATOMIC_ACQUIRE));
}

constexpr const char* unnamed = "?";

/// True if a launch that went well is to be counted by its name. Fingerprints count it without.
template <typename Call, typename Status>
bool counts(const Call& call, Status status) {
  if (!(options().kernels || options().fingerprint) || call.passes() || status != Status::success)
    return false;
  note_launch();
  return options().kernels;
}

template <typename Call>
void count(const Call& call, const char* kernel) {
  call.record(Action::observe, Reason::launched, {kernel});
}

/// `kernel` is the function on the host that stands for it, or the runtime's handle of it.
template <typename Call>
const char* runtime_name(const Call& call, const void* kernel) {
  if (const char* known = remembered(kernel)) return known;
  const char* name = nullptr;
  auto* const get =
      call.template sibling<cudaError(const char**, const void*)>("cudaFuncGetName"); // from 12.3 on
  return succeeded(get, &name, kernel) && name != nullptr ? name : unnamed;
}

/// `function` may also be a CUkernel, which has a function of its own for its name.
template <typename Call>
const char* driver_name(const Call& call, CUfunction function) {
  if (const char* known = remembered(function)) return known;
  for (const char* by : {"cuFuncGetName", "cuKernelGetName"}) { // from 12.3 on
    const char* name = nullptr;
    auto* const get = call.template sibling<CUresult(const char**, CUfunction)>(by);
    if (succeeded(get, &name, function) && name != nullptr) return name;
  }
  return unnamed;
}

// What the hooks of launches do. Those of a function and of its variant for the per-thread default stream
// (_ptsz) are the same.

template <typename Call, typename... Arguments>
auto launch(const Call& call, Arguments... arguments) {
  const auto status = call.real(arguments...);
  if (!counts(call, status)) return status;
  if constexpr ((__is_same(Arguments, CUfunction) || ...))
    count(call, driver_name(call, argument_of_type<CUfunction>(arguments...)));
  else if constexpr ((__is_same(Arguments, CUgraphExec) || ...))
    count(call, "a graph");
  else if constexpr ((__is_same(Arguments, CUkernel) || ...))
    count(call, runtime_name(call, argument_of_type<CUkernel>(arguments...)));
  else
    count(call, runtime_name(call, argument_of_type<const void*>(arguments...)));
  return status;
}

constexpr Description counted = {
    .action = Action::observe,
    .fields = {"kernel"},
    .summary = "Counted by the kernel's name, a graph as one, if DETSHIM_KERNELS asks for it.",
};
using RuntimeLaunch = CudaCall<cudaError(const void* kernel, Dim3, Dim3, Word, Word, Word)>;
using RuntimeLaunchOfHandle = CudaCall<cudaError(CUkernel, Dim3, Dim3, Word, Word, Word)>;
using RuntimeLaunchWithConfig = CudaCall<cudaError(Word, const void* kernel, Word)>;

using DriverLaunch = CudaCall<words_signature<CUresult, 10, CUfunction>>;
using DriverLaunchWithConfig = CudaCall<CUresult(Word, CUfunction, Word, Word)>;
using DriverCooperativeLaunch = CudaCall<words_signature<CUresult, 9, CUfunction>>;
template <typename Status>
using GraphLaunch = CudaCall<Status(CUgraphExec graph, CUstream stream)>;

} // namespace
} // namespace detshim

using namespace detshim;

// ---- The runtime ----

DETSHIM_HOOK(cudart, void, __cudaRegisterFunction,
             (void** binary, const char* host_function, char* device_function, const char* name,
              int thread_limit, void* thread, void* block, Dim3* block_size, Dim3* grid_size, int* warp_size),
             .action = Action::observe,
             .summary = "Remembers the kernel's name for its launches, if DETSHIM_KERNELS asks for them.") {
  DETSHIM_ENTER(__cudaRegisterFunction);
  call.real(binary, host_function, device_function, name, thread_limit, thread, block, block_size, grid_size,
            warp_size);
  if (options().kernels && !call.passes()) remember(host_function, name);
}

DETSHIM_STREAM_HOOK(cudart, RuntimeLaunch, cudaLaunchKernel, launch, counted);
DETSHIM_STREAM_HOOK(cudart, RuntimeLaunchWithConfig, cudaLaunchKernelExC, launch, counted);
DETSHIM_STREAM_HOOK(cudart, RuntimeLaunch, cudaLaunchCooperativeKernel, launch, counted);
DETSHIM_STREAM_HOOK(cudart, RuntimeLaunchOfHandle, __cudaLaunchKernel, launch,
                    counted); // by nvcc 13's <<<>>>
DETSHIM_STREAM_HOOK(cudart, GraphLaunch<cudaError>, cudaGraphLaunch, launch, counted);

// ---- The driver ----

// The driver launches a CUkernel as it does a CUfunction. Whether it tells that one from the other when it is
// asked for a name, cuda.h does not say.
DETSHIM_HOOK(cuda, CUresult, cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char* name),
             .action = Action::observe,
             .summary = "Remembers the kernel's name for its launches, if DETSHIM_KERNELS asks for them.") {
  DETSHIM_ENTER(cuLibraryGetKernel);
  const CUresult status = call.real(kernel, library, name);
  const char* kept = nullptr; // `name` is the program's
  auto* const get = call.sibling<CUresult(const char**, CUkernel)>("cuKernelGetName");
  if (options().kernels && !call.passes() && status == CUresult::success && succeeded(get, &kept, *kernel))
    remember(*kernel, kept);
  return status;
}

DETSHIM_STREAM_HOOK(cuda, DriverLaunch, cuLaunchKernel, launch, counted);
DETSHIM_STREAM_HOOK(cuda, DriverLaunchWithConfig, cuLaunchKernelEx, launch, counted);
DETSHIM_STREAM_HOOK(cuda, DriverCooperativeLaunch, cuLaunchCooperativeKernel, launch, counted);
DETSHIM_STREAM_HOOK(cuda, GraphLaunch<CUresult>, cuGraphLaunch, launch, counted);
