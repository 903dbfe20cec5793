// frozen WHAT: reads clocks and ids at lines that a test names by their comments.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <sys/time.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

void print_draws() {
  std::mt19937 coarse(static_cast<unsigned>(time(nullptr)));                              // seconds
  const auto fine = std::chrono::high_resolution_clock::now().time_since_epoch().count(); // now
  timeval part;
  gettimeofday(&part, nullptr); // microseconds
  std::mt19937_64 mixed(static_cast<unsigned long>(fine) * 31 ^
                        static_cast<unsigned long>(part.tv_usec));
  std::mt19937 own(static_cast<unsigned>(getpid())); // id
  std::printf("%lu %lu %lu\n", static_cast<unsigned long>(coarse()),
              static_cast<unsigned long>(mixed()), static_cast<unsigned long>(own()));
}

/// Nanoseconds since 1970.
long long read_clock() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now); // in threads
  return static_cast<long long>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

void print_readings() {
  std::vector<std::vector<long long>> all(4, std::vector<long long>(5));
  std::vector<std::thread> threads;
  for (auto& its : all)
    threads.emplace_back([&its] {
      for (long long& reading : its)
        reading = read_clock();
    });
  for (std::thread& thread : threads)
    thread.join();
  for (const auto& its : all)
    for (const long long reading : its)
      std::printf("%lld\n", reading);
}

} // namespace

int main(int, char* argv[]) {
  if (std::strcmp(argv[1], "draws") == 0)
    print_draws();
  if (std::strcmp(argv[1], "threads") == 0)
    print_readings();
  if (std::strcmp(argv[1], "times") == 0)
    std::printf("%ld\n", static_cast<long>(time(nullptr))); // real
}
