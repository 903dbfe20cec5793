// shim/abi of the copies of the driver and the runtime against their headers: what a copy is
// described by.
#include "abi_test.h"

#include "abi/cuda.h"

#if DETSHIM_TEST_HAVE_driver
#include <cuda.h>
#include <cuda_runtime_api.h>
#endif

namespace {

namespace abi = detshim::abi;

#if DETSHIM_TEST_HAVE_driver
/// Whether a member has its place and size in both.
#define SAME_MEMBER(ours, theirs, member)                                                          \
  static_assert(offsetof(ours, member) == offsetof(theirs, member) &&                              \
                sizeof(ours::member) == sizeof(theirs::member))
#endif

TEST(Abi, Copies) {
#if DETSHIM_TEST_HAVE_driver
  SAME_MEMBER(abi::cudaPitchedPtr, ::cudaPitchedPtr, xsize);
  SAME_MEMBER(abi::cudaPitchedPtr, ::cudaPitchedPtr, ysize);
  static_assert(same(abi::CopyKind::device_to_host, cudaMemcpyDeviceToHost));
  static_assert(same(abi::CopyKind::by_address, cudaMemcpyDefault));

  static_assert(same(abi::MemoryType::host, CU_MEMORYTYPE_HOST));
  static_assert(abi::pointer_memory_type == CU_POINTER_ATTRIBUTE_MEMORY_TYPE &&
                abi::pointer_is_managed == CU_POINTER_ATTRIBUTE_IS_MANAGED);

  using abi::cudaError;
  using abi::CUresult;
  using Stream = abi::CUstream;
  using Event = abi::CUevent;
  using Kind = abi::CopyKind;
  static_assert(
      called_alike<decltype(::cudaMemcpy), cudaError(void*, const void*, size_t, Kind)>());
  static_assert(called_alike<decltype(::cudaMemcpyAsync),
                             cudaError(void*, const void*, size_t, Kind, Stream)>());
  static_assert(called_alike<decltype(::cudaMemcpy2D), cudaError(void*, size_t, const void*, size_t,
                                                                 size_t, size_t, Kind)>());
  static_assert(
      called_alike<decltype(::cudaMemcpy2DAsync),
                   cudaError(void*, size_t, const void*, size_t, size_t, size_t, Kind, Stream)>());
  static_assert(
      called_alike<decltype(::cuMemcpyDtoH), CUresult(void*, abi::CUdeviceptr, size_t)>());
  static_assert(called_alike<decltype(::cuMemcpyDtoHAsync),
                             CUresult(void*, abi::CUdeviceptr, size_t, Stream)>());
  static_assert(
      called_alike<decltype(::cuMemcpy), CUresult(abi::CUdeviceptr, abi::CUdeviceptr, size_t)>());
  static_assert(called_alike<decltype(::cuMemcpyAsync),
                             CUresult(abi::CUdeviceptr, abi::CUdeviceptr, size_t, Stream)>());

  static_assert(called_alike<decltype(::cudaEventRecord), cudaError(Event, Stream)>());
  static_assert(
      called_alike<decltype(::cudaEventRecordWithFlags), cudaError(Event, Stream, unsigned)>());
  static_assert(
      called_alike<decltype(::cudaStreamWaitEvent), cudaError(Stream, Event, unsigned)>());
  static_assert(called_alike<decltype(::cuEventRecord), CUresult(Event, Stream)>());
  static_assert(
      called_alike<decltype(::cuEventRecordWithFlags), CUresult(Event, Stream, unsigned)>());
  static_assert(called_alike<decltype(::cuStreamWaitEvent), CUresult(Stream, Event, unsigned)>());
#else
  GTEST_SKIP() << "cuda.h was not found when the build was configured";
#endif
}

} // namespace
