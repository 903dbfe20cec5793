// NCCL with two ranks of one process on one GPU, which NCCL allows by NCCL_MULTI_RANK_GPU_ENABLE=1
// (2.30 on; an older one gives no communicator, and the variants are unsupported). The program
// chooses trees for sums alone, as SGLang's deterministic mode and vLLM's batch invariance do, and
// broadcasts too: with a protocol for all functions, NCCL from 2.31 on ends that in an invalid
// usage. Sums of two numbers have one order, so the results are the same on all sides. With
// --deterministic: NCCL_PROTO for the sums alone, set by the program.
#include "gpu.h"

#include <nccl.h>

namespace gpu {
template <>
inline const char* describe(ncclResult_t status) {
  return ncclGetErrorString(status);
}
} // namespace gpu

namespace {

constexpr int ranks = 2;
constexpr size_t count = 1 << 20;

/// A communicator and a stream for each rank.
struct Job {
  ncclComm_t communicators[ranks] = {};
  cudaStream_t streams[ranks] = {};

  Job() {
    ncclUniqueId id;
    CHECK(ncclGetUniqueId(&id));
    CHECK(ncclGroupStart());
    for (int rank = 0; rank < ranks; ++rank) {
      CHECK(cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking));
      CHECK(ncclCommInitRank(&communicators[rank], ranks, id, rank));
    }
    if (ncclGroupEnd() != ncclSuccess)
      gpu::unsupported();
  }

  /// Calls body(rank), which starts a collective, for each in one group.
  template <class Body>
  void together(Body&& body) {
    CHECK(ncclGroupStart());
    for (int rank = 0; rank < ranks; ++rank)
      body(rank);
    CHECK(ncclGroupEnd());
  }
};

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
  setenv("NCCL_MIN_NCHANNELS", "1", 1);
  setenv("NCCL_MAX_NCHANNELS", "1", 1);
  setenv("NCCL_ALGO", "allreduce:tree", 1);
  if (options.deterministic)
    setenv("NCCL_PROTO", "allreduce:Simple", 1);
  const gpu::Device<float> first(gpu::fixed<float>(count, 1)), second(gpu::fixed<float>(count, 2));
  const gpu::Device<float>* const from[ranks] = {&first, &second};
  const gpu::Device<float> to_first(count), to_second(count);
  const gpu::Device<float>* const to[ranks] = {&to_first, &to_second};
  Job* job = nullptr; // lives as long as the process: one that has failed may not be destroyed
  gpu::attempt("allreduce.tree", [&] {
    job = new Job;
    gpu::work(20, [&] {
      job->together([&](int rank) {
        CHECK(ncclAllReduce(from[rank]->get(), to[rank]->get(), count, ncclFloat, ncclSum,
                            job->communicators[rank], job->streams[rank]));
      });
    });
    gpu::print("allreduce.tree", to_first);
  });
  gpu::attempt("broadcast", [&] {
    if (job == nullptr)
      gpu::unsupported();
    gpu::work(20, [&] {
      job->together([&](int rank) {
        CHECK(ncclBroadcast(from[rank]->get(), to[rank]->get(), count, ncclFloat, 0,
                            job->communicators[rank], job->streams[rank]));
      });
    });
    gpu::print("broadcast", to_second);
  });
  return gpu::finish();
}
