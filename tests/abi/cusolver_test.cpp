// shim/abi of cuSOLVER against its headers.
#include "abi_test.h"

#include "abi/cusolver.h"

#if DETSHIM_TEST_HAVE_cusolver
#include <cusolverDn.h>
#include <cusolverMg.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#endif

namespace {

namespace abi = detshim::abi;

TEST(Abi, Cusolver) {
#if DETSHIM_TEST_HAVE_cusolver
  using Status = abi::cusolverStatus;
  static_assert(same(Status::success, CUSOLVER_STATUS_SUCCESS));
  using Mode = abi::cusolverDeterministicMode;
#if CUSOLVER_VERSION >= 11502
  static_assert(same(Mode::deterministic, CUSOLVER_DETERMINISTIC_RESULTS));
  static_assert(same(Mode::allow_non_deterministic, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS));
#endif

  using Handle = abi::cusolverDnHandle_t;
  static_assert(CalledAlike<Status(Handle*), decltype(::cusolverDnCreate)>());
  static_assert(CalledAlike<Status(void*), decltype(::cusolverDnIRSParamsCreate)>());
  static_assert(CalledAlike<Status(void*), decltype(::cusolverSpCreate)>());
  static_assert(CalledAlike<Status(void*), decltype(::cusolverRfCreate)>());
  static_assert(CalledAlike<Status(void*), decltype(::cusolverMgCreate)>());
#if CUSOLVER_VERSION >= 11502
  static_assert(CalledAlike<Status(Handle, Mode), decltype(::cusolverDnSetDeterministicMode)>());
#endif
#if CUSOLVER_VERSION >= 12004
  static_assert(CalledAlike<Status(Handle, int), decltype(::cusolverDnSetMathMode)>());
#endif
#if CUSOLVER_VERSION >= 12100
  static_assert(abi::cusolver_math_emulated_fixedpoint == CUSOLVER_FP64_EMULATED_FIXEDPOINT_MATH);
#endif
  static_assert(CalledAlike<Status(int*), decltype(::cusolverGetVersion)>());
  static_assert(TakesWords<24, decltype(::cusolverDnXgesvdp)>());
  static_assert(TakesWords<26, decltype(::cusolverDnXgesvdr)>());
#else
  GTEST_SKIP() << "cusolverDn.h was not found when the build was configured";
#endif
}

} // namespace
