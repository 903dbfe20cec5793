// Memory of the CUDA runtime and driver, filled when it was allocated if DETSHIM_FILL asks for it:
// where it would hold what was there before, a kernel that reads it too early computes something
// else in every run.
//
// The driver's own memset fills, also behind the runtime, whose last error a refusal would
// overwrite. A fill must not disturb a stream capture (graphs): work on the legacy stream while a
// blocking stream is captured would end that capture (CUDA C++ Programming Guide, "Prohibited and
// Unhandled Operations").
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 13.0.
#include "hooks/cuda/driver.h"

namespace detshim {
namespace {

using namespace abi;

// 0xFF in every byte is a NaN as half, bfloat16, float and double.
unsigned char fill_byte() { return options().fill == Fill::nan ? 0xFF : 0; }
const char* fill_name() { return options().fill == Fill::nan ? "nan" : "zero"; }

/// Device memory: rows of `width` bytes, `pitch` bytes apart.
struct Area {
  CUdeviceptr address;
  size_t width;
  size_t rows = 1;
  size_t pitch = 0;
};

CUdeviceptr address_of(const void* memory) { return reinterpret_cast<uintptr_t>(memory); }
CUdeviceptr address_of(CUdeviceptr memory) { return memory; }

/// True if the memory that was just allocated is ours to fill.
template <typename Call, typename Status>
bool wants_fill(const Call& call, Status status) {
  return options().fill != Fill::off && !call.passes() && status == Status::success;
}

/// Records a fill that was done (without `trouble`) or was not, also where nothing can fill.
template <typename Call>
void record_fill(const Call& call, Reason trouble) {
  if (trouble == Reason::none)
    call.record(Action::replace, Reason::memory_filled, {fill_name()});
  else
    call.record(Action::nondeterministic, trouble, {""});
}

/// The fill begins only where options allow it.
template <typename Call>
bool may_fill(const Call& call) {
  if (options().pins())
    return true;
  record_fill(call, Reason::observed);
  return false;
}

using Memset = CUresult(CUdeviceptr, unsigned char, size_t, CUstream);
using Memset2D = CUresult(CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream);
using Synchronize = CUresult(CUstream);

bool set_memory(const Hook& driver, const Area& area, CUstream stream) {
  if (area.rows == 1) {
    auto* set = find_sibling<Memset>(driver, "cuMemsetD8Async");
    return set != nullptr &&
           set(area.address, fill_byte(), area.width, stream) == CUresult::success;
  }
  auto* set = find_sibling<Memset2D>(driver, "cuMemsetD2D8Async");
  return set != nullptr && set(area.address, area.pitch, fill_byte(), area.width, area.rows,
                               stream) == CUresult::success;
}

/// Fills memory of an allocation in stream order, in that stream. Which one a null stream is
/// depends on the function.
template <typename Call>
void fill_in_stream(const Call& call, const Area& area, CUstream stream) {
  if (area.address == 0 || area.width == 0 || !may_fill(call))
    return;
  const Hook& driver = driver_behind(call.hook());
  if (stream == nullptr)
    stream = default_stream(call.hook());
  if (is_capturing(driver, stream))
    return record_fill(call, Reason::capture_not_filled);
  record_fill(call, set_memory(driver, area, stream) ? Reason::none : Reason::memset_failed);
}

/// Fills memory that may be used from everywhere as soon as it is there.
template <typename Call>
void fill_now(const Call& call, const Area& area) {
  if (area.address == 0 || area.width == 0 || area.rows == 0 || !may_fill(call))
    return;
  const Hook& driver = driver_behind(call.hook());
  const auto stream = reinterpret_cast<CUstream>(stream_legacy);
  if (is_capturing(driver, stream))
    return record_fill(call, Reason::capture_not_filled);
  // Waiting for a stream ends the captures of other threads; what this one waits for is in no
  // capture.
  const RelaxedCapture relaxed(driver);
  auto* synchronize = find_sibling<Synchronize>(driver, "cuStreamSynchronize");
  const bool filled = set_memory(driver, area, stream) && synchronize != nullptr &&
                      synchronize(stream) == CUresult::success;
  record_fill(call, filled ? Reason::none : Reason::memset_failed);
}

/// Fills memory of the host.
template <typename Call>
void fill_host(const Call& call, void* memory, size_t size) {
  if (memory == nullptr || size == 0 || !may_fill(call))
    return;
  __builtin_memset(memory, fill_byte(), size);
  record_fill(call, Reason::none);
}

// What the hooks of the functions that allocate do: of the runtime and of the driver, whose
// pointers to device memory are numbers.

constexpr auto memory_alone = [](const auto& call, auto* memory, size_t size) {
  fill_now(call, {address_of(*memory), size});
};
constexpr auto rows = [](const auto& call, auto* memory, size_t* pitch, size_t width, size_t height,
                         auto...) {
  fill_now(call, {address_of(*memory), width, height, *pitch});
};
constexpr auto box = [](const auto& call, cudaPitchedPtr* memory, cudaExtent extent) {
  fill_now(call,
           {address_of(memory->ptr), extent.width, extent.height * extent.depth, memory->pitch});
};
/// The host alone may touch some of it at first.
constexpr auto managed = [](const auto& call, auto* memory, size_t size, unsigned flags) {
  if ((flags & attach_host) != 0)
    fill_host(call, reinterpret_cast<void*>(address_of(*memory)), size);
  else
    fill_now(call, {address_of(*memory), size});
};
constexpr auto on_host = [](const auto& call, void** memory, size_t size, auto...) {
  fill_host(call, *memory, size);
};
/// Perhaps out of a pool, which stands before the stream.
constexpr auto in_stream = [](const auto& call, auto* memory, size_t size, auto... others) {
  fill_in_stream(call, {address_of(*memory), size}, argument_of_type<CUstream>(others...));
};
// What cuMemCreate gives has no address yet, and may be in use once it has one (cuMemSetAccess):
// recorded.
constexpr auto mapped_later = [](const auto& call, auto...) {
  record_fill(call, Reason::memory_mapped_later);
};

template <const auto& fill, typename Call, typename... Arguments>
auto allocate(const Call& call, Arguments... arguments) {
  const auto status = call.real(arguments...);
  if (wants_fill(call, status))
    fill(call, arguments...);
  return status;
}

constexpr Description fills = {
    .action = Action::replace,
    .fields = {"effective"_out},
    .summary = "Fills the new memory, if DETSHIM_FILL asks for it.",
};
using RuntimeAllocate = CudaCall<cudaError(void** memory, size_t size)>;
using RuntimeAllocateWithFlags = CudaCall<cudaError(void** memory, size_t size, unsigned flags)>;
using RuntimeAllocateRows =
    CudaCall<cudaError(void** memory, size_t* pitch, size_t width, size_t height)>;
using RuntimeAllocate3D = CudaCall<cudaError(cudaPitchedPtr* memory, cudaExtent extent)>;

using DriverAllocate = CudaCall<CUresult(CUdeviceptr* memory, size_t size)>;
using DriverAllocateRows = CudaCall<CUresult(CUdeviceptr* memory, size_t* pitch, size_t width,
                                             size_t height, unsigned element)>;
using DriverAllocateManaged = CudaCall<CUresult(CUdeviceptr* memory, size_t size, unsigned flags)>;
using DriverAllocateOnHost = CudaCall<CUresult(void** memory, size_t size)>;
using DriverAllocateOnHostWithFlags =
    CudaCall<CUresult(void** memory, size_t size, unsigned flags)>;

template <typename Status, typename Pointer>
using AllocateInStream = CudaCall<Status(Pointer* memory, size_t size, CUstream stream)>;
template <typename Status, typename Pointer>
using AllocateFromPool =
    CudaCall<Status(Pointer* memory, size_t size, CUmemoryPool pool, CUstream stream)>;
using RuntimeAllocateInStream = AllocateInStream<cudaError, void*>;
using RuntimeAllocateFromPool = AllocateFromPool<cudaError, void*>;
using DriverAllocateInStream = AllocateInStream<CUresult, CUdeviceptr>;
using DriverAllocateFromPool = AllocateFromPool<CUresult, CUdeviceptr>;

using CreateMemory = CudaCall<CUresult(CUmemHandle* memory, size_t size, const void* properties,
                                       unsigned long long flags)>;

} // namespace
} // namespace detshim

using namespace detshim;

// ---- The runtime ----

DETSHIM_TEMPLATE_HOOK(cudart, RuntimeAllocate, cudaMalloc, allocate<memory_alone>, fills);
DETSHIM_TEMPLATE_HOOK(cudart, RuntimeAllocateRows, cudaMallocPitch, allocate<rows>, fills);
DETSHIM_TEMPLATE_HOOK(cudart, RuntimeAllocate3D, cudaMalloc3D, allocate<box>, fills);
DETSHIM_TEMPLATE_HOOK(cudart, RuntimeAllocateWithFlags, cudaMallocManaged, allocate<managed>,
                      fills);
DETSHIM_TEMPLATE_HOOK(cudart, RuntimeAllocate, cudaMallocHost, allocate<on_host>, fills);
DETSHIM_TEMPLATE_HOOK(cudart, RuntimeAllocateWithFlags, cudaHostAlloc, allocate<on_host>, fills);
DETSHIM_STREAM_HOOK(cudart, RuntimeAllocateInStream, cudaMallocAsync, allocate<in_stream>, fills);
DETSHIM_STREAM_HOOK(cudart, RuntimeAllocateFromPool, cudaMallocFromPoolAsync, allocate<in_stream>,
                    fills);

// ---- The driver ----

DETSHIM_TEMPLATE_HOOK(cuda, DriverAllocate, cuMemAlloc_v2, allocate<memory_alone>, fills);
DETSHIM_TEMPLATE_HOOK(cuda, DriverAllocateRows, cuMemAllocPitch_v2, allocate<rows>, fills);
DETSHIM_TEMPLATE_HOOK(cuda, DriverAllocateManaged, cuMemAllocManaged, allocate<managed>, fills);
DETSHIM_TEMPLATE_HOOK(cuda, DriverAllocateOnHost, cuMemAllocHost_v2, allocate<on_host>, fills);
DETSHIM_TEMPLATE_HOOK(cuda, DriverAllocateOnHostWithFlags, cuMemHostAlloc, allocate<on_host>,
                      fills);
DETSHIM_STREAM_HOOK(cuda, DriverAllocateInStream, cuMemAllocAsync, allocate<in_stream>, fills);
DETSHIM_STREAM_HOOK(cuda, DriverAllocateFromPool, cuMemAllocFromPoolAsync, allocate<in_stream>,
                    fills);

// ---- Memory that is not filled ----

DETSHIM_TEMPLATE_HOOK(cuda, CreateMemory, cuMemCreate, allocate<mapped_later>,
                      .action = Action::nondeterministic, .fields = {"effective"_out},
                      .summary = "Recorded if DETSHIM_FILL is set: such memory is not filled.");
