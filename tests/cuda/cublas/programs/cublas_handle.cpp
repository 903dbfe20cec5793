// An ordinary user of cuBLAS: makes a handle, lets cuBLAS use atomics, and asks what it got. An
// argument is the CUBLAS_WORKSPACE_CONFIG that the program sets itself before the handle, as Python
// programs do; an empty one takes the variable away.
#include "call.h"

#include "cublas.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc > 1 && *argv[1] != 0)
    setenv("CUBLAS_WORKSPACE_CONFIG", argv[1], 1);
  else if (argc > 1)
    unsetenv("CUBLAS_WORKSPACE_CONFIG");

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
