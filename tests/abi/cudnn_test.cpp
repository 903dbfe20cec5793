// shim/abi of cuDNN against its headers.
#include "abi_test.h"

#include "abi/cudnn.h"

#if DETSHIM_TEST_HAVE_cudnn
#include <cudnn.h>
#endif

namespace {

namespace abi = detshim::abi;

#if DETSHIM_TEST_HAVE_cudnn
/// The three structures of search results, which are one of our own.
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
         sizeof(Ours::algo) == sizeof(Theirs::algo) &&
         sizeof(Ours::memory) == sizeof(Theirs::memory) &&
         sizeof(Ours::math_type) == sizeof(Theirs::mathType) &&
         std::is_same_v<decltype(Ours::time), decltype(Theirs::time)>;
}
#endif

TEST(Abi, Cudnn) {
#if DETSHIM_TEST_HAVE_cudnn
  static_assert(same(abi::cudnnStatus::success, CUDNN_STATUS_SUCCESS));
  static_assert(same(CUDNN_MAJOR >= 9 ? abi::cudnnStatus::not_initialized
                                      : abi::cudnnStatus::not_initialized_before_9,
                     CUDNN_STATUS_NOT_INITIALIZED));
  static_assert(same(CUDNN_MAJOR >= 9 ? abi::cudnnStatus::not_supported
                                      : abi::cudnnStatus::not_supported_before_9,
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
  static_assert(
      same(Name::engine_heuristic_operation_graph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH));
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
  static_assert(
      same(abi::cudnnNumericalNote::non_deterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));

  // The searches: the order of descriptors differs by pass, their number and sizes do not.
  using Status = abi::cudnnStatus;
  using Perf = abi::cudnnConvolutionAlgoPerf;
  using Search = Status(void*, void*, void*, void*, void*, int, int*, Perf*);
  using SearchEx = Status(void*, void*, const void*, void*, const void*, void*, void*, void*, int,
                          int*, Perf*, void*, size_t);
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
  static_assert(CalledAlike<Status(Handle, Name, Type, int64_t, const void*),
                            decltype(::cudnnBackendSetAttribute)>());
  static_assert(
      CalledAlike<Status(Descriptor, Handle*), decltype(::cudnnBackendCreateDescriptor)>());
  static_assert(CalledAlike<Status(Handle), decltype(::cudnnBackendFinalize)>());
  static_assert(CalledAlike<Status(Handle), decltype(::cudnnBackendDestroyDescriptor)>());
  static_assert(
      CalledAlike<Status(abi::cudnnHandle_t, Handle, Handle), decltype(::cudnnBackendExecute)>());
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
  static_assert(
      same(abi::cudnnCTCLossAlgo::non_deterministic, CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC));

  using Status = abi::cudnnStatus;
  using P = void*; // a handle, a descriptor or memory
  static_assert(
      CalledAlike<Status(P, P, P, P, P, P, P, abi::cudnnBackwardDataAlgo, P, size_t, P, P, P),
                  decltype(::cudnnConvolutionBackwardData)>());
  static_assert(
      CalledAlike<Status(P, P, P, P, P, P, P, abi::cudnnBackwardFilterAlgo, P, size_t, P, P, P),
                  decltype(::cudnnConvolutionBackwardFilter)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, abi::cudnnBackwardDataAlgo, P),
                            decltype(::cudnnGetConvolutionBackwardDataWorkspaceSize)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, abi::cudnnBackwardFilterAlgo, P),
                            decltype(::cudnnGetConvolutionBackwardFilterWorkspaceSize)>());
  static_assert(CalledAlike<Status(P, abi::cudnnPoolingMode, int, int, int, int, int, int, int),
                            decltype(::cudnnSetPooling2dDescriptor)>());
  static_assert(CalledAlike<Status(P, abi::cudnnPoolingMode, int, int, P, P, P),
                            decltype(::cudnnSetPoolingNdDescriptor)>());
  static_assert(CalledAlike<Status(P, P, float, P, size_t, unsigned long long),
                            decltype(::cudnnSetDropoutDescriptor)>());
  static_assert(CalledAlike<Status(P, P, float, P, size_t, unsigned long long),
                            decltype(::cudnnRestoreDropoutDescriptor)>());
  static_assert(CalledAlike<Status(P, P), decltype(::cudnnGetStream)>());
  static_assert(TakesWords<14, decltype(::cudnnSpatialTfSamplerBackward)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, P, P, P, P, abi::cudnnCTCLossAlgo, P, P, size_t),
                            decltype(::cudnnCTCLoss)>());
  static_assert(CalledAlike<Status(P, abi::cudnnCTCLossAlgo, P, P, P, P, P, P, P, P, P, size_t, P),
                            decltype(::cudnnCTCLoss_v8)>());
  static_assert(CalledAlike<Status(P, P, P, P, P, P, abi::cudnnCTCLossAlgo, P, P),
                            decltype(::cudnnGetCTCLossWorkspaceSize)>());
  static_assert(CalledAlike<Status(P, abi::cudnnCTCLossAlgo, P, P, P, P),
                            decltype(::cudnnGetCTCLossWorkspaceSize_v8)>());
  static_assert(TakesWords<20, decltype(::cudnnRNNForward)>());
  static_assert(TakesWords<22, decltype(::cudnnRNNBackwardData_v8)>());
  static_assert(TakesWords<16, decltype(::cudnnRNNBackwardWeights_v8)>());
#if CUDNN_MAJOR < 9
  // Networks of which cuDNN 9 has no more.
  static_assert(TakesWords<19, decltype(::cudnnRNNForwardInference)>());
  static_assert(TakesWords<21, decltype(::cudnnRNNForwardTraining)>());
  static_assert(TakesWords<27, decltype(::cudnnRNNBackwardData)>());
  static_assert(TakesWords<15, decltype(::cudnnRNNBackwardWeights)>());
  static_assert(TakesWords<26, decltype(::cudnnRNNForwardInferenceEx)>());
  static_assert(TakesWords<28, decltype(::cudnnRNNForwardTrainingEx)>());
  static_assert(TakesWords<30, decltype(::cudnnRNNBackwardDataEx)>());
  static_assert(TakesWords<14, decltype(::cudnnRNNBackwardWeightsEx)>());
#endif
  // The getters that hooks/support/cudnn.cpp asks.
  static_assert(CalledAlike<Status(P, int, P, P, P, P), decltype(::cudnnGetTensorNdDescriptor)>());
  static_assert(CalledAlike<Status(P, int, P, P, P, P), decltype(::cudnnGetFilterNdDescriptor)>());
  static_assert(
      CalledAlike<Status(P, int, P, P, P, P, P, P), decltype(::cudnnGetConvolutionNdDescriptor)>());
  static_assert(CalledAlike<Status(P, P), decltype(::cudnnGetConvolutionMathType)>());
  static_assert(CalledAlike<Status(P, P), decltype(::cudnnGetConvolutionGroupCount)>());
  static_assert(CalledAlike<Status(P, P), decltype(::cudnnGetConvolutionReorderType)>());
#if CUDNN_MAJOR >= 9
  static_assert(same(abi::cudnnCTCGradMode::skip_oob_gradients, CUDNN_CTC_SKIP_OOB_GRADIENTS));
  static_assert(same(abi::cudnnCTCGradMode::zero_oob_gradients, CUDNN_CTC_ZERO_OOB_GRADIENTS));
  static_assert(CalledAlike<Status(P, abi::cudnnDataType, abi::cudnnLossNormalizationMode,
                                   abi::cudnnCTCGradMode, int),
                            decltype(::cudnnSetCTCLossDescriptor_v9)>());
#endif
#if CUDNN_VERSION >= 92200
  static_assert(TakesWords<15, decltype(::cudnnCausalConv1dBackward)>());
#endif
#if CUDNN_VERSION >= 92401
  static_assert(TakesWords<15, decltype(::cudnnCausalConv1dNwhBackward)>());
#endif
#else
  GTEST_SKIP() << "cudnn.h was not found when the build was configured";
#endif
}

} // namespace
