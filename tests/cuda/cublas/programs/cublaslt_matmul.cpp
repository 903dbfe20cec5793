// An ordinary user of cuBLASLt that looks for the fastest algorithm: lists them, runs each in turn,
// and goes on with the one that it takes for the fastest, DOUBLE_FASTEST (else the last). Each
// argument is a product's number of rows; or
//   one      asks for one algorithm only
//   stream   lists them for a stream from then on
//   grouped  makes grouped layouts with wide integers from then on
//   strides  sets a distance of alpha in a batch
//   null     leaves the choice to the library
//   ids      lists the algorithms' numbers
//   config   configures an algorithm by itself
//   limit=N  asks for algorithms with a workspace of N bytes at most from then on
//   find=N   as NVIDIA's LtMatmulCustomFind: configures algorithms of every number that there is,
//   runs those that
//            cublasLtMatmulAlgoCheck takes with N bytes, goes on with the fastest (DOUBLE_FASTEST
//            is a tile)
//   pause    runs the latest product again, a second later
//   fork     leaves what follows to a child
//   kill     ends by SIGKILL
#include "call.h"

#include "cublas.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <sys/wait.h>
#include <unistd.h>

namespace {

Opaque handle, operation, layout, preference;
LtAlgo chosen;
bool for_stream = false, grouped = false;

int run(const LtAlgo* algo, size_t workspace) {
  const float one = 1;
  return CALL(cublasLtMatmul)(handle, operation, &one, &one, layout, &one, layout, &one, &one,
                              layout, nullptr, layout, algo, nullptr, workspace, nullptr);
}

void search(unsigned long long rows, int requested) {
  CALL(cublasLtMatrixLayoutCreate)(&layout, 2, rows, 32, static_cast<long long>(rows));
  const unsigned grouped_mode = 2, wide = 1;
  if (grouped) {
    CALL(cublasLtMatrixLayoutSetAttribute)(layout, 8, &grouped_mode, sizeof grouped_mode);
    CALL(cublasLtMatrixLayoutSetAttribute)(layout, 12, &wide, sizeof wide);
  }
  LtResult results[8] = {};
  int returned = -1;
  const int status =
      for_stream
          ? CALL(cublasLtMatmulAlgoGetHeuristicForStream)(handle, operation, layout, layout, layout,
                                                          layout, preference, requested, results,
                                                          &returned, reinterpret_cast<Opaque>(77))
          : CALL(cublasLtMatmulAlgoGetHeuristic)(handle, operation, layout, layout, layout, layout,
                                                 preference, requested, results, &returned);
  std::printf("%llu: status=%d returned=%d", rows, status, returned);
  if (status != 0 || returned < 1)
    return void(std::puts(""));
  const char* fastest = std::getenv("DOUBLE_FASTEST");
  const LtResult* best = &results[returned - 1];
  std::printf(" algos=");
  for (int i = 0; i < returned; ++i) {
    std::printf(i == 0 ? "%llu" : ",%llu", results[i].algo.data[0]);
    if (results[i].state != 0)
      continue;
    run(&results[i].algo, results[i].workspace_size);
    if (fastest && results[i].algo.data[0] == std::strtoull(fastest, nullptr, 10))
      best = &results[i];
  }
  int usable = 0; // of all that the array has room for
  for (const LtResult& result : results)
    usable += result.algo.data[0] != 0 && result.state == 0;
  chosen = best->algo;
  std::printf(" usable=%d chosen=%llu run=%d\n", usable, chosen.data[0],
              run(&chosen, best->workspace_size));
}

void find(size_t workspace) {
  int ids[8] = {};
  int count = 0;
  std::printf("find: status=%d",
              CALL(cublasLtMatmulAlgoGetIds)(handle, 68, 0, 2, 2, 2, 2, 8, ids, &count));
  const char* fastest = std::getenv("DOUBLE_FASTEST");
  int ran = 0;
  for (int i = 0; i < count; ++i)
    for (const unsigned tile : {64u, 128u, 256u}) {
      LtAlgo algo;
      LtResult result;
      if (CALL(cublasLtMatmulAlgoInit)(handle, 68, 0, 2, 2, 2, 2, ids[i], &algo) != 0 ||
          CALL(cublasLtMatmulAlgoConfigSetAttribute)(&algo, 1, &tile, sizeof tile) != 0 ||
          CALL(cublasLtMatmulAlgoCheck)(handle, operation, layout, layout, layout, layout, &algo,
                                        &result) != 0 ||
          result.workspace_size > workspace || run(&algo, result.workspace_size) != 0)
        continue;
      if (++ran == 1 || (fastest && std::strtoul(fastest, nullptr, 10) == tile))
        chosen = algo;
    }
  std::printf(" ran=%d run=%d\n", ran, ran ? run(&chosen, workspace) : -1);
}

} // namespace

int main(int argc, char** argv) {
  CALL(cublasLtCreate)(&handle);
  CALL(cublasLtMatmulDescCreate)(&operation, 68, 0);
  CALL(cublasLtMatrixLayoutCreate)(&layout, 2, 1, 1, 1);
  int requested = 8;
  for (int i = 1; i < argc; ++i) {
    const char* what = argv[i];
    if (!std::strcmp(what, "one")) {
      requested = 1;
    } else if (!std::strcmp(what, "stream")) {
      for_stream = true;
    } else if (!std::strcmp(what, "grouped")) {
      grouped = true;
    } else if (!std::strcmp(what, "strides")) {
      const unsigned long long distance = 5;
      CALL(cublasLtMatmulDescSetAttribute)(operation, 39, &distance, sizeof distance);
    } else if (!std::strcmp(what, "null")) {
      std::printf("null=%d\n", run(nullptr, 0));
    } else if (!std::strcmp(what, "ids")) {
      int ids[8] = {};
      int returned = -1;
      const int status =
          CALL(cublasLtMatmulAlgoGetIds)(handle, 68, 0, 2, 2, 2, 2, 8, ids, &returned);
      std::printf("ids: status=%d returned=%d first=%d\n", status, returned, ids[0]);
    } else if (!std::strcmp(what, "config")) {
      const unsigned split = 4;
      std::printf("config=%d\n",
                  CALL(cublasLtMatmulAlgoConfigSetAttribute)(&chosen, 2, &split, sizeof split));
    } else if (!std::strncmp(what, "limit=", 6)) {
      const unsigned long long limit = std::strtoull(what + 6, nullptr, 10);
      if (!preference)
        CALL(cublasLtMatmulPreferenceCreate)(&preference);
      CALL(cublasLtMatmulPreferenceSetAttribute)(preference, 1, &limit, sizeof limit);
    } else if (!std::strncmp(what, "find=", 5)) {
      find(std::strtoull(what + 5, nullptr, 10));
    } else if (!std::strcmp(what, "fork")) {
      std::fflush(stdout);
      if (fork() == 0)
        continue;
      wait(nullptr);
      break;
    } else if (!std::strcmp(what, "kill")) {
      std::fflush(stdout);
      raise(SIGKILL);
    } else {
      search(std::strtoull(what, nullptr, 10), requested);
    }
  }
  CALL(cublasLtMatmulDescDestroy)(operation);
  CALL(cublasLtDestroy)(handle);
}
