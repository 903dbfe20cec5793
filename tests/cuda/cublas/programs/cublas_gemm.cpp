// An ordinary user of cuBLAS's products: for each argument it makes one call.
//   several                                    a handle of cublasXt
//   stream, workspace, math:MODE, strategy:N, atomics:MODE
//                                              settings of the handle
//   FORM:COMPUTE:ALGO                          a product; FORM is ex, batched or strided, or these
//   with _64
#include "call.h"

#include "cublas.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int multiply(Opaque handle, const char* form, int compute, int algo) {
  const float one = 1;
  const void* const array[] = {&one};
  void* const results[] = {nullptr};
  const auto is = [form](const char* name) {
    return !std::strncmp(form, name, std::strlen(name)) && form[std::strlen(name)] == ':';
  };
  constexpr int f = 0, k = 5, ldc = 7, batches = 3;
  if (is("ex"))
    return CALL(cublasGemmEx)(handle, 0, 0, 1, 2, k, &one, &one, f, 6, &one, f, 6, &one, nullptr, f,
                              ldc, compute, algo);
  if (is("ex_64"))
    return CALL(cublasGemmEx_64)(handle, 0, 0, 1, 2, k, &one, &one, f, 6, &one, f, 6, &one, nullptr,
                                 f, ldc, compute, algo);
  if (is("batched"))
    return CALL(cublasGemmBatchedEx)(handle, 0, 0, 1, 2, k, &one, array, f, 6, array, f, 6, &one,
                                     results, f, ldc, batches, compute, algo);
  if (is("batched_64"))
    return CALL(cublasGemmBatchedEx_64)(handle, 0, 0, 1, 2, k, &one, array, f, 6, array, f, 6, &one,
                                        results, f, ldc, batches, compute, algo);
  if (is("strided"))
    return CALL(cublasGemmStridedBatchedEx)(handle, 0, 0, 1, 2, k, &one, &one, f, 6, 100, &one, f,
                                            6, 100, &one, nullptr, f, ldc, 100, batches, compute,
                                            algo);
  if (is("strided_64"))
    return CALL(cublasGemmStridedBatchedEx_64)(handle, 0, 0, 1, 2, k, &one, &one, f, 6, 100, &one,
                                               f, 6, 100, &one, nullptr, f, ldc, 100, batches,
                                               compute, algo);
  std::exit(3);
}

} // namespace

int main(int argc, char** argv) {
  Opaque handle = nullptr;
  if (CALL(cublasCreate_v2)(&handle) != 0)
    return 1;
  char workspace[64];
  for (int i = 1; i < argc; ++i) {
    const char* what = argv[i];
    const char* number = std::strchr(what, ':');
    const int first = number ? std::atoi(number + 1) : 0;
    const char* next = number ? std::strchr(number + 1, ':') : nullptr;
    int status;
    if (!std::strcmp(what, "stream"))
      status = CALL(cublasSetStream_v2)(handle, reinterpret_cast<Opaque>(2));
    else if (!std::strcmp(what, "workspace"))
      status = CALL(cublasSetWorkspace_v2)(handle, workspace, sizeof workspace);
    else if (!std::strcmp(what, "several")) {
      Opaque several = nullptr;
      status = CALL(cublasXtCreate)(&several);
    } else if (!std::strncmp(what, "math:", 5))
      status = CALL(cublasSetMathMode)(handle, first);
    else if (!std::strncmp(what, "atomics:", 8))
      status = CALL(cublasSetAtomicsMode)(handle, first);
    else if (!std::strncmp(what, "strategy:", 9))
      status = CALL(cublasSetEmulationStrategy)(handle, first);
    else
      status = multiply(handle, what, first, next ? std::atoi(next + 1) : -1);
    std::printf("%s=%d\n", what, status);
  }
  CALL(cublasDestroy_v2)(handle);
}
