// The part of the CUDA runtime and driver that hooks need. Source: driver_types.h, vector_types.h,
// cuda_runtime_api.h and cuda.h of CUDA 13.0; the values are the same since CUDA 10. tests/abi
// holds them to the real headers where there are some.
#pragma once

#include "abi/library_types.h"

#include <cstddef>
#include <cstdint>

namespace detshim::abi {

/// cudaError_t
enum class cudaError : int { success = 0 /**< cudaSuccess */ };
enum class CUresult : int { success = 0 /**< CUDA_SUCCESS */ };

/// CUdeviceptr, with the width that every function has since CUDA 3.2.
using CUdeviceptr = uint64_t;

using CUstream = cudaStream_t;
/// cudaMemPool_t is the same.
using CUmemoryPool = struct CUmemPoolHandle_st*;
/// cudaEvent_t is the same.
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUlibrary = struct CUlib_st*;
/// cudaFunction_t is the same.
using CUfunction = struct CUfunc_st*;
/// cudaKernel_t is the same.
using CUkernel = struct CUkern_st*;
/// cudaGraphExec_t is the same.
using CUgraphExec = struct CUgraphExec_st*;

using CUcontext = struct CUctx_st*;
/// cudaArray_t represents the same.
/// CUmemGenericAllocationHandle
using CUmemHandle = unsigned long long;

/// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD: the two streams that a stream of 0 may mean.
inline constexpr uintptr_t stream_legacy = 1;
inline constexpr uintptr_t stream_per_thread = 2;

/// CUstreamCaptureStatus: CU_STREAM_CAPTURE_STATUS_NONE
inline constexpr int capture_status_none = 0;
/// CUstreamCaptureMode: CU_STREAM_CAPTURE_MODE_RELAXED
inline constexpr int capture_mode_relaxed = 2;
/// CU_MEMHOSTREGISTER_DEVICEMAP
inline constexpr unsigned host_register_mapped = 2;
/// CUmemAttach_flags: CU_MEM_ATTACH_HOST, cudaMemAttachHost
inline constexpr unsigned attach_host = 2;

/// dim3
struct Dim3 {
  unsigned x, y, z;
};

struct cudaPitchedPtr {
  void* ptr;
  size_t pitch; ///< bytes from one row to the next
  size_t xsize;
  size_t ysize;
};

struct cudaExtent {
  size_t width; ///< bytes
  size_t height;
  size_t depth;
};

/// cudaMemcpyKind
enum class CopyKind : int {
  device_to_host = 2, /**< cudaMemcpyDeviceToHost */
  by_address = 4      /**< cudaMemcpyDefault */
};

/// CUmemorytype
enum class MemoryType : unsigned {
  host = 1 /**< CU_MEMORYTYPE_HOST */
};
/// CUpointer_attribute: CU_POINTER_ATTRIBUTE_MEMORY_TYPE, and CU_POINTER_ATTRIBUTE_IS_MANAGED
inline constexpr int pointer_memory_type = 2;
inline constexpr int pointer_is_managed = 8;

} // namespace detshim::abi
