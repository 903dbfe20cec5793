// Functions of CUDA's libraries that are hooked for DETSHIM_FINGERPRINT=calls alone, against the
// headers.
#include "abi_test.h"

#include "abi/cublas.h"
#include "abi/cuda.h"
#include "abi/cudnn.h"
#include "abi/cudnn_graph.h"
#include "abi/nccl.h"
#include "hooks/support/data_sizes.h"

#if DETSHIM_TEST_HAVE_cublas
#include <cublasLt.h>
#include <cublas_v2.h>
#endif
#if DETSHIM_TEST_HAVE_cudnn
#include <cudnn.h>
#endif
#if DETSHIM_TEST_HAVE_nccl
#include <nccl.h>
#endif
#if DETSHIM_TEST_HAVE_driver
#include <cuda.h>
#endif

namespace {

namespace abi = detshim::abi;
using Stream = abi::cudaStream_t;
using In = const void*;
using Out = void*;

TEST(AbiOfOutputs, Cublas) {
#if DETSHIM_TEST_HAVE_cublas
  using Status = abi::cublasStatus;
  using Handle = abi::cublasHandle_t;
  using Type = abi::cudaDataType;
  static_assert(CalledAlike<Status(Handle, Stream*), decltype(::cublasGetStream_v2)>());
  static_assert(CalledAlike<Status(Handle, int*), decltype(::cublasGetPointerMode_v2)>());
  static_assert(detshim::size_of_type(Type{CUDA_R_16BF}) == 2 &&
                detshim::size_of_type(Type{CUDA_C_64F}) == 16);
  static_assert(detshim::size_of_type(Type{CUDA_R_64I}) == 8 &&
                detshim::size_of_type(Type{CUDA_C_8U}) == 2);
  static_assert(detshim::size_of_type(Type{CUDA_R_32U}) == 4 &&
                detshim::size_of_type(Type{CUDA_R_4I}) == 0);
  static_assert(
      CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                  decltype(::cublasSgemm_v2)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                  decltype(::cublasDgemm_v2)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                  decltype(::cublasCgemm_v2)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                  decltype(::cublasZgemm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, const void* const*, int,
                                   const void* const*, int, In, void* const*, int, int),
                            decltype(::cublasSgemmBatched)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, const void* const*, int,
                                   const void* const*, int, In, void* const*, int, int),
                            decltype(::cublasDgemmBatched)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, const void* const*, int,
                                   const void* const*, int, In, void* const*, int, int),
                            decltype(::cublasCgemmBatched)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, const void* const*, int,
                                   const void* const*, int, In, void* const*, int, int),
                            decltype(::cublasZgemmBatched)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, long long, In, int,
                                   long long, In, Out, int, long long, int),
                            decltype(::cublasSgemmStridedBatched)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, long long, In, int,
                                   long long, In, Out, int, long long, int),
                            decltype(::cublasDgemmStridedBatched)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, long long, In, int,
                                   long long, In, Out, int, long long, int),
                            decltype(::cublasCgemmStridedBatched)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, long long, In, int,
                                   long long, In, Out, int, long long, int),
                            decltype(::cublasZgemmStridedBatched)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasSgemv_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasDgemv_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasCgemv_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasZgemv_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, int, In, In, int, Out, int),
                            decltype(::cublasStrsm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, int, In, In, int, Out, int),
                            decltype(::cublasDtrsm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, int, In, In, int, Out, int),
                            decltype(::cublasCtrsm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, int, In, In, int, Out, int),
                            decltype(::cublasZtrsm_v2)>());
#if CUBLAS_VERSION >= 120000
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In,
                                   int64_t, In, Out, int64_t),
                            decltype(::cublasSgemm_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In,
                                   int64_t, In, Out, int64_t),
                            decltype(::cublasDgemm_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In,
                                   int64_t, In, Out, int64_t),
                            decltype(::cublasCgemm_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In,
                                   int64_t, In, Out, int64_t),
                            decltype(::cublasZgemm_v2_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, const void* const*,
                         int64_t, const void* const*, int64_t, In, void* const*, int64_t, int64_t),
                  decltype(::cublasSgemmBatched_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, const void* const*,
                         int64_t, const void* const*, int64_t, In, void* const*, int64_t, int64_t),
                  decltype(::cublasDgemmBatched_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, const void* const*,
                         int64_t, const void* const*, int64_t, In, void* const*, int64_t, int64_t),
                  decltype(::cublasCgemmBatched_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, const void* const*,
                         int64_t, const void* const*, int64_t, In, void* const*, int64_t, int64_t),
                  decltype(::cublasZgemmBatched_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, long long,
                         In, int64_t, long long, In, Out, int64_t, long long, int64_t),
                  decltype(::cublasSgemmStridedBatched_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, long long,
                         In, int64_t, long long, In, Out, int64_t, long long, int64_t),
                  decltype(::cublasDgemmStridedBatched_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, long long,
                         In, int64_t, long long, In, Out, int64_t, long long, int64_t),
                  decltype(::cublasCgemmStridedBatched_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, long long,
                         In, int64_t, long long, In, Out, int64_t, long long, int64_t),
                  decltype(::cublasZgemmStridedBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int64_t, int64_t, In, In, int64_t, In, int64_t, In,
                                   Out, int64_t),
                            decltype(::cublasSgemv_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int64_t, int64_t, In, In, int64_t, In, int64_t, In,
                                   Out, int64_t),
                            decltype(::cublasDgemv_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int64_t, int64_t, In, In, int64_t, In, int64_t, In,
                                   Out, int64_t),
                            decltype(::cublasCgemv_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int64_t, int64_t, In, In, int64_t, In, int64_t, In,
                                   Out, int64_t),
                            decltype(::cublasZgemv_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int64_t, int64_t, In, In, int64_t,
                                   Out, int64_t),
                            decltype(::cublasStrsm_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int64_t, int64_t, In, In, int64_t,
                                   Out, int64_t),
                            decltype(::cublasDtrsm_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int64_t, int64_t, In, In, int64_t,
                                   Out, int64_t),
                            decltype(::cublasCtrsm_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int64_t, int64_t, In, In, int64_t,
                                   Out, int64_t),
                            decltype(::cublasZtrsm_v2_64)>());
#endif
#else
  GTEST_SKIP() << "cublas_v2.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, CublasLt) {
#if DETSHIM_TEST_HAVE_cublas
#if CUDART_VERSION >= 13000
  static_assert(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET == 6 &&
                CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET == 7);
  static_assert(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE == 8);
  static_assert(CUBLASLT_BATCH_MODE_STRIDED == 0 && CUBLASLT_BATCH_MODE_POINTER_ARRAY == 1);
  static_assert(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE == 0 && CUBLASLT_MATMUL_DESC_TRANSA == 3);
  static_assert(CUBLASLT_MATMUL_DESC_TRANSB == 4 && CUBLASLT_MATMUL_DESC_EPILOGUE == 7);
  static_assert(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER == 36);
#endif
#else
  GTEST_SKIP() << "cublas_v2.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, Cudnn) {
#if DETSHIM_TEST_HAVE_cudnn
  using Tensor = abi::cudnnTensorDescriptor_t;
  static_assert(CalledAlike<abi::cudnnStatus(Tensor, int, int*, int*, int*, int*),
                            decltype(::cudnnGetTensorNdDescriptor)>());
  using Handle = abi::cudnnHandle_t;
  static_assert(CalledAlike<abi::cudnnStatus(Handle, int, In, In, Tensor, In, Tensor, Out, Tensor,
                                             In, In, In, In, double),
                            decltype(::cudnnBatchNormalizationForwardInference)>());
  static_assert(
      CalledAlike<abi::cudnnStatus(Handle, int, int, In, In, Tensor, In, Tensor, In, Tensor, Out,
                                   Tensor, In, In, double, Out, Out, double, Out, Out,
                                   abi::cudnnActivationDescriptor_t, Out, size_t, Out, size_t),
                  decltype(::cudnnBatchNormalizationForwardTrainingEx)>());
  static_assert(CalledAlike<abi::cudnnStatus(
                                Handle, int, int, In, In, In, In, Tensor, In, Tensor, In, Tensor,
                                In, Tensor, Out, Tensor, Out, Tensor, In, In, Out, Out, double, In,
                                In, abi::cudnnActivationDescriptor_t, Out, size_t, Out, size_t),
                            decltype(::cudnnBatchNormalizationBackwardEx)>());
  static_assert(CUDNN_DIM_MAX == 8 && CUDNN_BATCHNORM_OPS_BN == 0);
  static_assert(CUDNN_DATA_DOUBLE == 1 && CUDNN_DATA_HALF == 2 && CUDNN_DATA_BFLOAT16 == 9 &&
                CUDNN_DATA_INT64 == 10 && CUDNN_DATA_BOOLEAN == 11);
#else
  GTEST_SKIP() << "cudnn.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, CudnnGraphs) {
#if DETSHIM_TEST_HAVE_cudnn
#if CUDNN_VERSION >= 91900
  using namespace detshim::cudnn;
  // Each attribute with a tensor, and what becomes of it.
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_POINTWISE_XDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_POINTWISE_BDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_POINTWISE_DYDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_POINTWISE_TDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_GENSTATS_XDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SUM_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SQ_SUM_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_SCALE_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_BIAS_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_MEAN_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_VAR_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_ACCUM_COUNT_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_EPSILON_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_EXP_AVERATE_FACTOR_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_MATMUL_ADESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_MATMUL_BDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_REDUCTION_XDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_MEAN_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_INVSTD_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_BN_SCALE_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_X_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DY_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_IDXDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_XDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_YDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_BWD_XDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_BWD_EPSILON_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESHAPE_XDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RNG_SEED) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_XDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_XDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_SCALE_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_BLOCK_MASK_DESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC) == Use::reads);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_POINTWISE_YDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_POINTWISE_DXDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_MEAN_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_VAR_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_MEAN_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_INV_STD_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_SCALE_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_BIAS_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_MATMUL_CDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_REDUCTION_YDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_SCALE_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_BIAS_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_DY_SCALE_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_X_SCALE_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_BIAS) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONCAT_OUTPUT_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESHAPE_YDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RNG_YDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_YDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BLOCK_SCALE_QUANTIZE_SCALE_DESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_BLOCK_SCALE_DEQUANTIZE_YDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC) == Use::writes);
  static_assert(use_of(CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC) == Use::lengths);
  static_assert(use_of(CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC) == Use::lengths);
  static_assert(use_of(CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC) == Use::lengths);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_KDESC) == Use::lengths);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_PAGE_TABLE_VDESC) == Use::lengths);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_QDESC) == Use::lengths);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_FWD_SEQ_LEN_KVDESC) == Use::lengths);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_SEQ_LEN_QDESC) == Use::lengths);
  static_assert(use_of(CUDNN_ATTR_OPERATION_SDPA_BWD_SEQ_LEN_KVDESC) == Use::lengths);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC) == Use::statistic);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC) == Use::statistic);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC) == Use::none);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC) == Use::none);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC) == Use::none);
  static_assert(use_of(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR) == Use::none);
  static_assert(use_of(CUDNN_ATTR_OPERATION_MATMUL_DESC) == Use::none);
  static_assert(use_of(CUDNN_ATTR_OPERATION_REDUCTION_DESC) == Use::none);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC) == Use::none);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC) == Use::none);
  static_assert(use_of(CUDNN_ATTR_OPERATION_RNG_DESC) == Use::none);
  static_assert(use_of(CUDNN_ATTR_OPERATION_CONCAT_INPLACE_INDEX) == Use::unknown);
  static_assert(use_of(CUDNN_ATTR_OPERATION_MOE_GROUPED_MATMUL_OUTPUT_DESC) == Use::unknown);
  static_assert(use_of(CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS) == Use::unknown);
  static_assert(is_beta(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA) &&
                is_beta(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA) &&
                is_beta(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA));
  static_assert(pointwise_y == CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  static_assert(pointwise_dx == CUDNN_ATTR_OPERATION_POINTWISE_DXDESC);
  static_assert(norm_phase == CUDNN_ATTR_OPERATION_NORM_FWD_PHASE);
  static_assert(norm_phase_training == CUDNN_NORM_FWD_TRAINING);
  static_assert(tensor_alignment == CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  static_assert(tensor_data_type == CUDNN_ATTR_TENSOR_DATA_TYPE);
  static_assert(tensor_dimensions == CUDNN_ATTR_TENSOR_DIMENSIONS);
  static_assert(tensor_strides == CUDNN_ATTR_TENSOR_STRIDES);
  static_assert(tensor_vector_count == CUDNN_ATTR_TENSOR_VECTOR_COUNT);
  static_assert(tensor_vectorized_dimension == CUDNN_ATTR_TENSOR_VECTORIZED_DIMENSION);
  static_assert(tensor_unique_id == CUDNN_ATTR_TENSOR_UNIQUE_ID);
  static_assert(tensor_is_virtual == CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  static_assert(tensor_is_by_value == CUDNN_ATTR_TENSOR_IS_BY_VALUE);
  static_assert(tensor_reordering == CUDNN_ATTR_TENSOR_REORDERING_MODE);
  static_assert(CUDNN_TENSOR_REORDERING_NONE == 0);
  static_assert(pack_ids == CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  static_assert(pack_pointers == CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  static_assert(pack_intermediates == CUDNN_ATTR_VARIANT_PACK_INTERMEDIATES);
  static_assert(pack_workspace == CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  static_assert(CUDNN_TYPE_FLOAT == static_cast<int>(abi::cudnnBackendAttributeType::floating) &&
                CUDNN_TYPE_DOUBLE ==
                    static_cast<int>(abi::cudnnBackendAttributeType::floating_double) &&
                CUDNN_TYPE_VOID_PTR == static_cast<int>(abi::cudnnBackendAttributeType::pointer));
#endif
#else
  GTEST_SKIP() << "cudnn.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, Nccl) {
#if DETSHIM_TEST_HAVE_nccl
  using Status = abi::ncclResult;
  using Communicator = abi::ncclComm_t;
  static_assert(CalledAlike<Status(Communicator, int*), decltype(::ncclCommCount)>());
  static_assert(CalledAlike<Status(Communicator, int*), decltype(::ncclCommUserRank)>());
  static_assert(CalledAlike<Status(), decltype(::ncclGroupStart)>());
  static_assert(CalledAlike<Status(), decltype(::ncclGroupEnd)>());
  static_assert(detshim::size_of_nccl_type(ncclInt8) == 1 &&
                detshim::size_of_nccl_type(ncclUint32) == 4);
  static_assert(detshim::size_of_nccl_type(ncclInt64) == 8 &&
                detshim::size_of_nccl_type(ncclFloat16) == 2);
  static_assert(detshim::size_of_nccl_type(ncclFloat32) == 4 &&
                detshim::size_of_nccl_type(ncclFloat64) == 8);
  static_assert(detshim::size_of_nccl_type(ncclBfloat16) == 2);
#else
  GTEST_SKIP() << "nccl.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, Driver) {
#if DETSHIM_TEST_HAVE_driver
#if CUDA_VERSION >= 12000
  static_assert(
      CalledAlike<abi::CUresult(abi::CUcontext, unsigned long long*), decltype(::cuCtxGetId)>());
#endif
  static_assert(CU_MEMHOSTREGISTER_DEVICEMAP == abi::host_register_mapped);
#if CUDA_VERSION >= 13000
  using Copies = abi::CUresult(const abi::CUdeviceptr*, const abi::CUdeviceptr*, const size_t*,
                               size_t, Out, size_t*, size_t, Stream);
  static_assert(CalledAlike<Copies, decltype(::cuMemcpyBatchAsync)>());
#endif
#else
  GTEST_SKIP() << "cuda.h was not found when the build was configured";
#endif
}

} // namespace
