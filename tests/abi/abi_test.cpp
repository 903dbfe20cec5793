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

} // namespace
