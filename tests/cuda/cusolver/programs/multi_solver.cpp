// An ordinary user of cuSOLVER on several devices: makes a handle.
#include "call.h"

#include "cusolvermg.h"

#include <cstdio>

int main() {
  Opaque handle = nullptr;
  std::printf("create=%d\n", CALL(cusolverMgCreate)(&handle));
}
