// An ordinary user of NCCL: makes communicators in every way and reduces. Arguments NAME=VALUE are variables
// that the program sets itself before each of them, as Python programs do; NAME alone takes one away.
#include "call.h"

#include "nccl.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

/// Made up, and the same in every run.
void* at(uintptr_t number) { return reinterpret_cast<void*>(number); }

} // namespace

int main(int argc, char** argv) {
  const auto set = [&] {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      const size_t end = argument.find('=');
      if (end == argument.npos)
        unsetenv(argument.c_str());
      else
        setenv(argument.substr(0, end).c_str(), argument.substr(end + 1).c_str(), 1);
    }
  };
  NcclUniqueId id{};
  Opaque communicator = nullptr, other = nullptr, window = nullptr;
  int devices[] = {3, 4}, operation = -1;
  set();
  std::printf("id=%d\n", CALL(ncclGetUniqueId)(&id));
  set();
  std::printf("rank=%d\n", CALL(ncclCommInitRank)(&communicator, 2, id, 1));
  set();
  std::printf("config=%d\n", CALL(ncclCommInitRankConfig)(&other, 2, id, 1, at(7)));
  set();
  std::printf("scalable=%d\n", CALL(ncclCommInitRankScalable)(&other, 2, 1, 1, &id, at(7)));
  set();
  std::printf("all=%d\n", CALL(ncclCommInitAll)(&other, 2, devices));
  set();
  std::printf("split=%d\n", CALL(ncclCommSplit)(communicator, 1, 2, &other, at(7)));
  set();
  std::printf("shrink=%d\n", CALL(ncclCommShrink)(communicator, devices, 1, &other, at(7), 8));
  set();
  std::printf("window=%d\n", CALL(ncclCommWindowRegister)(communicator, at(9), 10, &window, 1));
  std::printf("all-reduce=%d\n", CALL(ncclAllReduce)(at(1), at(2), 3, 7, 0, communicator, at(4)));
  std::printf("reduce=%d\n", CALL(ncclReduce)(at(1), at(2), 3, 7, 0, 1, communicator, at(4)));
  std::printf("reduce-scatter=%d\n", CALL(ncclReduceScatter)(at(1), at(2), 3, 7, 0, communicator, at(4)));
  std::printf("operation=%d", CALL(ncclRedOpCreatePreMulSum)(&operation, at(5), 7, 1, communicator));
  std::printf(" %d\n", operation);
}
