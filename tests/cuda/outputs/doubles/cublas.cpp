// A double of libcublas.so.13.
#include "compute.h"

namespace {

Opaque stream_of_handle;
int pointer_mode;
char handle_memory;

Result matrix(void* start, size_t element, int64_t rows, int64_t columns, int64_t leading) {
  return {start, static_cast<size_t>(rows) * element, static_cast<size_t>(columns),
          static_cast<size_t>(leading) * element};
}

} // namespace

extern "C" {

int cublasCreate_v2(Opaque* handle) {
  return *handle = reinterpret_cast<Opaque>(&handle_memory), 0;
}
int cublasSetStream_v2(Opaque, Opaque stream) { return stream_of_handle = stream, 0; }
int cublasGetStream_v2(Opaque, Opaque* stream) { return *stream = stream_of_handle, 0; }
int cublasSetPointerMode_v2(Opaque, int mode) { return pointer_mode = mode, 0; }
int cublasGetPointerMode_v2(Opaque, int* mode) { return *mode = pointer_mode, 0; }
int cublasGetProperty(int, int* value) { return *value = 13, 0; }

int cublasSgemm_v2(Opaque, int, int, int m, int n, int, const float*, const void* a, int lda,
                   const void*, int, const float*, void* c, int ldc) {
  if (lda < m)
    return 7; // CUBLAS_STATUS_INVALID_VALUE
  return compute("cublasSgemm_v2", stream_of_handle, a, matrix(c, 4, m, n, ldc));
}
int cublasSgemmBatched(Opaque, int, int, int m, int n, int, const float*, const void* const* a, int,
                       const void* const*, int, const float*, void* const* c, int ldc,
                       int batches) {
  int status = 0;
  for (int i = 0; i < batches; ++i)
    status = compute("cublasSgemmBatched", stream_of_handle, a[i], matrix(c[i], 4, m, n, ldc));
  return status;
}
int cublasSgemmStridedBatched(Opaque, int, int, int m, int n, int, const float*, const void* a, int,
                              long long a_step, const void*, int, long long, const float*, void* c,
                              int ldc, long long c_step, int batches) {
  int status = 0;
  for (int i = 0; i < batches; ++i)
    status = compute("cublasSgemmStridedBatched", stream_of_handle,
                     static_cast<const char*>(a) + i * a_step * 4,
                     matrix(static_cast<char*>(c) + i * c_step * 4, 4, m, n, ldc));
  return status;
}
int cublasGemmEx(Opaque, int, int, int m, int n, int, const void*, const void* a, int, int,
                 const void*, int, int, const void*, void* c, int c_type, int ldc, int, int) {
  return compute("cublasGemmEx", stream_of_handle, a, matrix(c, c_type == 0 ? 4 : 2, m, n, ldc));
}
int cublasSgemv_v2(Opaque, int, int m, int, const float*, const void* a, int, const void*, int,
                   const float*, void* y, int y_step) {
  return compute("cublasSgemv_v2", stream_of_handle, a, matrix(y, 4, 1, m, y_step));
}
int cublasDtrsm_v2(Opaque, int, int, int, int, int m, int n, const double*, const void* a, int,
                   void* b, int ldb) {
  return compute("cublasDtrsm_v2", stream_of_handle, a, matrix(b, 8, m, n, ldb));
}

} // extern "C"
