// An ordinary user of NCCL: makes communicators in every way and reduces. Arguments NAME=VALUE are
// variables that the program sets itself before each of them, as Python programs do; NAME alone
// takes one away. `select=TEXT` selects algorithms for the reductions that have a configuration of
// their own, `large` says that it is of a later NCCL; `second` calls all by their second names, as
// a profiler does.
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
      if (argument.starts_with("NCCL") == false)
        continue;
      const size_t end = argument.find('=');
      if (end == argument.npos)
        unsetenv(argument.c_str());
      else
        setenv(argument.substr(0, end).c_str(), argument.substr(end + 1).c_str(), 1);
    }
  };
  NcclConfig config;
  config.blocking = 1;
  struct {
    NcclCollConfig now;
    char later[1000] = {};
  } own;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("select="))
      own.now.algSelection = argv[i] + 7;
    if (argument == "large")
      own.now.size = sizeof own;
    if (argument == "second")
      second = true;
  }
  NcclUniqueId id{};
  Opaque communicator = nullptr, other = nullptr, window = nullptr;
  int devices[] = {3, 4}, operation = -1;
  set();
  std::printf("id=%d\n", NCCL(ncclGetUniqueId)(&id));
  std::printf("made=");
  for (int i = 0; i < 16; ++i)
    std::printf("%02x", static_cast<unsigned char>(id.internal[i]));
  std::printf("\n");
  set();
  std::printf("rank=%d\n", NCCL(ncclCommInitRank)(&communicator, 2, id, 1));
  set();
  std::printf("config=%d\n", NCCL(ncclCommInitRankConfig)(&other, 2, id, 1, &config));
  set();
  std::printf("scalable=%d\n", NCCL(ncclCommInitRankScalable)(&other, 2, 1, 1, &id, &config));
  set();
  std::printf("all=%d\n", NCCL(ncclCommInitAll)(&other, 2, devices));
  set();
  std::printf("split=%d\n", NCCL(ncclCommSplit)(communicator, 1, 2, &other, &config));
  set();
  std::printf("shrink=%d\n", NCCL(ncclCommShrink)(communicator, devices, 1, &other, &config, 8));
  set();
  set();
  std::printf("id of one=%d\n", NCCL(ncclCommGetUniqueId)(communicator, &id));
  std::snprintf(id.internal, sizeof id.internal, "grown");
  id.internal[127] = '!';
  set();
  std::printf("grow=%d\n", NCCL(ncclCommGrow)(communicator, 3, &id, -1, &other, &config));
  set();
  std::printf("window=%d\n", NCCL(ncclCommWindowRegister)(communicator, at(9), 10, &window, 1));
  std::printf("all-reduce=%d\n", NCCL(ncclAllReduce)(at(1), at(2), 3, 7, 0, communicator, at(4)));
  std::printf("reduce=%d\n", NCCL(ncclReduce)(at(1), at(2), 3, 7, 0, 1, communicator, at(4)));
  std::printf("reduce-scatter=%d\n",
              NCCL(ncclReduceScatter)(at(1), at(2), 3, 7, 0, communicator, at(4)));
  std::printf("all-reduce=%d\n",
              NCCL(ncclAllReduceConfig)(at(1), at(2), 3, 7, 0, communicator, at(4), &own.now));
  std::printf("reduce=%d\n",
              NCCL(ncclReduceConfig)(at(1), at(2), 3, 7, 0, 1, communicator, at(4), &own.now));
  std::printf("reduce-scatter=%d\n",
              NCCL(ncclReduceScatterConfig)(at(1), at(2), 3, 7, 0, communicator, at(4), &own.now));
  std::printf("operation=%d",
              NCCL(ncclRedOpCreatePreMulSum)(&operation, at(5), 7, 1, communicator));
  std::printf(" %d\n", operation);
}
