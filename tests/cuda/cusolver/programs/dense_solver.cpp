// An ordinary user of cuSOLVER: makes a handle, sets the deterministic mode that the argument says
// (1 on, 2 off; 0 leaves it alone) and the mode of mathematics that a second one says, decomposes a
// matrix by random vectors and another by polar decomposition, and makes what the other solvers
// begin with.
#include "call.h"

#include "cusolver.h"

#include <cstdio>
#include <cstdlib>

namespace {

/// Arbitrary, and the same in every run.
void* at(uintptr_t number) { return reinterpret_cast<void*>(number); }

} // namespace

int main(int argc, char** argv) {
  Opaque handle = nullptr;
  std::printf("create=%d\n", CALL(cusolverDnCreate)(&handle));
  if (!handle)
    return 0;
  if (const int asked = std::atoi(argv[1])) {
    int mode = -1;
    std::printf("set=%d\n", CALL(cusolverDnSetDeterministicMode)(handle, asked));
    std::printf("get=%d", CALL(cusolverDnGetDeterministicMode)(handle, &mode));
    std::printf(" mode=%d\n", mode);
  }
  if (argc > 2)
    std::printf("math=%d\n", CALL(cusolverDnSetMathMode)(handle, std::atoi(argv[2])));
  std::printf("gesvdr=%d\n",
              CALL(cusolverDnXgesvdr)(handle, at(1), 'S', 'N', 2, 3, 4, 5, 6, 7, at(8), 9, 10,
                                      at(11), 12, at(13), 14, 15, at(16), 17, 18, at(19), 20,
                                      at(21), 22, static_cast<int*>(at(23))));
  std::printf("gesvdp=%d\n",
              CALL(cusolverDnXgesvdp)(handle, at(1), 2, 3, 4, 5, 6, at(7), 8, 9, at(10), 11, at(12),
                                      13, 14, at(15), 16, 17, at(18), 19, at(20), 21,
                                      static_cast<int*>(at(22)), static_cast<double*>(at(23))));
  Opaque other = nullptr;
  std::printf("irs=%d\n", CALL(cusolverDnIRSParamsCreate)(&other));
  std::printf("sp=%d\n", CALL(cusolverSpCreate)(&other));
  std::printf("rf=%d\n", CALL(cusolverRfCreate)(&other));
  std::printf("destroy=%d\n", CALL(cusolverDnDestroy)(handle));
}
