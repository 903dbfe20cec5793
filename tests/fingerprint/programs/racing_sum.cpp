// Four threads add up in whichever order they come, or, mended, each its own part; the sum is
// printed.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 4, terms = 20000;

float term(int i) { return std::sqrt(static_cast<float>(i + 1)) * 1e-3f; }

float racing_sum() {
  float sum = 0;
  std::mutex mutex;
  std::vector<std::thread> all;
  for (int k = 0; k < threads; ++k)
    all.emplace_back([&, k] {
      for (int i = k; i < terms; i += threads) {
        const std::lock_guard<std::mutex> lock(mutex);
        sum += term(i);
      }
    });
  for (std::thread& one : all)
    one.join();
  return sum;
}

float mended_sum() {
  float parts[threads] = {};
  std::vector<std::thread> all;
  for (int k = 0; k < threads; ++k)
    all.emplace_back([&, k] {
      for (int i = k; i < terms; i += threads)
        parts[k] += term(i);
    });
  for (std::thread& one : all)
    one.join();
  return parts[0] + parts[1] + parts[2] + parts[3];
}

[[gnu::noinline]] void show(float sum) {
  std::printf("sum %.9g\n", static_cast<double>(sum)); // the line of the sum
}

} // namespace

int main(int argc, char** argv) {
  std::printf("%d terms\n", terms);
  show(argc > 1 && std::strcmp(argv[1], "mended") == 0 ? mended_sum() : racing_sum());
  std::puts("done");
}
