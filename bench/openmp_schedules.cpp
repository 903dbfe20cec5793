// Loops by schedule(dynamic) and schedule(guided), for a comparison without detshim and with it:
// seconds of those with uneven iterations, and processor time of long ones with short iterations.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <initializer_list>
#include <omp.h>
#include <vector>

namespace {

volatile double sink;
void work(long units) {
  double sum = 0;
  for (long i = 0; i < units * 50; ++i)
    sum += 1.0 / static_cast<double>(i + 1);
  sink = sum;
}

// How much an iteration has to do.
long even(long) { return 500; }
long rising(long i) { return i; }
long falling(long i) { return 1000 - i; }
long spikes(long i) { return i % 97 == 0 ? 20000 : 300; }
long scattered(long i) { return i * 2654435761L % 1000; }
long first_half(long i) { return i < 500 ? 1000 : 1; }

/// Seconds of the processor that five regions of that schedule take.
double short_iterations(omp_sched_t schedule, int chunk) {
  static std::vector<double> numbers(500'000);
  const auto count = static_cast<long>(numbers.size());
  timespec begin = {}, end = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  for (int region = 0; region < 5; ++region) {
    if (schedule == omp_sched_guided) {
#pragma omp parallel for schedule(guided)
      for (long i = 0; i < count; ++i)
        numbers[i] = numbers[i] * 0.5 + static_cast<double>(i);
    } else {
#pragma omp parallel for schedule(dynamic, chunk)
      for (long i = 0; i < count; ++i)
        numbers[i] = numbers[i] * 0.5 + static_cast<double>(i);
    }
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  return static_cast<double>(end.tv_sec - begin.tv_sec) +
         static_cast<double>(end.tv_nsec - begin.tv_nsec) * 1e-9;
}

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
      for (long i = 0; i < 1000; ++i)
        work(loop.units(i));
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      std::printf("%s,%d %.4f\n", loop.name, chunk, took.count());
    }
  for (const auto& loop : loops) {
    const auto begin = std::chrono::steady_clock::now();
#pragma omp parallel for schedule(guided)
    for (long i = 0; i < 1000; ++i)
      work(loop.units(i));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%s,guided %.4f\n", loop.name, took.count());
  }
  std::printf("short,1 %.4f\n", short_iterations(omp_sched_dynamic, 1));
  std::printf("short,16 %.4f\n", short_iterations(omp_sched_dynamic, 16));
  std::printf("short,guided %.4f\n", short_iterations(omp_sched_guided, 1));
}
