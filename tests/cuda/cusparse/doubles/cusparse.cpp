// A double of libcusparse.so.12: it multiplies nothing, but like the real one it wants a buffer whose size
// depends on the algorithm, and writes to all of it.
//
// DOUBLE_MISBEHAVE:
//   fail            every product fails with CUSPARSE_STATUS_EXECUTION_FAILED
//   not_served      the size of a deterministic algorithm's buffer cannot be asked: it does not serve
//   refused         its size can be asked, and then the product is refused
//   smaller         deterministic algorithms want less than the others
//   no_buffer       deterministic algorithms want no buffer
//   usual_fail      the other algorithms fail with CUSPARSE_STATUS_NOT_SUPPORTED
//
// DETSHIM_TEST_NO_FORMAT builds a library that cannot be asked for a matrix's format.
#include "cusparse.h"

#include "record.h"

namespace {

struct Matrix {
  int format; ///< 0 where the place is free
};
struct Dense {
  int64_t columns;
};

constexpr int execution_failed = 6, not_supported = 10, invalid_value = 3;
constexpr int version[] = {12, 6, 3};

enum Kind { spmv, spmm };

bool is_deterministic(Kind kind, int algorithm) {
  return kind == spmv ? algorithm >= 3 : algorithm == 2 || algorithm == 12 || algorithm == 14;
}

size_t wanted(Kind kind, int algorithm, const void* dense) {
  constexpr size_t usual = 256;
  if (!is_deterministic(kind, algorithm)) return usual;
  if (misbehaves("no_buffer")) return 0;
  if (misbehaves("smaller")) return 64;
  return 1024 * static_cast<size_t>(static_cast<const Dense*>(dense)->columns);
}

int size_of(const char* name, Kind kind, int operation, const void* dense, int algorithm, size_t* size) {
  record("%s operation=%d algorithm=%d", name, operation, algorithm);
  if (misbehaves("fail")) return execution_failed;
  if (!is_deterministic(kind, algorithm) && misbehaves("usual_fail")) return not_supported;
  if (is_deterministic(kind, algorithm) && misbehaves("not_served")) return not_supported;
  *size = wanted(kind, algorithm, dense);
  return 0;
}

int run(const char* name, Kind kind, int operation, const void* dense, int algorithm, void* buffer) {
  record("%s operation=%d algorithm=%d", name, operation, algorithm);
  if (misbehaves("fail")) return execution_failed;
  if (!is_deterministic(kind, algorithm) && misbehaves("usual_fail")) return not_supported;
  if (is_deterministic(kind, algorithm) && (misbehaves("refused") || misbehaves("not_served")))
    return not_supported;
  // A null buffer is tolerated here, so that a program without one shows which algorithm it got.
  if (buffer) std::memset(buffer, 0, wanted(kind, algorithm, dense));
  return 0;
}

/// The next matrix gets the address of one that was destroyed, as with any allocator.
int make(Opaque* matrix, int format) {
  alignas(16) static Matrix places[8] = {};
  for (int i = 0; i < 8; i += 2) {
    if (places[i].format != 0) continue;
    places[i].format = format;
    *matrix = &places[i];
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
  if (type < 0 || type > 2) return invalid_value;
  *value = version[type];
  return 0;
}

int cusparseCreateCsr(Opaque* matrix, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int, int) {
  return make(matrix, 1);
}

int cusparseCreateCsc(Opaque* matrix, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int, int) {
  return make(matrix, 2);
}

int cusparseCreateCoo(Opaque* matrix, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int) {
  return make(matrix, 3);
}

int cusparseCreateBsr(Opaque* matrix, int64_t, int64_t, int64_t, int64_t, int64_t, void*, void*, void*, int,
                      int, int, int, int) {
  return make(matrix, 6);
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

int cusparseSpMV_bufferSize(Opaque, int operation, const void*, const void*, const void* x, const void*,
                            Opaque, int, int algorithm, size_t* size) {
  return size_of("cusparseSpMV_bufferSize", spmv, operation, x, algorithm, size);
}

int cusparseSpMV_preprocess(Opaque, int operation, const void*, const void*, const void* x, const void*,
                            Opaque, int, int algorithm, void* buffer) {
  return run("cusparseSpMV_preprocess", spmv, operation, x, algorithm, buffer);
}

int cusparseSpMV(Opaque, int operation, const void*, const void*, const void* x, const void*, Opaque, int,
                 int algorithm, void* buffer) {
  return run("cusparseSpMV", spmv, operation, x, algorithm, buffer);
}

int cusparseSpMM_bufferSize(Opaque, int operation, int, const void*, const void*, const void* b, const void*,
                            Opaque, int, int algorithm, size_t* size) {
  return size_of("cusparseSpMM_bufferSize", spmm, operation, b, algorithm, size);
}

int cusparseSpMM_preprocess(Opaque, int operation, int, const void*, const void*, const void* b, const void*,
                            Opaque, int, int algorithm, void* buffer) {
  return run("cusparseSpMM_preprocess", spmm, operation, b, algorithm, buffer);
}

int cusparseSpMM(Opaque, int operation, int, const void*, const void*, const void* b, const void*, Opaque,
                 int, int algorithm, void* buffer) {
  return run("cusparseSpMM", spmm, operation, b, algorithm, buffer);
}

int cusparseSpGEMMreuse_workEstimation(Opaque, int, int, const void*, const void*, Opaque, int algorithm,
                                       Opaque, size_t* size1, void* buffer1) {
  record("cusparseSpGEMMreuse_workEstimation algorithm=%d buffer=%p", algorithm, buffer1);
  *size1 = 1;
  return 0;
}

int cusparseSpGEMMreuse_nnz(Opaque, int, int, const void*, const void*, Opaque, int algorithm, Opaque,
                            size_t* size2, void* buffer2, size_t* size3, void* buffer3, size_t* size4,
                            void* buffer4) {
  record("cusparseSpGEMMreuse_nnz algorithm=%d buffers=%p,%p,%p", algorithm, buffer2, buffer3, buffer4);
  *size2 = 2;
  *size3 = 3;
  *size4 = 4;
  return 0;
}

int cusparseSpGEMMreuse_copy(Opaque, int, int, const void*, const void*, Opaque, int algorithm, Opaque,
                             size_t* size5, void* buffer5) {
  record("cusparseSpGEMMreuse_copy algorithm=%d buffer=%p", algorithm, buffer5);
  *size5 = 5;
  return 0;
}

int cusparseSpGEMMreuse_compute(Opaque, int, int, const void*, const void*, const void*, const void*, Opaque,
                                int type, int algorithm, Opaque descriptor) {
  record("cusparseSpGEMMreuse_compute type=%d algorithm=%d descriptor=%p", type, algorithm, descriptor);
  return 0;
}

} // extern "C"
