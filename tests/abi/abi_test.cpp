// Holds shim/abi, which is written down by hand, to the vendors' headers. All of it is checked while
// compiling; the tests only say which headers were there.

#include "abi/cublas.h"
#include "abi/cublaslt.h"
#include "abi/cudnn.h"
#include "abi/curand.h"

#if DETSHIM_TEST_HAVE_curand
#include <curand.h>
#endif
#if DETSHIM_TEST_HAVE_cublas
#include <cublasLt.h>
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

/// Whether a function of ours is called as one of theirs is: as many arguments, each as large.
template <class Ours, class Theirs>
struct CalledAlike : std::false_type {};
template <class OurResult, class... Ours, class TheirResult, class... Theirs>
requires(sizeof...(Ours) == sizeof...(Theirs)) struct CalledAlike<OurResult(Ours...), TheirResult(Theirs...)>
    : std::bool_constant<sizeof(OurResult) == sizeof(TheirResult) &&
                         ((sizeof(Ours) == sizeof(Theirs)) && ...) &&
                         ((std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>)&&...)> {
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

  static_assert(same(abi::cublasGemmAlgo::standard, CUBLAS_GEMM_DEFAULT));
#if CUBLAS_VER_MAJOR >= 13
  static_assert(same(abi::cublasGemmAlgo::autotune, CUBLAS_GEMM_AUTOTUNE));
  static_assert(same(abi::cublasComputeType::emulated_fixedpoint, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT));
  static_assert(same(abi::cublas_math_emulated_fixedpoint, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH));
  static_assert(same(abi::cublasEmulationStrategy::standard, CUBLAS_EMULATION_STRATEGY_DEFAULT));
  static_assert(same(abi::cublasEmulationStrategy::eager, CUBLAS_EMULATION_STRATEGY_EAGER));
#endif
  using Status = abi::cublasStatus;
  using Compute = abi::cublasComputeType;
  using Algo = abi::cublasGemmAlgo;
  using Type = abi::cudaDataType;
  static_assert(CalledAlike<Status(Handle, abi::cudaStream_t), decltype(::cublasSetStream_v2)>());
  static_assert(CalledAlike<Status(Handle, void*, size_t), decltype(::cublasSetWorkspace_v2)>());
  static_assert(CalledAlike<Status(Handle, int), decltype(::cublasSetMathMode)>());
  using Gemm = Status(Handle, int, int, int, int, int, const void*, const void*, Type, int, const void*, Type,
                      int, const void*, void*, Type, int, Compute, Algo);
  using Batched =
      Status(Handle, int, int, int, int, int, const void*, const void* const*, Type, int, const void* const*,
             Type, int, const void*, void* const*, Type, int, int, Compute, Algo);
  using Strided =
      Status(Handle, int, int, int, int, int, const void*, const void*, Type, int, long long, const void*,
             Type, int, long long, const void*, void*, Type, int, long long, int, Compute, Algo);
#if CUBLAS_VER_MAJOR >= 12
  using Gemm64 = Status(Handle, int, int, int64_t, int64_t, int64_t, const void*, const void*, Type, int64_t,
                        const void*, Type, int64_t, const void*, void*, Type, int64_t, Compute, Algo);
  using Batched64 = Status(Handle, int, int, int64_t, int64_t, int64_t, const void*, const void* const*, Type,
                           int64_t, const void* const*, Type, int64_t, const void*, void* const*, Type,
                           int64_t, int64_t, Compute, Algo);
  using Strided64 = Status(Handle, int, int, int64_t, int64_t, int64_t, const void*, const void*, Type,
                           int64_t, long long, const void*, Type, int64_t, long long, const void*, void*,
                           Type, int64_t, long long, int64_t, Compute, Algo);
  static_assert(CalledAlike<Gemm64, decltype(::cublasGemmEx_64)>());
  static_assert(CalledAlike<Batched64, decltype(::cublasGemmBatchedEx_64)>());
  static_assert(CalledAlike<Strided64, decltype(::cublasGemmStridedBatchedEx_64)>());
#endif
  // cublas_api.h has overloads of these for C++, so that the function is chosen by its type.
  static_assert(
      CalledAlike<
          Gemm,
          std::remove_pointer_t<
              decltype(static_cast<cublasStatus_t (*)(
                           cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                           const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                           cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t)>(::cublasGemmEx))>>());
  static_assert(
      CalledAlike<Batched,
                  std::remove_pointer_t<
                      decltype(static_cast<cublasStatus_t (*)(
                                   cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                   const void*, const void* const*, cudaDataType, int, const void* const*,
                                   cudaDataType, int, const void*, void* const*, cudaDataType, int, int,
                                   cublasComputeType_t, cublasGemmAlgo_t)>(::cublasGemmBatchedEx))>>());
  static_assert(
      CalledAlike<
          Strided,
          std::remove_pointer_t<
              decltype(static_cast<cublasStatus_t (*)(
                           cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                           const void*, cudaDataType, int, long long, const void*, cudaDataType, int,
                           long long, const void*, void*, cudaDataType, int, long long, int,
                           cublasComputeType_t, cublasGemmAlgo_t)>(::cublasGemmStridedBatchedEx))>>());
#else
  GTEST_SKIP() << "cublas_v2.h was not found when the build was configured";
#endif
}

TEST(Abi, CublasLt) {
#if DETSHIM_TEST_HAVE_cublas
  using Ours = abi::cublasLtMatmulHeuristicResult;
  using Theirs = ::cublasLtMatmulHeuristicResult_t;
  static_assert(sizeof(abi::cublasLtMatmulAlgo) == sizeof(::cublasLtMatmulAlgo_t));
  static_assert(sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs));
  static_assert(offsetof(Ours, algo) == offsetof(Theirs, algo));
  static_assert(offsetof(Ours, workspace_size) == offsetof(Theirs, workspaceSize));
  static_assert(offsetof(Ours, state) == offsetof(Theirs, state));
  static_assert(offsetof(Ours, waves_count) == offsetof(Theirs, wavesCount));

  using Status = abi::cublasStatus;
  using Handle = abi::cublasLtHandle_t;
  using Operation = abi::cublasLtMatmulDesc_t;
  using Layout = abi::cublasLtMatrixLayout_t;
  using Type = abi::cudaDataType;
  static_assert(CalledAlike<Status(Handle, Operation, Layout, Layout, Layout, Layout,
                                   abi::cublasLtMatmulPreference_t, int, Ours*, int*),
                            decltype(::cublasLtMatmulAlgoGetHeuristic)>());
  static_assert(
      CalledAlike<Status(Handle, abi::cublasComputeType, Type, Type, Type, Type, Type, int, int*, int*),
                  decltype(::cublasLtMatmulAlgoGetIds)>());
  static_assert(CalledAlike<Status(abi::cublasLtMatmulAlgo*, int, const void*, size_t),
                            decltype(::cublasLtMatmulAlgoConfigSetAttribute)>());
  static_assert(CalledAlike<Status(Handle, Operation, const void*, const void*, Layout, const void*, Layout,
                                   const void*, const void*, Layout, void*, Layout,
                                   const abi::cublasLtMatmulAlgo*, void*, size_t, abi::cudaStream_t),
                            decltype(::cublasLtMatmul)>());
  static_assert(CalledAlike<Status(const void*, int, void*, size_t, size_t*),
                            decltype(::cublasLtMatmulDescGetAttribute)>());
  static_assert(CalledAlike<Status(const void*, int, void*, size_t, size_t*),
                            decltype(::cublasLtMatrixLayoutGetAttribute)>());

  // The attributes' numbers, at the ends of the lists and where the numbers leave some out.
  static_assert(same(abi::cublaslt_layout_attributes[0].number, CUBLASLT_MATRIX_LAYOUT_TYPE));
  static_assert(same(abi::cublaslt_layout_attributes[7].number, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET));
  static_assert(same(abi::cublaslt_matmul_attributes[7].number, CUBLASLT_MATMUL_DESC_EPILOGUE));
  static_assert(same(abi::cublaslt_matmul_attributes[8].number, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE));
  static_assert(same(abi::cublaslt_matmul_attributes[12].number, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET));
  static_assert(same(abi::cublaslt_matmul_attributes[14].number, CUBLASLT_MATMUL_DESC_FAST_ACCUM));
#else
  GTEST_SKIP() << "cublasLt.h was not found when the build was configured";
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

} // namespace
