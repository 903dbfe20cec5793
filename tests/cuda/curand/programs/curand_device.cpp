// An ordinary user of cuRAND's device generators. Each argument makes one: `TYPE`, or `TYPE:SEED`,
// where SEED is a number or `clock`, or `TYPE:SEED:ORDERING`; `xN` makes N of the default type,
// then destroys them; `rTYPE` makes one, draws from it in a thread, and destroys it. Prints the
// statuses; the double's record tells what arrived.
#include "call.h"

#include "curand.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == 'x') {
      std::vector<Opaque> many(std::strtoul(argv[i] + 1, nullptr, 10));
      for (Opaque& one : many)
        CALL(curandCreateGenerator)(&one, 100);
      for (; !many.empty();
           many.pop_back()) // the last one first: its address is what the next one gets
        CALL(curandDestroyGenerator)(many.back());
      continue;
    }
    if (argv[i][0] == 'r') {
      Opaque one = nullptr;
      unsigned words[4];
      CALL(curandCreateGenerator)(&one, std::atoi(argv[i] + 1));
      std::thread([&] {
        CALL(curandGenerate)(one, words, 4);
      }).join();
      CALL(curandDestroyGenerator)(one);
      continue;
    }
    Opaque generator = nullptr;
    const char* seed = std::strchr(argv[i], ':');
    const char* ordering = seed ? std::strchr(seed + 1, ':') : nullptr;
    std::printf("create=%d", CALL(curandCreateGenerator)(&generator, std::atoi(argv[i])));
    if (!generator) {
      std::printf("\n");
      return 1;
    }
    if (seed) {
      const auto now = std::chrono::system_clock::now().time_since_epoch().count();
      const auto value = std::strncmp(seed + 1, "clock", 5) ? std::strtoull(seed + 1, nullptr, 0)
                                                            : static_cast<unsigned long long>(now);
      std::printf(" seed=%d", CALL(curandSetPseudoRandomGeneratorSeed)(generator, value));
    }
    if (ordering) {
      std::printf(" ordering=%d",
                  CALL(curandSetGeneratorOrdering)(generator, std::atoi(ordering + 1)));
    }
    std::printf(" destroy=%d\n", CALL(curandDestroyGenerator)(generator));
  }
}
