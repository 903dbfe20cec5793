// A double of libcusparse.so.12: its descriptors are the program's own structures.
#include "compute.h"

namespace {

const Sparse& sparse(Opaque descriptor) { return *static_cast<const Sparse*>(descriptor); }
const Dense& dense(Opaque descriptor) { return *static_cast<const Dense*>(descriptor); }

/// Its offsets and indices, and its values, for which there may be a race.
int multiply(const char* name, Opaque a, Opaque c) {
  const Sparse &from = sparse(a), &to = sparse(c);
  const Opaque stream = reinterpret_cast<Opaque>(64);
  const auto bytes = [](int64_t count) { return static_cast<size_t>(count) * 4; };
  if (const int status = compute("SpGEMM, offsets", stream, from.values, {to.offsets, bytes(to.rows + 1)}))
    return status;
  if (const int status = compute("SpGEMM, indices", stream, from.values, {to.indices, bytes(to.count)}))
    return status;
  if (to.values == nullptr) return 0;
  return compute(name, stream, from.values, {to.values, bytes(to.count)});
}

} // namespace

extern "C" {

int cusparseGetProperty(int, int* value) { return *value = 12, 0; }
int cusparseGetStream(Opaque, Opaque* stream) { return *stream = reinterpret_cast<Opaque>(64), 0; }
int cusparseGetPointerMode(Opaque, int* mode) { return *mode = 0, 0; }
int cusparseSpMatGetFormat(Opaque, int* format) { return *format = 1, 0; }
int cusparseSpMatGetStridedBatch(Opaque, int* count) { return *count = 1, 0; }
int cusparseDnMatGetStridedBatch(Opaque, int* count, int64_t*) { return *count = 1, 0; }
int cusparseCsrGet(Opaque matrix, int64_t* rows, int64_t* columns, int64_t* count, void** offsets,
                   void** indices, void** values, int* offset_type, int* index_type, int* base, int* type) {
  const Sparse& of = sparse(matrix);
  *rows = of.rows, *columns = of.columns, *count = of.count;
  *offsets = of.offsets, *indices = of.indices, *values = of.values;
  return *offset_type = *index_type = 2, *base = *type = 0, 0;
}
int cusparseDnVecGet(Opaque vector, int64_t* size, void** values, int* type) {
  return *size = dense(vector).rows, *values = dense(vector).values, *type = 0, 0;
}
int cusparseDnMatGet(Opaque matrix, int64_t* rows, int64_t* columns, int64_t* leading, void** values,
                     int* type, int* order) {
  const Dense& of = dense(matrix);
  *rows = of.rows, *columns = of.columns, *leading = of.leading;
  return *values = of.values, *type = 0, *order = 1, 0;
}
int cusparseSpMM_bufferSize(Opaque, int, int, const void*, Opaque, Opaque, const void*, Opaque, int, int,
                            size_t* size) {
  return *size = 0, 0;
}
int cusparseSpMV_bufferSize(Opaque, int, const void*, Opaque, Opaque, const void*, Opaque, int, int,
                            size_t* size) {
  return *size = 0, 0;
}
int cusparseSpMM(Opaque, int, int, const void*, Opaque matrix, Opaque, const void*, Opaque c, int, int,
                 void*) {
  const Dense& to = dense(c);
  return compute("cusparseSpMM", reinterpret_cast<Opaque>(64), sparse(matrix).values,
                 {to.values, static_cast<size_t>(to.rows) * 4, static_cast<size_t>(to.columns),
                  static_cast<size_t>(to.leading) * 4});
}
int cusparseSpMV(Opaque, int, const void*, Opaque matrix, Opaque, const void*, Opaque y, int, int, void*) {
  return compute("cusparseSpMV", reinterpret_cast<Opaque>(64), sparse(matrix).values,
                 {dense(y).values, static_cast<size_t>(dense(y).rows) * 4});
}
int cusparseSpGEMM_copy(Opaque, int, int, const void*, Opaque a, Opaque, const void*, Opaque c, int, int,
                        Opaque) {
  return multiply("cusparseSpGEMM_copy", a, c);
}
int cusparseSpGEMMreuse_compute(Opaque, int, int, const void*, Opaque a, Opaque, const void*, Opaque c, int,
                                int, Opaque) {
  return multiply("cusparseSpGEMMreuse_compute", a, c);
}

} // extern "C"
