// A double of libcusparse.so.12: it multiplies nothing, but like the real one it wants a buffer
// whose size depends on the algorithm, and writes to all of it.
//
// DOUBLE_MISBEHAVE:
//   fail            every product fails with CUSPARSE_STATUS_EXECUTION_FAILED
//   not_served      the size of a deterministic algorithm's buffer cannot be asked: it does not
//   serve refused         its size can be asked, and then the product is refused smaller
//   deterministic algorithms want less than the others no_buffer       deterministic algorithms
//   want no buffer batches         the matrix represents two usual_fail      the other algorithms
//   fail with CUSPARSE_STATUS_NOT_SUPPORTED
//
// DETSHIM_TEST_NO_FORMAT builds a library that cannot be asked for a matrix's format.
#include "cusparse.h"

#include "record.h"

namespace {

struct alignas(16) Matrix {
  int format; ///< 0 where the place is free
  int64_t rows, columns, count;
  void *row_indices, *column_indices,
      *values; ///< the first: of a matrix in rows, where each begins
  int offset_type, index_type, base, type;
};
struct Dense {
  int64_t columns;
};

constexpr int execution_failed = 6, not_supported = 10, invalid_value = 3;
constexpr int version[] = {12, 6, 3};

enum Kind { spmv, spmm };

bool is_deterministic(Kind kind, int algorithm) {
  return kind == spmv ? algorithm >= 3 : algorithm == 2 || algorithm == 14;
}

size_t wanted(Kind kind, int algorithm, const void* dense) {
  constexpr size_t usual = 256;
  if (!is_deterministic(kind, algorithm))
    return usual;
  if (misbehaves("no_buffer"))
    return 0;
  if (misbehaves("smaller"))
    return 64;
  return 1024 * static_cast<size_t>(static_cast<const Dense*>(dense)->columns);
}

/// Algorithms of coordinates take no other format, and read the index of each value's row.
bool takes(Kind kind, const void* matrix, int algorithm) {
  return kind == spmv || algorithm != 2 || static_cast<const Matrix*>(matrix)->format == 3;
}

int size_of(const char* name, Kind kind, int operation, const void* matrix, const void* dense,
            int algorithm, size_t* size) {
  record("%s operation=%d algorithm=%d", name, operation, algorithm);
  if (misbehaves("fail"))
    return execution_failed;
  if (!takes(kind, matrix, algorithm))
    return not_supported;
  if (!is_deterministic(kind, algorithm) && misbehaves("usual_fail"))
    return not_supported;
  if (is_deterministic(kind, algorithm) && misbehaves("not_served"))
    return not_supported;
  *size = wanted(kind, algorithm, dense);
  return 0;
}

int run(const char* name, Kind kind, int operation, const void* matrix, const void* dense,
        int algorithm, void* buffer) {
  record("%s operation=%d algorithm=%d", name, operation, algorithm);
  if (misbehaves("fail"))
    return execution_failed;
  if (!takes(kind, matrix, algorithm))
    return not_supported;
  if (!is_deterministic(kind, algorithm) && misbehaves("usual_fail"))
    return not_supported;
  if (is_deterministic(kind, algorithm) && (misbehaves("refused") || misbehaves("not_served")))
    return not_supported;
  // A null buffer is tolerated here, so that a program without one shows which algorithm it got.
  if (buffer)
    std::memset(buffer, 0, wanted(kind, algorithm, dense));
  const Matrix& read = *static_cast<const Matrix*>(matrix);
  if (const int* const rows = static_cast<int*>(read.row_indices);
      read.format == 3 && rows != nullptr)
    record("%s rows=%d,%d,%d,%d", name, rows[0], rows[1], rows[2], rows[3]);
  return 0;
}

/// The next matrix gets the address of one that was destroyed, as with any allocator.
int make(Opaque* matrix, const Matrix& made) {
  static Matrix places[4] = {};
  for (Matrix& place : places) {
    if (place.format != 0)
      continue;
    place = made;
    *matrix = &place;
    return 0;
  }
  return invalid_value;
}

} // namespace

extern "C" {

int cusparseCreate(Opaque* handle) {
  static int the_handle;
  record("cusparseCreate");
  *handle = &the_handle;
  return 0;
}

int cusparseDestroy(Opaque) {
  record("cusparseDestroy");
  return 0;
}

int cusparseGetProperty(int type, int* value) {
  if (type < 0 || type > 2)
    return invalid_value;
  *value = version[type];
  return 0;
}

int cusparseCreateCsr(Opaque* matrix, int64_t rows, int64_t columns, int64_t count,
                      void* row_offsets, void* column_indices, void* values, int offset_type,
                      int index_type, int base, int type) {
  return make(matrix, {1, rows, columns, count, row_offsets, column_indices, values, offset_type,
                       index_type, base, type});
}

int cusparseCsrGet(const void* matrix, int64_t* rows, int64_t* columns, int64_t* count,
                   void** row_offsets, void** column_indices, void** values, int* offset_type,
                   int* index_type, int* base, int* type) {
  const Matrix& read = *static_cast<const Matrix*>(matrix);
  if (read.format != 1)
    return invalid_value;
  *rows = read.rows, *columns = read.columns, *count = read.count;
  *row_offsets = read.row_indices, *column_indices = read.column_indices, *values = read.values;
  *offset_type = read.offset_type, *index_type = read.index_type, *base = read.base,
  *type = read.type;
  return 0;
}

int cusparseSpMatGetStridedBatch(const void*, int* count) {
  *count = misbehaves("batches") ? 2 : 1;
  return 0;
}

int cusparseXcsr2coo(Opaque, const int* row_offsets, int count, int rows, int* row_indices,
                     int base) {
  record("cusparseXcsr2coo");
  for (int row = 0; row < rows; ++row)
    for (int i = row_offsets[row] - base; i < row_offsets[row + 1] - base; ++i)
      if (i < count)
        row_indices[i] = row + base;
  return 0;
}

int cusparseCreateCsc(Opaque* matrix, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int,
                      int) {
  return make(matrix, {.format = 2});
}

int cusparseCreateCoo(Opaque* matrix, int64_t rows, int64_t columns, int64_t count,
                      void* row_indices, void* column_indices, void* values, int index_type,
                      int base, int type) {
  return make(matrix, {3, rows, columns, count, row_indices, column_indices, values, index_type,
                       index_type, base, type});
}

int cusparseCreateBsr(Opaque* matrix, int64_t, int64_t, int64_t, int64_t, int64_t, void*, void*,
                      void*, int, int, int, int, int) {
  return make(matrix, {.format = 6});
}

int cusparseDestroySpMat(const void* matrix) {
  record("cusparseDestroySpMat");
  static_cast<Matrix*>(const_cast<void*>(matrix))->format = 0;
  return 0;
}

#ifndef DETSHIM_TEST_NO_FORMAT
int cusparseSpMatGetFormat(const void* matrix, int* format) {
  *format = static_cast<const Matrix*>(matrix)->format;
  return 0;
}
#endif

int cusparseCreateDnVec(Opaque* vector, int64_t, void*, int) {
  *vector = new Dense{1};
  return 0;
}

int cusparseCreateDnMat(Opaque* matrix, int64_t, int64_t columns, int64_t, void*, int, int) {
  *matrix = new Dense{columns};
  return 0;
}

int cusparseSpMV_bufferSize(Opaque, int operation, const void*, const void* matrix, const void* x,
                            const void*, Opaque, int, int algorithm, size_t* size) {
  return size_of("cusparseSpMV_bufferSize", spmv, operation, matrix, x, algorithm, size);
}

int cusparseSpMV_preprocess(Opaque, int operation, const void*, const void* matrix, const void* x,
                            const void*, Opaque, int, int algorithm, void* buffer) {
  return run("cusparseSpMV_preprocess", spmv, operation, matrix, x, algorithm, buffer);
}

int cusparseSpMV(Opaque, int operation, const void*, const void* matrix, const void* x, const void*,
                 Opaque, int, int algorithm, void* buffer) {
  return run("cusparseSpMV", spmv, operation, matrix, x, algorithm, buffer);
}

int cusparseSpMM_bufferSize(Opaque, int operation, int, const void*, const void* matrix,
                            const void* b, const void*, Opaque, int, int algorithm, size_t* size) {
  return size_of("cusparseSpMM_bufferSize", spmm, operation, matrix, b, algorithm, size);
}

int cusparseSpMM_preprocess(Opaque, int operation, int, const void*, const void* matrix,
                            const void* b, const void*, Opaque, int, int algorithm, void* buffer) {
  return run("cusparseSpMM_preprocess", spmm, operation, matrix, b, algorithm, buffer);
}

int cusparseSpMM(Opaque, int operation, int, const void*, const void* matrix, const void* b,
                 const void*, Opaque, int, int algorithm, void* buffer) {
  return run("cusparseSpMM", spmm, operation, matrix, b, algorithm, buffer);
}

int cusparseSpGEMMreuse_workEstimation(Opaque, int, int, const void*, const void*, Opaque,
                                       int algorithm, Opaque, size_t* size1, void* buffer1) {
  record("cusparseSpGEMMreuse_workEstimation algorithm=%d buffer=%p", algorithm, buffer1);
  *size1 = 1;
  return 0;
}

int cusparseSpGEMMreuse_nnz(Opaque, int, int, const void*, const void*, Opaque, int algorithm,
                            Opaque, size_t* size2, void* buffer2, size_t* size3, void* buffer3,
                            size_t* size4, void* buffer4) {
  record("cusparseSpGEMMreuse_nnz algorithm=%d buffers=%p,%p,%p", algorithm, buffer2, buffer3,
         buffer4);
  *size2 = 2;
  *size3 = 3;
  *size4 = 4;
  return 0;
}

int cusparseSpGEMMreuse_copy(Opaque, int, int, const void*, const void*, Opaque, int algorithm,
                             Opaque, size_t* size5, void* buffer5) {
  record("cusparseSpGEMMreuse_copy algorithm=%d buffer=%p", algorithm, buffer5);
  *size5 = 5;
  return 0;
}

int cusparseSpGEMMreuse_compute(Opaque, int, int, const void*, const void*, const void*,
                                const void*, Opaque, int type, int algorithm, Opaque descriptor) {
  record("cusparseSpGEMMreuse_compute type=%d algorithm=%d descriptor=%p", type, algorithm,
         descriptor);
  return 0;
}

} // extern "C"
