// An ordinary user of cuDNN's search for a convolution algorithm.
//
//   find_algorithms SEARCH PASS ROOM [WORKSPACE [OPTION]]
//     SEARCH  find | findex | get      PASS  forward | data | filter
//     ROOM    entries of the caller's array
//
//     OPTION  times: prints a line `time=T` for each entry; null: the workspace's size is given,
//     but no workspace
//
// Prints `status=S returned=N` and a line for each entry. An entry written beyond the array is
// reported.
#include "call.h"

#include "search.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 4)
    return 2;
  const std::string search = argv[1], pass = argv[2];
  const int room = std::atoi(argv[3]);
  const size_t workspace = argc > 4 ? std::strtoull(argv[4], nullptr, 0) : 0;

  // Descriptors and device memory that a double only looks at as numbers, and can say in which
  // order they came.
  const auto opaque = [](uintptr_t number) {
    return reinterpret_cast<Opaque>(number);
  };
  const Opaque a = opaque(0xa), b = opaque(0xb), convolution = opaque(0xc), c = opaque(0xd);
  const Opaque memory = opaque(0x1000);
  const std::string option = argc > 5 ? argv[5] : "";
  const Opaque space = option == "null" ? nullptr : memory;

  constexpr int untouched = -77;
  AlgoPerf blank{};
  blank.algo = untouched;
  std::vector<AlgoPerf> results(static_cast<size_t>(room) + 16, blank);
  AlgoPerf* const into = results.data();
  int returned = untouched;

  Opaque handle = nullptr;
  int status = CALL(cudnnCreate)(&handle);
  if (status != 0)
    return 1;

  const std::string which = search + " " + pass;
  if (which == "find forward") {
    status = CALL(cudnnFindConvolutionForwardAlgorithm)(handle, a, b, convolution, c, room,
                                                        &returned, into);
  } else if (which == "find data") {
    status = CALL(cudnnFindConvolutionBackwardDataAlgorithm)(handle, a, b, convolution, c, room,
                                                             &returned, into);
  } else if (which == "find filter") {
    status = CALL(cudnnFindConvolutionBackwardFilterAlgorithm)(handle, a, b, convolution, c, room,
                                                               &returned, into);
  } else if (which == "findex forward") {
    status = CALL(cudnnFindConvolutionForwardAlgorithmEx)(handle, a, memory, b, memory, convolution,
                                                          c, memory, room, &returned, into, space,
                                                          workspace);
  } else if (which == "findex data") {
    status = CALL(cudnnFindConvolutionBackwardDataAlgorithmEx)(handle, a, memory, b, memory,
                                                               convolution, c, memory, room,
                                                               &returned, into, space, workspace);
  } else if (which == "findex filter") {
    status = CALL(cudnnFindConvolutionBackwardFilterAlgorithmEx)(handle, a, memory, b, memory,
                                                                 convolution, c, memory, room,
                                                                 &returned, into, space, workspace);
  } else if (which == "get forward") {
    status = CALL(cudnnGetConvolutionForwardAlgorithm_v7)(handle, a, b, convolution, c, room,
                                                          &returned, into);
  } else if (which == "get data") {
    status = CALL(cudnnGetConvolutionBackwardDataAlgorithm_v7)(handle, a, b, convolution, c, room,
                                                               &returned, into);
  } else if (which == "get filter") {
    status = CALL(cudnnGetConvolutionBackwardFilterAlgorithm_v7)(handle, a, b, convolution, c, room,
                                                                 &returned, into);
  } else {
    return 2;
  }

  std::printf("status=%d returned=%d\n", status, returned);
  for (int i = 0; i < returned && i < room; ++i) {
    const AlgoPerf& r = results[static_cast<size_t>(i)];
    std::printf("algo=%d status=%d determinism=%d memory=%zu math=%d\n", r.algo, r.status,
                r.determinism, r.memory, r.math_type);
    if (option == "times")
      std::printf("time=%g\n", static_cast<double>(r.time));
  }
  for (size_t i = static_cast<size_t>(room); i < results.size(); ++i) {
    if (std::memcmp(&results[i], &blank, sizeof blank) != 0)
      std::printf("written beyond the array: %zu\n", i);
  }
  CALL(cudnnDestroy)(handle);
}
