// Copies that bring something to the host, and what tells the program that they have ended: hashed if
// DETSHIM_FINGERPRINT asks for it (core/fingerprint/pending_transfers.h). Nothing is changed and nothing is
// waited for.
//
// Not seen: memory that host and GPU both reach (managed, mapped). What a graph copies is said at its launch
// (graph_copies.cpp). Peer copies go from GPU to GPU.
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 13.0; cudaMemcpyFromArray is gone since 13.
#include "core/fingerprint/pending_transfers.h"

#include "hooks/cuda/graph_copies.h"
#include "hooks/cuda/streams.h"

namespace detshim {
namespace {

using namespace abi;

constexpr const char* host = "host";

/// True if a call that went well may have brought something here.
template <typename Call, typename Status>
bool is_wanted(const Call& call, Status status) {
  return options().fingerprint && !call.passes() && status == Status::success;
}

/// With the outputs of calls, a copy stands in one sequence with what its stream computed before.
template <typename Call>
Print* print_of(const Call& call, uint64_t stream) {
  record_cuda_once(call.hook());
  const HookInfo& function = call.hook().info();
  return options().fingerprint_calls ? prints_of_stream(function, host, call.caller(), stream, "")
                                     : prints_at(function, host, call.caller());
}

template <typename Call>
void add_ended(const Call& call, const HostArea& area) {
  if (area.start == nullptr || area.size() == 0) return;
  // The legacy stream's work comes one after the other.
  const uint64_t stream = number_of_stream<Default::legacy>(call.hook(), nullptr);
  end_copies_of_stream(stream);
  add_copy(print_of(call, stream), area);
}

template <Default meant, typename Call>
void add_unread(const Call& call, size_t bytes, Reason why, CUstream stream) {
  const uint64_t number = number_of_stream<meant>(call.hook(), stream);
  add_unread_in_stream(print_of(call, number), bytes, why, number, current_context(call.hook()));
}

template <Default meant, typename Call>
void add_in_stream(const Call& call, const HostArea& area, CUstream stream) {
  if (area.start == nullptr || area.size() == 0) return;
  const Hook& hook = call.hook();
  if (is_capturing(hook, stream)) return add_unread<meant>(call, area.size(), Reason::in_graph, stream);
  const uint64_t number = number_of_stream<meant>(hook, stream);
  add_copy_in_stream(print_of(call, number), area, number, current_context(hook));
}

bool goes_to_host(const Hook& hook, const void* to, CopyKind kind) {
  return kind == CopyKind::device_to_host || (kind == CopyKind::by_address && is_of_host(hook, to));
}

const char* at(const void* memory, size_t offset) { return static_cast<const char*>(memory) + offset; }

/// Nothing for a copy that goes elsewhere. Where an array takes part, places are in its elements, whose size
/// the call does not say: `is_unread`.
HostArea area_of(const Hook& hook, const cudaMemcpy3DParms& copy, bool& is_unread) {
  const cudaPitchedPtr& to = copy.dstPtr;
  is_unread = copy.srcArray != nullptr;
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
  const auto* to = reinterpret_cast<const void*>(static_cast<uintptr_t>(copy.dstDevice));
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

// What the hooks do. First the runtime's copies.

template <typename Call>
cudaError copy(const Call& call, void* to, const void* from, size_t size, CopyKind kind) {
  const cudaError status = call.real(to, from, size, kind);
  if (is_wanted(call, status) && goes_to_host(call.hook(), to, kind)) add_ended(call, {to, size});
  return status;
}

template <Default meant, typename Call>
cudaError copy_in_stream(const Call& call, void* to, const void* from, size_t size, CopyKind kind,
                         CUstream stream) {
  const cudaError status = call.real(to, from, size, kind, stream);
  if (is_wanted(call, status) && goes_to_host(call.hook(), to, kind))
    add_in_stream<meant>(call, {to, size}, stream);
  return status;
}

/// From a symbol on the GPU.
template <typename Call>
cudaError copy_symbol(const Call& call, void* to, const void* from, size_t size, size_t offset,
                      CopyKind kind) {
  const cudaError status = call.real(to, from, size, offset, kind);
  if (is_wanted(call, status) && goes_to_host(call.hook(), to, kind)) add_ended(call, {to, size});
  return status;
}

template <Default meant, typename Call>
cudaError copy_symbol_in_stream(const Call& call, void* to, const void* from, size_t size, size_t offset,
                                CopyKind kind, CUstream stream) {
  const cudaError status = call.real(to, from, size, offset, kind, stream);
  if (is_wanted(call, status) && goes_to_host(call.hook(), to, kind))
    add_in_stream<meant>(call, {to, size}, stream);
  return status;
}

template <typename Call>
cudaError copy_rows(const Call& call, void* to, size_t to_pitch, const void* from, size_t from_pitch,
                    size_t width, size_t height, CopyKind kind) {
  const cudaError status = call.real(to, to_pitch, from, from_pitch, width, height, kind);
  if (is_wanted(call, status) && goes_to_host(call.hook(), to, kind))
    add_ended(call, {to, width, height, to_pitch});
  return status;
}

template <Default meant, typename Call>
cudaError copy_rows_in_stream(const Call& call, void* to, size_t to_pitch, const void* from,
                              size_t from_pitch, size_t width, size_t height, CopyKind kind,
                              CUstream stream) {
  const cudaError status = call.real(to, to_pitch, from, from_pitch, width, height, kind, stream);
  if (is_wanted(call, status) && goes_to_host(call.hook(), to, kind))
    add_in_stream<meant>(call, {to, width, height, to_pitch}, stream);
  return status;
}

template <typename Call>
cudaError copy_array(const Call& call, void* to, CUarray from, size_t x, size_t y, size_t size,
                     CopyKind kind) {
  const cudaError status = call.real(to, from, x, y, size, kind);
  if (is_wanted(call, status) && goes_to_host(call.hook(), to, kind)) add_ended(call, {to, size});
  return status;
}

template <Default meant, typename Call>
cudaError copy_array_in_stream(const Call& call, void* to, CUarray from, size_t x, size_t y, size_t size,
                               CopyKind kind, CUstream stream) {
  const cudaError status = call.real(to, from, x, y, size, kind, stream);
  if (is_wanted(call, status) && goes_to_host(call.hook(), to, kind))
    add_in_stream<meant>(call, {to, size}, stream);
  return status;
}

template <typename Call>
cudaError copy_array_rows(const Call& call, void* to, size_t pitch, CUarray from, size_t x, size_t y,
                          size_t width, size_t height, CopyKind kind) {
  const cudaError status = call.real(to, pitch, from, x, y, width, height, kind);
  if (is_wanted(call, status) && goes_to_host(call.hook(), to, kind))
    add_ended(call, {to, width, height, pitch});
  return status;
}

template <Default meant, typename Call>
cudaError copy_array_rows_in_stream(const Call& call, void* to, size_t pitch, CUarray from, size_t x,
                                    size_t y, size_t width, size_t height, CopyKind kind, CUstream stream) {
  const cudaError status = call.real(to, pitch, from, x, y, width, height, kind, stream);
  if (is_wanted(call, status) && goes_to_host(call.hook(), to, kind))
    add_in_stream<meant>(call, {to, width, height, pitch}, stream);
  return status;
}

constexpr Reason elements = Reason::element_size_unknown;

template <typename Call>
cudaError copy_box(const Call& call, const cudaMemcpy3DParms* copy) {
  const cudaError status = call.real(copy);
  if (!is_wanted(call, status)) return status;
  bool is_unread = false;
  const HostArea area = area_of(call.hook(), *copy, is_unread);
  if (is_unread && area.start != nullptr)
    add_unread<Default::legacy>(call, area.size(), elements, nullptr);
  else
    add_ended(call, area);
  return status;
}

template <Default meant, typename Call>
cudaError copy_box_in_stream(const Call& call, const cudaMemcpy3DParms* copy, CUstream stream) {
  const cudaError status = call.real(copy, stream);
  if (!is_wanted(call, status)) return status;
  bool is_unread = false;
  const HostArea area = area_of(call.hook(), *copy, is_unread);
  if (is_unread && area.start != nullptr)
    add_unread<meant>(call, area.size(), elements, stream);
  else
    add_in_stream<meant>(call, area, stream);
  return status;
}

// The driver's. Device memory is a number there, and host memory where addresses tell.

const void* memory_at(CUdeviceptr address) {
  return reinterpret_cast<const void*>(static_cast<uintptr_t>(address));
}

template <typename Call, typename... From>
CUresult copy_to_host(const Call& call, void* to, From... from, size_t size) {
  const CUresult status = call.real(to, from..., size);
  if (is_wanted(call, status)) add_ended(call, {to, size});
  return status;
}

template <typename Call>
CUresult copy_to_host_by_driver(const Call& call, void* to, CUdeviceptr from, size_t size) {
  return copy_to_host<Call, CUdeviceptr>(call, to, from, size);
}

template <typename Call>
CUresult copy_array_by_driver(const Call& call, void* to, CUarray from, size_t offset, size_t size) {
  return copy_to_host<Call, CUarray, size_t>(call, to, from, offset, size);
}

template <Default meant, typename Call>
CUresult copy_to_host_in_stream(const Call& call, void* to, CUdeviceptr from, size_t size, CUstream stream) {
  const CUresult status = call.real(to, from, size, stream);
  if (is_wanted(call, status)) add_in_stream<meant>(call, {to, size}, stream);
  return status;
}

template <Default meant, typename Call>
CUresult copy_array_by_driver_in_stream(const Call& call, void* to, CUarray from, size_t offset, size_t size,
                                        CUstream stream) {
  const CUresult status = call.real(to, from, offset, size, stream);
  if (is_wanted(call, status)) add_in_stream<meant>(call, {to, size}, stream);
  return status;
}

template <typename Call>
CUresult copy_by_address(const Call& call, CUdeviceptr to, CUdeviceptr from, size_t size) {
  const CUresult status = call.real(to, from, size);
  if (is_wanted(call, status) && is_of_host(call.hook(), memory_at(to)))
    add_ended(call, {memory_at(to), size});
  return status;
}

template <Default meant, typename Call>
CUresult copy_by_address_in_stream(const Call& call, CUdeviceptr to, CUdeviceptr from, size_t size,
                                   CUstream stream) {
  const CUresult status = call.real(to, from, size, stream);
  if (is_wanted(call, status) && is_of_host(call.hook(), memory_at(to)))
    add_in_stream<meant>(call, {memory_at(to), size}, stream);
  return status;
}

template <typename Call, typename Copy>
CUresult copy_described(const Call& call, const Copy* copy) {
  const CUresult status = call.real(copy);
  if (is_wanted(call, status)) add_ended(call, area_of(call.hook(), *copy));
  return status;
}

template <Default meant, typename Call, typename Copy>
CUresult copy_described_in_stream(const Call& call, const Copy* copy, CUstream stream) {
  const CUresult status = call.real(copy, stream);
  if (is_wanted(call, status)) add_in_stream<meant>(call, area_of(call.hook(), *copy), stream);
  return status;
}

// In batches (CUDA 12.8). Until CUDA 13 there was one argument more, before the stream, by which the library
// said which copy failed.

template <Default meant, typename Call, typename Address>
void add_batch(const Call& call, Address* to, const size_t* sizes, size_t count, CUstream stream) {
  for (size_t i = 0; i < count; ++i) {
    const void* const start = reinterpret_cast<const void*>(to[i]);
    if (is_of_host(call.hook(), start)) add_in_stream<meant>(call, {start, sizes[i]}, stream);
  }
}

template <Default meant, typename Call>
void add_boxes(const Call& call, const BatchedCopy* copies, size_t count, CUstream stream) {
  for (size_t i = 0; i < count; ++i) {
    const BatchedCopy& copy = copies[i];
    if (copy.to.type == operand_memory &&
        is_of_host(call.hook(), reinterpret_cast<const void*>(copy.to.memory.address)))
      add_unread<meant>(call, copy.width * copy.height * copy.depth, Reason::element_size_unknown, stream);
  }
}

template <typename Call>
bool is_of_cuda_13(const Call& call) {
  auto* const ask = call.template beside<cudaError(int*)>("cudaRuntimeGetVersion");
  int version = 0;
  return ask != nullptr && ask(&version) == cudaError::success && version >= 13000;
}

/// The runtime has one name for both forms. What the shorter one lacks is read, and handed on, as it happens
/// to be: nobody looks at it.
template <Default meant, typename Call>
cudaError copy_batch(const Call& call, void* const* to, const void* const* from, const size_t* sizes,
                     size_t count, void* attributes, size_t* of, size_t attribute_count,
                     void* failed_or_stream, CUstream stream) {
  const cudaError status =
      call.real(to, from, sizes, count, attributes, of, attribute_count, failed_or_stream, stream);
  if (is_wanted(call, status))
    add_batch<meant>(call, to, sizes, count,
                     is_of_cuda_13(call) ? static_cast<CUstream>(failed_or_stream) : stream);
  return status;
}

template <Default meant, typename Call>
cudaError copy_boxes(const Call& call, size_t count, const BatchedCopy* copies, void* failed_or_flags,
                     void* flags_or_stream, CUstream stream) {
  const cudaError status = call.real(count, copies, failed_or_flags, flags_or_stream, stream);
  if (is_wanted(call, status))
    add_boxes<meant>(call, copies, count,
                     is_of_cuda_13(call) ? static_cast<CUstream>(flags_or_stream) : stream);
  return status;
}

template <Default meant, typename Call>
CUresult copy_batch_by_driver(const Call& call, const CUdeviceptr* to, const CUdeviceptr* from,
                              const size_t* sizes, size_t count, void* attributes, size_t* of,
                              size_t attribute_count, CUstream stream) {
  const CUresult status = call.real(to, from, sizes, count, attributes, of, attribute_count, stream);
  if (is_wanted(call, status)) add_batch<meant>(call, to, sizes, count, stream);
  return status;
}
template <Default meant, typename Call>
CUresult copy_batch_by_driver(const Call& call, const CUdeviceptr* to, const CUdeviceptr* from,
                              const size_t* sizes, size_t count, void* attributes, size_t* of,
                              size_t attribute_count, size_t* failed, CUstream stream) {
  const CUresult status = call.real(to, from, sizes, count, attributes, of, attribute_count, failed, stream);
  if (is_wanted(call, status)) add_batch<meant>(call, to, sizes, count, stream);
  return status;
}

template <Default meant, typename Call>
CUresult copy_boxes_by_driver(const Call& call, size_t count, const BatchedCopy* copies,
                              unsigned long long flags, CUstream stream) {
  const CUresult status = call.real(count, copies, flags, stream);
  if (is_wanted(call, status)) add_boxes<meant>(call, copies, count, stream);
  return status;
}
template <Default meant, typename Call>
CUresult copy_boxes_by_driver(const Call& call, size_t count, const BatchedCopy* copies, size_t* failed,
                              unsigned long long flags, CUstream stream) {
  const CUresult status = call.real(count, copies, failed, flags, stream);
  if (is_wanted(call, status)) add_boxes<meant>(call, copies, count, stream);
  return status;
}

// What tells that copies have ended: the same in the runtime and the driver.

template <Default meant, typename Call>
auto wait_for_stream(const Call& call, CUstream stream) {
  const auto status = call.real(stream);
  if (is_wanted(call, status)) end_copies_of_stream(number_of_stream<meant>(call.hook(), stream));
  return status;
}

template <typename Call>
auto wait_for_event(const Call& call, CUevent event) {
  const auto status = call.real(event);
  if (is_wanted(call, status)) end_copies_of_event(number_of(event));
  return status;
}

template <typename Call>
auto wait_for_context(const Call& call) {
  const auto status = call.real();
  if (is_wanted(call, status)) end_copies_of_context(current_context(call.hook()));
  return status;
}

template <Default meant, typename Call, typename... Flags>
auto record_event(const Call& call, CUevent event, CUstream stream, Flags... flags) {
  const auto status = call.real(event, stream, flags...);
  if (is_wanted(call, status)) note_event(number_of(event), number_of_stream<meant>(call.hook(), stream));
  return status;
}

template <Default meant, typename Call>
auto let_stream_wait(const Call& call, CUstream stream, CUevent event, unsigned flags) {
  const auto status = call.real(stream, event, flags);
  if (is_wanted(call, status)) note_wait(number_of_stream<meant>(call.hook(), stream), number_of(event));
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
constexpr Description said = {
    .action = Action::observe,
    .summary = "Records what it copies to the host, unread, if DETSHIM_FINGERPRINT asks for copies.",
};
constexpr Description noted = {
    .action = Action::observe,
    .summary = "Notes which copies to the host have ended, if DETSHIM_FINGERPRINT asks for them.",
};

using Copy = CudaCall<cudaError(void* to, const void* from, size_t size, CopyKind kind)>;
using CopyInStream =
    CudaCall<cudaError(void* to, const void* from, size_t size, CopyKind kind, CUstream stream)>;
using CopySymbol = CudaCall<cudaError(void* to, const void* from, size_t size, size_t offset, CopyKind kind)>;
using CopySymbolInStream = CudaCall<cudaError(void* to, const void* from, size_t size, size_t offset,
                                              CopyKind kind, CUstream stream)>;
using CopyRows = CudaCall<cudaError(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                    size_t width, size_t height, CopyKind kind)>;
using CopyRowsInStream = CudaCall<cudaError(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                            size_t width, size_t height, CopyKind kind, CUstream stream)>;
using CopyArray = CudaCall<cudaError(void* to, CUarray from, size_t x, size_t y, size_t size, CopyKind kind)>;
using CopyArrayInStream = CudaCall<cudaError(void* to, CUarray from, size_t x, size_t y, size_t size,
                                             CopyKind kind, CUstream stream)>;
using CopyArrayRows = CudaCall<cudaError(void* to, size_t pitch, CUarray from, size_t x, size_t y,
                                         size_t width, size_t height, CopyKind kind)>;
using CopyArrayRowsInStream =
    CudaCall<cudaError(void* to, size_t pitch, CUarray from, size_t x, size_t y, size_t width, size_t height,
                       CopyKind kind, CUstream stream)>;
using CopyBox = CudaCall<cudaError(const cudaMemcpy3DParms* copy)>;
using CopyBoxInStream = CudaCall<cudaError(const cudaMemcpy3DParms* copy, CUstream stream)>;

using DriverCopyToHost = CudaCall<CUresult(void* to, CUdeviceptr from, size_t size)>;
using DriverCopyToHostInStream = CudaCall<CUresult(void* to, CUdeviceptr from, size_t size, CUstream stream)>;
using DriverCopyArray = CudaCall<CUresult(void* to, CUarray from, size_t offset, size_t size)>;
using DriverCopyArrayInStream =
    CudaCall<CUresult(void* to, CUarray from, size_t offset, size_t size, CUstream stream)>;
using DriverCopy = CudaCall<CUresult(CUdeviceptr to, CUdeviceptr from, size_t size)>;
using DriverCopyInStream = CudaCall<CUresult(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)>;
using DriverCopy2D = CudaCall<CUresult(const CUcopy2D* copy)>;
using DriverCopy2DInStream = CudaCall<CUresult(const CUcopy2D* copy, CUstream stream)>;
using DriverCopy3D = CudaCall<CUresult(const CUcopy3D* copy)>;
using DriverCopy3DInStream = CudaCall<CUresult(const CUcopy3D* copy, CUstream stream)>;

using CopyBatch = CudaCall<cudaError(void* const* to, const void* const* from, const size_t* sizes,
                                     size_t count, void* attributes, size_t* of, size_t attribute_count,
                                     void* failed_or_stream, CUstream stream)>;
using CopyBoxes = CudaCall<cudaError(size_t count, const BatchedCopy* copies, void* failed_or_flags,
                                     void* flags_or_stream, CUstream stream)>;
using DriverCopyBatch =
    CudaCall<CUresult(const CUdeviceptr* to, const CUdeviceptr* from, const size_t* sizes, size_t count,
                      void* attributes, size_t* of, size_t attribute_count, size_t* failed, CUstream stream)>;
using DriverCopyBatch2 =
    CudaCall<CUresult(const CUdeviceptr* to, const CUdeviceptr* from, const size_t* sizes, size_t count,
                      void* attributes, size_t* of, size_t attribute_count, CUstream stream)>;
using DriverCopyBoxes = CudaCall<CUresult(size_t count, const BatchedCopy* copies, size_t* failed,
                                          unsigned long long flags, CUstream stream)>;
using DriverCopyBoxes2 =
    CudaCall<CUresult(size_t count, const BatchedCopy* copies, unsigned long long flags, CUstream stream)>;

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

// ---- The runtime ----

DETSHIM_TEMPLATE_HOOK(cudart, Copy, cudaMemcpy, copy, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, Copy, cudaMemcpy_ptds, copy, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopyInStream, cudaMemcpyAsync, copy_in_stream<Default::legacy>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyInStream, cudaMemcpyAsync_ptsz, copy_in_stream<Default::per_thread>,
                      hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopySymbol, cudaMemcpyFromSymbol, copy_symbol, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopySymbol, cudaMemcpyFromSymbol_ptds, copy_symbol, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopySymbolInStream, cudaMemcpyFromSymbolAsync,
                      copy_symbol_in_stream<Default::legacy>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopySymbolInStream, cudaMemcpyFromSymbolAsync_ptsz,
                      copy_symbol_in_stream<Default::per_thread>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyRows, cudaMemcpy2D, copy_rows, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopyRows, cudaMemcpy2D_ptds, copy_rows, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopyRowsInStream, cudaMemcpy2DAsync, copy_rows_in_stream<Default::legacy>,
                      hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyRowsInStream, cudaMemcpy2DAsync_ptsz,
                      copy_rows_in_stream<Default::per_thread>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyArray, cudaMemcpyFromArray, copy_array, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopyArray, cudaMemcpyFromArray_ptds, copy_array, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopyArrayInStream, cudaMemcpyFromArrayAsync,
                      copy_array_in_stream<Default::legacy>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyArrayInStream, cudaMemcpyFromArrayAsync_ptsz,
                      copy_array_in_stream<Default::per_thread>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyArrayRows, cudaMemcpy2DFromArray, copy_array_rows, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopyArrayRows, cudaMemcpy2DFromArray_ptds, copy_array_rows, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopyArrayRowsInStream, cudaMemcpy2DFromArrayAsync,
                      copy_array_rows_in_stream<Default::legacy>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyArrayRowsInStream, cudaMemcpy2DFromArrayAsync_ptsz,
                      copy_array_rows_in_stream<Default::per_thread>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyBox, cudaMemcpy3D, copy_box, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopyBox, cudaMemcpy3D_ptds, copy_box, hashed);
DETSHIM_TEMPLATE_HOOK(cudart, CopyBoxInStream, cudaMemcpy3DAsync, copy_box_in_stream<Default::legacy>,
                      hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyBoxInStream, cudaMemcpy3DAsync_ptsz,
                      copy_box_in_stream<Default::per_thread>, hashed_later);

DETSHIM_TEMPLATE_HOOK(cudart, CopyBatch, cudaMemcpyBatchAsync, copy_batch<Default::legacy>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyBatch, cudaMemcpyBatchAsync_ptsz, copy_batch<Default::per_thread>,
                      hashed_later);
DETSHIM_TEMPLATE_HOOK(cudart, CopyBoxes, cudaMemcpy3DBatchAsync, copy_boxes<Default::legacy>, said);
DETSHIM_TEMPLATE_HOOK(cudart, CopyBoxes, cudaMemcpy3DBatchAsync_ptsz, copy_boxes<Default::per_thread>, said);

DETSHIM_TEMPLATE_HOOK(cudart, StreamCall<cudaError>, cudaStreamSynchronize, wait_for_stream<Default::legacy>,
                      noted);
DETSHIM_TEMPLATE_HOOK(cudart, StreamCall<cudaError>, cudaStreamSynchronize_ptsz,
                      wait_for_stream<Default::per_thread>, noted);
DETSHIM_TEMPLATE_HOOK(cudart, StreamCall<cudaError>, cudaStreamQuery, wait_for_stream<Default::legacy>,
                      noted);
DETSHIM_TEMPLATE_HOOK(cudart, StreamCall<cudaError>, cudaStreamQuery_ptsz,
                      wait_for_stream<Default::per_thread>, noted);
DETSHIM_TEMPLATE_HOOK(cudart, EventCall<cudaError>, cudaEventSynchronize, wait_for_event, noted);
DETSHIM_TEMPLATE_HOOK(cudart, EventCall<cudaError>, cudaEventQuery, wait_for_event, noted);
DETSHIM_TEMPLATE_HOOK(cudart, ContextCall<cudaError>, cudaDeviceSynchronize, wait_for_context, noted);
DETSHIM_TEMPLATE_HOOK(cudart, RecordEvent<cudaError>, cudaEventRecord, record_event<Default::legacy>, noted);
DETSHIM_TEMPLATE_HOOK(cudart, RecordEvent<cudaError>, cudaEventRecord_ptsz, record_event<Default::per_thread>,
                      noted);
DETSHIM_TEMPLATE_HOOK(cudart, RecordEventWithFlags<cudaError>, cudaEventRecordWithFlags,
                      record_event<Default::legacy>, noted);
DETSHIM_TEMPLATE_HOOK(cudart, RecordEventWithFlags<cudaError>, cudaEventRecordWithFlags_ptsz,
                      record_event<Default::per_thread>, noted);
DETSHIM_TEMPLATE_HOOK(cudart, StreamWaits<cudaError>, cudaStreamWaitEvent, let_stream_wait<Default::legacy>,
                      noted);
DETSHIM_TEMPLATE_HOOK(cudart, StreamWaits<cudaError>, cudaStreamWaitEvent_ptsz,
                      let_stream_wait<Default::per_thread>, noted);

// ---- The driver ----

DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyToHost, cuMemcpyDtoH_v2, copy_to_host_by_driver, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyToHost, cuMemcpyDtoH_v2_ptds, copy_to_host_by_driver, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyToHostInStream, cuMemcpyDtoHAsync_v2,
                      copy_to_host_in_stream<Default::legacy>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyToHostInStream, cuMemcpyDtoHAsync_v2_ptsz,
                      copy_to_host_in_stream<Default::per_thread>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyArray, cuMemcpyAtoH_v2, copy_array_by_driver, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyArray, cuMemcpyAtoH_v2_ptds, copy_array_by_driver, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyArrayInStream, cuMemcpyAtoHAsync_v2,
                      copy_array_by_driver_in_stream<Default::legacy>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyArrayInStream, cuMemcpyAtoHAsync_v2_ptsz,
                      copy_array_by_driver_in_stream<Default::per_thread>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy, cuMemcpy, copy_by_address, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy, cuMemcpy_ptds, copy_by_address, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyInStream, cuMemcpyAsync, copy_by_address_in_stream<Default::legacy>,
                      hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyInStream, cuMemcpyAsync_ptsz,
                      copy_by_address_in_stream<Default::per_thread>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy2D, cuMemcpy2D_v2, copy_described, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy2D, cuMemcpy2D_v2_ptds, copy_described, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy2D, cuMemcpy2DUnaligned_v2, copy_described, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy2D, cuMemcpy2DUnaligned_v2_ptds, copy_described, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy2DInStream, cuMemcpy2DAsync_v2,
                      copy_described_in_stream<Default::legacy>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy2DInStream, cuMemcpy2DAsync_v2_ptsz,
                      copy_described_in_stream<Default::per_thread>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy3D, cuMemcpy3D_v2, copy_described, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy3D, cuMemcpy3D_v2_ptds, copy_described, hashed);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy3DInStream, cuMemcpy3DAsync_v2,
                      copy_described_in_stream<Default::legacy>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopy3DInStream, cuMemcpy3DAsync_v2_ptsz,
                      copy_described_in_stream<Default::per_thread>, hashed_later);

DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBatch, cuMemcpyBatchAsync, copy_batch_by_driver<Default::legacy>,
                      hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBatch, cuMemcpyBatchAsync_ptsz,
                      copy_batch_by_driver<Default::per_thread>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBatch2, cuMemcpyBatchAsync_v2, copy_batch_by_driver<Default::legacy>,
                      hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBatch2, cuMemcpyBatchAsync_v2_ptsz,
                      copy_batch_by_driver<Default::per_thread>, hashed_later);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBoxes, cuMemcpy3DBatchAsync, copy_boxes_by_driver<Default::legacy>,
                      said);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBoxes, cuMemcpy3DBatchAsync_ptsz,
                      copy_boxes_by_driver<Default::per_thread>, said);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBoxes2, cuMemcpy3DBatchAsync_v2, copy_boxes_by_driver<Default::legacy>,
                      said);
DETSHIM_TEMPLATE_HOOK(cuda, DriverCopyBoxes2, cuMemcpy3DBatchAsync_v2_ptsz,
                      copy_boxes_by_driver<Default::per_thread>, said);

DETSHIM_TEMPLATE_HOOK(cuda, StreamCall<CUresult>, cuStreamSynchronize, wait_for_stream<Default::legacy>,
                      noted);
DETSHIM_TEMPLATE_HOOK(cuda, StreamCall<CUresult>, cuStreamSynchronize_ptsz,
                      wait_for_stream<Default::per_thread>, noted);
DETSHIM_TEMPLATE_HOOK(cuda, StreamCall<CUresult>, cuStreamQuery, wait_for_stream<Default::legacy>, noted);
DETSHIM_TEMPLATE_HOOK(cuda, StreamCall<CUresult>, cuStreamQuery_ptsz, wait_for_stream<Default::per_thread>,
                      noted);
DETSHIM_TEMPLATE_HOOK(cuda, EventCall<CUresult>, cuEventSynchronize, wait_for_event, noted);
DETSHIM_TEMPLATE_HOOK(cuda, EventCall<CUresult>, cuEventQuery, wait_for_event, noted);
DETSHIM_TEMPLATE_HOOK(cuda, ContextCall<CUresult>, cuCtxSynchronize, wait_for_context, noted);
DETSHIM_TEMPLATE_HOOK(cuda, RecordEvent<CUresult>, cuEventRecord, record_event<Default::legacy>, noted);
DETSHIM_TEMPLATE_HOOK(cuda, RecordEvent<CUresult>, cuEventRecord_ptsz, record_event<Default::per_thread>,
                      noted);
DETSHIM_TEMPLATE_HOOK(cuda, RecordEventWithFlags<CUresult>, cuEventRecordWithFlags,
                      record_event<Default::legacy>, noted);
DETSHIM_TEMPLATE_HOOK(cuda, RecordEventWithFlags<CUresult>, cuEventRecordWithFlags_ptsz,
                      record_event<Default::per_thread>, noted);
DETSHIM_TEMPLATE_HOOK(cuda, StreamWaits<CUresult>, cuStreamWaitEvent, let_stream_wait<Default::legacy>,
                      noted);
DETSHIM_TEMPLATE_HOOK(cuda, StreamWaits<CUresult>, cuStreamWaitEvent_ptsz,
                      let_stream_wait<Default::per_thread>, noted);
