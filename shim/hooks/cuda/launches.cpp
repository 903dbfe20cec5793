// Kernel launches of the CUDA runtime and driver, counted by the kernel's name: the verdict depends
// on the code of what ran, and two runs that launch other kernels, or as many of one more often,
// differ there first.
//
// Nothing is changed. A name is looked up once, after a launch has succeeded: the kernel is known
// and loaded then, so that asking for its name fails in no way that the program could notice.
//
// Symbols: cuda_runtime_api.h, cuda.h, crt/host_runtime.h and crt/device_functions.h of CUDA 13.0.
#include "core/base/mapped.h"
#include "core/fingerprint/output_digests.h"
#include "hooks/cuda/driver.h"
#include "hooks/support/shared_use.h"

namespace detshim {
namespace {

using namespace abi;

struct KernelHandles {
  /// Names by the functions on the host that launch kernels, and by CUkernel: without locks, for
  /// static constructors register them. Where it is full, further kernels have none.
  Mapped<ObjectTable<65536, 64>> names;
  uint32_t epoch; ///< how often handles were given back
};
constinit KernelHandles kernel_handles = {};

/// Remembers the name, which must stay where it is as long as the kernel can be launched. A later
/// name for the same address wins: what was there was unloaded.
void remember(const void* kernel, const char* name) {
  auto* const all = kernel_handles.names.get();
  auto* const entry = all != nullptr && name != nullptr ? all->insert(kernel) : nullptr;
  if (entry != nullptr)
    __atomic_store_n(&entry->value, reinterpret_cast<uintptr_t>(name), __ATOMIC_RELEASE);
}

/// The name, or nullptr.
const char* remembered(const void* kernel) {
  auto* const all = kernel_handles.names.peek();
  const auto* const entry = all != nullptr ? all->find(kernel) : nullptr;
  return entry == nullptr
             ? nullptr
             : reinterpret_cast<const char*>(__atomic_load_n(&entry->value, __ATOMIC_ACQUIRE));
}

/// Counts a launch that went well. A thread's first one of a kernel is recorded, with the place
/// that made it: a line for each place would take a walk up the stack at every launch.
template <typename Call, typename NameOf>
void count(const Call& call, const void* kernel, NameOf name_of) {
  if (options().fingerprint)
    note_launch();
  constexpr uint64_t launched = 0x6C61756E6368;
  const uint64_t epoch = __atomic_load_n(&kernel_handles.epoch, __ATOMIC_RELAXED);
  const uint64_t key = mix(mix(reinterpret_cast<uintptr_t>(kernel), launched), epoch);
  Table<8>& known = kept_of_this_thread();
  if (const uint64_t* counter = known.find(key))
    return count(*reinterpret_cast<Counter*>(*counter));
  const char* const name = name_of();
  Module by; // whose kernels these are; its path is empty for the program
  find_module(call.caller(), by);
  // A record has room for the beginning of a long name; the hash is of all of it.
  Counter* const counter =
      call.counter_of(Action::observe, Reason::launched, {name, fnv1a_text(name), by.path});
  const sys::SignalsBlocked no_signals;
  known.insert(key) = reinterpret_cast<uintptr_t>(counter);
}

/// `kernel` is the function on the host that represents it, or the runtime's handle of it.
template <typename Call>
const char* runtime_name(const Call& call, const void* kernel) {
  if (const char* known = remembered(kernel))
    return known;
  const char* name = nullptr;
  auto* const get = call.template sibling<cudaError(const char**, const void*)>(
      "cudaFuncGetName"); // from 12.3 on
  return succeeded(get, &name, kernel) && name != nullptr ? name : "?";
}

/// `function` may also be a CUkernel, which has a function of its own for its name.
template <typename Call>
const char* driver_name(const Call& call, CUfunction function) {
  if (const char* known = remembered(function))
    return known;
  for (const char* by : {"cuFuncGetName", "cuKernelGetName"}) { // from 12.3 on
    const char* name = nullptr;
    auto* const get = call.template sibling<CUresult(const char**, CUfunction)>(by);
    if (succeeded(get, &name, function) && name != nullptr)
      return name;
  }
  return "?";
}

// What the hooks of launches do. Those of a function and of its variant for the per-thread default
// stream (_ptsz) are the same.

template <typename Call, typename... Arguments>
auto launch(const Call& call, Arguments... arguments) {
  const auto status = call.real(arguments...);
  if (call.passes() || status != decltype(status)::success)
    return status;
  if constexpr ((__is_same(Arguments, CUfunction) || ...)) {
    auto* const function = argument_of_type<CUfunction>(arguments...);
    count(call, function, [&] {
      return driver_name(call, function);
    });
  } else if constexpr ((__is_same(Arguments, CUgraphExec) || ...)) {
    count(call, nullptr, [] {
      return "a graph";
    });
  } else if constexpr ((__is_same(Arguments, CUkernel) || ...)) {
    auto* const kernel = argument_of_type<CUkernel>(arguments...);
    count(call, kernel, [&] {
      return runtime_name(call, kernel);
    });
  } else {
    const void* const function = argument_of_type<const void*>(arguments...);
    count(call, function, [&] {
      return runtime_name(call, function);
    });
  }
  return status;
}

constexpr Description counted = {
    .action = Action::observe,
    .fields = {"kernel"_in, "name_hash"_in, "by"_in},
    .summary = "Counted by the kernel's name, a graph as one.",
};
using RuntimeLaunch = CudaCall<cudaError(const void* kernel, Dim3, Dim3, Word, Word, Word)>;
using RuntimeLaunchOfHandle = CudaCall<cudaError(CUkernel, Dim3, Dim3, Word, Word, Word)>;
using RuntimeLaunchWithConfig = CudaCall<cudaError(Word, const void* kernel, Word)>;
using DriverLaunch = CudaCall<words_signature<CUresult, 10, CUfunction>>;
using DriverCooperativeLaunch = CudaCall<words_signature<CUresult, 9, CUfunction>>;
using DriverLaunchWithConfig = CudaCall<CUresult(Word, CUfunction, Word, Word)>;
template <typename Status>
using GraphLaunch = CudaCall<Status(CUgraphExec graph, CUstream stream)>;

/// A node of a graph that is given a kernel, or a way to launch that is hardly used: which one is
/// not looked at.
template <typename Call, typename... Arguments>
auto launch_unnamed(const Call& call, Arguments... arguments) {
  const auto status = call.real(arguments...);
  if (!call.passes() && status == decltype(status)::success)
    count(call, &kernel_handles.epoch, [] {
      return "one that a graph or an old launch has";
    });
  return status;
}
template <typename Status>
using Unnamed = CudaCall<words_signature<Status, 6>>; // or fewer words

/// Handles of what was there may come again, for other kernels.
template <typename Call, typename Handle>
auto unload(const Call& call, Handle handle) {
  if (!call.passes())
    __atomic_fetch_add(&kernel_handles.epoch, 1, __ATOMIC_RELAXED);
  return call.real(handle);
}

constexpr Description forgets = {.action = Action::observe,
                                 .summary = "Forgets what handles stood for."};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(cudart, void, __cudaRegisterFunction,
             (void** binary, const char* host_function, char* device_function, const char* name,
              int thread_limit, void* thread, void* block, Dim3* block_size, Dim3* grid_size,
              int* warp_size),
             .action = Action::observe,
             .summary = "Remembers the kernel's name for its launches.") {
  DETSHIM_ENTER(__cudaRegisterFunction);
  call.real(binary, host_function, device_function, name, thread_limit, thread, block, block_size,
            grid_size, warp_size);
  if (!call.passes())
    remember(host_function, name);
}

DETSHIM_STREAM_HOOK(cudart, RuntimeLaunch, cudaLaunchKernel, launch, counted);
DETSHIM_STREAM_HOOK(cudart, RuntimeLaunchWithConfig, cudaLaunchKernelExC, launch, counted);
DETSHIM_STREAM_HOOK(cudart, RuntimeLaunch, cudaLaunchCooperativeKernel, launch, counted);
DETSHIM_STREAM_HOOK(cudart, RuntimeLaunchOfHandle, __cudaLaunchKernel, launch,
                    counted); // nvcc 13's <<<>>>
DETSHIM_STREAM_HOOK(cudart, GraphLaunch<cudaError>, cudaGraphLaunch, launch, counted);

// Launched like a CUfunction. Whether the driver tells them apart when asked for a name, cuda.h
// does not say.
DETSHIM_HOOK(cuda, CUresult, cuLibraryGetKernel,
             (CUkernel * kernel, CUlibrary library, const char* name), .action = Action::observe,
             .summary = "Remembers the kernel's name for its launches.") {
  DETSHIM_ENTER(cuLibraryGetKernel);
  const CUresult status = call.real(kernel, library, name);
  const char* kept = nullptr; // `name` is the program's
  auto* const get = call.sibling<CUresult(const char**, CUkernel)>("cuKernelGetName");
  if (!call.passes() && status == CUresult::success && succeeded(get, &kept, *kernel))
    remember(*kernel, kept);
  return status;
}

DETSHIM_STREAM_HOOK(cuda, DriverLaunch, cuLaunchKernel, launch, counted);
DETSHIM_STREAM_HOOK(cuda, DriverLaunchWithConfig, cuLaunchKernelEx, launch, counted);
DETSHIM_STREAM_HOOK(cuda, DriverCooperativeLaunch, cuLaunchCooperativeKernel, launch, counted);
DETSHIM_STREAM_HOOK(cuda, GraphLaunch<CUresult>, cuGraphLaunch, launch, counted);
#define DETSHIM_UNNAMED_HOOKS(LIBRARY, STATUS, NAME, OTHER)                                        \
  DETSHIM_TEMPLATE_HOOKS(LIBRARY, Unnamed<STATUS>, NAME, OTHER, launch_unnamed, counted)
DETSHIM_UNNAMED_HOOKS(cudart, cudaError, cudaGraphAddKernelNode, cudaGraphAddNode);
DETSHIM_UNNAMED_HOOKS(cudart, cudaError, cudaGraphKernelNodeSetParams,
                      cudaGraphExecKernelNodeSetParams);
DETSHIM_UNNAMED_HOOKS(cudart, cudaError, cudaGraphNodeSetParams, cudaGraphExecNodeSetParams);
DETSHIM_UNNAMED_HOOKS(cudart, cudaError, cudaLaunchCooperativeKernelMultiDevice, cudaLaunch);
DETSHIM_UNNAMED_HOOKS(cuda, CUresult, cuGraphAddKernelNode, cuGraphAddKernelNode_v2);
DETSHIM_UNNAMED_HOOKS(cuda, CUresult, cuGraphAddNode, cuGraphAddNode_v2);
DETSHIM_UNNAMED_HOOKS(cuda, CUresult, cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2);
DETSHIM_UNNAMED_HOOKS(cuda, CUresult, cuGraphExecKernelNodeSetParams,
                      cuGraphExecKernelNodeSetParams_v2);
DETSHIM_UNNAMED_HOOKS(cuda, CUresult, cuGraphNodeSetParams, cuGraphExecNodeSetParams);
DETSHIM_UNNAMED_HOOKS(cuda, CUresult, cuLaunch, cuLaunchCooperativeKernelMultiDevice);
DETSHIM_UNNAMED_HOOKS(cuda, CUresult, cuLaunchGrid, cuLaunchGridAsync);
using Unload = CudaCall<CUresult(Word)>;
DETSHIM_TEMPLATE_HOOKS(cuda, Unload, cuModuleUnload, cuLibraryUnload, unload, forgets);
DETSHIM_TEMPLATE_HOOKS(cuda, Unload, cuCtxDestroy, cuCtxDestroy_v2, unload, forgets);
DETSHIM_TEMPLATE_HOOKS(cuda, Unload, cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, unload,
                       forgets);
DETSHIM_TEMPLATE_HOOKS(cuda, Unload, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2,
                       unload, forgets);
