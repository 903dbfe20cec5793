// Functions of CUDA's libraries that are hooked for DETSHIM_FINGERPRINT=calls alone, against the headers.
#include "abi_test.h"

#include "abi/cublas.h"
#include "abi/cuda.h"
#include "abi/cudnn.h"
#include "abi/cufft.h"
#include "abi/cusolver.h"
#include "abi/cusparse.h"
#include "abi/nccl.h"
#include "hooks/cudnn/graph_attributes.h"
#include "hooks/support/data_sizes.h"

#if DETSHIM_TEST_HAVE_cublas
#include <cublasLt.h>
#include <cublas_v2.h>
#endif
#if DETSHIM_TEST_HAVE_cudnn
#include <cudnn.h>
#endif
#if DETSHIM_TEST_HAVE_cufft
#include <cufft.h>
#include <cufftXt.h>
#endif
#if DETSHIM_TEST_HAVE_cusolver
#include <cusolverDn.h>
#endif
#if DETSHIM_TEST_HAVE_cusparse
#include <cusparse.h>
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
  static_assert(detshim::size_of_type(Type{CUDA_R_64I}) == 8 && detshim::size_of_type(Type{CUDA_C_8U}) == 2);
  static_assert(detshim::size_of_type(Type{CUDA_R_32U}) == 4 && detshim::size_of_type(Type{CUDA_R_4I}) == 0);
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasSgemm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasDgemm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasCgemm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasZgemm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasHgemm)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasCgemm3m)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasZgemm3m)>());
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
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, const void* const*, int,
                                   const void* const*, int, In, void* const*, int, int),
                            decltype(::cublasHgemmBatched)>());
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
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, long long, In, int,
                                   long long, In, Out, int, long long, int),
                            decltype(::cublasHgemmStridedBatched)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, int, long long, In, int,
                                   long long, In, Out, int, long long, int),
                            decltype(::cublasCgemm3mStridedBatched)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, Type, int, In, Type, int, In, Out,
                                   Type, int),
                            decltype(::cublasSgemmEx)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, In, In, Type, int, In, Type, int, In, Out,
                                   Type, int),
                            decltype(::cublasCgemmEx)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasSgemv_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasDgemv_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasCgemv_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, In, int, In, int, In, Out, int),
                            decltype(::cublasZgemv_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, In, In, int, In, Out, int),
                            decltype(::cublasSsyrk_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, In, In, int, In, Out, int),
                            decltype(::cublasDsyrk_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, In, In, int, In, Out, int),
                            decltype(::cublasCsyrk_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, In, In, int, In, Out, int),
                            decltype(::cublasZsyrk_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, In, In, int, In, Out, int),
                            decltype(::cublasCherk_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, In, In, int, In, Out, int),
                            decltype(::cublasZherk_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, int, In, In, int, Out, int),
                            decltype(::cublasStrsm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, int, In, In, int, Out, int),
                            decltype(::cublasDtrsm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, int, In, In, int, Out, int),
                            decltype(::cublasCtrsm_v2)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, int, int, int, In, In, int, Out, int),
                            decltype(::cublasZtrsm_v2)>());
#if CUBLAS_VERSION >= 120000
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In, int64_t,
                                   In, Out, int64_t),
                            decltype(::cublasSgemm_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In, int64_t,
                                   In, Out, int64_t),
                            decltype(::cublasDgemm_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In, int64_t,
                                   In, Out, int64_t),
                            decltype(::cublasCgemm_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In, int64_t,
                                   In, Out, int64_t),
                            decltype(::cublasZgemm_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In, int64_t,
                                   In, Out, int64_t),
                            decltype(::cublasHgemm_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In, int64_t,
                                   In, Out, int64_t),
                            decltype(::cublasCgemm3m_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, In, int64_t,
                                   In, Out, int64_t),
                            decltype(::cublasZgemm3m_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, const void* const*,
                                   int64_t, const void* const*, int64_t, In, void* const*, int64_t, int64_t),
                            decltype(::cublasSgemmBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, const void* const*,
                                   int64_t, const void* const*, int64_t, In, void* const*, int64_t, int64_t),
                            decltype(::cublasDgemmBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, const void* const*,
                                   int64_t, const void* const*, int64_t, In, void* const*, int64_t, int64_t),
                            decltype(::cublasCgemmBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, const void* const*,
                                   int64_t, const void* const*, int64_t, In, void* const*, int64_t, int64_t),
                            decltype(::cublasZgemmBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, const void* const*,
                                   int64_t, const void* const*, int64_t, In, void* const*, int64_t, int64_t),
                            decltype(::cublasHgemmBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, long long,
                                   In, int64_t, long long, In, Out, int64_t, long long, int64_t),
                            decltype(::cublasSgemmStridedBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, long long,
                                   In, int64_t, long long, In, Out, int64_t, long long, int64_t),
                            decltype(::cublasDgemmStridedBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, long long,
                                   In, int64_t, long long, In, Out, int64_t, long long, int64_t),
                            decltype(::cublasCgemmStridedBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, long long,
                                   In, int64_t, long long, In, Out, int64_t, long long, int64_t),
                            decltype(::cublasZgemmStridedBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, long long,
                                   In, int64_t, long long, In, Out, int64_t, long long, int64_t),
                            decltype(::cublasHgemmStridedBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, int64_t, long long,
                                   In, int64_t, long long, In, Out, int64_t, long long, int64_t),
                            decltype(::cublasCgemm3mStridedBatched_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, Type, int64_t, In,
                                   Type, int64_t, In, Out, Type, int64_t),
                            decltype(::cublasSgemmEx_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, int64_t, In, In, Type, int64_t, In,
                                   Type, int64_t, In, Out, Type, int64_t),
                            decltype(::cublasCgemmEx_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int64_t, int64_t, In, In, int64_t, In, int64_t, In, Out, int64_t),
                  decltype(::cublasSgemv_v2_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int64_t, int64_t, In, In, int64_t, In, int64_t, In, Out, int64_t),
                  decltype(::cublasDgemv_v2_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int64_t, int64_t, In, In, int64_t, In, int64_t, In, Out, int64_t),
                  decltype(::cublasCgemv_v2_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int64_t, int64_t, In, In, int64_t, In, int64_t, In, Out, int64_t),
                  decltype(::cublasZgemv_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, In, In, int64_t, In, Out, int64_t),
                            decltype(::cublasSsyrk_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, In, In, int64_t, In, Out, int64_t),
                            decltype(::cublasDsyrk_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, In, In, int64_t, In, Out, int64_t),
                            decltype(::cublasCsyrk_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, In, In, int64_t, In, Out, int64_t),
                            decltype(::cublasZsyrk_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, In, In, int64_t, In, Out, int64_t),
                            decltype(::cublasCherk_v2_64)>());
  static_assert(CalledAlike<Status(Handle, int, int, int64_t, int64_t, In, In, int64_t, In, Out, int64_t),
                            decltype(::cublasZherk_v2_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int, int, int64_t, int64_t, In, In, int64_t, Out, int64_t),
                  decltype(::cublasStrsm_v2_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int, int, int64_t, int64_t, In, In, int64_t, Out, int64_t),
                  decltype(::cublasDtrsm_v2_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int, int, int64_t, int64_t, In, In, int64_t, Out, int64_t),
                  decltype(::cublasCtrsm_v2_64)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, int, int, int64_t, int64_t, In, In, int64_t, Out, int64_t),
                  decltype(::cublasZtrsm_v2_64)>());
#endif
#else
  GTEST_SKIP() << "cublas_v2.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, CublasLt) {
#if DETSHIM_TEST_HAVE_cublas
#if CUDART_VERSION >= 13000
  static_assert(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET == 6 && CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET == 7);
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
  using Filter = abi::cudnnFilterDescriptor_t;
  static_assert(
      CalledAlike<abi::cudnnStatus(abi::cudnnHandle_t, In, Tensor, In, Filter, In,
                                   abi::cudnnConvolutionDescriptor_t, int, Out, size_t, In, Tensor, Out),
                  decltype(::cudnnConvolutionForward)>());
  static_assert(CalledAlike<abi::cudnnStatus(Tensor, int, int*, int*, int*, int*),
                            decltype(::cudnnGetTensorNdDescriptor)>());
  static_assert(CalledAlike<abi::cudnnStatus(Filter, int, int*, int*, int*, int*),
                            decltype(::cudnnGetFilterNdDescriptor)>());
  static_assert(CalledAlike<abi::cudnnStatus(Filter, size_t*), decltype(::cudnnGetFilterSizeInBytes)>());
  using Handle = abi::cudnnHandle_t;
  static_assert(CalledAlike<abi::cudnnStatus(Handle, int, In, In, Tensor, In, Tensor, Out, Tensor, In, In, In,
                                             In, double),
                            decltype(::cudnnBatchNormalizationForwardInference)>());
  static_assert(CalledAlike<abi::cudnnStatus(Handle, int, In, In, Tensor, In, Tensor, Out, Tensor, In, In,
                                             double, Out, Out, double, Out, Out),
                            decltype(::cudnnBatchNormalizationForwardTraining)>());
  static_assert(CalledAlike<abi::cudnnStatus(Handle, int, int, In, In, Tensor, In, Tensor, In, Tensor, Out,
                                             Tensor, In, In, double, Out, Out, double, Out, Out,
                                             abi::cudnnActivationDescriptor_t, Out, size_t, Out, size_t),
                            decltype(::cudnnBatchNormalizationForwardTrainingEx)>());
  static_assert(CalledAlike<abi::cudnnStatus(Handle, int, In, In, In, In, Tensor, In, Tensor, In, Tensor, Out,
                                             Tensor, In, Out, Out, double, In, In),
                            decltype(::cudnnBatchNormalizationBackward)>());
  static_assert(
      CalledAlike<abi::cudnnStatus(Handle, int, int, In, In, In, In, Tensor, In, Tensor, In, Tensor, In,
                                   Tensor, Out, Tensor, Out, Tensor, In, In, Out, Out, double, In, In,
                                   abi::cudnnActivationDescriptor_t, Out, size_t, Out, size_t),
                  decltype(::cudnnBatchNormalizationBackwardEx)>());
  static_assert(
      CalledAlike<abi::cudnnStatus(Handle, int, int, int, In, In, Tensor, In, Tensor, In, In, Tensor, In, In,
                                   Tensor, In, abi::cudnnActivationDescriptor_t, Tensor, Out, double, int),
                  decltype(::cudnnNormalizationForwardInference)>());
  static_assert(
      CalledAlike<abi::cudnnStatus(Handle, int, int, int, In, In, Tensor, In, Tensor, In, In, double, Tensor,
                                   Out, Out, double, Out, Out, abi::cudnnActivationDescriptor_t, Tensor, In,
                                   Tensor, Out, Out, size_t, Out, size_t, int),
                  decltype(::cudnnNormalizationForwardTraining)>());
  static_assert(
      CalledAlike<abi::cudnnStatus(Handle, int, int, int, In, In, In, In, Tensor, In, Tensor, In, Tensor, In,
                                   Tensor, Out, Tensor, Out, Tensor, In, In, Out, Out, double, Tensor, In, In,
                                   abi::cudnnActivationDescriptor_t, Out, size_t, Out, size_t, int),
                  decltype(::cudnnNormalizationBackward)>());
  using Status = abi::cudnnStatus;
  using Activation = abi::cudnnActivationDescriptor_t;
  using Pooling = abi::cudnnPoolingDescriptor_t;
  using Convolution = abi::cudnnConvolutionDescriptor_t;
  using Reduction = abi::cudnnReduceTensorDescriptor_t;
  static_assert(CalledAlike<Status(Handle, Activation, In, Tensor, In, In, Tensor, Out),
                            decltype(::cudnnActivationForward)>());
  static_assert(
      CalledAlike<Status(Handle, Activation, In, Tensor, In, Tensor, In, Tensor, In, In, Tensor, Out),
                  decltype(::cudnnActivationBackward)>());
  static_assert(CalledAlike<Status(Handle, Pooling, In, Tensor, In, In, Tensor, Out),
                            decltype(::cudnnPoolingForward)>());
  static_assert(CalledAlike<Status(Handle, Pooling, In, Tensor, In, Tensor, In, Tensor, In, In, Tensor, Out),
                            decltype(::cudnnPoolingBackward)>());
  static_assert(CalledAlike<Status(Handle, abi::cudnnLRNDescriptor_t, int, In, Tensor, In, In, Tensor, Out),
                            decltype(::cudnnLRNCrossChannelForward)>());
  static_assert(CalledAlike<Status(Handle, abi::cudnnLRNDescriptor_t, int, In, Tensor, In, Tensor, In, Tensor,
                                   In, In, Tensor, Out),
                            decltype(::cudnnLRNCrossChannelBackward)>());
  static_assert(CalledAlike<Status(Handle, int, int, In, Tensor, In, In, Tensor, Out),
                            decltype(::cudnnSoftmaxForward)>());
  static_assert(CalledAlike<Status(Handle, int, int, In, Tensor, In, Tensor, In, In, Tensor, Out),
                            decltype(::cudnnSoftmaxBackward)>());
  static_assert(CalledAlike<Status(Handle, In, Tensor, In, In, Tensor, Out), decltype(::cudnnAddTensor)>());
  static_assert(
      CalledAlike<Status(Handle, In, Tensor, In, In, Tensor, Out), decltype(::cudnnTransformTensor)>());
  static_assert(CalledAlike<Status(Handle, In, Tensor, In, In, Tensor, Out),
                            decltype(::cudnnConvolutionBackwardBias)>());
  static_assert(CalledAlike<Status(Handle, abi::cudnnOpTensorDescriptor_t, In, Tensor, In, In, Tensor, In, In,
                                   Tensor, Out),
                            decltype(::cudnnOpTensor)>());
  static_assert(
      CalledAlike<Status(Handle, Reduction, Out, size_t, Out, size_t, In, Tensor, In, In, Tensor, Out),
                  decltype(::cudnnReduceTensor)>());
  static_assert(CalledAlike<Status(Handle, Tensor, Out, In), decltype(::cudnnScaleTensor)>());
  static_assert(CalledAlike<Status(Handle, Tensor, Out, In), decltype(::cudnnSetTensor)>());
  static_assert(CalledAlike<Status(Handle, In, Tensor, In, Filter, In, Convolution, int, Out, size_t, In,
                                   Tensor, In, Tensor, In, Activation, Tensor, Out),
                            decltype(::cudnnConvolutionBiasActivationForward)>());
  static_assert(
      CalledAlike<Status(Handle, abi::cudnnDropoutDescriptor_t, Tensor, In, Tensor, Out, Out, size_t),
                  decltype(::cudnnDropoutBackward)>());
  static_assert(CalledAlike<Status(Handle, abi::cudnnSpatialTransformerDescriptor_t, In, Tensor, In, In, In,
                                   Tensor, Out),
                            decltype(::cudnnSpatialTfSamplerForward)>());
  using Transformer = abi::cudnnSpatialTransformerDescriptor_t;
  using Transform = abi::cudnnTensorTransformDescriptor_t;
  static_assert(CalledAlike<Status(Transformer, int, int, int, const int*),
                            decltype(::cudnnSetSpatialTransformerNdDescriptor)>());
  static_assert(CalledAlike<Status(Transformer), decltype(::cudnnDestroySpatialTransformerDescriptor)>());
  static_assert(
      CalledAlike<Status(Handle, Transformer, In, Out), decltype(::cudnnSpatialTfGridGeneratorForward)>());
  static_assert(
      CalledAlike<Status(Handle, Transformer, In, Out), decltype(::cudnnSpatialTfGridGeneratorBackward)>());
  static_assert(CalledAlike<Status(Handle, abi::cudnnLRNDescriptor_t, int, In, Tensor, In, In, Out, Out, In,
                                   Tensor, Out),
                            decltype(::cudnnDivisiveNormalizationForward)>());
  static_assert(CalledAlike<Status(Handle, abi::cudnnLRNDescriptor_t, int, In, Tensor, In, In, In, Out, Out,
                                   In, Tensor, Out, Out),
                            decltype(::cudnnDivisiveNormalizationBackward)>());
  static_assert(CalledAlike<Status(Handle, Transform, In, Tensor, In, In, Tensor, Out),
                            decltype(::cudnnTransformTensorEx)>());
  static_assert(CalledAlike<Status(Handle, Transform, In, Filter, In, In, Filter, Out),
                            decltype(::cudnnTransformFilter)>());
  static_assert(CalledAlike<Status(Handle, Tensor, In, Filter, Convolution, Out), decltype(::cudnnIm2Col)>());
  static_assert(CalledAlike<Status(Handle, Filter, int, In, Out, int, In, Out),
                            decltype(::cudnnReorderFilterAndBias)>());
  // What says how a layer works.
  static_assert(CalledAlike<Status(Transform, uint32_t, int*, int32_t*, int32_t*, uint32_t*, int*),
                            decltype(::cudnnGetTensorTransformDescriptor)>());
  static_assert(CalledAlike<Status(Convolution, Tensor, Filter, int, int*),
                            decltype(::cudnnGetConvolutionNdForwardOutputDim)>());
  static_assert(CalledAlike<Status(Convolution, int, int*, int*, int*, int*, int*, int*),
                            decltype(::cudnnGetConvolutionNdDescriptor)>());
  static_assert(
      CalledAlike<Status(Activation, int*, int*, double*), decltype(::cudnnGetActivationDescriptor)>());
  static_assert(CalledAlike<Status(Pooling, int, int*, int*, int*, int*, int*, int*),
                            decltype(::cudnnGetPoolingNdDescriptor)>());
  static_assert(CalledAlike<Status(abi::cudnnLRNDescriptor_t, unsigned*, double*, double*, double*),
                            decltype(::cudnnGetLRNDescriptor)>());
  static_assert(CalledAlike<Status(abi::cudnnOpTensorDescriptor_t, int*, int*, int*),
                            decltype(::cudnnGetOpTensorDescriptor)>());
  static_assert(CalledAlike<Status(Reduction, int*, int*, int*, int*, int*),
                            decltype(::cudnnGetReduceTensorDescriptor)>());
  static_assert(CalledAlike<Status(Handle, Reduction, Tensor, Tensor, size_t*),
                            decltype(::cudnnGetReductionIndicesSize)>());
  static_assert(
      CalledAlike<Status(abi::cudnnDropoutDescriptor_t, Handle, float*, void**, unsigned long long*),
                  decltype(::cudnnGetDropoutDescriptor)>());
  static_assert(CalledAlike<Status(Handle, size_t*), decltype(::cudnnDropoutGetStatesSize)>());
  static_assert(CalledAlike<Status(abi::cudnnAttnDescriptor_t, unsigned*, int*, double*, int*, int*, int*,
                                   abi::cudnnDropoutDescriptor_t*, abi::cudnnDropoutDescriptor_t*, int*, int*,
                                   int*, int*, int*, int*, int*, int*, int*, int*, int*),
                            decltype(::cudnnGetAttnDescriptor)>());
  static_assert(CalledAlike<Status(abi::cudnnSeqDataDescriptor_t, int*, int*, int, int*, int*, size_t*,
                                   size_t, int*, void*),
                            decltype(::cudnnGetSeqDataDescriptor)>());
  static_assert(CUDNN_SEQDATA_TIME_DIM == 0 && CUDNN_SEQDATA_DIM_COUNT == 4);
  static_assert(CUDNN_WGRAD_MODE_ADD == 0 && CUDNN_REDUCE_TENSOR_NO_INDICES == 0);
  static_assert(CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING == 1 &&
                CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING == 2);
  static_assert(CUDNN_DIM_MAX == 8 && CUDNN_DATA_DOUBLE == 1);
#if CUDNN_MAJOR >= 8
  static_assert(
      CalledAlike<Status(abi::cudnnRNNDescriptor_t, int*, int*, int*, int*, int*, int*, int*, int*, int32_t*,
                         int32_t*, int32_t*, int32_t*, abi::cudnnDropoutDescriptor_t*, uint32_t*),
                  decltype(::cudnnGetRNNDescriptor_v8)>());
  static_assert(CalledAlike<Status(abi::cudnnRNNDescriptor_t, int*, int*, double*, double*),
                            decltype(::cudnnRNNGetClip_v8)>());
  static_assert(CalledAlike<Status(abi::cudnnCTCLossDescriptor_t, int*, int*, int*, int*),
                            decltype(::cudnnGetCTCLossDescriptor_v8)>());
#endif
#if CUDNN_MAJOR * 100 + CUDNN_MINOR >= 802
  static_assert(CUDNN_ACTIVATION_SWISH == 6);
  static_assert(
      CalledAlike<Status(Activation, double*), decltype(::cudnnGetActivationDescriptorSwishBeta)>());
#endif
#if CUDNN_MAJOR >= 9
  static_assert(CalledAlike<Status(abi::cudnnCTCLossDescriptor_t, int*, int*, int*, int*),
                            decltype(::cudnnGetCTCLossDescriptor_v9)>());
#else
  // Networks of which cuDNN 9 has no more.
  using Rnn = abi::cudnnRNNDescriptor_t;
  using Data = abi::cudnnRNNDataDescriptor_t;
  using Tensors = const Tensor*;
  static_assert(CalledAlike<Status(Handle, Rnn, int, Tensors, In, Tensor, In, Tensor, In, Filter, In, Tensors,
                                   Out, Tensor, Out, Tensor, Out, Out, size_t),
                            decltype(::cudnnRNNForwardInference)>());
  static_assert(CalledAlike<Status(Handle, Rnn, int, Tensors, In, Tensor, In, Tensor, In, Filter, In, Tensors,
                                   Out, Tensor, Out, Tensor, Out, Out, size_t, Out, size_t),
                            decltype(::cudnnRNNForwardTraining)>());
  static_assert(CalledAlike<Status(Handle, Rnn, int, Tensors, In, Tensors, In, Tensor, In, Tensor, In, Filter,
                                   In, Tensor, In, Tensor, In, Tensors, Out, Tensor, Out, Tensor, Out, Out,
                                   size_t, Out, size_t),
                            decltype(::cudnnRNNBackwardData)>());
  static_assert(CalledAlike<Status(Handle, Rnn, int, Tensors, In, Tensor, In, Tensors, In, In, size_t, Filter,
                                   Out, In, size_t),
                            decltype(::cudnnRNNBackwardWeights)>());
  static_assert(
      CalledAlike<Status(Handle, Rnn, Data, In, Tensor, In, Tensor, In, Filter, In, Data, Out, Tensor, Out,
                         Tensor, Out, Data, In, Data, Out, Data, Out, Data, Out, Out, size_t),
                  decltype(::cudnnRNNForwardInferenceEx)>());
  static_assert(
      CalledAlike<Status(Handle, Rnn, Data, In, Tensor, In, Tensor, In, Filter, In, Data, Out, Tensor, Out,
                         Tensor, Out, Data, In, Data, Out, Data, Out, Data, Out, Out, size_t, Out, size_t),
                  decltype(::cudnnRNNForwardTrainingEx)>());
  static_assert(CalledAlike<Status(Handle, Rnn, Data, In, Data, In, Data, In, Tensor, In, Tensor, In, Filter,
                                   In, Tensor, In, Tensor, In, Data, Out, Tensor, Out, Tensor, Out, Data, Out,
                                   Out, size_t, Out, size_t),
                            decltype(::cudnnRNNBackwardDataEx)>());
  static_assert(
      CalledAlike<Status(Handle, Rnn, Data, In, Tensor, In, Data, In, Out, size_t, Filter, Out, Out, size_t),
                  decltype(::cudnnRNNBackwardWeightsEx)>());
#if CUDNN_MAJOR == 8
  static_assert(CalledAlike<Status(Handle, Rnn, int*, int*, abi::cudnnDropoutDescriptor_t*, int*, int*, int*,
                                   int*, int*),
                            decltype(::cudnnGetRNNDescriptor_v6)>());
#endif
  static_assert(CalledAlike<Status(Handle, Rnn, int*, int*), decltype(::cudnnGetRNNProjectionLayers)>());
  static_assert(
      CalledAlike<Status(Handle, Rnn, int*, int*, double*, double*), decltype(::cudnnRNNGetClip)>());
  static_assert(CalledAlike<Status(Rnn, int*), decltype(::cudnnGetRNNBiasMode)>());
  static_assert(CalledAlike<Status(Rnn, int*), decltype(::cudnnGetRNNMatrixMathType)>());
  static_assert(CalledAlike<Status(Rnn, int*), decltype(::cudnnGetRNNPaddingMode)>());
#endif
  static_assert(CalledAlike<abi::cudnnStatus(abi::cudnnRNNDataDescriptor_t, int*, int*, int*, int*, int*, int,
                                             int*, Out),
                            decltype(::cudnnGetRNNDataDescriptor)>());
  static_assert(CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED == 1 && CUDNN_FWD_MODE_INFERENCE == 0);
  static_assert(CUDNN_BATCHNORM_OPS_BN == 0 && CUDNN_NORM_OPS_NORM == 0);
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
                CUDNN_TYPE_DOUBLE == static_cast<int>(abi::cudnnBackendAttributeType::floating_double) &&
                CUDNN_TYPE_VOID_PTR == static_cast<int>(abi::cudnnBackendAttributeType::pointer));
#endif
#else
  GTEST_SKIP() << "cudnn.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, Cusolver) {
#if DETSHIM_TEST_HAVE_cusolver
  using Status = abi::cusolverStatus;
  using Handle = abi::cusolverDnHandle_t;
  static_assert(CalledAlike<Status(Handle, Stream*), decltype(::cusolverDnGetStream)>());
  using Parameters = abi::cusolverDnParams_t;
  static_assert(CalledAlike<Status(Handle, Parameters, int64_t, int64_t, int, Out, int64_t, int64_t*, int,
                                   Out, size_t, Out, size_t, int*),
                            decltype(::cusolverDnXgetrf)>());
  static_assert(CalledAlike<Status(Handle, Parameters, int, int64_t, int64_t, int, In, int64_t,
                                   const int64_t*, int, Out, int64_t, int*),
                            decltype(::cusolverDnXgetrs)>());
  static_assert(CalledAlike<Status(Handle, Parameters, int64_t, int64_t, int, Out, int64_t, int, Out, int,
                                   Out, size_t, Out, size_t, int*),
                            decltype(::cusolverDnXgeqrf)>());
  static_assert(CalledAlike<Status(Handle, Parameters, int, int64_t, int, Out, int64_t, int, Out, size_t, Out,
                                   size_t, int*),
                            decltype(::cusolverDnXpotrf)>());
  static_assert(CalledAlike<Status(Handle, Parameters, int, int64_t, int64_t, int, In, int64_t, int, Out,
                                   int64_t, int*),
                            decltype(::cusolverDnXpotrs)>());
  static_assert(CalledAlike<Status(Handle, Parameters, int, int, int64_t, int, Out, int64_t, int, Out, int,
                                   Out, size_t, Out, size_t, int*),
                            decltype(::cusolverDnXsyevd)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, int*, int*), decltype(::cusolverDnSgetrf)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, int*, int*), decltype(::cusolverDnDgetrf)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, int*, int*), decltype(::cusolverDnCgetrf)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, int*, int*), decltype(::cusolverDnZgetrf)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, int, const int*, Out, int, int*),
                            decltype(::cusolverDnSgetrs)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, int, const int*, Out, int, int*),
                            decltype(::cusolverDnDgetrs)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, int, const int*, Out, int, int*),
                            decltype(::cusolverDnCgetrs)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, In, int, const int*, Out, int, int*),
                            decltype(::cusolverDnZgetrs)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, Out, int, int*), decltype(::cusolverDnSgeqrf)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, Out, int, int*), decltype(::cusolverDnDgeqrf)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, Out, int, int*), decltype(::cusolverDnCgeqrf)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, Out, int, int*), decltype(::cusolverDnZgeqrf)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, int, int*), decltype(::cusolverDnSpotrf)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, int, int*), decltype(::cusolverDnDpotrf)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, int, int*), decltype(::cusolverDnCpotrf)>());
  static_assert(
      CalledAlike<Status(Handle, int, int, Out, int, Out, int, int*), decltype(::cusolverDnZpotrf)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, Out, int, Out, Out, int, int*),
                            decltype(::cusolverDnSsyevd)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, Out, int, Out, Out, int, int*),
                            decltype(::cusolverDnDsyevd)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, Out, int, Out, Out, int, int*),
                            decltype(::cusolverDnCheevd)>());
  static_assert(CalledAlike<Status(Handle, int, int, int, Out, int, Out, Out, int, int*),
                            decltype(::cusolverDnZheevd)>());
#else
  GTEST_SKIP() << "cusolverDn.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, Cusparse) {
#if DETSHIM_TEST_HAVE_cusparse
  using Operation = abi::cusparseOperation;
  using Matrix = abi::cusparseConstSpMatDescr_t;
  static_assert(CalledAlike<abi::cusparseStatus(abi::cusparseHandle_t, Operation, Operation, In, Matrix,
                                                Matrix, In, abi::cusparseSpMatDescr_t, abi::cudaDataType,
                                                abi::cusparseSpGEMMAlg, abi::cusparseSpGEMMDescr_t),
                            decltype(::cusparseSpGEMM_copy)>());
#else
  GTEST_SKIP() << "cusparse.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, Cufft) {
#if DETSHIM_TEST_HAVE_cufft
  using Status = abi::cufftResult;
  using Plan = abi::cufftHandle;
  using Type = abi::cufftType;
  using Long = long long;
  static_assert(CalledAlike<Status(Plan, int, Type, int, size_t*), decltype(::cufftMakePlan1d)>());
  static_assert(CalledAlike<Status(Plan, int, int, Type, size_t*), decltype(::cufftMakePlan2d)>());
  static_assert(CalledAlike<Status(Plan, int, int, int, Type, size_t*), decltype(::cufftMakePlan3d)>());
  static_assert(CalledAlike<Status(Plan, int, int*, int*, int, int, int*, int, int, Type, int, size_t*),
                            decltype(::cufftMakePlanMany)>());
  static_assert(
      CalledAlike<Status(Plan, int, Long*, Long*, Long, Long, Long*, Long, Long, Type, Long, size_t*),
                  decltype(::cufftMakePlanMany64)>());
  static_assert(CalledAlike<Status(Plan, int, Long*, Long*, Long, Long, abi::cudaDataType, Long*, Long, Long,
                                   abi::cudaDataType, Long, size_t*, abi::cudaDataType),
                            decltype(::cufftXtMakePlanMany)>());
  static_assert(CalledAlike<Status(Plan, Stream), decltype(::cufftSetStream)>());
  static_assert(CalledAlike<Status(Plan), decltype(::cufftDestroy)>());
  static_assert(CalledAlike<Status(Plan, Out, Out, int), decltype(::cufftExecC2C)>());
  static_assert(CalledAlike<Status(Plan, Out, Out, int), decltype(::cufftExecZ2Z)>());
  static_assert(CalledAlike<Status(Plan, Out, Out, int), decltype(::cufftXtExec)>());
  static_assert(CalledAlike<Status(Plan, Out, Out), decltype(::cufftExecR2C)>());
  static_assert(CalledAlike<Status(Plan, Out, Out), decltype(::cufftExecC2R)>());
  static_assert(CalledAlike<Status(Plan, Out, Out), decltype(::cufftExecD2Z)>());
  static_assert(CalledAlike<Status(Plan, Out, Out), decltype(::cufftExecZ2D)>());
  static_assert(CUFFT_R2C == 0x2a && CUFFT_C2R == 0x2c && CUFFT_C2C == 0x29);
  static_assert(CUFFT_D2Z == 0x6a && CUFFT_Z2D == 0x6c && CUFFT_Z2Z == 0x69);
#else
  GTEST_SKIP() << "cufft.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, Nccl) {
#if DETSHIM_TEST_HAVE_nccl
  using Status = abi::ncclResult;
  using Communicator = abi::ncclComm_t;
  using Type = abi::ncclDataType;
  static_assert(CalledAlike<Status(Communicator, int*), decltype(::ncclCommCount)>());
  static_assert(CalledAlike<Status(Communicator, int*), decltype(::ncclCommUserRank)>());
  static_assert(CalledAlike<Status(), decltype(::ncclGroupStart)>());
  static_assert(CalledAlike<Status(), decltype(::ncclGroupEnd)>());
  static_assert(
      CalledAlike<Status(In, Out, size_t, Type, Communicator, Stream), decltype(::ncclAllGather)>());
  static_assert(
      CalledAlike<Status(In, Out, size_t, Type, int, Communicator, Stream), decltype(::ncclBroadcast)>());
  static_assert(CalledAlike<Status(Out, size_t, Type, int, Communicator, Stream), decltype(::ncclBcast)>());
  static_assert(CalledAlike<Status(Out, size_t, Type, int, Communicator, Stream), decltype(::ncclRecv)>());
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
  static_assert(CalledAlike<Status(In, Out, size_t, Type, Communicator, Stream), decltype(::ncclAlltoAll)>());
  static_assert(
      CalledAlike<Status(In, Out, size_t, Type, int, Communicator, Stream), decltype(::ncclScatter)>());
  static_assert(
      CalledAlike<Status(In, Out, size_t, Type, int, Communicator, Stream), decltype(::ncclGather)>());
#endif
  static_assert(detshim::size_of_nccl_type(ncclInt8) == 1 && detshim::size_of_nccl_type(ncclUint32) == 4);
  static_assert(detshim::size_of_nccl_type(ncclInt64) == 8 && detshim::size_of_nccl_type(ncclFloat16) == 2);
  static_assert(detshim::size_of_nccl_type(ncclFloat32) == 4 && detshim::size_of_nccl_type(ncclFloat64) == 8);
  static_assert(detshim::size_of_nccl_type(ncclBfloat16) == 2);
#else
  GTEST_SKIP() << "nccl.h was not found when the build was configured";
#endif
}

TEST(AbiOfOutputs, Driver) {
#if DETSHIM_TEST_HAVE_driver
  using Device = abi::CUdevice;
  static_assert(CalledAlike<abi::CUresult(abi::CUcontext), decltype(::cuCtxDestroy_v2)>());
  static_assert(CalledAlike<abi::CUresult(Device), decltype(::cuDevicePrimaryCtxReset_v2)>());
  static_assert(CalledAlike<abi::CUresult(Device), decltype(::cuDevicePrimaryCtxRelease_v2)>());
  static_assert(
      CalledAlike<abi::CUresult(Device, unsigned*, int*), decltype(::cuDevicePrimaryCtxGetState)>());
  static_assert(CalledAlike<abi::CUresult(abi::CUcontext*, Device), decltype(::cuDevicePrimaryCtxRetain)>());
  static_assert(CU_MEMHOSTREGISTER_DEVICEMAP == abi::host_register_mapped);
  static_assert(CU_GRAPH_NODE_TYPE_MEMCPY == abi::graph_node_copy);
  static_assert(CU_GRAPH_NODE_TYPE_GRAPH == abi::graph_node_child);
#if CUDA_VERSION >= 13000
  static_assert(sizeof(CUDA_MEMCPY3D_BATCH_OP) == sizeof(abi::BatchedCopy));
  static_assert(offsetof(CUDA_MEMCPY3D_BATCH_OP, dst) == offsetof(abi::BatchedCopy, to));
  static_assert(offsetof(CUDA_MEMCPY3D_BATCH_OP, extent) == offsetof(abi::BatchedCopy, width));
  static_assert(offsetof(CUmemcpy3DOperand, op) == offsetof(abi::CopyOperand, memory));
  static_assert(CU_MEMCPY_OPERAND_TYPE_POINTER == abi::operand_memory);
  using Copies = abi::CUresult(const abi::CUdeviceptr*, const abi::CUdeviceptr*, const size_t*, size_t, Out,
                               size_t*, size_t, Stream);
  static_assert(CalledAlike<Copies, decltype(::cuMemcpyBatchAsync)>());
  static_assert(CalledAlike<abi::CUresult(size_t, const abi::BatchedCopy*, unsigned long long, Stream),
                            decltype(::cuMemcpy3DBatchAsync)>());
#endif
#else
  GTEST_SKIP() << "cuda.h was not found when the build was configured";
#endif
}

} // namespace
