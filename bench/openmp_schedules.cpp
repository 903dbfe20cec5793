// Loops of uneven iterations by schedule(dynamic): seconds of each, for a comparison without detshim and with
// it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

volatile double sink;
void work(long units) {
  double sum = 0;
  for (long i = 0; i < units * 50; ++i) sum += 1.0 / static_cast<double>(i + 1);
  sink = sum;
}

// How much an iteration has to do.
long even(long) { return 500; }
long rising(long i) { return i; }
long falling(long i) { return 1000 - i; }
long spikes(long i) { return i % 97 == 0 ? 20000 : 300; }
long scattered(long i) { return i * 2654435761L % 1000; }
long first_half(long i) { return i < 500 ? 1000 : 1; }

} // namespace

int main() {
  const struct {
    const char* name;
    long (*units)(long);
  } loops[] = {{"even", even},     {"rising", rising},       {"falling", falling},
               {"spikes", spikes}, {"scattered", scattered}, {"first half", first_half}};
  for (const auto& loop : loops)
    for (const int chunk : {1, 16}) {
      const auto begin = std::chrono::steady_clock::now();
#pragma omp parallel for schedule(dynamic, chunk)
      for (long i = 0; i < 1000; ++i) work(loop.units(i));
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      std::printf("%s,%d %.4f\n", loop.name, chunk, took.count());
    }
}
