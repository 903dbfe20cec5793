// Has an engine built by time, by the way to the events that is named, and times a step of its own.
//
//   tuned_calls WAY MS0 MS1 MS2     prints the candidate that was taken, and 2 ms as its own step
//   tuned_calls search
#include "events.h"

#include "call.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace {

Opaque number(intptr_t value) { return reinterpret_cast<Opaque>(value); }

void* look_up_in(const char* file, const char* name) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void* const function = library ? dlsym(library, name) : nullptr;
  if (!function)
    std::exit(2);
  return function;
}

} // namespace

int main(int count, char** arguments) {
  if (count == 2 && !std::strcmp(arguments[1], "search")) {
    auto* search = reinterpret_cast<decltype(&cusparseLtMatmulSearch)>(
        look_up_in("libcusparseLt.so.0", "cusparseLtMatmulSearch"));
    std::printf("search=%d\n",
                search(number(1), number(2), number(3), number(4), number(5), number(6), number(7),
                       number(8), number(9), reinterpret_cast<Opaque*>(number(10)), 11));
    return 0;
  }
  if (count != 5)
    return 2;
  double times[3];
  for (int i = 0; i < 3; ++i)
    times[i] = std::atof(arguments[i + 2]);
  int mark = 0;
  if (CALL(createInferBuilder_INTERNAL)(&mark, 10) != &mark)
    return 3;
  std::printf("taken=%d\n", CALL(nvinferFastest)(arguments[1], times));
  auto* elapsed = reinterpret_cast<decltype(&cudaEventElapsedTime)>(
      look_up_in("libcudart.so.13", "cudaEventElapsedTime"));
  float step = 0;
  const int status = elapsed(&step, number(1'000'000), number(3'000'000));
  std::printf("step=%g status=%d\n", static_cast<double>(step), status);
  return 0;
}
