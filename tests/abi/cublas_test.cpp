// shim/abi of cuBLAS and cuBLASLt against their headers.
#include "abi_test.h"

#include "abi/cublas.h"
#include "abi/cublaslt.h"

#if DETSHIM_TEST_HAVE_cublas
#include <cublasLt.h>
#include <cublasXt.h>
#include <cublas_v2.h>
#endif

namespace {

namespace abi = detshim::abi;

TEST(Abi, Cublas) {
#if DETSHIM_TEST_HAVE_cublas
  static_assert(sizeof(abi::cublasHandle_t) == sizeof(::cublasHandle_t));
  static_assert(same(abi::cublasStatus::success, CUBLAS_STATUS_SUCCESS));
  static_assert(same(abi::cublasStatus::not_supported, CUBLAS_STATUS_NOT_SUPPORTED));
  static_assert(same(abi::cublasAtomicsMode::not_allowed, CUBLAS_ATOMICS_NOT_ALLOWED));
  static_assert(same(abi::cublasAtomicsMode::allowed, CUBLAS_ATOMICS_ALLOWED));
  static_assert(MAJOR_VERSION == 0 && MINOR_VERSION == 1 &&
                PATCH_LEVEL == 2); // loader/library_version.cpp

  using Handle = abi::cublasHandle_t;
  static_assert(CalledAlike<abi::cublasStatus(Handle*), decltype(::cublasCreate_v2)>());
  static_assert(CalledAlike<abi::cublasStatus(void*), decltype(::cublasXtCreate)>());
  static_assert(
      CalledAlike<abi::cublasStatus(abi::cublasLtHandle_t*), decltype(::cublasLtCreate)>());
  static_assert(CalledAlike<abi::cublasStatus(Handle, abi::cublasAtomicsMode),
                            decltype(::cublasSetAtomicsMode)>());
  static_assert(CalledAlike<abi::cublasStatus(int, int*), decltype(::cublasGetProperty)>());

  static_assert(same(abi::cublasGemmAlgo::standard, CUBLAS_GEMM_DEFAULT));
  static_assert(same(abi::cublasGemmAlgo::first, CUBLAS_GEMM_ALGO0));
  static_assert(same(abi::cublasGemmAlgo::last, CUBLAS_GEMM_ALGO23));
  static_assert(same(abi::cublasGemmAlgo::standard_tensor, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
  static_assert(same(abi::cublasGemmAlgo::first_tensor, CUBLAS_GEMM_ALGO0_TENSOR_OP));
  static_assert(same(abi::cublasGemmAlgo::last_tensor, CUBLAS_GEMM_ALGO15_TENSOR_OP));
#if CUBLAS_VER_MAJOR >= 13
  static_assert(same(abi::cublasGemmAlgo::autotune, CUBLAS_GEMM_AUTOTUNE));
  static_assert(
      same(abi::cublasComputeType::emulated_fixedpoint, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT));
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
  using Gemm = Status(Handle, int, int, int, int, int, const void*, const void*, Type, int,
                      const void*, Type, int, const void*, void*, Type, int, Compute, Algo);
  using Batched = Status(Handle, int, int, int, int, int, const void*, const void* const*, Type,
                         int, const void* const*, Type, int, const void*, void* const*, Type, int,
                         int, Compute, Algo);
  using Strided = Status(Handle, int, int, int, int, int, const void*, const void*, Type, int,
                         long long, const void*, Type, int, long long, const void*, void*, Type,
                         int, long long, int, Compute, Algo);
#if CUBLAS_VER_MAJOR >= 12
  using Gemm64 =
      Status(Handle, int, int, int64_t, int64_t, int64_t, const void*, const void*, Type, int64_t,
             const void*, Type, int64_t, const void*, void*, Type, int64_t, Compute, Algo);
  using Batched64 = Status(Handle, int, int, int64_t, int64_t, int64_t, const void*,
                           const void* const*, Type, int64_t, const void* const*, Type, int64_t,
                           const void*, void* const*, Type, int64_t, int64_t, Compute, Algo);
  using Strided64 = Status(Handle, int, int, int64_t, int64_t, int64_t, const void*, const void*,
                           Type, int64_t, long long, const void*, Type, int64_t, long long,
                           const void*, void*, Type, int64_t, long long, int64_t, Compute, Algo);
  static_assert(CalledAlike<Gemm64, decltype(::cublasGemmEx_64)>());
  static_assert(CalledAlike<Batched64, decltype(::cublasGemmBatchedEx_64)>());
  static_assert(CalledAlike<Strided64, decltype(::cublasGemmStridedBatchedEx_64)>());
#endif
  // cublas_api.h has overloads of these for C++, so that the function is chosen by its type.
  static_assert(
      CalledAlike<Gemm,
                  std::remove_pointer_t<
                      decltype(static_cast<cublasStatus_t (*)(
                                   cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                   int, const void*, const void*, cudaDataType, int, const void*,
                                   cudaDataType, int, const void*, void*, cudaDataType, int,
                                   cublasComputeType_t, cublasGemmAlgo_t)>(::cublasGemmEx))>>());
  static_assert(
      CalledAlike<
          Batched,
          std::remove_pointer_t<
              decltype(static_cast<cublasStatus_t (*)(
                           cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                           const void*, const void* const*, cudaDataType, int, const void* const*,
                           cudaDataType, int, const void*, void* const*, cudaDataType, int, int,
                           cublasComputeType_t, cublasGemmAlgo_t)>(::cublasGemmBatchedEx))>>());
  static_assert(
      CalledAlike<Strided,
                  std::remove_pointer_t<
                      decltype(static_cast<cublasStatus_t (*)(
                                   cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                   int, const void*, const void*, cudaDataType, int, long long,
                                   const void*, cudaDataType, int, long long, const void*, void*,
                                   cudaDataType, int, long long, int, cublasComputeType_t,
                                   cublasGemmAlgo_t)>(::cublasGemmStridedBatchedEx))>>());
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
#if CUBLAS_VERSION >= 130501
  static_assert(
      CalledAlike<Status(Handle, Operation, Layout, Layout, Layout, Layout,
                         abi::cublasLtMatmulPreference_t, int, Ours*, int*, abi::cudaStream_t),
                  decltype(::cublasLtMatmulAlgoGetHeuristicForStream)>());
  static_assert(CalledAlike<Status(Handle, Operation, Layout, Layout, Layout, Layout,
                                   const abi::cublasLtMatmulAlgo*, Ours*, abi::cudaStream_t),
                            decltype(::cublasLtMatmulAlgoCheckForStream)>());
#endif
#if CUBLAS_VERSION >= 131000
  static_assert(same(abi::cublaslt_later_layout_attributes[0].number,
                     CUBLASLT_GROUPED_MATRIX_LAYOUT_ROWS_COLS_ARRAY_INTEGER_WIDTH));
  static_assert(same(abi::cublaslt_later_layout_attributes[1].number,
                     CUBLASLT_GROUPED_MATRIX_LAYOUT_LD_ARRAY_INTEGER_WIDTH));
  static_assert(same(abi::cublaslt_later_matmul_attributes[0].number,
                     CUBLASLT_MATMUL_DESC_ALPHA_BATCH_STRIDE));
  static_assert(same(abi::cublaslt_later_matmul_attributes[1].number,
                     CUBLASLT_MATMUL_DESC_BETA_BATCH_STRIDE));
  static_assert(same(abi::cublaslt_later_matmul_attributes[2].number,
                     CUBLASLT_MATMUL_DESC_BATCH_INVARIANCE_FLAGS));
  static_assert(abi::cublaslt_later_matmul_attributes[2].usual == CUBLASLT_BATCH_INVARIANCE_UNSET);
  static_assert(abi::cublaslt_later_matmul_attributes[2].size ==
                sizeof(cublasLtMatmulBatchInvarianceFlags_t));
#endif
  static_assert(abi::cublaslt_config_reduction_scheme == CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
  static_assert(CalledAlike<Status(const abi::cublasLtMatmulAlgo*, int, void*, size_t, size_t*),
                            decltype(::cublasLtMatmulAlgoConfigGetAttribute)>());
  static_assert(CalledAlike<Status(Handle, abi::cublasComputeType, Type, Type, Type, Type, Type,
                                   int, int*, int*),
                            decltype(::cublasLtMatmulAlgoGetIds)>());
  static_assert(CalledAlike<Status(abi::cublasLtMatmulAlgo*, int, const void*, size_t),
                            decltype(::cublasLtMatmulAlgoConfigSetAttribute)>());
  static_assert(CalledAlike<Status(Handle, Operation, Layout, Layout, Layout, Layout,
                                   const abi::cublasLtMatmulAlgo*, Ours*),
                            decltype(::cublasLtMatmulAlgoCheck)>());
  static_assert(abi::cublaslt_preference_max_workspace == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  static_assert(
      CalledAlike<Status(Handle, Operation, const void*, const void*, Layout, const void*, Layout,
                         const void*, const void*, Layout, void*, Layout,
                         const abi::cublasLtMatmulAlgo*, void*, size_t, abi::cudaStream_t),
                  decltype(::cublasLtMatmul)>());
  static_assert(CalledAlike<Status(const void*, int, void*, size_t, size_t*),
                            decltype(::cublasLtMatmulDescGetAttribute)>());
  static_assert(CalledAlike<Status(const void*, int, void*, size_t, size_t*),
                            decltype(::cublasLtMatrixLayoutGetAttribute)>());

  // The attributes' numbers, at the ends of the lists and where the numbers leave some out.
  static_assert(same(abi::cublaslt_layout_attributes[0].number, CUBLASLT_MATRIX_LAYOUT_TYPE));
  static_assert(
      same(abi::cublaslt_layout_attributes[7].number, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET));
  static_assert(same(abi::cublaslt_matmul_attributes[7].number, CUBLASLT_MATMUL_DESC_EPILOGUE));
  static_assert(same(abi::cublaslt_epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE));
  static_assert(same(abi::cublaslt_epilogue_vector, CUBLASLT_MATMUL_DESC_BIAS_POINTER));
  static_assert(same(abi::cublaslt_epilogue_vector_step, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE));
  static_assert(same(abi::cublaslt_epilogue_matrix, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER));
  static_assert(same(abi::cublaslt_epilogue_matrix_leading, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD));
  static_assert(
      same(abi::cublaslt_epilogue_matrix_step, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE));
  static_assert(same(abi::cublaslt_largest_of_d, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER));
  static_assert(
      same(abi::cublaslt_epilogue_matrix_type, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE));
  static_assert(
      same(abi::cublaslt_epilogue_matrix_scale, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER));
  static_assert(same(abi::cublaslt_largest_of_epilogue_matrix,
                     CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER));
  static_assert(same(abi::cublaslt_epilogue_vector_type, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE));
  static_assert(CUBLASLT_EPILOGUE_DEFAULT == abi::epilogue_standard);
  static_assert(CUBLASLT_EPILOGUE_RELU_AUX_BIAS ==
                (abi::epilogue_relu | abi::epilogue_matrix | abi::epilogue_bias));
  static_assert(CUBLASLT_EPILOGUE_GELU_AUX == (abi::epilogue_gelu | abi::epilogue_matrix));
  static_assert(CUBLASLT_EPILOGUE_DRELU_BGRAD ==
                (abi::epilogue_relu_backward | abi::epilogue_matrix | abi::epilogue_bias_gradient));
  static_assert(CUBLASLT_EPILOGUE_DGELU_BGRAD ==
                (abi::epilogue_gelu_backward | abi::epilogue_matrix | abi::epilogue_bias_gradient));
  static_assert(CUBLASLT_EPILOGUE_BGRADA == abi::epilogue_gradient_by_a &&
                CUBLASLT_EPILOGUE_BGRADB == abi::epilogue_gradient_by_b);
  static_assert(
      same(abi::cublaslt_matmul_attributes[8].number, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE));
  static_assert(
      same(abi::cublaslt_matmul_attributes[12].number, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET));
  static_assert(same(abi::cublaslt_matmul_attributes[14].number, CUBLASLT_MATMUL_DESC_FAST_ACCUM));
#else
  GTEST_SKIP() << "cublasLt.h was not found when the build was configured";
#endif
}

} // namespace
