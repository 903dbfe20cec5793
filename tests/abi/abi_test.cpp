// Holds shim/abi, which is written down by hand, to the vendors' headers. All of it is checked while
// compiling; the tests only say which headers were there.

#include "abi/cublas.h"
#include "abi/cudnn.h"
#include "abi/curand.h"

#if DETSHIM_TEST_HAVE_curand
#include <curand.h>
#endif
#if DETSHIM_TEST_HAVE_cublas
#include <cublas_v2.h>
#endif
#if DETSHIM_TEST_HAVE_cudnn
#include <cudnn.h>
#endif

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace {

namespace abi = detshim::abi;

/// Whether our enumeration travels as the vendor's and this value of it has the vendor's number.
template <class Ours, class Theirs>
constexpr bool same(Ours ours, Theirs theirs) {
  return sizeof(Ours) == sizeof(Theirs) && static_cast<long long>(ours) == static_cast<long long>(theirs);
}

/// Whether a function of ours is called as one of theirs is: as many arguments, each as large and in the same
/// kind of register.
template <class Ours, class Theirs>
struct CalledAlike : std::false_type {};
template <class OurResult, class... Ours, class TheirResult, class... Theirs>
requires(sizeof...(Ours) == sizeof...(Theirs)) struct CalledAlike<OurResult(Ours...), TheirResult(Theirs...)>
    : std::bool_constant<sizeof(OurResult) == sizeof(TheirResult) &&
                         ((sizeof(Ours) == sizeof(Theirs)) && ...) &&
                         ((std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>)&&...) &&
                         ((std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>)&&...)> {
};

TEST(Abi, Curand) {
#if DETSHIM_TEST_HAVE_curand
  static_assert(sizeof(abi::curandGenerator_t) == sizeof(::curandGenerator_t));
  static_assert(same(abi::curandStatus::success, CURAND_STATUS_SUCCESS));
  static_assert(same(abi::curandStatus::type_error, CURAND_STATUS_TYPE_ERROR));

  using Type = abi::curandRngType;
  static_assert(same(Type::pseudo_default, CURAND_RNG_PSEUDO_DEFAULT));
  static_assert(same(Type::pseudo_philox4_32_10, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  static_assert(same(Type::quasi_default, CURAND_RNG_QUASI_DEFAULT));
  // Which types take a seed is told from their numbers.
  for (const auto pseudo : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_MTGP32,
                            CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
    EXPECT_GE(pseudo, static_cast<int>(Type::pseudo_default));
    EXPECT_LT(pseudo, static_cast<int>(Type::quasi_default));
  }
  for (const auto quasi : {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
                           CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64})
    EXPECT_GE(quasi, static_cast<int>(Type::quasi_default));

  static_assert(same(abi::curandOrdering::pseudo_default, CURAND_ORDERING_PSEUDO_DEFAULT));
  static_assert(same(abi::curandOrdering::pseudo_dynamic, CURAND_ORDERING_PSEUDO_DYNAMIC));

  using Generator = abi::curandGenerator_t;
  static_assert(CalledAlike<abi::curandStatus(Generator*, Type), decltype(::curandCreateGenerator)>());
  static_assert(CalledAlike<abi::curandStatus(Generator*, Type), decltype(::curandCreateGeneratorHost)>());
  static_assert(CalledAlike<abi::curandStatus(Generator), decltype(::curandDestroyGenerator)>());
  static_assert(CalledAlike<abi::curandStatus(Generator, unsigned long long),
                            decltype(::curandSetPseudoRandomGeneratorSeed)>());
  static_assert(
      CalledAlike<abi::curandStatus(Generator, unsigned long long), decltype(::curandSetGeneratorOffset)>());
  static_assert(CalledAlike<abi::curandStatus(Generator, abi::curandOrdering),
                            decltype(::curandSetGeneratorOrdering)>());
  static_assert(CalledAlike<abi::curandStatus(int*), decltype(::curandGetVersion)>());
#else
  GTEST_SKIP() << "curand.h was not found when the build was configured";
#endif
}

TEST(Abi, Cublas) {
#if DETSHIM_TEST_HAVE_cublas
  static_assert(sizeof(abi::cublasHandle_t) == sizeof(::cublasHandle_t));
  static_assert(same(abi::cublasStatus::success, CUBLAS_STATUS_SUCCESS));
  static_assert(same(abi::cublasStatus::not_supported, CUBLAS_STATUS_NOT_SUPPORTED));
  static_assert(same(abi::cublasAtomicsMode::not_allowed, CUBLAS_ATOMICS_NOT_ALLOWED));
  static_assert(same(abi::cublasAtomicsMode::allowed, CUBLAS_ATOMICS_ALLOWED));
  static_assert(same(abi::libraryProperty::major_version, MAJOR_VERSION));
  static_assert(same(abi::libraryProperty::minor_version, MINOR_VERSION));
  static_assert(same(abi::libraryProperty::patch_level, PATCH_LEVEL));

  using Handle = abi::cublasHandle_t;
  static_assert(CalledAlike<abi::cublasStatus(Handle*), decltype(::cublasCreate_v2)>());
  static_assert(
      CalledAlike<abi::cublasStatus(Handle, abi::cublasAtomicsMode), decltype(::cublasSetAtomicsMode)>());
  static_assert(CalledAlike<abi::cublasStatus(abi::libraryProperty, int*), decltype(::cublasGetProperty)>());
#else
  GTEST_SKIP() << "cublas_v2.h was not found when the build was configured";
#endif
}

#if DETSHIM_TEST_HAVE_cudnn
/// The three structures of search results, which are one of ours.
template <class Theirs>
constexpr bool is_perf() {
  using Ours = abi::cudnnConvolutionAlgoPerf;
  return sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs) &&
         offsetof(Ours, algo) == offsetof(Theirs, algo) &&
         offsetof(Ours, status) == offsetof(Theirs, status) &&
         offsetof(Ours, time) == offsetof(Theirs, time) &&
         offsetof(Ours, memory) == offsetof(Theirs, memory) &&
         offsetof(Ours, determinism) == offsetof(Theirs, determinism) &&
         offsetof(Ours, math_type) == offsetof(Theirs, mathType) &&
         offsetof(Ours, reserved) == offsetof(Theirs, reserved) &&
         sizeof(Ours::algo) == sizeof(Theirs::algo) && sizeof(Ours::memory) == sizeof(Theirs::memory) &&
         sizeof(Ours::math_type) == sizeof(Theirs::mathType) &&
         std::is_same_v<decltype(Ours::time), decltype(Theirs::time)>;
}
#endif

TEST(Abi, Cudnn) {
#if DETSHIM_TEST_HAVE_cudnn
  static_assert(same(abi::cudnnStatus::success, CUDNN_STATUS_SUCCESS));
  static_assert(
      same(CUDNN_MAJOR >= 9 ? abi::cudnnStatus::not_supported : abi::cudnnStatus::not_supported_before_9,
           CUDNN_STATUS_NOT_SUPPORTED));
  static_assert(same(abi::cudnnDeterminism::non_deterministic, CUDNN_NON_DETERMINISTIC));
  static_assert(same(abi::cudnnDeterminism::deterministic, CUDNN_DETERMINISTIC));
  static_assert(is_perf<cudnnConvolutionFwdAlgoPerf_t>());
  static_assert(is_perf<cudnnConvolutionBwdDataAlgoPerf_t>());
  static_assert(is_perf<cudnnConvolutionBwdFilterAlgoPerf_t>());

  using Descriptor = abi::cudnnBackendDescriptorType;
  static_assert(same(Descriptor::engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR));
  static_assert(same(Descriptor::engine_config, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  using Type = abi::cudnnBackendAttributeType;
  static_assert(same(Type::numerical_note, CUDNN_TYPE_NUMERICAL_NOTE));
  static_assert(same(Type::backend_descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR));
  using Name = abi::cudnnBackendAttributeName;
  static_assert(same(Name::engine_heuristic_results, CUDNN_ATTR_ENGINEHEUR_RESULTS));
  static_assert(same(Name::engine_config_engine, CUDNN_ATTR_ENGINECFG_ENGINE));
  static_assert(same(Name::execution_plan_engine_config, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG));
  static_assert(same(Name::engine_numerical_note, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE));
  static_assert(same(abi::cudnnNumericalNote::non_deterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));

  // The searches: the order of descriptors differs by pass, their number and sizes do not.
  using Status = abi::cudnnStatus;
  using Perf = abi::cudnnConvolutionAlgoPerf;
  using Search = Status(void*, void*, void*, void*, void*, int, int*, Perf*);
  using SearchEx = Status(void*, void*, const void*, void*, const void*, void*, void*, void*, int, int*,
                          Perf*, void*, size_t);
  static_assert(CalledAlike<Search, decltype(::cudnnFindConvolutionForwardAlgorithm)>());
  static_assert(CalledAlike<Search, decltype(::cudnnFindConvolutionBackwardDataAlgorithm)>());
  static_assert(CalledAlike<Search, decltype(::cudnnFindConvolutionBackwardFilterAlgorithm)>());
  static_assert(CalledAlike<Search, decltype(::cudnnGetConvolutionForwardAlgorithm_v7)>());
  static_assert(CalledAlike<Search, decltype(::cudnnGetConvolutionBackwardDataAlgorithm_v7)>());
  static_assert(CalledAlike<Search, decltype(::cudnnGetConvolutionBackwardFilterAlgorithm_v7)>());
  static_assert(CalledAlike<SearchEx, decltype(::cudnnFindConvolutionForwardAlgorithmEx)>());
  static_assert(CalledAlike<SearchEx, decltype(::cudnnFindConvolutionBackwardDataAlgorithmEx)>());
  static_assert(CalledAlike<SearchEx, decltype(::cudnnFindConvolutionBackwardFilterAlgorithmEx)>());

  using Handle = abi::cudnnBackendDescriptor_t;
  static_assert(std::is_same_v<Handle, ::cudnnBackendDescriptor_t>);
  static_assert(CalledAlike<Status(Handle, Name, Type, int64_t, int64_t*, void*),
                            decltype(::cudnnBackendGetAttribute)>());
  static_assert(
      CalledAlike<Status(Handle, Name, Type, int64_t, const void*), decltype(::cudnnBackendSetAttribute)>());
  static_assert(CalledAlike<Status(Descriptor, Handle*), decltype(::cudnnBackendCreateDescriptor)>());
  static_assert(CalledAlike<Status(Handle), decltype(::cudnnBackendFinalize)>());
  static_assert(CalledAlike<Status(Handle), decltype(::cudnnBackendDestroyDescriptor)>());
  static_assert(CalledAlike<size_t(), decltype(::cudnnGetVersion)>());
#else
  GTEST_SKIP() << "cudnn.h was not found when the build was configured";
#endif
}

TEST(Abi, CudnnLayers) {
#if DETSHIM_TEST_HAVE_cudnn
  static_assert(CUDNN_MAJOR < 9 || same(abi::cudnnStatus::bad_param, CUDNN_STATUS_BAD_PARAM));
  using Data = abi::cudnnBackwardDataAlgo;
  static_assert(same(Data::algo_0, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0));
  static_assert(same(Data::algo_1, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1));
  using Filter = abi::cudnnBackwardFilterAlgo;
  static_assert(same(Filter::algo_0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0));
  static_assert(same(Filter::algo_1, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1));
  static_assert(same(Filter::algo_3, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3));
  static_assert(same(abi::cudnnPoolingMode::max, CUDNN_POOLING_MAX));
  static_assert(same(abi::cudnnPoolingMode::max_deterministic, CUDNN_POOLING_MAX_DETERMINISTIC));
  static_assert(same(abi::cudnnCTCLossAlgo::deterministic, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC));
  static_assert(same(abi::cudnnCTCLossAlgo::non_deterministic, CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC));

  using Status = abi::cudnnStatus;
  using P = void*; // a handle, a descriptor or memory
  static_assert(CalledAlike<Status(P, P, P, P, P, P, P, abi::cudnnBackwardDataAlgo, P, size_t, P, P, P),
                            decltype(::cudnnConvolutionBackwardData)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, P, P, abi::cudnnBackwardFilterAlgo, P, size_t, P, P, P),
                            decltype(::cudnnConvolutionBackwardFilter)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, abi::cudnnBackwardDataAlgo, P),
                            decltype(::cudnnGetConvolutionBackwardDataWorkspaceSize)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, abi::cudnnBackwardFilterAlgo, P),
                            decltype(::cudnnGetConvolutionBackwardFilterWorkspaceSize)>());
  static_assert(CalledAlike<Status(P), decltype(::cudnnDestroyPoolingDescriptor)>());
  static_assert(
      CalledAlike<Status(P, abi::cudnnPoolingMode, abi::cudnnNanPropagation, int, int, int, int, int, int),
                  decltype(::cudnnSetPooling2dDescriptor)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, P, P, P, P), decltype(::cudnnGetPooling2dDescriptor)>());
  static_assert(CalledAlike<Status(P, abi::cudnnPoolingMode, abi::cudnnNanPropagation, int, P, P, P),
                            decltype(::cudnnSetPoolingNdDescriptor)>());
  static_assert(CalledAlike<Status(P, int, P, P, P, P, P, P), decltype(::cudnnGetPoolingNdDescriptor)>());
  static_assert(CalledAlike<Status(P, P, float, P, size_t, unsigned long long),
                            decltype(::cudnnSetDropoutDescriptor)>());
  static_assert(CalledAlike<Status(P, P, float, P, size_t, unsigned long long),
                            decltype(::cudnnRestoreDropoutDescriptor)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, P, P, P, P, P, P, P, P, P),
                            decltype(::cudnnSpatialTfSamplerBackward)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, P, P, P, P, abi::cudnnCTCLossAlgo, P, P, size_t),
                            decltype(::cudnnCTCLoss)>());
  static_assert(CalledAlike<Status(P, abi::cudnnCTCLossAlgo, P, P, P, P, P, P, P, P, P, size_t, P),
                            decltype(::cudnnCTCLoss_v8)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, P, abi::cudnnCTCLossAlgo, P, P),
                            decltype(::cudnnGetCTCLossWorkspaceSize)>());
  static_assert(CalledAlike<Status(P, abi::cudnnCTCLossAlgo, P, P, P, P),
                            decltype(::cudnnGetCTCLossWorkspaceSize_v8)>());
  static_assert(CalledAlike<Status(P, P, abi::cudnnForwardMode, P, P, P, P, P, P, P, P, P, P, P, size_t, P,
                                   size_t, P, size_t, P),
                            decltype(::cudnnRNNForward)>());
  static_assert(
      CalledAlike<Status(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, size_t, P, size_t, P, size_t, P),
                  decltype(::cudnnRNNBackwardData_v8)>());
  static_assert(
      CalledAlike<Status(P, P, abi::cudnnWgradMode, P, P, P, P, P, P, P, size_t, P, size_t, P, size_t, P),
                  decltype(::cudnnRNNBackwardWeights_v8)>());
  static_assert(
      CalledAlike<Status(P, P, int, P, P, P, P, P, P, P, P, P, P, P, P, P, size_t, P, size_t, P, size_t, P),
                  decltype(::cudnnMultiHeadAttnForward)>());
  static_assert(
      CalledAlike<Status(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, size_t, P, size_t, P, size_t, P),
                  decltype(::cudnnMultiHeadAttnBackwardData)>());
  static_assert(CalledAlike<Status(P, P, abi::cudnnWgradMode, P, P, P, P, P, P, P, P, size_t, P, P, size_t, P,
                                   size_t, P),
                            decltype(::cudnnMultiHeadAttnBackwardWeights)>());
#if CUDNN_MAJOR >= 9
  static_assert(same(abi::cudnnCTCGradMode::skip_oob_gradients, CUDNN_CTC_SKIP_OOB_GRADIENTS));
  static_assert(same(abi::cudnnCTCGradMode::zero_oob_gradients, CUDNN_CTC_ZERO_OOB_GRADIENTS));
  static_assert(
      CalledAlike<Status(P, abi::cudnnDataType, abi::cudnnLossNormalizationMode, abi::cudnnCTCGradMode, int),
                  decltype(::cudnnSetCTCLossDescriptor_v9)>());
#endif
#else
  GTEST_SKIP() << "cudnn.h was not found when the build was configured";
#endif
}

} // namespace
