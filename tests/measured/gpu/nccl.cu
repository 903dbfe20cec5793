// NCCL with one rank: a communicator, and sums over it. With one rank there is nothing to add in
// another order, so the result is the same on all sides; what is seen here is that NCCL works under
// the settings that detshim gives it (rings, one protocol), and that the log names them. With
// --deterministic: NCCL_ALGO=Ring, set by the program.
#include "gpu.h"

#include <nccl.h>

namespace gpu {
template <>
inline const char* describe(ncclResult_t status) {
  return ncclGetErrorString(status);
}
} // namespace gpu

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  if (options.deterministic)
    setenv("NCCL_ALGO", "Ring", 1);
  constexpr size_t count = 1 << 20;
  ncclUniqueId id;
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(ncclGetUniqueId(&id));
  CHECK(ncclCommInitRank(&communicator, 1, id, 0));
  const gpu::Device<float> from(gpu::fixed<float>(count, 1)), to(count);
  gpu::work(20, [&] {
    CHECK(ncclAllReduce(from.get(), to.get(), count, ncclFloat, ncclSum, communicator, stream));
  });
  gpu::print("allreduce.float", to);
  CHECK(ncclCommDestroy(communicator));
  CHECK(cudaStreamDestroy(stream));
  return gpu::finish();
}
