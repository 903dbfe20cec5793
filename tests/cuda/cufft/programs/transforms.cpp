// An ordinary user of cuFFT: makes plans, with a callback, or for as many GPUs as the argument
// says. With a second argument it transforms.
#include "call.h"

#include "cufft.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  int plan = 0, plans[4] = {}, embed = 5, gpus[] = {3, 4};
  void* routine = reinterpret_cast<void*>(uintptr_t{0x11});
  void* info = reinterpret_cast<void*>(uintptr_t{0x12});
  std::printf("create=%d\n", CALL(cufftCreate)(&plan));
  std::printf("1d=%d\n", CALL(cufftPlan1d)(&plans[0], 2, 41, 3));
  std::printf("2d=%d\n", CALL(cufftPlan2d)(&plans[1], 2, 3, 41));
  std::printf("3d=%d\n", CALL(cufftPlan3d)(&plans[2], 2, 3, 4, 41));
  std::printf("many=%d\n",
              CALL(cufftPlanMany)(&plans[3], 1, &embed, &embed, 2, 3, &embed, 4, 6, 41, 7));
  std::printf("callback=%d\n", CALL(cufftXtSetCallback)(plan, &routine, 2, &info));
  std::printf("jit=%d\n", CALL(cufftXtSetJITCallback)(plan, "load", routine, 9, 4, &info));
  std::printf("gpus=%d\n", CALL(cufftXtSetGPUs)(plan, std::atoi(argv[1]), gpus));
  std::printf("plans=%d %d %d %d %d\n", plan, plans[0], plans[1], plans[2], plans[3]);
  if (argc > 2) {
    void *in = routine, *out = info;
    std::printf("complex=%d %d %d %d %d %d\n", CALL(cufftExecC2C)(plan, in, out, -1),
                CALL(cufftExecZ2Z)(plan, in, out, 1), CALL(cufftXtExec)(plan, in, out, -1),
                CALL(cufftXtExecDescriptor)(plan, in, out, 1),
                CALL(cufftXtExecDescriptorC2C)(plan, in, out, -1),
                CALL(cufftXtExecDescriptorZ2Z)(plan, in, out, 1));
    std::printf("real=%d %d %d %d %d %d %d %d\n", CALL(cufftExecR2C)(plan, in, out),
                CALL(cufftExecD2Z)(plan, in, out), CALL(cufftExecC2R)(plan, in, out),
                CALL(cufftExecZ2D)(plan, in, out), CALL(cufftXtExecDescriptorR2C)(plan, in, out),
                CALL(cufftXtExecDescriptorD2Z)(plan, in, out),
                CALL(cufftXtExecDescriptorC2R)(plan, in, out),
                CALL(cufftXtExecDescriptorZ2D)(plan, in, out));
  }
  std::printf("destroy=%d\n", CALL(cufftDestroy)(plan));
}
