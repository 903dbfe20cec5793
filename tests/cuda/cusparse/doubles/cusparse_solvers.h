// cuSPARSE's solvers, factorisations and conversions as the double answers them, from cusparse.h of
// CUDA 13.5. EACH(name, parameters, arguments, example) represents a function for each of S, D, C
// and Z; what differs is what their pointers point to.
#pragma once

#include "opaque.h"

#define FOR_EACH_SOLVER(EACH)                                                                      \
  EACH(gtsv2,                                                                                      \
       (Opaque handle, int m, int n, const void* lower, const void* diagonal, const void* upper,   \
        void* b, int leading, void* buffer),                                                       \
       (handle, m, n, lower, diagonal, upper, b, leading, buffer),                                 \
       (at(1), 2, 3, at(4), at(5), at(6), at(7), 8, at(9)))                                        \
  EACH(gtsv2_nopivot,                                                                              \
       (Opaque handle, int m, int n, const void* lower, const void* diagonal, const void* upper,   \
        void* b, int leading, void* buffer),                                                       \
       (handle, m, n, lower, diagonal, upper, b, leading, buffer),                                 \
       (at(1), 2, 3, at(4), at(5), at(6), at(7), 8, at(9)))                                        \
  EACH(gtsv2StridedBatch,                                                                          \
       (Opaque handle, int m, const void* lower, const void* diagonal, const void* upper, void* x, \
        int batches, int step, void* buffer),                                                      \
       (handle, m, lower, diagonal, upper, x, batches, step, buffer),                              \
       (at(1), 2, at(3), at(4), at(5), at(6), 7, 8, at(9)))                                        \
  EACH(gtsvInterleavedBatch,                                                                       \
       (Opaque handle, int algorithm, int m, void* lower, void* diagonal, void* upper, void* x,    \
        int batches, void* buffer),                                                                \
       (handle, algorithm, m, lower, diagonal, upper, x, batches, buffer),                         \
       (at(1), 2, 3, at(4), at(5), at(6), at(7), 8, at(9)))                                        \
  EACH(csrcolor,                                                                                   \
       (Opaque handle, int m, int count, const void* matrix, const void* values,                   \
        const int* offsets, const int* columns, const void* fraction, int* colors, int* coloring,  \
        int* reordering, const void* info),                                                        \
       (handle, m, count, matrix, values, offsets, columns, fraction, colors, coloring,            \
        reordering, info),                                                                         \
       (at(1), 2, 3, at(4), at(5), at(6), at(7), at(8), at(9), at(10), at(11), at(12)))            \
  EACH(gemvi,                                                                                      \
       (Opaque handle, int operation, int m, int n, const void* alpha, const void* a, int leading, \
        int count, const void* x, const int* indices, const void* beta, void* y, int base,         \
        void* buffer),                                                                             \
       (handle, operation, m, n, alpha, a, leading, count, x, indices, beta, y, base, buffer),     \
       (at(1), 2, 3, 4, at(5), at(6), 7, 8, at(9), at(10), at(11), at(12), 13, at(14)))            \
  EACH(bsrmv,                                                                                      \
       (Opaque handle, int direction, int operation, int m, int n, int count, const void* alpha,   \
        const void* matrix, const void* values, const int* offsets, const int* columns, int block, \
        const void* x, const void* beta, void* y),                                                 \
       (handle, direction, operation, m, n, count, alpha, matrix, values, offsets, columns, block, \
        x, beta, y),                                                                               \
       (at(1), 2, 3, 4, 5, 6, at(7), at(8), at(9), at(10), at(11), 12, at(13), at(14), at(15)))    \
  EACH(bsrxmv,                                                                                     \
       (Opaque handle, int direction, int operation, int mask_size, int m, int n, int count,       \
        const void* alpha, const void* matrix, const void* values, const int* mask,                \
        const int* offsets, const int* ends, const int* columns, int block, const void* x,         \
        const void* beta, void* y),                                                                \
       (handle, direction, operation, mask_size, m, n, count, alpha, matrix, values, mask,         \
        offsets, ends, columns, block, x, beta, y),                                                \
       (at(1), 2, 3, 4, 5, 6, 7, at(8), at(9), at(10), at(11), at(12), at(13), at(14), 15, at(16), \
        at(17), at(18)))                                                                           \
  EACH(bsrmm,                                                                                      \
       (Opaque handle, int direction, int operation, int operation_b, int m, int n, int k,         \
        int count, const void* alpha, const void* matrix, const void* values, const int* offsets,  \
        const int* columns, int block, const void* b, int ldb, const void* beta, void* c,          \
        int ldc),                                                                                  \
       (handle, direction, operation, operation_b, m, n, k, count, alpha, matrix, values, offsets, \
        columns, block, b, ldb, beta, c, ldc),                                                     \
       (at(1), 2, 3, 4, 5, 6, 7, 8, at(9), at(10), at(11), at(12), at(13), 14, at(15), 16, at(17), \
        at(18), 19))                                                                               \
  EACH(bsrsv2_solve,                                                                               \
       (Opaque handle, int direction, int operation, int m, int count, const void* alpha,          \
        const void* matrix, const void* values, const int* offsets, const int* columns, int block, \
        void* info, const void* f, void* x, int policy, void* buffer),                             \
       (handle, direction, operation, m, count, alpha, matrix, values, offsets, columns, block,    \
        info, f, x, policy, buffer),                                                               \
       (at(1), 2, 3, 4, 5, at(6), at(7), at(8), at(9), at(10), 11, at(12), at(13), at(14), 15,     \
        at(16)))                                                                                   \
  EACH(bsrsm2_solve,                                                                               \
       (Opaque handle, int direction, int operation, int operation_x, int m, int n, int count,     \
        const void* alpha, const void* matrix, const void* values, const int* offsets,             \
        const int* columns, int block, void* info, const void* b, int ldb, void* x, int ldx,       \
        int policy, void* buffer),                                                                 \
       (handle, direction, operation, operation_x, m, n, count, alpha, matrix, values, offsets,    \
        columns, block, info, b, ldb, x, ldx, policy, buffer),                                     \
       (at(1), 2, 3, 4, 5, 6, 7, at(8), at(9), at(10), at(11), at(12), 13, at(14), at(15), 16,     \
        at(17), 18, 19, at(20)))

#define DECLARE(name, parameters, arguments, example)                                              \
  int cusparseS##name parameters;                                                                  \
  int cusparseD##name parameters;                                                                  \
  int cusparseC##name parameters;                                                                  \
  int cusparseZ##name parameters;

extern "C" {

FOR_EACH_SOLVER(DECLARE)

int cusparseSpSV_solve(Opaque handle, int operation, const void* alpha, const void* matrix,
                       const void* x, Opaque y, int type, int algorithm, Opaque descriptor);
int cusparseSpSM_solve(Opaque handle, int operation, int operation_b, const void* alpha,
                       const void* matrix, const void* b, Opaque c, int type, int algorithm,
                       Opaque descriptor);
int cusparseCsr2cscEx2(Opaque handle, int m, int n, int count, const void* values,
                       const int* offsets, const int* columns, void* csc_values, int* csc_offsets,
                       int* csc_rows, int type, int what, int base, int algorithm, void* buffer);
int cusparseSpMVGeneric(Opaque handle, const void* alpha, const void* matrix, const void* x,
                        const void* beta, const void* y, Opaque z, int type, Opaque descriptor);
int cusparseSpMVOp(Opaque handle, Opaque plan, const void* alpha, const void* beta, const void* x,
                   const void* y, Opaque z);

} // extern "C"

#undef DECLARE
