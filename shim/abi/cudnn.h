// The part of cuDNN that hooks need: convolution search, the backend graph interface and layers.
// Source: cudnn_graph.h, cudnn_ops.h and cudnn_cnn.h of cuDNN 9.19. tests/abi holds it to the real
// headers where there are any.
#pragma once

#include "abi/library_types.h"

#include <cstddef>

namespace detshim::abi {

using cudnnHandle_t = struct cudnnContext*;
using cudnnTensorDescriptor_t = struct cudnnTensorStruct*;
using cudnnFilterDescriptor_t = struct cudnnFilterStruct*;
using cudnnConvolutionDescriptor_t = struct cudnnConvolutionStruct*;
using cudnnBackendDescriptor_t = void*;

enum class cudnnStatus : int {
  success = 0,
  not_initialized_before_9 = 1, ///< CUDNN_STATUS_NOT_INITIALIZED of cuDNN 7 and 8
  allocation_failed = 2,  ///< CUDNN_STATUS_ALLOC_FAILED of cuDNN 7 and 8; no success in 9 either
  bad_param_before_9 = 3, ///< CUDNN_STATUS_BAD_PARAM of cuDNN 7 and 8
  not_supported_before_9 = 9, ///< CUDNN_STATUS_NOT_SUPPORTED of cuDNN 7 and 8
  not_initialized = 1001,     ///< CUDNN_STATUS_NOT_INITIALIZED since cuDNN 9
  bad_param = 2000,           ///< CUDNN_STATUS_BAD_PARAM since cuDNN 9; to 2999 its kinds
  not_supported = 3000,       ///< CUDNN_STATUS_NOT_SUPPORTED since cuDNN 9; to 3999 its kinds
};

enum class cudnnDeterminism : int { non_deterministic = 0, deterministic = 1 };

/// cudnnConvolution{Fwd,BwdData,BwdFilter}AlgoPerf_t: three structures of one layout, 48 bytes.
struct cudnnConvolutionAlgoPerf {
  int algo;
  cudnnStatus status;
  float time;    ///< milliseconds, -1 where nothing was timed
  size_t memory; ///< bytes of workspace
  cudnnDeterminism determinism;
  int math_type;
  int reserved[3];
};
static_assert(sizeof(cudnnConvolutionAlgoPerf) == 48);

/// cudnnBackendDescriptorType_t
enum class cudnnBackendDescriptorType : int { engine = 2, engine_config = 3, knob_choice = 7 };

/// cudnnBackendAttributeType_t
enum class cudnnBackendAttributeType : int {
  boolean = 2, ///< elements are bool
  int64 = 3,
  floating = 4,
  floating_double = 5,
  pointer = 6,
  knob_type = 9,
  numerical_note = 11,
  backend_descriptor = 15,
  int32 = 23,
};

/// cudnnBackendAttributeName_t
enum class cudnnBackendAttributeName : int {
  engine_heuristic_operation_graph = 201, ///< CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH
  engine_heuristic_results = 202,         ///< CUDNN_ATTR_ENGINEHEUR_RESULTS
  engine_config_engine = 300,             ///< CUDNN_ATTR_ENGINECFG_ENGINE
  engine_config_knob_choices = 302,       ///< CUDNN_ATTR_ENGINECFG_KNOB_CHOICES
  execution_plan_engine_config = 401,     ///< CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG
  execution_plan_json = 405,              ///< CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION
  knob_choice_type = 600,                 ///< CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE
  knob_choice_value = 601,                ///< CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE
  operation_graph_operations = 801,       ///< CUDNN_ATTR_OPERATIONGRAPH_OPS
  engine_operation_graph = 1300,          ///< CUDNN_ATTR_ENGINE_OPERATION_GRAPH
  engine_global_index = 1301,             ///< CUDNN_ATTR_ENGINE_GLOBAL_INDEX
  engine_numerical_note = 1303,           ///< CUDNN_ATTR_ENGINE_NUMERICAL_NOTE
  engine_sm_count_target = 1306,          ///< CUDNN_ATTR_ENGINE_SM_COUNT_TARGET
  operation_matmul_product = 1522,        ///< CUDNN_ATTR_OPERATION_MATMUL_CDESC
  reduction_operator = 1600,              ///< CUDNN_ATTR_REDUCTION_OPERATOR
  reduction_math_type = 1601,             ///< CUDNN_ATTR_REDUCTION_COMP_TYPE
  reduction_is_deterministic = 1602,      ///< CUDNN_ATTR_REDUCTION_IS_DETERMINISTIC, since 9.11
  operation_rng_seed = 2311,              ///< CUDNN_ATTR_OPERATION_RNG_SEED
  sdpa_backward_first = 2851,             ///< CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC
  sdpa_backward_last = 2862,              ///< CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC
};

/// cudnnBackendNumericalNote_t
enum class cudnnNumericalNote : int { non_deterministic = 4 };

// ---- the legacy API's layers: cudnn_ops.h, cudnn_cnn.h and cudnn_adv.h of cuDNN 9.19 ----

using cudnnActivationDescriptor_t = struct cudnnActivationStruct*;
using cudnnPoolingDescriptor_t = struct cudnnPoolingStruct*;
using cudnnCTCLossDescriptor_t = struct cudnnCTCLossStruct*;
using cudnnDropoutDescriptor_t = struct cudnnDropoutStruct*;

/// cudnnConvolutionBwdDataAlgo_t. The header says which are not deterministic.
enum class cudnnBackwardDataAlgo : int { algo_0 = 0, algo_1 = 1 };

/// cudnnConvolutionBwdFilterAlgo_t. The header says which are not deterministic.
enum class cudnnBackwardFilterAlgo : int { algo_0 = 0, algo_1 = 1, algo_3 = 3 };

/// cudnnPoolingMode_t
enum class cudnnPoolingMode : int { max = 0, max_deterministic = 3 };

/// cudnnCTCLossAlgo_t
enum class cudnnCTCLossAlgo : int { deterministic = 0, non_deterministic = 1 };

/// cudnnCTCGradMode_t, since cuDNN 9.
enum class cudnnCTCGradMode : int { zero_oob_gradients = 0, skip_oob_gradients = 1 };

// Enumerations that hooks hand on without looking at them.
enum class cudnnDataType : int {};
enum class cudnnLossNormalizationMode : int {};

} // namespace detshim::abi
