// An ordinary user of NCCL: makes communicators in every way and reduces. Arguments NAME=VALUE are variables
// that the program sets itself before each of them, as Python programs do; NAME alone takes one away.
// `config` sets what a configuration has, `short` says that it is an older one, `null` gives none;
// `select=TEXT` selects algorithms for the reductions that have a configuration of their own, `large` says
// that it is of a later NCCL; `second` calls all by their second names, as a profiler does.
#include "call.h"

#include "nccl.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

/// Arbitrary, and the same in every run.
void* at(uintptr_t number) { return reinterpret_cast<void*>(number); }

// By the first or the second name.
bool second = false;
#define NCCL(name) (second ? CALL(p##name) : CALL(name))

} // namespace

int main(int argc, char** argv) {
  const auto set = [&] {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      if (argument.starts_with("NCCL") == false) continue;
      const size_t end = argument.find('=');
      if (end == argument.npos)
        unsetenv(argument.c_str());
      else
        setenv(argument.substr(0, end).c_str(), argument.substr(end + 1).c_str(), 1);
    }
  };
  NcclConfig config;
  config.blocking = 1;
  NcclConfig* given = &config;
  struct {
    NcclCollConfig now;
    char later[1000] = {};
  } own;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "config") {
      config.cgaClusterSize = 2, config.minCTAs = 3, config.maxCTAs = 4, config.netName = "Socket";
      config.splitShare = 5, config.collnetEnable = 6, config.CTAPolicy = 7, config.shrinkShare = 8;
      config.nvlsCTAs = 9, config.nChannelsPerNetPeer = 10, config.nvlinkCentricSched = 11;
    }
    if (argument == "config") {
      config.graphUsageMode = 12, config.numRmaCtx = 13, config.maxP2pPeers = 14;
      config.graphStreamOrdering = 15, config.launchOrderImplicit = 16, config.numRmaSig = 17;
      config.rmaEagerInit = 18, config.hostCftMode = 19, config.nvlsHostMode = 20;
    }
    if (argument.starts_with("select=")) own.now.algSelection = argv[i] + 7;
    if (argument == "large") own.now.size = sizeof own;
    if (argument == "short") config.size = offsetof(NcclConfig, splitShare);
    if (argument == "foreign") config.magic = 0;
    if (argument == "null") given = nullptr;
    if (argument == "second") second = true;
  }
  NcclUniqueId id{};
  Opaque communicator = nullptr, other = nullptr, window = nullptr;
  int devices[] = {3, 4}, operation = -1;
  set();
  std::printf("id=%d\n", NCCL(ncclGetUniqueId)(&id));
  std::printf("made=");
  for (int i = 0; i < 16; ++i) std::printf("%02x", static_cast<unsigned char>(id.internal[i]));
  std::printf("\n");
  set();
  std::printf("rank=%d\n", NCCL(ncclCommInitRank)(&communicator, 2, id, 1));
  set();
  std::printf("config=%d\n", NCCL(ncclCommInitRankConfig)(&other, 2, id, 1, given));
  set();
  std::printf("scalable=%d\n", NCCL(ncclCommInitRankScalable)(&other, 2, 1, 1, &id, given));
  set();
  std::printf("all=%d\n", NCCL(ncclCommInitAll)(&other, 2, devices));
  set();
  std::printf("split=%d\n", NCCL(ncclCommSplit)(communicator, 1, 2, &other, given));
  set();
  std::printf("shrink=%d\n", NCCL(ncclCommShrink)(communicator, devices, 1, &other, given, 8));
  set();
  set();
  std::printf("id of one=%d\n", NCCL(ncclCommGetUniqueId)(communicator, &id));
  std::snprintf(id.internal, sizeof id.internal, "grown");
  id.internal[127] = '!';
  set();
  std::printf("grow=%d\n", NCCL(ncclCommGrow)(communicator, 3, &id, -1, &other, given));
  set();
  std::printf("window=%d\n", NCCL(ncclCommWindowRegister)(communicator, at(9), 10, &window, 1));
  std::printf("all-reduce=%d\n", NCCL(ncclAllReduce)(at(1), at(2), 3, 7, 0, communicator, at(4)));
  std::printf("reduce=%d\n", NCCL(ncclReduce)(at(1), at(2), 3, 7, 0, 1, communicator, at(4)));
  std::printf("reduce-scatter=%d\n", NCCL(ncclReduceScatter)(at(1), at(2), 3, 7, 0, communicator, at(4)));
  std::printf("all-reduce=%d\n",
              NCCL(ncclAllReduceConfig)(at(1), at(2), 3, 7, 0, communicator, at(4), &own.now));
  std::printf("reduce=%d\n", NCCL(ncclReduceConfig)(at(1), at(2), 3, 7, 0, 1, communicator, at(4), &own.now));
  std::printf("reduce-scatter=%d\n",
              NCCL(ncclReduceScatterConfig)(at(1), at(2), 3, 7, 0, communicator, at(4), &own.now));
  std::printf("operation=%d", NCCL(ncclRedOpCreatePreMulSum)(&operation, at(5), 7, 1, communicator));
  std::printf(" %d\n", operation);
}
