// shim/abi of cuFFT against its headers.
#include "abi_test.h"

#include "abi/cufft.h"

#if DETSHIM_TEST_HAVE_cufft
#include <cufftXt.h>
#endif

namespace {

namespace abi = detshim::abi;

TEST(Abi, Cufft) {
#if DETSHIM_TEST_HAVE_cufft
  using Status = abi::cufftResult;
  static_assert(same(Status::success, CUFFT_SUCCESS));
  static_assert(std::is_same_v<abi::cufftHandle, ::cufftHandle>);

  using Callback = abi::cufftXtCallbackType;
  static_assert(TakesWords<1, decltype(::cufftCreate)>());
  static_assert(TakesWords<4, decltype(::cufftPlan1d)>());
  static_assert(TakesWords<4, decltype(::cufftPlan2d)>());
  static_assert(TakesWords<5, decltype(::cufftPlan3d)>());
  static_assert(TakesWords<11, decltype(::cufftPlanMany)>());
  static_assert(
      CalledAlike<Status(int, void**, Callback, void**), decltype(::cufftXtSetCallback)>());
#if CUFFT_VERSION >= 11300
  static_assert(CalledAlike<Status(int, const char*, const void*, size_t, Callback, void**),
                            decltype(::cufftXtSetJITCallback)>());
#endif
  static_assert(CalledAlike<Status(int, int, int*), decltype(::cufftXtSetGPUs)>());
  static_assert(TakesWords<4, decltype(::cufftExecC2C)>());
  static_assert(TakesWords<4, decltype(::cufftExecZ2Z)>());
  static_assert(TakesWords<3, decltype(::cufftExecR2C)>());
  static_assert(TakesWords<3, decltype(::cufftExecD2Z)>());
  static_assert(TakesWords<3, decltype(::cufftExecC2R)>());
  static_assert(TakesWords<3, decltype(::cufftExecZ2D)>());
  static_assert(TakesWords<4, decltype(::cufftXtExec)>());
  static_assert(TakesWords<4, decltype(::cufftXtExecDescriptor)>());
  static_assert(TakesWords<4, decltype(::cufftXtExecDescriptorC2C)>());
  static_assert(TakesWords<4, decltype(::cufftXtExecDescriptorZ2Z)>());
  static_assert(TakesWords<3, decltype(::cufftXtExecDescriptorR2C)>());
  static_assert(TakesWords<3, decltype(::cufftXtExecDescriptorD2Z)>());
  static_assert(TakesWords<3, decltype(::cufftXtExecDescriptorC2R)>());
  static_assert(TakesWords<3, decltype(::cufftXtExecDescriptorZ2D)>());
  static_assert(CalledAlike<Status(int*), decltype(::cufftGetVersion)>());
#else
  GTEST_SKIP() << "cufftXt.h was not found when the build was configured";
#endif
}

} // namespace
