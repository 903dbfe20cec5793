// Memory of the CUDA runtime and driver, filled when it was allocated if DETSHIM_FILL asks for it: where it
// would hold what was there before, a kernel that reads it too early computes something else in every run.
//
// The driver's own memset fills, also behind the runtime, whose last error a refusal would overwrite. A fill
// must not disturb a stream capture (graphs): work on the legacy stream while a blocking stream is captured
// would end that capture (CUDA C++ Programming Guide, "Prohibited and Unhandled Operations").
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 13.0.
#include "hooks/cuda/library.h"

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
CUstream stream_of(uintptr_t number) { return reinterpret_cast<CUstream>(number); }

/// Which stream is meant by a function's argument, in words that every function of the driver understands.
CUstream legacy_if_null(CUstream stream) { return stream != nullptr ? stream : stream_of(stream_legacy); }
CUstream per_thread_if_null(CUstream stream) {
  return stream != nullptr ? stream : stream_of(stream_per_thread);
}

/// True if the memory that was just allocated is ours to fill.
template <typename Call, typename Status>
bool wants_fill(const Call& call, Status status) {
  return options().fill != Fill::off && !call.passes() && status == Status::success;
}

/// Writes what is to be said of a fill that did (`trouble` is nullptr) or did not come about.
template <typename Call>
void record_fill(const Call& call, const char* trouble) {
  if (trouble == nullptr)
    call.record(Action::replace, "DETSHIM_FILL: would hold what was there before", {fill_name()});
  else
    call.record(Action::unfixed, trouble, {""});
}

/// The fill begins only where options allow it.
template <typename Call>
bool may_fill(const Call& call) {
  say_cuda_library(call.hook());
  if (options().pins()) return true;
  record_fill(call, "mode observe: enforce would fill it");
  return false;
}

/// Says of memory that nothing can fill.
template <typename Call>
void leave_unfilled(const Call& call, const char* why) {
  say_cuda_library(call.hook());
  record_fill(call, why);
}

using IsCapturing = CUresult(CUstream, int*);
using ExchangeMode = CUresult(int*);
using Memset = CUresult(CUdeviceptr, unsigned char, size_t, CUstream);
using Memset2D = CUresult(CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream);
using Synchronize = CUresult(CUstream);

/// The legacy stream answers with an error while a blocking stream is captured. A driver that cannot say
/// (before CUDA 10) cannot capture.
bool is_capturing(const Hook& driver, CUstream stream) {
  auto* ask = find_beside<IsCapturing>(driver, "cuStreamIsCapturing");
  int status = capture_status_none;
  return ask != nullptr && (ask(stream, &status) != CUresult::success || status != capture_status_none);
}

bool set_memory(const Hook& driver, const Area& area, CUstream stream) {
  if (area.rows == 1) {
    auto* set = find_beside<Memset>(driver, "cuMemsetD8Async");
    return set != nullptr && set(area.address, fill_byte(), area.width, stream) == CUresult::success;
  }
  auto* set = find_beside<Memset2D>(driver, "cuMemsetD2D8Async");
  return set != nullptr &&
         set(area.address, area.pitch, fill_byte(), area.width, area.rows, stream) == CUresult::success;
}

constexpr const char* capture_trouble = "not filled: a stream is being captured, and that would end it";
constexpr const char* refusal_trouble = "not filled: the driver's memset failed";

/// Fills memory of an allocation in stream order, in that stream.
template <typename Call>
void fill_in_stream(const Call& call, const Area& area, CUstream stream) {
  if (area.address == 0 || area.width == 0 || !may_fill(call)) return;
  const Hook& driver = driver_behind(call.hook());
  if (is_capturing(driver, stream)) return record_fill(call, capture_trouble);
  record_fill(call, set_memory(driver, area, stream) ? nullptr : refusal_trouble);
}

/// Fills memory that may be used from everywhere as soon as it is there.
template <typename Call>
void fill_now(const Call& call, const Area& area) {
  if (area.address == 0 || area.width == 0 || area.rows == 0 || !may_fill(call)) return;
  const Hook& driver = driver_behind(call.hook());
  const CUstream stream = stream_of(stream_legacy);
  if (is_capturing(driver, stream)) return record_fill(call, capture_trouble);
  // Waiting for a stream ends the captures of other threads, unless this one says that it knows better: what
  // it waits for is in no capture.
  auto* exchange = find_beside<ExchangeMode>(driver, "cuThreadExchangeStreamCaptureMode");
  int mode = capture_mode_relaxed;
  const bool relaxed = exchange != nullptr && exchange(&mode) == CUresult::success;
  auto* synchronize = find_beside<Synchronize>(driver, "cuStreamSynchronize");
  const bool filled =
      set_memory(driver, area, stream) && synchronize != nullptr && synchronize(stream) == CUresult::success;
  if (relaxed) exchange(&mode);
  record_fill(call, filled ? nullptr : refusal_trouble);
}

/// Fills memory of the host.
template <typename Call>
void fill_host(const Call& call, void* memory, size_t size) {
  if (memory == nullptr || size == 0 || !may_fill(call)) return;
  __builtin_memset(memory, fill_byte(), size);
  record_fill(call, nullptr);
}

/// Managed memory; the host alone may touch some of it at first.
template <typename Call>
void fill_managed(const Call& call, CUdeviceptr memory, size_t size, unsigned flags) {
  if ((flags & attach_host) != 0)
    fill_host(call, reinterpret_cast<void*>(memory), size);
  else
    fill_now(call, {memory, size});
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

// ---- The runtime ----

DETSHIM_HOOK(cudart, cudaError, cudaMalloc, (void** memory, size_t size), .action = Action::replace,
             .fields = {"given"}, .summary = "Fills the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cudaMalloc);
  const cudaError status = call.real(memory, size);
  if (wants_fill(call, status)) fill_now(call, {address_of(*memory), size});
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaMallocPitch, (void** memory, size_t* pitch, size_t width, size_t height),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the rows of the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cudaMallocPitch);
  const cudaError status = call.real(memory, pitch, width, height);
  if (wants_fill(call, status)) fill_now(call, {address_of(*memory), width, height, *pitch});
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaMalloc3D, (cudaPitchedPtr * memory, cudaExtent extent),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the rows of the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cudaMalloc3D);
  const cudaError status = call.real(memory, extent);
  if (wants_fill(call, status))
    fill_now(call, {address_of(memory->ptr), extent.width, extent.height * extent.depth, memory->pitch});
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaMallocManaged, (void** memory, size_t size, unsigned flags),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cudaMallocManaged);
  const cudaError status = call.real(memory, size, flags);
  if (wants_fill(call, status)) fill_managed(call, address_of(*memory), size, flags);
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaMallocHost, (void** memory, size_t size), .action = Action::replace,
             .fields = {"given"}, .summary = "Fills the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cudaMallocHost);
  const cudaError status = call.real(memory, size);
  if (wants_fill(call, status)) fill_host(call, *memory, size);
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaHostAlloc, (void** memory, size_t size, unsigned flags),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cudaHostAlloc);
  const cudaError status = call.real(memory, size, flags);
  if (wants_fill(call, status)) fill_host(call, *memory, size);
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaMallocAsync, (void** memory, size_t size, CUstream stream),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the new memory in its stream, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cudaMallocAsync);
  const cudaError status = call.real(memory, size, stream);
  if (wants_fill(call, status)) fill_in_stream(call, {address_of(*memory), size}, legacy_if_null(stream));
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaMallocAsync_ptsz, (void** memory, size_t size, CUstream stream),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the new memory in its stream, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cudaMallocAsync_ptsz);
  const cudaError status = call.real(memory, size, stream);
  if (wants_fill(call, status)) fill_in_stream(call, {address_of(*memory), size}, per_thread_if_null(stream));
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaMallocFromPoolAsync,
             (void** memory, size_t size, CUmemoryPool pool, CUstream stream), .action = Action::replace,
             .fields = {"given"},
             .summary = "Fills the new memory in its stream, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cudaMallocFromPoolAsync);
  const cudaError status = call.real(memory, size, pool, stream);
  if (wants_fill(call, status)) fill_in_stream(call, {address_of(*memory), size}, legacy_if_null(stream));
  return status;
}

DETSHIM_HOOK(cudart, cudaError, cudaMallocFromPoolAsync_ptsz,
             (void** memory, size_t size, CUmemoryPool pool, CUstream stream), .action = Action::replace,
             .fields = {"given"},
             .summary = "Fills the new memory in its stream, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cudaMallocFromPoolAsync_ptsz);
  const cudaError status = call.real(memory, size, pool, stream);
  if (wants_fill(call, status)) fill_in_stream(call, {address_of(*memory), size}, per_thread_if_null(stream));
  return status;
}

// ---- The driver ----

DETSHIM_HOOK(
    cuda, CUresult, cuMemAlloc, (CUdeviceptr_v1 * memory, unsigned size), .action = Action::replace,
    .fields = {"given"},
    .summary =
        "Fills the new memory, if DETSHIM_FILL asks for it. The function of CUDA 2, by its old name.") {
  DETSHIM_ENTER_CUDA(cuMemAlloc);
  const CUresult status = call.real(memory, size);
  if (wants_fill(call, status)) fill_now(call, {*memory, size});
  return status;
}

DETSHIM_HOOK(cuda, CUresult, cuMemAlloc_v2, (CUdeviceptr * memory, size_t size), .action = Action::replace,
             .fields = {"given"}, .summary = "Fills the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cuMemAlloc_v2);
  const CUresult status = call.real(memory, size);
  if (wants_fill(call, status)) fill_now(call, {*memory, size});
  return status;
}

DETSHIM_HOOK(cuda, CUresult, cuMemAllocPitch_v2,
             (CUdeviceptr * memory, size_t* pitch, size_t width, size_t height, unsigned element),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the rows of the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cuMemAllocPitch_v2);
  const CUresult status = call.real(memory, pitch, width, height, element);
  if (wants_fill(call, status)) fill_now(call, {*memory, width, height, *pitch});
  return status;
}

DETSHIM_HOOK(cuda, CUresult, cuMemAllocManaged, (CUdeviceptr * memory, size_t size, unsigned flags),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cuMemAllocManaged);
  const CUresult status = call.real(memory, size, flags);
  if (wants_fill(call, status)) fill_managed(call, *memory, size, flags);
  return status;
}

DETSHIM_HOOK(cuda, CUresult, cuMemAllocHost_v2, (void** memory, size_t size), .action = Action::replace,
             .fields = {"given"}, .summary = "Fills the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cuMemAllocHost_v2);
  const CUresult status = call.real(memory, size);
  if (wants_fill(call, status)) fill_host(call, *memory, size);
  return status;
}

DETSHIM_HOOK(cuda, CUresult, cuMemHostAlloc, (void** memory, size_t size, unsigned flags),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the new memory, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cuMemHostAlloc);
  const CUresult status = call.real(memory, size, flags);
  if (wants_fill(call, status)) fill_host(call, *memory, size);
  return status;
}

DETSHIM_HOOK(cuda, CUresult, cuMemAllocAsync, (CUdeviceptr * memory, size_t size, CUstream stream),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the new memory in its stream, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cuMemAllocAsync);
  const CUresult status = call.real(memory, size, stream);
  if (wants_fill(call, status)) fill_in_stream(call, {*memory, size}, legacy_if_null(stream));
  return status;
}

DETSHIM_HOOK(cuda, CUresult, cuMemAllocAsync_ptsz, (CUdeviceptr * memory, size_t size, CUstream stream),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the new memory in its stream, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cuMemAllocAsync_ptsz);
  const CUresult status = call.real(memory, size, stream);
  if (wants_fill(call, status)) fill_in_stream(call, {*memory, size}, per_thread_if_null(stream));
  return status;
}

DETSHIM_HOOK(cuda, CUresult, cuMemAllocFromPoolAsync,
             (CUdeviceptr * memory, size_t size, CUmemoryPool pool, CUstream stream),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the new memory in its stream, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cuMemAllocFromPoolAsync);
  const CUresult status = call.real(memory, size, pool, stream);
  if (wants_fill(call, status)) fill_in_stream(call, {*memory, size}, legacy_if_null(stream));
  return status;
}

DETSHIM_HOOK(cuda, CUresult, cuMemAllocFromPoolAsync_ptsz,
             (CUdeviceptr * memory, size_t size, CUmemoryPool pool, CUstream stream),
             .action = Action::replace, .fields = {"given"},
             .summary = "Fills the new memory in its stream, if DETSHIM_FILL asks for it.") {
  DETSHIM_ENTER_CUDA(cuMemAllocFromPoolAsync_ptsz);
  const CUresult status = call.real(memory, size, pool, stream);
  if (wants_fill(call, status)) fill_in_stream(call, {*memory, size}, per_thread_if_null(stream));
  return status;
}

// ---- Memory that is not filled ----

// What cuMemCreate gives has no address yet. When it has one and may be accessed (cuMemSetAccess), it may be
// in use already: access is given again for each further device. So it is recorded, and left alone.
DETSHIM_HOOK(cuda, CUresult, cuMemCreate,
             (CUmemHandle * memory, size_t size, const void* properties, unsigned long long flags),
             .action = Action::unfixed, .fields = {"given"},
             .summary = "Recorded if DETSHIM_FILL is set: such memory is not filled.") {
  DETSHIM_ENTER_CUDA(cuMemCreate);
  const CUresult status = call.real(memory, size, properties, flags);
  if (wants_fill(call, status)) leave_unfilled(call, "not filled: memory that is mapped to addresses later");
  return status;
}

// A graph's own memory is there anew in each launch.
#define DETSHIM_GRAPH_NODE(LIBRARY, RESULT, NAME, IS_MEMORY, PARAMS, ARGUMENTS)                              \
  DETSHIM_HOOK(LIBRARY, RESULT, NAME, (DETSHIM_LIST PARAMS), .action = Action::unfixed, .fields = {"given"}, \
               .summary = "Recorded if DETSHIM_FILL is set: memory that a graph allocates is not filled.") { \
    DETSHIM_ENTER_CUDA(NAME);                                                                                \
    const RESULT status = call.real(DETSHIM_LIST ARGUMENTS);                                                 \
    if (wants_fill(call, status) && (IS_MEMORY))                                                             \
      leave_unfilled(call, "not filled: memory that a graph allocates");                                     \
    return status;                                                                                           \
  }

DETSHIM_GRAPH_NODE(cudart, cudaError, cudaGraphAddMemAllocNode, true,
                   (CUgraphNode * node, CUgraph graph, const CUgraphNode* before, size_t count,
                    void* node_params),
                   (node, graph, before, count, node_params))
DETSHIM_GRAPH_NODE(cuda, CUresult, cuGraphAddMemAllocNode, true,
                   (CUgraphNode * node, CUgraph graph, const CUgraphNode* before, size_t count,
                    void* node_params),
                   (node, graph, before, count, node_params))
// The runtime's cudaGraphAddNode, whose arguments changed with CUDA 13, calls one of these.
DETSHIM_GRAPH_NODE(cuda, CUresult, cuGraphAddNode, *node_type == graph_node_mem_alloc,
                   (CUgraphNode * node, CUgraph graph, const CUgraphNode* before, size_t count,
                    int* node_type),
                   (node, graph, before, count, node_type))
DETSHIM_GRAPH_NODE(cuda, CUresult, cuGraphAddNode_v2, *node_type == graph_node_mem_alloc,
                   (CUgraphNode * node, CUgraph graph, const CUgraphNode* before, const void* edges,
                    size_t count, int* node_type),
                   (node, graph, before, edges, count, node_type))
