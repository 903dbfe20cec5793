// The part of cuBLASLt that hooks need. Source: cublasLt.h of cuBLAS 13.10; the values are the same
// since CUDA 11. tests/abi holds them to the real header where there is one.
#pragma once

#include "abi/cublas.h"

#include <cstddef>
#include <cstdint>

namespace detshim::abi {

using cublasLtHandle_t = struct cublasLtContext*;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque*;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque*;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque*;

/// cublasLtMatmulAlgo_t: opaque, compared and copied as it is.
struct cublasLtMatmulAlgo {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t
struct cublasLtMatmulHeuristicResult {
  cublasLtMatmulAlgo algo;
  size_t workspace_size;
  cublasStatus state;
  float waves_count;
  int reserved[4];
};

/// An attribute of a descriptor: its number and the size of its value. cublasLt.h says both at each
/// CUBLASLT_MATRIX_LAYOUT_… and CUBLASLT_MATMUL_DESC_….
struct cublasLtAttribute {
  int number;
  uint8_t size;
};

/// What two matrices differ in: type, order, rows, columns, leading dimension, batches, their
/// distance, and the distance of planes, the kind of batch.
inline constexpr cublasLtAttribute cublaslt_layout_attributes[] = {
    {0, 4}, {1, 4}, {2, 8}, {3, 8}, {4, 8}, {5, 4}, {6, 8}, {7, 8}, {8, 4}};

/// What two products differ in, but for pointers: types of computing and scaling, pointer mode,
/// transpositions of A, B and C, fill mode, epilogue, bias's batches, the epilogue's matrix, the
/// target of multiprocessors, fast accumulation, bias's type, modes of scaling.
inline constexpr cublasLtAttribute cublaslt_matmul_attributes[] = {
    {0, 4},  {1, 4},  {2, 4},  {3, 4},  {4, 4},  {5, 4},  {6, 4},  {7, 4},
    {10, 8}, {12, 8}, {13, 8}, {14, 8}, {15, 4}, {22, 4}, {25, 1}, {26, 4},
    {31, 4}, {32, 4}, {33, 4}, {34, 4}, {35, 4}, {37, 4}};

/// Attributes that came later, experimental in cuBLAS 13.10. A name of a problem has them only
/// where they are not as usual, so that names from before them stay. Not among them: the numbers of
/// rows and columns of a grouped layout's matrices, which lie on the device.
struct cublasLtLaterAttribute {
  int number;
  uint8_t size;
  uint64_t usual;
};
/// The width of the integers of a grouped layout's rows and columns, and of its leading dimensions.
inline constexpr cublasLtLaterAttribute cublaslt_later_layout_attributes[] = {{12, 4, 0},
                                                                              {13, 4, 0}};
/// The distances of alpha and of beta in a batch, batch invariance.
inline constexpr cublasLtLaterAttribute cublaslt_later_matmul_attributes[] = {
    {39, 8, 0}, {40, 8, 0}, {41, 4, 0x8000}};

/// What an epilogue reads or writes beside the matrices: attributes of a product.
enum cublasLtEpilogueAttribute : int {
  cublaslt_epilogue = 7,
  cublaslt_epilogue_vector = 8,       ///< CUBLASLT_MATMUL_DESC_BIAS_POINTER
  cublaslt_epilogue_vector_step = 10, ///< …_BIAS_BATCH_STRIDE
  cublaslt_epilogue_matrix = 11,      ///< …_EPILOGUE_AUX_POINTER
  cublaslt_epilogue_matrix_leading = 12,
  cublaslt_epilogue_matrix_step = 13,
  cublaslt_largest_of_d = 21, ///< …_AMAX_D_POINTER
  cublaslt_epilogue_matrix_type = 22,
  cublaslt_epilogue_matrix_scale = 23,
  cublaslt_largest_of_epilogue_matrix = 24,
  cublaslt_epilogue_vector_type = 26, ///< …_BIAS_DATA_TYPE
};
/// cublasLtEpilogue_t, whose values are bits.
enum cublasLtEpilogueBit : uint32_t {
  epilogue_standard = 1,
  epilogue_relu = 2,
  epilogue_bias = 4,
  epilogue_relu_backward = 8,
  epilogue_bias_gradient = 16, ///< of what the epilogue gives
  epilogue_gelu = 32,
  epilogue_gelu_backward = 64,
  epilogue_matrix = 128,
  epilogue_gradient_by_a = 256, ///< of a bias, too: sums over A
  epilogue_gradient_by_b = 512,
  epilogues_known = 1023,
};

inline constexpr int cublaslt_config_reduction_scheme =
    3; ///< CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME
inline constexpr int cublaslt_preference_max_workspace =
    1; ///< CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES

} // namespace detshim::abi
