// Copies that bring something to the host: hashed if DETSHIM_FINGERPRINT asks for it
// (core/fingerprint/pending_transfers.h). Nothing is changed and nothing is waited for.
//
// Not seen: memory that host and GPU both reach (managed, mapped). What a graph copies is said at its launch
// (graph_copies.cpp). Peer copies go from GPU to GPU.
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 13.0; cudaMemcpyFromArray is gone since 13.
#include "hooks/digests/cuda/copies.h"

#include "core/fingerprint/pending_transfers.h"
#include "hooks/digests/cuda/graph_copies.h"

namespace detshim {
namespace {

using namespace abi;

constexpr const char* host = "host";

/// With the outputs of calls, a copy stands in one sequence with what its stream computed before.
template <typename Call>
DigestSequence* digest_of(const Call& call, uint64_t stream) {
  record_cuda_once(call.hook());
  const HookInfo& function = call.hook().info();
  return options().fingerprint_calls ? digests_of_stream(function, host, call.caller(), stream, "")
                                     : digests_at(function, host, call.caller());
}

/// What a copy brings to the host: nothing for one that goes elsewhere.
struct Copied {
  HostArea area;
  /// Where an array takes part, positions are in its elements, whose size the call does not say.
  bool is_unread = false;
};

template <typename Call>
void add_ended(const Call& call, const Copied& copied) {
  const uint64_t stream = number_of_stream(call.hook(), nullptr);
  if (copied.is_unread)
    return add_unread_in_stream(digest_of(call, stream), copied.area.size(), Reason::element_size_unknown,
                                stream, current_context(call.hook()));
  // The legacy stream's work comes one after the other.
  end_transfers_of_stream(stream);
  add_copy(digest_of(call, stream), copied.area);
}

template <typename Call>
void add_in_stream(const Call& call, const Copied& copied, CUstream stream) {
  const Hook& hook = call.hook();
  const uint64_t number = number_of_stream(hook, stream), context = current_context(hook);
  const bool is_in_graph = !copied.is_unread && is_capturing(hook, stream);
  if (copied.is_unread || is_in_graph)
    add_unread_in_stream(digest_of(call, number), copied.area.size(),
                         is_in_graph ? Reason::in_graph : Reason::element_size_unknown, number, context);
  else
    add_copy_in_stream(digest_of(call, number), copied.area, number, context);
}

/// The body of a copy's hook: `describe(hook, arguments...)` gives what is copied.
template <auto describe, typename Call, typename... Arguments>
auto copy(const Call& call, Arguments... arguments) {
  const auto status = call.real(arguments...);
  if (!wants_copies(call, status)) return status;
  const Copied copied = describe(call.hook(), arguments...);
  if (copied.area.start == nullptr || copied.area.size() == 0) return status;
  if constexpr ((__is_same(Arguments, CUstream) || ...))
    add_in_stream(call, copied, argument_of_type<CUstream>(arguments...));
  else
    add_ended(call, copied);
  return status;
}

const void* memory_at(CUdeviceptr address) {
  return reinterpret_cast<const void*>(static_cast<uintptr_t>(address));
}

const char* at(const void* memory, size_t offset) { return static_cast<const char*>(memory) + offset; }

bool goes_to_host(const Hook& hook, const void* to, CopyKind kind) {
  return kind == CopyKind::device_to_host || (kind == CopyKind::by_address && is_of_host(hook, to));
}

HostArea area_of(const Hook& hook, const cudaMemcpy3DParms& copy) {
  const cudaPitchedPtr& to = copy.dstPtr;
  if (copy.dstArray != nullptr || to.ptr == nullptr || !goes_to_host(hook, to.ptr, copy.kind)) return {};
  const size_t slice_pitch = to.pitch * to.ysize;
  return {at(to.ptr, copy.dstPos.x + copy.dstPos.y * to.pitch + copy.dstPos.z * slice_pitch),
          copy.extent.width,
          copy.extent.height,
          to.pitch,
          copy.extent.depth,
          slice_pitch};
}

template <typename Copy>
const void* target_of(const Hook& hook, const Copy& copy) {
  if (copy.dstMemoryType == MemoryType::host) return copy.dstHost;
  const void* const to = memory_at(copy.dstDevice);
  return copy.dstMemoryType == MemoryType::unified && is_of_host(hook, to) ? to : nullptr;
}

HostArea area_of(const Hook& hook, const CUcopy2D& copy) {
  const void* const to = target_of(hook, copy);
  if (to == nullptr) return {};
  const size_t pitch = copy.dstPitch != 0 ? copy.dstPitch : copy.WidthInBytes;
  return {at(to, copy.dstXInBytes + copy.dstY * pitch), copy.WidthInBytes, copy.Height, pitch};
}

HostArea area_of(const Hook& hook, const CUcopy3D& copy) {
  const void* const to = target_of(hook, copy);
  if (to == nullptr) return {};
  const size_t pitch = copy.dstPitch != 0 ? copy.dstPitch : copy.WidthInBytes;
  const size_t slice_pitch = pitch * (copy.dstHeight != 0 ? copy.dstHeight : copy.Height);
  return {at(to, copy.dstXInBytes + copy.dstY * pitch + copy.dstZ * slice_pitch),
          copy.WidthInBytes,
          copy.Height,
          pitch,
          copy.Depth,
          slice_pitch};
}

// What is copied. `Stream`: none, or the stream's.

Copied to_host(const Hook& hook, CopyKind kind, const HostArea& area) {
  return goes_to_host(hook, area.start, kind) ? Copied{area} : Copied{};
}

template <typename... Stream>
Copied from_memory(const Hook& hook, void* to, const void* /*from*/, size_t size, CopyKind kind, Stream...) {
  return to_host(hook, kind, {to, size});
}
template <typename... Stream>
Copied from_symbol(const Hook& hook, void* to, const void* /*symbol*/, size_t size, size_t /*offset*/,
                   CopyKind kind, Stream...) {
  return to_host(hook, kind, {to, size});
}
template <typename... Stream>
Copied from_rows(const Hook& hook, void* to, size_t to_pitch, const void* /*from*/, size_t /*from_pitch*/,
                 size_t width, size_t height, CopyKind kind, Stream...) {
  return to_host(hook, kind, {to, width, height, to_pitch});
}
template <typename... Stream>
Copied from_array(const Hook& hook, void* to, CUarray /*from*/, size_t /*x*/, size_t /*y*/, size_t size,
                  CopyKind kind, Stream...) {
  return to_host(hook, kind, {to, size});
}
template <typename... Stream>
Copied from_array_rows(const Hook& hook, void* to, size_t pitch, CUarray /*from*/, size_t /*x*/, size_t /*y*/,
                       size_t width, size_t height, CopyKind kind, Stream...) {
  return to_host(hook, kind, {to, width, height, pitch});
}
template <typename... Stream>
Copied from_box(const Hook& hook, const cudaMemcpy3DParms* box, Stream...) {
  return {area_of(hook, *box), box->srcArray != nullptr};
}

// The driver's. Device memory is a number there, and host memory where addresses tell.

template <typename... Stream>
Copied from_device(const Hook&, void* to, CUdeviceptr /*from*/, size_t size, Stream...) {
  return {{to, size}};
}
template <typename... Stream>
Copied from_driver_array(const Hook&, void* to, CUarray /*from*/, size_t /*offset*/, size_t size, Stream...) {
  return {{to, size}};
}
template <typename... Stream>
Copied by_address(const Hook& hook, CUdeviceptr to, CUdeviceptr /*from*/, size_t size, Stream...) {
  return is_of_host(hook, memory_at(to)) ? Copied{{memory_at(to), size}} : Copied{};
}
template <typename Box, typename... Stream>
Copied described(const Hook& hook, const Box* box, Stream...) {
  return {area_of(hook, *box)};
}

// In batches (CUDA 12.8). Until CUDA 13 there was one argument more, before the stream, by which the library
// said which copy failed.

template <typename Call, typename Address>
void add_batch(const Call& call, Address* to, const size_t* sizes, size_t count, CUstream stream) {
  for (size_t i = 0; i < count; ++i) {
    const void* const start = reinterpret_cast<const void*>(to[i]);
    if (start != nullptr && sizes[i] != 0 && is_of_host(call.hook(), start))
      add_in_stream(call, {{start, sizes[i]}}, stream);
  }
}

/// The runtime has one name for both forms. What the shorter one lacks is read, and handed on, as it happens
/// to be: nobody looks at it.
template <typename Call>
cudaError copy_batch(const Call& call, void* const* to, const void* const* from, const size_t* sizes,
                     size_t count, void* attributes, size_t* of, size_t attribute_count,
                     void* failed_or_stream, CUstream stream) {
  const cudaError status =
      call.real(to, from, sizes, count, attributes, of, attribute_count, failed_or_stream, stream);
  if (!wants_copies(call, status)) return status;
  int version = 0;
  auto* const get_version = call.template sibling<cudaError(int*)>("cudaRuntimeGetVersion");
  const bool is_of_cuda_13 = succeeded(get_version, &version) && version >= 13000;
  add_batch(call, to, sizes, count, is_of_cuda_13 ? static_cast<CUstream>(failed_or_stream) : stream);
  return status;
}

template <typename Call, typename... Others>
CUresult copy_batch_by_driver(const Call& call, const CUdeviceptr* to, const CUdeviceptr* from,
                              const size_t* sizes, size_t count, Others... others) {
  const CUresult status = call.real(to, from, sizes, count, others...);
  if (wants_copies(call, status)) add_batch(call, to, sizes, count, argument_of_type<CUstream>(others...));
  return status;
}

constexpr Description hashed = {
    .action = Action::observe,
    .summary = "Hashes what the copy brings to the host, if DETSHIM_FINGERPRINT asks for it.",
};
constexpr Description hashed_later = {
    .action = Action::observe,
    .summary =
        "Hashes what the copy brings to the host once the program has waited for it, if DETSHIM_FINGERPRINT "
        "asks for it.",
};

using CopyBatch = CudaCall<cudaError(void* const* to, const void* const* from, const size_t* sizes,
                                     size_t count, void* attributes, size_t* of, size_t attribute_count,
                                     void* failed_or_stream, CUstream stream)>;
using DriverCopyBatch =
    CudaCall<CUresult(const CUdeviceptr* to, const CUdeviceptr* from, const size_t* sizes, size_t count,
                      void* attributes, size_t* of, size_t attribute_count, size_t* failed, CUstream stream)>;
using DriverCopyBatch2 =
    CudaCall<CUresult(const CUdeviceptr* to, const CUdeviceptr* from, const size_t* sizes, size_t count,
                      void* attributes, size_t* of, size_t attribute_count, CUstream stream)>;

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

// A copy that waits, one in a stream, and both where a null stream is the thread's own.
#define WAITING(LIBRARY, STATUS, NAME, ...)                                                                  \
  DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME, CudaCall, copy, hashed, __VA_ARGS__);                        \
  DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME##_ptds, CudaCall, copy, hashed, __VA_ARGS__)
#define IN_STREAM(LIBRARY, STATUS, NAME, ...)                                                                \
  DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME, CudaCall, copy, hashed_later, __VA_ARGS__);                  \
  DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME##_ptsz, CudaCall, copy, hashed_later, __VA_ARGS__)
#define RUNTIME(NAME, DESCRIBE)                                                                              \
  WAITING(cudart, cudaError, NAME, DESCRIBE<>);                                                              \
  IN_STREAM(cudart, cudaError, NAME##Async, DESCRIBE<CUstream>)
#define DRIVER(NAME, ASYNC, DESCRIBE)                                                                        \
  WAITING(cuda, CUresult, NAME, DESCRIBE<>);                                                                 \
  IN_STREAM(cuda, CUresult, ASYNC, DESCRIBE<CUstream>)

RUNTIME(cudaMemcpy, from_memory);
RUNTIME(cudaMemcpyFromSymbol, from_symbol);
RUNTIME(cudaMemcpy2D, from_rows);
RUNTIME(cudaMemcpyFromArray, from_array);
RUNTIME(cudaMemcpy2DFromArray, from_array_rows);
RUNTIME(cudaMemcpy3D, from_box);
DETSHIM_STREAM_HOOK(cudart, CopyBatch, cudaMemcpyBatchAsync, copy_batch, hashed_later);

DRIVER(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, from_device);
DRIVER(cuMemcpyAtoH_v2, cuMemcpyAtoHAsync_v2, from_driver_array);
DRIVER(cuMemcpy, cuMemcpyAsync, by_address);
WAITING(cuda, CUresult, cuMemcpy2D_v2, described<CUcopy2D>);
WAITING(cuda, CUresult, cuMemcpy2DUnaligned_v2, described<CUcopy2D>);
IN_STREAM(cuda, CUresult, cuMemcpy2DAsync_v2, described<CUcopy2D, CUstream>);
WAITING(cuda, CUresult, cuMemcpy3D_v2, described<CUcopy3D>);
IN_STREAM(cuda, CUresult, cuMemcpy3DAsync_v2, described<CUcopy3D, CUstream>);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBatch, cuMemcpyBatchAsync, copy_batch_by_driver, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBatch, cuMemcpyBatchAsync_ptsz, copy_batch_by_driver, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBatch2, cuMemcpyBatchAsync_v2, copy_batch_by_driver, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBatch2, cuMemcpyBatchAsync_v2_ptsz, copy_batch_by_driver, hashed_later);
