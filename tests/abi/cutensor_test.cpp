// shim/abi of cuTENSOR against its header, where there is one: no toolkit has it.
#include "abi_test.h"

#include "abi/cutensor.h"

#if __has_include(<cutensor.h>) && __has_include(<cuda_runtime_api.h>)
#define DETSHIM_TEST_HAVE_cutensor 1
#include <cutensor.h>
#endif

namespace {

TEST(Abi, Cutensor) {
#if DETSHIM_TEST_HAVE_cutensor
  namespace abi = detshim::abi;
  static_assert(same(abi::cutensorStatus::success, CUTENSOR_STATUS_SUCCESS));
  static_assert(same(abi::cutensorStatus::not_supported, CUTENSOR_STATUS_NOT_SUPPORTED));
#if CUTENSOR_MAJOR >= 2
  using abi::cutensorStatus;
  static_assert(same(abi::cutensorAutotuneMode::none, CUTENSOR_AUTOTUNE_MODE_NONE));
  static_assert(same(abi::cutensorAutotuneMode::incremental, CUTENSOR_AUTOTUNE_MODE_INCREMENTAL));
  static_assert(abi::cutensor_autotune_mode == CUTENSOR_PLAN_PREFERENCE_AUTOTUNE_MODE);
  static_assert(CalledAlike<cutensorStatus(const void*, void*, int, const void*, size_t),
                            decltype(::cutensorPlanPreferenceSetAttribute)>());
  static_assert(
      CalledAlike<cutensorStatus(const void*, abi::cutensorOperationDescriptor_t, int, const void*, size_t),
                  decltype(::cutensorOperationDescriptorSetAttribute)>());
  static_assert(CalledAlike<cutensorStatus(abi::cutensorOperationDescriptor_t),
                            decltype(::cutensorDestroyOperationDescriptor)>());
#if CUTENSOR_VERSION >= 20800
  static_assert(abi::cutensor_blocksparse_reproducible ==
                CUTENSOR_OPERATION_DESCRIPTOR_BLOCKSPARSE_REPRODUCIBLE);
  using Modes = const int32_t*;
  static_assert(CalledAlike<cutensorStatus(const void*, abi::cutensorOperationDescriptor_t*, const void*,
                                           Modes, int, const void*, Modes, int, const void*, Modes, int,
                                           const void*, Modes, const void*),
                            decltype(::cutensorCreateBlockSparseContraction)>());
#endif
#else
  static_assert(same(abi::cutensorAutotuneMode::incremental, CUTENSOR_AUTOTUNE_INCREMENTAL));
  static_assert(abi::cutensor_autotune_mode == CUTENSOR_CONTRACTION_FIND_AUTOTUNE_MODE);
  static_assert(CalledAlike<abi::cutensorStatus(const void*, void*, int, const void*, size_t),
                            decltype(::cutensorContractionFindSetAttribute)>());
#endif
#else
  GTEST_SKIP() << "cutensor.h was not found when the build was configured";
#endif
}

} // namespace
