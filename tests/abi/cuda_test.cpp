// shim/abi of the driver and the runtime against their headers.
#include "abi_test.h"

#include "abi/cuda.h"

#if DETSHIM_TEST_HAVE_driver
#include <cuda.h>
#include <cuda_runtime_api.h>
#endif

namespace {

namespace abi = detshim::abi;

TEST(Abi, Cuda) {
#if DETSHIM_TEST_HAVE_driver
  using abi::cudaError;
  using abi::CUresult;
  static_assert(same(cudaError::success, cudaSuccess));
  static_assert(same(CUresult::success, CUDA_SUCCESS));
  static_assert(sizeof(abi::CUdeviceptr) == sizeof(::CUdeviceptr));
  static_assert(abi::capture_status_none == CU_STREAM_CAPTURE_STATUS_NONE);
  static_assert(abi::capture_mode_relaxed == CU_STREAM_CAPTURE_MODE_RELAXED);
  static_assert(abi::attach_host == CU_MEM_ATTACH_HOST && abi::attach_host == cudaMemAttachHost);
  EXPECT_EQ(abi::stream_legacy, reinterpret_cast<uintptr_t>(CU_STREAM_LEGACY));
  EXPECT_EQ(abi::stream_per_thread, reinterpret_cast<uintptr_t>(CU_STREAM_PER_THREAD));

  static_assert(sizeof(abi::Dim3) == sizeof(::dim3) &&
                offsetof(abi::Dim3, z) == offsetof(::dim3, z));
  static_assert(std::is_trivially_copyable_v<::dim3>); // passed as ours is
  using Pitched = abi::cudaPitchedPtr;
  static_assert(sizeof(Pitched) == sizeof(::cudaPitchedPtr) &&
                offsetof(Pitched, ptr) == offsetof(::cudaPitchedPtr, ptr) &&
                offsetof(Pitched, pitch) == offsetof(::cudaPitchedPtr, pitch));
  using Extent = abi::cudaExtent;
  static_assert(sizeof(Extent) == sizeof(::cudaExtent) &&
                offsetof(Extent, width) == offsetof(::cudaExtent, width) &&
                offsetof(Extent, height) == offsetof(::cudaExtent, height) &&
                offsetof(Extent, depth) == offsetof(::cudaExtent, depth));

  using Memory = abi::CUdeviceptr*;
  using Stream = abi::CUstream;
  using Pool = abi::CUmemoryPool;
  static_assert(called_alike<cudaError_t(void**, size_t), cudaError(void**, size_t)>(::cudaMalloc));
  static_assert(called_alike<cudaError_t(void**, size_t*, size_t, size_t),
                             cudaError(void**, size_t*, size_t, size_t)>(::cudaMallocPitch));
  static_assert(called_alike<decltype(::cudaMalloc3D), cudaError(Pitched*, Extent)>());
  static_assert(
      called_alike<cudaError_t(void**, size_t, unsigned), cudaError(void**, size_t, unsigned)>(
          ::cudaMallocManaged));
  static_assert(
      called_alike<cudaError_t(void**, size_t), cudaError(void**, size_t)>(::cudaMallocHost));
  static_assert(
      called_alike<cudaError_t(void**, size_t, unsigned), cudaError(void**, size_t, unsigned)>(
          ::cudaHostAlloc));
  static_assert(
      called_alike<cudaError_t(void**, size_t, cudaStream_t), cudaError(void**, size_t, Stream)>(
          ::cudaMallocAsync));
  static_assert(called_alike<cudaError_t(void**, size_t, cudaMemPool_t, cudaStream_t),
                             cudaError(void**, size_t, Pool, Stream)>(::cudaMallocFromPoolAsync));
  static_assert(called_alike<decltype(::cuMemAlloc), CUresult(Memory, size_t)>());
  static_assert(called_alike<decltype(::cuMemAllocPitch),
                             CUresult(Memory, size_t*, size_t, size_t, unsigned)>());
  static_assert(called_alike<decltype(::cuMemAllocManaged), CUresult(Memory, size_t, unsigned)>());
  static_assert(called_alike<decltype(::cuMemAllocHost), CUresult(void**, size_t)>());
  static_assert(called_alike<decltype(::cuMemHostAlloc), CUresult(void**, size_t, unsigned)>());
  static_assert(called_alike<decltype(::cuMemAllocAsync), CUresult(Memory, size_t, Stream)>());
  static_assert(
      called_alike<decltype(::cuMemAllocFromPoolAsync), CUresult(Memory, size_t, Pool, Stream)>());
  static_assert(called_alike<decltype(::cuStreamIsCapturing), CUresult(Stream, int*)>());
  static_assert(called_alike<decltype(::cuThreadExchangeStreamCaptureMode), CUresult(int*)>());
  static_assert(called_alike<decltype(::cuMemsetD8Async),
                             CUresult(abi::CUdeviceptr, unsigned char, size_t, Stream)>());
  static_assert(
      called_alike<decltype(::cuMemsetD2D8Async),
                   CUresult(abi::CUdeviceptr, size_t, unsigned char, size_t, size_t, Stream)>());
  static_assert(called_alike<decltype(::cuStreamSynchronize), CUresult(Stream)>());

  using Module = CUmodule*;
  static_assert(called_alike<decltype(::cuModuleLoad), CUresult(Module, const char*)>());
  static_assert(called_alike<decltype(::cuModuleLoadData), CUresult(Module, const void*)>());
  static_assert(called_alike<decltype(::cuModuleLoadFatBinary), CUresult(Module, const void*)>());
  static_assert(called_alike<decltype(::cuModuleLoadDataEx),
                             CUresult(Module, const void*, unsigned, CUjit_option*, void**)>());
  static_assert(called_alike<decltype(::cuModuleUnload), CUresult(CUmodule)>());
#if CUDA_VERSION >= 12000
  using Library = CUlibrary*;
  static_assert(called_alike<decltype(::cuLibraryLoadData),
                             CUresult(Library, const void*, CUjit_option*, void**, unsigned,
                                      CUlibraryOption*, void**, unsigned)>());
  static_assert(called_alike<decltype(::cuLibraryLoadFromFile),
                             CUresult(Library, const char*, CUjit_option*, void**, unsigned,
                                      CUlibraryOption*, void**, unsigned)>());
  static_assert(called_alike<decltype(::cuLibraryUnload), CUresult(CUlibrary)>());
#endif

  using Name = const char**;
  static_assert(called_alike<cudaError_t(const void*, dim3, dim3, void**, size_t, cudaStream_t),
                             cudaError(const void*, abi::Dim3, abi::Dim3, void**, size_t, Stream)>(
      ::cudaLaunchKernel));
  static_assert(called_alike<cudaError_t(const void*, dim3, dim3, void**, size_t, cudaStream_t),
                             cudaError(const void*, abi::Dim3, abi::Dim3, void**, size_t, Stream)>(
      ::cudaLaunchCooperativeKernel));
  static_assert(
      called_alike<decltype(::cudaLaunchKernelExC), cudaError(const void*, const void*, void**)>());
  static_assert(called_alike<decltype(::cudaGraphLaunch), cudaError(abi::CUgraphExec, Stream)>());
  static_assert(called_alike<decltype(::cuLaunchKernel),
                             CUresult(abi::CUfunction, unsigned, unsigned, unsigned, unsigned,
                                      unsigned, unsigned, unsigned, Stream, void**, void**)>());
  static_assert(called_alike<decltype(::cuLaunchKernelEx),
                             CUresult(const void*, abi::CUfunction, void**, void**)>());
  static_assert(called_alike<decltype(::cuLaunchCooperativeKernel),
                             CUresult(abi::CUfunction, unsigned, unsigned, unsigned, unsigned,
                                      unsigned, unsigned, unsigned, Stream, void**)>());
  static_assert(called_alike<decltype(::cuGraphLaunch), CUresult(abi::CUgraphExec, Stream)>());
  static_assert(called_alike<decltype(::cudaEventElapsedTime),
                             cudaError(float*, abi::CUevent, abi::CUevent)>());
  static_assert(
      called_alike<decltype(::cuEventElapsedTime), CUresult(float*, abi::CUevent, abi::CUevent)>());

  static_assert(called_alike<decltype(::cuMemCreate), CUresult(abi::CUmemHandle*, size_t,
                                                               const void*, unsigned long long)>());
  static_assert(called_alike<decltype(::cuModuleGetFunction),
                             CUresult(abi::CUfunction*, abi::CUmodule, const char*)>());
#if CUDA_VERSION >= 12000
  static_assert(called_alike<decltype(::cuLibraryGetKernel),
                             CUresult(abi::CUkernel*, abi::CUlibrary, const char*)>());
  static_assert(called_alike<decltype(::cuGetProcAddress),
                             CUresult(const char*, void**, int, uint64_t, int*)>());
#endif
#if CUDA_VERSION >= 12030
  static_assert(called_alike<decltype(::cuFuncGetName), CUresult(Name, abi::CUfunction)>());
  static_assert(called_alike<decltype(::cudaFuncGetName), cudaError(Name, const void*)>());
#endif
#if CUDA_VERSION >= 12050
  static_assert(called_alike<decltype(::cudaGetDriverEntryPointByVersion),
                             cudaError(const char*, void**, unsigned, unsigned long long, int*)>());
#endif
#else
  GTEST_SKIP() << "cuda.h was not found when the build was configured";
#endif
}

} // namespace
