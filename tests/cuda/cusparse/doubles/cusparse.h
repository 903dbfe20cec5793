// The part of cuSPARSE that its double answers and its users call, written down by hand from
// cusparse.h of CUDA 13.0 so that they build without the toolkit. Enumerations are passed as int,
// as they do in the C ABI.
#pragma once

#include "opaque.h"

#include <cstdint>

extern "C" {

int cusparseCreate(Opaque* handle);
int cusparseDestroy(Opaque handle);
int cusparseGetProperty(int type, int* value);

int cusparseCreateCsr(Opaque* matrix, int64_t rows, int64_t columns, int64_t count,
                      void* row_offsets, void* column_indices, void* values, int offset_type,
                      int index_type, int base, int value_type);
int cusparseCsrGet(const void* matrix, int64_t* rows, int64_t* columns, int64_t* count,
                   void** row_offsets, void** column_indices, void** values, int* offset_type,
                   int* index_type, int* base, int* type);
int cusparseSpMatGetStridedBatch(const void* matrix, int* count);
int cusparseXcsr2coo(Opaque handle, const int* row_offsets, int count, int rows, int* row_indices,
                     int base);
int cusparseCreateCsc(Opaque* matrix, int64_t rows, int64_t columns, int64_t count,
                      void* column_offsets, void* row_indices, void* values, int offset_type,
                      int index_type, int base, int value_type);
int cusparseCreateCoo(Opaque* matrix, int64_t rows, int64_t columns, int64_t count,
                      void* row_indices, void* column_indices, void* values, int index_type,
                      int base, int value_type);
int cusparseCreateBsr(Opaque* matrix, int64_t block_rows, int64_t block_columns, int64_t count,
                      int64_t rows_of_block, int64_t columns_of_block, void* row_offsets,
                      void* column_indices, void* values, int offset_type, int index_type, int base,
                      int value_type, int order);
int cusparseDestroySpMat(const void* matrix);
int cusparseSpMatGetFormat(const void* matrix, int* format);
int cusparseCreateDnVec(Opaque* vector, int64_t size, void* values, int type);
int cusparseCreateDnMat(Opaque* matrix, int64_t rows, int64_t columns, int64_t leading,
                        void* values, int type, int order);

int cusparseSpMV_bufferSize(Opaque handle, int operation, const void* alpha, const void* matrix,
                            const void* x, const void* beta, Opaque y, int type, int algorithm,
                            size_t* size);
int cusparseSpMV_preprocess(Opaque handle, int operation, const void* alpha, const void* matrix,
                            const void* x, const void* beta, Opaque y, int type, int algorithm,
                            void* buffer);
int cusparseSpMV(Opaque handle, int operation, const void* alpha, const void* matrix, const void* x,
                 const void* beta, Opaque y, int type, int algorithm, void* buffer);

int cusparseSpMM_bufferSize(Opaque handle, int operation, int operation_b, const void* alpha,
                            const void* matrix, const void* b, const void* beta, Opaque c, int type,
                            int algorithm, size_t* size);
int cusparseSpMM_preprocess(Opaque handle, int operation, int operation_b, const void* alpha,
                            const void* matrix, const void* b, const void* beta, Opaque c, int type,
                            int algorithm, void* buffer);
int cusparseSpMM(Opaque handle, int operation, int operation_b, const void* alpha,
                 const void* matrix, const void* b, const void* beta, Opaque c, int type,
                 int algorithm, void* buffer);

int cusparseSpGEMMreuse_workEstimation(Opaque handle, int operation_a, int operation_b,
                                       const void* a, const void* b, Opaque c, int algorithm,
                                       Opaque descriptor, size_t* size1, void* buffer1);
int cusparseSpGEMMreuse_nnz(Opaque handle, int operation_a, int operation_b, const void* a,
                            const void* b, Opaque c, int algorithm, Opaque descriptor,
                            size_t* size2, void* buffer2, size_t* size3, void* buffer3,
                            size_t* size4, void* buffer4);
int cusparseSpGEMMreuse_copy(Opaque handle, int operation_a, int operation_b, const void* a,
                             const void* b, Opaque c, int algorithm, Opaque descriptor,
                             size_t* size5, void* buffer5);
int cusparseSpGEMMreuse_compute(Opaque handle, int operation_a, int operation_b, const void* alpha,
                                const void* a, const void* b, const void* beta, Opaque c, int type,
                                int algorithm, Opaque descriptor);

} // extern "C"
