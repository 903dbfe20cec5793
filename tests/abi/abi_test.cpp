// Holds shim/abi, which is written down by hand, to the vendors' headers. All of it is checked while
// compiling; the tests only say which headers were there.

#include "abi/cublas.h"
#include "abi/cublaslt.h"
#include "abi/cuda.h"
#include "abi/cudnn.h"
#include "abi/cufft.h"
#include "abi/curand.h"
#include "abi/cusolver.h"
#include "abi/cusparse.h"
#include "abi/nccl.h"

#if DETSHIM_TEST_HAVE_driver
#include <cuda.h>
#include <cuda_runtime_api.h>
#endif
#if DETSHIM_TEST_HAVE_curand
#include <curand.h>
#endif
#if DETSHIM_TEST_HAVE_cublas
#include <cublasLt.h>
#include <cublasXt.h>
#include <cublas_v2.h>
#endif
#if DETSHIM_TEST_HAVE_cudnn
#include <cudnn.h>
#endif
#if DETSHIM_TEST_HAVE_cusparse
#include <cusparse.h>
#endif
#if DETSHIM_TEST_HAVE_cusolver
#include <cusolverDn.h>
#include <cusolverMg.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#endif
#if DETSHIM_TEST_HAVE_cufft
#include <cufftXt.h>
#endif
#if DETSHIM_TEST_HAVE_nccl
#include <nccl.h>
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

  using Status = abi::curandStatus;
  static_assert(CalledAlike<Status(Generator, unsigned*, size_t), decltype(::curandGenerate)>());
  static_assert(
      CalledAlike<Status(Generator, unsigned long long*, size_t), decltype(::curandGenerateLongLong)>());
  static_assert(CalledAlike<Status(Generator, float*, size_t), decltype(::curandGenerateUniform)>());
  static_assert(CalledAlike<Status(Generator, double*, size_t), decltype(::curandGenerateUniformDouble)>());
  using Floats = Status(Generator, float*, size_t, float, float);
  static_assert(CalledAlike<Floats, decltype(::curandGenerateNormal)>());
  static_assert(CalledAlike<Floats, decltype(::curandGenerateLogNormal)>());
  using Doubles = Status(Generator, double*, size_t, double, double);
  static_assert(CalledAlike<Doubles, decltype(::curandGenerateNormalDouble)>());
  static_assert(CalledAlike<Doubles, decltype(::curandGenerateLogNormalDouble)>());
  static_assert(
      CalledAlike<Status(Generator, unsigned*, size_t, double), decltype(::curandGeneratePoisson)>());
  static_assert(CalledAlike<Status(Generator, unsigned*, size_t, double, abi::curandMethod),
                            decltype(::curandGeneratePoissonMethod)>());
  static_assert(CalledAlike<Status(Generator), decltype(::curandGenerateSeeds)>());
  static_assert(CalledAlike<Status(Generator, abi::cudaStream_t), decltype(::curandSetStream)>());
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
  static_assert(CalledAlike<abi::cublasStatus(abi::cublasXtHandle_t*), decltype(::cublasXtCreate)>());
  static_assert(CalledAlike<abi::cublasStatus(abi::cublasLtHandle_t*), decltype(::cublasLtCreate)>());
  static_assert(
      CalledAlike<abi::cublasStatus(Handle, abi::cublasAtomicsMode), decltype(::cublasSetAtomicsMode)>());
  static_assert(CalledAlike<abi::cublasStatus(abi::libraryProperty, int*), decltype(::cublasGetProperty)>());

  static_assert(same(abi::cublasGemmAlgo::standard, CUBLAS_GEMM_DEFAULT));
  static_assert(same(abi::cublasGemmAlgo::first, CUBLAS_GEMM_ALGO0));
  static_assert(same(abi::cublasGemmAlgo::last, CUBLAS_GEMM_ALGO23));
  static_assert(same(abi::cublasGemmAlgo::standard_tensor, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
  static_assert(same(abi::cublasGemmAlgo::first_tensor, CUBLAS_GEMM_ALGO0_TENSOR_OP));
  static_assert(same(abi::cublasGemmAlgo::last_tensor, CUBLAS_GEMM_ALGO15_TENSOR_OP));
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
  static_assert(CalledAlike<Status(Handle, abi::cublasComputeType, abi::cudaDataType, abi::cudaDataType,
                                   abi::cudaDataType, abi::cudaDataType, abi::cudaDataType, int,
                                   abi::cublasLtMatmulAlgo*),
                            decltype(::cublasLtMatmulAlgoInit)>());
  static_assert(CalledAlike<Status(Handle, Operation, Layout, Layout, Layout, Layout,
                                   const abi::cublasLtMatmulAlgo*, Ours*),
                            decltype(::cublasLtMatmulAlgoCheck)>());
  static_assert(abi::cublaslt_preference_max_workspace == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
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
      same(CUDNN_MAJOR >= 9 ? abi::cudnnStatus::not_initialized : abi::cudnnStatus::not_initialized_before_9,
           CUDNN_STATUS_NOT_INITIALIZED));
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
  static_assert(same(Descriptor::knob_choice, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
  using Type = abi::cudnnBackendAttributeType;
  static_assert(same(Type::numerical_note, CUDNN_TYPE_NUMERICAL_NOTE));
  static_assert(same(Type::backend_descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR));
  static_assert(same(Type::boolean, CUDNN_TYPE_BOOLEAN));
  static_assert(same(Type::int64, CUDNN_TYPE_INT64));
  static_assert(same(Type::knob_type, CUDNN_TYPE_KNOB_TYPE));
  static_assert(same(Type::int32, CUDNN_TYPE_INT32));
  using Name = abi::cudnnBackendAttributeName;
  static_assert(same(Name::engine_heuristic_results, CUDNN_ATTR_ENGINEHEUR_RESULTS));
  static_assert(same(Name::engine_config_engine, CUDNN_ATTR_ENGINECFG_ENGINE));
  static_assert(same(Name::execution_plan_engine_config, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG));
  static_assert(same(Name::execution_plan_json, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION));
  static_assert(same(Name::engine_numerical_note, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE));
  static_assert(same(Name::engine_heuristic_operation_graph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH));
  static_assert(same(Name::engine_config_knob_choices, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES));
  static_assert(same(Name::knob_choice_type, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE));
  static_assert(same(Name::knob_choice_value, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
  static_assert(same(Name::operation_graph_operations, CUDNN_ATTR_OPERATIONGRAPH_OPS));
  static_assert(same(Name::engine_operation_graph, CUDNN_ATTR_ENGINE_OPERATION_GRAPH));
  static_assert(same(Name::engine_global_index, CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
  static_assert(same(Name::operation_matmul_product, CUDNN_ATTR_OPERATION_MATMUL_CDESC));
  static_assert(same(Name::reduction_operator, CUDNN_ATTR_REDUCTION_OPERATOR));
  static_assert(same(Name::reduction_math_type, CUDNN_ATTR_REDUCTION_COMP_TYPE));
  static_assert(same(Name::operation_rng_seed, CUDNN_ATTR_OPERATION_RNG_SEED));
#if CUDNN_VERSION >= 91100
  static_assert(same(Name::reduction_is_deterministic, CUDNN_ATTR_REDUCTION_IS_DETERMINISTIC));
#endif
#if CUDNN_VERSION >= 91900
  static_assert(same(Name::engine_sm_count_target, CUDNN_ATTR_ENGINE_SM_COUNT_TARGET));
  static_assert(same(Name::sdpa_backward_first, CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC));
  static_assert(same(Name::sdpa_backward_last, CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC));
#endif
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
  static_assert(CalledAlike<Status(abi::cudnnHandle_t, Handle, Handle), decltype(::cudnnBackendExecute)>());
#if CUDNN_VERSION >= 90500
  static_assert(CalledAlike<Status(abi::cudnnHandle_t, Handle, Handle, void*),
                            decltype(::cudnnBackendPopulateCudaGraph)>());
#endif
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
  static_assert(CalledAlike<Status(P), decltype(::cudnnDestroyDropoutDescriptor)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, P, P, size_t), decltype(::cudnnDropoutForward)>());
  static_assert(CalledAlike<Status(P, P), decltype(::cudnnGetStream)>());
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
  // The getters that hooks/cudnn/search_tuning.h asks.
  static_assert(CalledAlike<Status(P, int, P, P, P, P), decltype(::cudnnGetTensorNdDescriptor)>());
  static_assert(CalledAlike<Status(P, int, P, P, P, P), decltype(::cudnnGetFilterNdDescriptor)>());
  static_assert(CalledAlike<Status(P, int, P, P, P, P, P, P), decltype(::cudnnGetConvolutionNdDescriptor)>());
  static_assert(CalledAlike<Status(P, P), decltype(::cudnnGetConvolutionMathType)>());
  static_assert(CalledAlike<Status(P, P), decltype(::cudnnGetConvolutionGroupCount)>());
  static_assert(CalledAlike<Status(P, P), decltype(::cudnnGetConvolutionReorderType)>());
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

TEST(Abi, Cusparse) {
#if DETSHIM_TEST_HAVE_cusparse
  using Status = abi::cusparseStatus;
  static_assert(same(Status::success, CUSPARSE_STATUS_SUCCESS));
  static_assert(same(Status::not_supported, CUSPARSE_STATUS_NOT_SUPPORTED));
  using Operation = abi::cusparseOperation;
  static_assert(same(Operation::non_transpose, CUSPARSE_OPERATION_NON_TRANSPOSE));
  static_assert(same(Operation::transpose, CUSPARSE_OPERATION_TRANSPOSE));
  static_assert(same(Operation::conjugate_transpose, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE));
  using Format = abi::cusparseFormat;
  static_assert(same(Format::csr, CUSPARSE_FORMAT_CSR));
  static_assert(same(Format::csc, CUSPARSE_FORMAT_CSC));
  static_assert(same(Format::coo, CUSPARSE_FORMAT_COO));
  static_assert(same(Format::blocked_ell, CUSPARSE_FORMAT_BLOCKED_ELL));
  static_assert(same(Format::bsr, CUSPARSE_FORMAT_BSR));
  static_assert(same(Format::sliced_ell, CUSPARSE_FORMAT_SLICED_ELLPACK));
  using Spmv = abi::cusparseSpMVAlg;
  static_assert(same(Spmv::by_default, CUSPARSE_SPMV_ALG_DEFAULT));
  static_assert(same(Spmv::csr_alg2, CUSPARSE_SPMV_CSR_ALG2));
  static_assert(same(Spmv::coo_alg2, CUSPARSE_SPMV_COO_ALG2));
  static_assert(same(Spmv::sell_alg1, CUSPARSE_SPMV_SELL_ALG1));
  static_assert(same(Spmv::bsr_alg1, CUSPARSE_SPMV_BSR_ALG1));
  using Spmm = abi::cusparseSpMMAlg;
  static_assert(same(Spmm::by_default, CUSPARSE_SPMM_ALG_DEFAULT));
  static_assert(same(Spmm::coo_alg2, CUSPARSE_SPMM_COO_ALG2));
  static_assert(same(Spmm::csr_alg3, CUSPARSE_SPMM_CSR_ALG3));
  static_assert(same(Spmm::bsr_alg1, CUSPARSE_SPMM_BSR_ALG1));
  using Spgemm = abi::cusparseSpGEMMAlg;
  static_assert(same(Spgemm::by_default, CUSPARSE_SPGEMM_DEFAULT));
  static_assert(same(Spgemm::csr_determinitic, CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC));
  static_assert(same(Spgemm::csr_nondeterminitic, CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC));

  using Handle = abi::cusparseHandle_t;
  using Matrix = abi::cusparseConstSpMatDescr_t;
  using Type = abi::cudaDataType;
  using Pointer = const void*;
  static_assert(sizeof(Type) == sizeof(::cudaDataType));
  static_assert(CalledAlike<Status(Handle*), decltype(::cusparseCreate)>());
  static_assert(CalledAlike<Status(abi::libraryProperty, int*), decltype(::cusparseGetProperty)>());
  static_assert(CalledAlike<Status(Matrix), decltype(::cusparseDestroySpMat)>());
  static_assert(CalledAlike<Status(Matrix, Format*), decltype(::cusparseSpMatGetFormat)>());
  static_assert(
      CalledAlike<Status(Handle, Operation, Pointer, Matrix, Pointer, Pointer, Pointer, Type, Spmv, size_t*),
                  decltype(::cusparseSpMV_bufferSize)>());
  using RunVector = Status(Handle, Operation, Pointer, Matrix, Pointer, Pointer, Pointer, Type, Spmv, void*);
  static_assert(CalledAlike<RunVector, decltype(::cusparseSpMV)>());
  static_assert(CalledAlike<RunVector, decltype(::cusparseSpMV_preprocess)>());
  static_assert(CalledAlike<Status(Handle, Operation, Operation, Pointer, Matrix, Pointer, Pointer, Pointer,
                                   Type, Spmm, size_t*),
                            decltype(::cusparseSpMM_bufferSize)>());
  using RunMatrix =
      Status(Handle, Operation, Operation, Pointer, Matrix, Pointer, Pointer, Pointer, Type, Spmm, void*);
  static_assert(CalledAlike<RunMatrix, decltype(::cusparseSpMM)>());
  static_assert(CalledAlike<RunMatrix, decltype(::cusparseSpMM_preprocess)>());
  using ReusePhase =
      Status(Handle, Operation, Operation, Matrix, Matrix, Matrix, Spgemm, void*, size_t*, void*);
  static_assert(CalledAlike<ReusePhase, decltype(::cusparseSpGEMMreuse_workEstimation)>());
  static_assert(CalledAlike<ReusePhase, decltype(::cusparseSpGEMMreuse_copy)>());
  static_assert(CalledAlike<Status(Handle, Operation, Operation, Matrix, Matrix, Matrix, Spgemm, void*,
                                   size_t*, void*, size_t*, void*, size_t*, void*),
                            decltype(::cusparseSpGEMMreuse_nnz)>());
  static_assert(CalledAlike<Status(Handle, Operation, Operation, Pointer, Matrix, Matrix, Pointer, Matrix,
                                   Type, Spgemm, void*),
                            decltype(::cusparseSpGEMMreuse_compute)>());
  static_assert(CalledAlike<Status(Handle, Pointer, Pointer, Pointer, Pointer), decltype(::cusparseAxpby)>());
  static_assert(CalledAlike<Status(Handle, Pointer, Pointer), decltype(::cusparseScatter)>());

  // Of each four, one with plain numbers and one with complex ones.
  using P = Pointer;
  using Data = abi::cudaDataType;
  static_assert(
      CalledAlike<Status(P, Operation, P, P, P, P, Data, int, P), decltype(::cusparseSpSV_solve)>());
  static_assert(CalledAlike<Status(P, Operation, Operation, P, P, P, P, Data, int, P),
                            decltype(::cusparseSpSM_solve)>());
  static_assert(CalledAlike<Status(P, int, int, int, P, P, P, P, P, P, Data, int, int, int, P),
                            decltype(::cusparseCsr2cscEx2)>());
  using Tridiagonal = Status(P, int, int, P, P, P, P, int, P);
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseSgtsv2)>());
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseZgtsv2)>());
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseDgtsv2_nopivot)>());
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseCgtsv2_nopivot)>());
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseSgtsvInterleavedBatch)>());
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseZgtsvInterleavedBatch)>());
  using Strided = Status(P, int, P, P, P, P, int, int, P);
  static_assert(CalledAlike<Strided, decltype(::cusparseSgtsv2StridedBatch)>());
  static_assert(CalledAlike<Strided, decltype(::cusparseZgtsv2StridedBatch)>());
#if CUSPARSE_VERSION < 13000
  using Factor = Status(P, int, int, P, P, P, P, P, int, P);
  static_assert(CalledAlike<Factor, decltype(::cusparseScsrilu02)>());
  static_assert(CalledAlike<Factor, decltype(::cusparseZcsrilu02)>());
  static_assert(CalledAlike<Factor, decltype(::cusparseDcsric02)>());
  static_assert(CalledAlike<Factor, decltype(::cusparseCcsric02)>());
  using Blocks = Status(P, int, int, int, P, P, P, P, int, P, int, P);
  static_assert(CalledAlike<Blocks, decltype(::cusparseSbsrilu02)>());
  static_assert(CalledAlike<Blocks, decltype(::cusparseZbsrilu02)>());
  static_assert(CalledAlike<Blocks, decltype(::cusparseDbsric02)>());
  static_assert(CalledAlike<Blocks, decltype(::cusparseCbsric02)>());
  using Color = Status(P, int, int, P, P, P, P, P, P, P, P, P);
  static_assert(CalledAlike<Color, decltype(::cusparseScsrcolor)>());
  static_assert(CalledAlike<Color, decltype(::cusparseZcsrcolor)>());
#endif
  using SparseVector = Status(P, Operation, int, int, P, P, int, int, P, P, P, P, int, P);
  static_assert(CalledAlike<SparseVector, decltype(::cusparseSgemvi)>());
  static_assert(CalledAlike<SparseVector, decltype(::cusparseZgemvi)>());
#else
  GTEST_SKIP() << "cusparse.h was not found when the build was configured";
#endif
}

TEST(Abi, Cusolver) {
#if DETSHIM_TEST_HAVE_cusolver
  using Status = abi::cusolverStatus;
  static_assert(same(Status::success, CUSOLVER_STATUS_SUCCESS));
  using Mode = abi::cusolverDeterministicMode;
  static_assert(same(Mode::deterministic, CUSOLVER_DETERMINISTIC_RESULTS));
  static_assert(same(Mode::allow_non_deterministic, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS));

  using Handle = abi::cusolverDnHandle_t;
  using Type = abi::cudaDataType;
  static_assert(CalledAlike<Status(Handle*), decltype(::cusolverDnCreate)>());
  static_assert(CalledAlike<Status(abi::cusolverDnIRSParams_t*), decltype(::cusolverDnIRSParamsCreate)>());
  static_assert(CalledAlike<Status(abi::cusolverSpHandle_t*), decltype(::cusolverSpCreate)>());
  static_assert(CalledAlike<Status(abi::cusolverRfHandle_t*), decltype(::cusolverRfCreate)>());
  static_assert(CalledAlike<Status(abi::cusolverMgHandle_t*), decltype(::cusolverMgCreate)>());
  static_assert(CalledAlike<Status(Handle, Mode), decltype(::cusolverDnSetDeterministicMode)>());
  static_assert(CalledAlike<Status(int*), decltype(::cusolverGetVersion)>());
  static_assert(
      CalledAlike<Status(Handle, abi::cusolverDnParams_t, signed char, signed char, int64_t, int64_t, int64_t,
                         int64_t, int64_t, Type, void*, int64_t, Type, void*, Type, void*, int64_t, Type,
                         void*, int64_t, Type, void*, size_t, void*, size_t, int*),
                  decltype(::cusolverDnXgesvdr)>());
#else
  GTEST_SKIP() << "cusolverDn.h was not found when the build was configured";
#endif
}

TEST(Abi, Cufft) {
#if DETSHIM_TEST_HAVE_cufft
  using Status = abi::cufftResult;
  static_assert(same(Status::success, CUFFT_SUCCESS));
  static_assert(std::is_same_v<abi::cufftHandle, ::cufftHandle>);

  using Type = abi::cufftType;
  using Callback = abi::cufftXtCallbackType;
  static_assert(CalledAlike<Status(int*), decltype(::cufftCreate)>());
  static_assert(CalledAlike<Status(int*, int, Type, int), decltype(::cufftPlan1d)>());
  static_assert(CalledAlike<Status(int*, int, int, Type), decltype(::cufftPlan2d)>());
  static_assert(CalledAlike<Status(int*, int, int, int, Type), decltype(::cufftPlan3d)>());
  static_assert(CalledAlike<Status(int*, int, int*, int*, int, int, int*, int, int, Type, int),
                            decltype(::cufftPlanMany)>());
  static_assert(CalledAlike<Status(int, void**, Callback, void**), decltype(::cufftXtSetCallback)>());
  static_assert(CalledAlike<Status(int, const char*, const void*, size_t, Callback, void**),
                            decltype(::cufftXtSetJITCallback)>());
  static_assert(CalledAlike<Status(int, int, int*), decltype(::cufftXtSetGPUs)>());
  static_assert(CalledAlike<Status(int*), decltype(::cufftGetVersion)>());
#else
  GTEST_SKIP() << "cufftXt.h was not found when the build was configured";
#endif
}

TEST(Abi, Nccl) {
#if DETSHIM_TEST_HAVE_nccl
  using Status = abi::ncclResult;
  static_assert(same(Status::success, ncclSuccess));
  static_assert(same(Status::invalid_usage, ncclInvalidUsage));
  using Id = abi::ncclUniqueId;
  static_assert(sizeof(Id) == sizeof(::ncclUniqueId) && alignof(Id) == alignof(::ncclUniqueId));

  using Communicator = abi::ncclComm_t;
  using Config = abi::ncclConfig_t*;
  using Type = abi::ncclDataType;
  using Operation = abi::ncclRedOp;
  using Stream = abi::cudaStream_t;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
  static_assert(sizeof(abi::ncclConfig_t) == sizeof(::ncclConfig_t));
  static_assert(abi::nccl_config_unset == NCCL_CONFIG_UNDEF_INT);
  constexpr ::ncclConfig_t fresh = NCCL_CONFIG_INITIALIZER;
  static_assert(fresh.magic == abi::nccl_config_magic);
#define DETSHIM_SAME_PLACE(field)                                                                            \
  static_assert(offsetof(abi::ncclConfig_t, field) == offsetof(::ncclConfig_t, field))
  DETSHIM_SAME_PLACE(magic);
  DETSHIM_SAME_PLACE(cgaClusterSize);
  DETSHIM_SAME_PLACE(minCTAs);
  DETSHIM_SAME_PLACE(maxCTAs);
  DETSHIM_SAME_PLACE(netName);
  DETSHIM_SAME_PLACE(splitShare);
  DETSHIM_SAME_PLACE(collnetEnable);
  DETSHIM_SAME_PLACE(CTAPolicy);
  DETSHIM_SAME_PLACE(shrinkShare);
  DETSHIM_SAME_PLACE(nvlsCTAs);
  DETSHIM_SAME_PLACE(nChannelsPerNetPeer);
  DETSHIM_SAME_PLACE(nvlinkCentricSched);
#endif
  static_assert(CalledAlike<Status(int*), decltype(::ncclGetVersion)>());
  static_assert(CalledAlike<Status(Id*), decltype(::ncclGetUniqueId)>());
  static_assert(CalledAlike<Status(Communicator*, int, Id, int), decltype(::ncclCommInitRank)>());
  static_assert(
      CalledAlike<Status(Communicator*, int, Id, int, Config), decltype(::ncclCommInitRankConfig)>());
  static_assert(CalledAlike<Status(Communicator*, int, const int*), decltype(::ncclCommInitAll)>());
  static_assert(
      CalledAlike<Status(Communicator, int, int, Communicator*, Config), decltype(::ncclCommSplit)>());
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 23, 0)
  static_assert(
      CalledAlike<Status(Communicator*, int, int, int, Id*, Config), decltype(::ncclCommInitRankScalable)>());
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
  static_assert(
      CalledAlike<Status(Communicator, int*, int, Communicator*, Config, int), decltype(::ncclCommShrink)>());
  static_assert(CalledAlike<Status(Communicator, void*, size_t, abi::ncclWindow_t*, int),
                            decltype(::ncclCommWindowRegister)>());
#endif
  using Reduction = Status(const void*, void*, size_t, Type, Operation, Communicator, Stream);
  static_assert(CalledAlike<Reduction, decltype(::ncclAllReduce)>());
  static_assert(CalledAlike<Reduction, decltype(::ncclReduceScatter)>());
  static_assert(CalledAlike<Status(const void*, void*, size_t, Type, Operation, int, Communicator, Stream),
                            decltype(::ncclReduce)>());
  static_assert(CalledAlike<Status(Operation*, void*, Type, abi::ncclScalarResidence, Communicator),
                            decltype(::ncclRedOpCreatePreMulSum)>());
#else
  GTEST_SKIP() << "nccl.h was not found when the build was configured";
#endif
}

#if DETSHIM_TEST_HAVE_driver
template <class Theirs, class Ours>
constexpr bool called_alike() {
  return CalledAlike<Ours, Theirs>();
}
/// The same for a function that cuda_runtime.h overloads: its own signature chooses it.
template <class Theirs, class Ours>
constexpr bool called_alike(Theirs*) {
  return CalledAlike<Ours, Theirs>();
}
#endif

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

  static_assert(sizeof(abi::Dim3) == sizeof(::dim3) && offsetof(abi::Dim3, z) == offsetof(::dim3, z));
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
  static_assert(
      called_alike<cudaError_t(void**, size_t*, size_t, size_t), cudaError(void**, size_t*, size_t, size_t)>(
          ::cudaMallocPitch));
  static_assert(called_alike<decltype(::cudaMalloc3D), cudaError(Pitched*, Extent)>());
  static_assert(called_alike<cudaError_t(void**, size_t, unsigned), cudaError(void**, size_t, unsigned)>(
      ::cudaMallocManaged));
  static_assert(called_alike<cudaError_t(void**, size_t), cudaError(void**, size_t)>(::cudaMallocHost));
  static_assert(called_alike<cudaError_t(void**, size_t, unsigned), cudaError(void**, size_t, unsigned)>(
      ::cudaHostAlloc));
  static_assert(called_alike<cudaError_t(void**, size_t, cudaStream_t), cudaError(void**, size_t, Stream)>(
      ::cudaMallocAsync));
  static_assert(called_alike<cudaError_t(void**, size_t, cudaMemPool_t, cudaStream_t),
                             cudaError(void**, size_t, Pool, Stream)>(::cudaMallocFromPoolAsync));
  static_assert(called_alike<decltype(::cuMemAlloc), CUresult(Memory, size_t)>());
  static_assert(
      called_alike<decltype(::cuMemAllocPitch), CUresult(Memory, size_t*, size_t, size_t, unsigned)>());
  static_assert(called_alike<decltype(::cuMemAllocManaged), CUresult(Memory, size_t, unsigned)>());
  static_assert(called_alike<decltype(::cuMemAllocHost), CUresult(void**, size_t)>());
  static_assert(called_alike<decltype(::cuMemHostAlloc), CUresult(void**, size_t, unsigned)>());
  static_assert(called_alike<decltype(::cuMemAllocAsync), CUresult(Memory, size_t, Stream)>());
  static_assert(called_alike<decltype(::cuMemAllocFromPoolAsync), CUresult(Memory, size_t, Pool, Stream)>());
  static_assert(called_alike<decltype(::cuStreamIsCapturing), CUresult(Stream, int*)>());
  static_assert(called_alike<decltype(::cuThreadExchangeStreamCaptureMode), CUresult(int*)>());
  static_assert(
      called_alike<decltype(::cuMemsetD8Async), CUresult(abi::CUdeviceptr, unsigned char, size_t, Stream)>());
  static_assert(called_alike<decltype(::cuMemsetD2D8Async),
                             CUresult(abi::CUdeviceptr, size_t, unsigned char, size_t, size_t, Stream)>());
  static_assert(called_alike<decltype(::cuStreamSynchronize), CUresult(Stream)>());

  using Name = const char**;
  static_assert(
      called_alike<cudaError_t(const void*, dim3, dim3, void**, size_t, cudaStream_t),
                   cudaError(const void*, abi::Dim3, abi::Dim3, void**, size_t, Stream)>(::cudaLaunchKernel));
  static_assert(called_alike<cudaError_t(const void*, dim3, dim3, void**, size_t, cudaStream_t),
                             cudaError(const void*, abi::Dim3, abi::Dim3, void**, size_t, Stream)>(
      ::cudaLaunchCooperativeKernel));
  static_assert(called_alike<decltype(::cudaLaunchKernelExC), cudaError(const void*, const void*, void**)>());
  static_assert(called_alike<decltype(::cudaGraphLaunch), cudaError(abi::CUgraphExec, Stream)>());
  static_assert(called_alike<decltype(::cuLaunchKernel),
                             CUresult(abi::CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                      unsigned, unsigned, Stream, void**, void**)>());
  static_assert(
      called_alike<decltype(::cuLaunchKernelEx), CUresult(const void*, abi::CUfunction, void**, void**)>());
  static_assert(called_alike<decltype(::cuLaunchCooperativeKernel),
                             CUresult(abi::CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                      unsigned, unsigned, Stream, void**)>());
  static_assert(called_alike<decltype(::cuGraphLaunch), CUresult(abi::CUgraphExec, Stream)>());

  static_assert(CU_GRAPH_NODE_TYPE_MEM_ALLOC == abi::graph_node_mem_alloc);
  static_assert(called_alike<decltype(::cuMemCreate),
                             CUresult(abi::CUmemHandle*, size_t, const void*, unsigned long long)>());
  using AddNode = CUresult(abi::CUgraphNode*, abi::CUgraph, const abi::CUgraphNode*, size_t, void*);
  static_assert(called_alike<decltype(::cuGraphAddMemAllocNode), AddNode>());
  static_assert(
      called_alike<decltype(::cudaGraphAddMemAllocNode),
                   cudaError(abi::CUgraphNode*, abi::CUgraph, const abi::CUgraphNode*, size_t, void*)>());
#if CUDA_VERSION >= 13000 // before it, cuGraphAddNode_v2 has a name of its own
  static_assert(offsetof(CUgraphNodeParams, type) == 0 && sizeof(CUgraphNodeType) == sizeof(int));
  static_assert(called_alike<decltype(::cuGraphAddNode),
                             CUresult(abi::CUgraphNode*, abi::CUgraph, const abi::CUgraphNode*, const void*,
                                      size_t, int*)>());
#endif
  static_assert(called_alike<decltype(::cuModuleGetFunction),
                             CUresult(abi::CUfunction*, abi::CUmodule, const char*)>());
#if CUDA_VERSION >= 12000
  static_assert(
      called_alike<decltype(::cuLibraryGetKernel), CUresult(abi::CUkernel*, abi::CUlibrary, const char*)>());
  static_assert(
      called_alike<decltype(::cuGetProcAddress), CUresult(const char*, void**, int, uint64_t, int*)>());
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
