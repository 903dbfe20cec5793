// A double of libmindspore_ops_cpu.so: kernels that are divided as time decides, one of which draws
// from an engine that its parts share.
#include <cstdio>
#include <functional>

namespace mindspore {

double GetTime();
class ThreadPool {
public:
  virtual ~ThreadPool();
  virtual int ParallelLaunch(const std::function<int(void*, int, float, float)>& task,
                             void* content, int parts) = 0;
};
ThreadPool* pool();

namespace kernel {
namespace {

struct KernelMod {
  virtual ~KernelMod() = default;
};
struct DropoutCpuKernelMod : KernelMod {
  unsigned state = 1;
};
struct AddCpuKernelMod : KernelMod {};

/// The parts into which five calls of each way to divide a kernel have been quickest.
int search() {
  double least = 1e9;
  int best = 0;
  for (int parts = 1; parts <= 32; parts *= 2) {
    double sum = 0;
    for (int call = 0; call < 5; ++call) {
      const double start = GetTime();
      sum += GetTime() - start;
    }
    if (sum < least)
      least = sum, best = parts;
  }
  return best;
}

} // namespace
} // namespace kernel
} // namespace mindspore

extern "C" [[gnu::visibility("default")]] void run_kernels();
extern "C" void run_kernels() {
  using namespace mindspore;
  for (int i = 0; i < 3; ++i)
    std::printf("divided %d\n", kernel::search());
  kernel::DropoutCpuKernelMod dropout;
  unsigned drawn[8] = {};
  pool()->ParallelLaunch(
      [&](void* content, int part, float, float) {
        unsigned& state = static_cast<kernel::DropoutCpuKernelMod*>(content)->state;
        drawn[part] = state = state * 1103515245U + 12345U;
        return 0;
      },
      &dropout, 8);
  for (const unsigned number : drawn)
    std::printf("drawn %u\n", number);
  // One that draws nothing, and what hands on no kernel, are left to the pool.
  kernel::AddCpuKernelMod add;
  for (void* content : {static_cast<void*>(&add), static_cast<void*>(nullptr)}) {
    int first = -1;
    pool()->ParallelLaunch(
        [&](void*, int part, float, float) {
          if (first < 0)
            first = part;
          return 0;
        },
        content, 1000);
    std::printf("begins with %d\n", first);
  }
}
