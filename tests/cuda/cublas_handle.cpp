// An ordinary user of cuBLAS: makes a handle, lets cuBLAS use atomics, and asks what it got.
#include "call.h"

#include "vendor.h"

#include <cstdio>

int main() {
  Opaque handle = nullptr;
  int mode = -1;
  std::printf("create=%d\n", CALL(cublasCreate_v2)(&handle));
  if (!handle)
    return 1;
  std::printf("set=%d\n", CALL(cublasSetAtomicsMode)(handle, 1));
  std::printf("get=%d", CALL(cublasGetAtomicsMode)(handle, &mode));
  std::printf(" mode=%d\n", mode);
  std::printf("destroy=%d\n", CALL(cublasDestroy_v2)(handle));
}
