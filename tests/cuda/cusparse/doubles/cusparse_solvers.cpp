// cuSPARSE's solvers, factorisations and conversions: they do nothing but say what they were given.
// DOUBLE_MISBEHAVE=fail: they refuse it.
#include "cusparse_solvers.h"

#include "record_call.h"

#define UNPACK(...) __VA_ARGS__
#define DEFINE(name, parameters, arguments, example)                                               \
  DEFINE_ONE(cusparseS##name, parameters, arguments)                                               \
  DEFINE_ONE(cusparseD##name, parameters, arguments)                                               \
  DEFINE_ONE(cusparseC##name, parameters, arguments)                                               \
  DEFINE_ONE(cusparseZ##name, parameters, arguments)
#define DEFINE_ONE(name, parameters, arguments)                                                    \
  int name parameters {                                                                            \
    record_call(#name, UNPACK arguments);                                                          \
    return misbehaves("fail") ? 6 : 0;                                                             \
  }

extern "C" {

FOR_EACH_SOLVER(DEFINE)

int cusparseSpSV_solve(Opaque handle, int operation, const void* alpha, const void* matrix,
                       const void* x, Opaque y, int type, int algorithm, Opaque descriptor) {
  record_call("cusparseSpSV_solve", handle, operation, alpha, matrix, x, y, type, algorithm,
              descriptor);
  return misbehaves("fail") ? 6 : 0;
}

int cusparseSpSM_solve(Opaque handle, int operation, int operation_b, const void* alpha,
                       const void* matrix, const void* b, Opaque c, int type, int algorithm,
                       Opaque descriptor) {
  record_call("cusparseSpSM_solve", handle, operation, operation_b, alpha, matrix, b, c, type,
              algorithm, descriptor);
  return misbehaves("fail") ? 6 : 0;
}

int cusparseCsr2cscEx2(Opaque handle, int m, int n, int count, const void* values,
                       const int* offsets, const int* columns, void* csc_values, int* csc_offsets,
                       int* csc_rows, int type, int what, int base, int algorithm, void* buffer) {
  record_call("cusparseCsr2cscEx2", handle, m, n, count, values, offsets, columns, csc_values,
              csc_offsets, csc_rows, type, what, base, algorithm, buffer);
  return misbehaves("fail") ? 6 : 0;
}

int cusparseSpMVGeneric(Opaque handle, const void* alpha, const void* matrix, const void* x,
                        const void* beta, const void* y, Opaque z, int type, Opaque descriptor) {
  record_call("cusparseSpMVGeneric", handle, alpha, matrix, x, beta, y, z, type, descriptor);
  return misbehaves("fail") ? 6 : 0;
}

int cusparseSpMVOp(Opaque handle, Opaque plan, const void* alpha, const void* beta, const void* x,
                   const void* y, Opaque z) {
  record_call("cusparseSpMVOp", handle, plan, alpha, beta, x, y, z);
  return misbehaves("fail") ? 6 : 0;
}

} // extern "C"
