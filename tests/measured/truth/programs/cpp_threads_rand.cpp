// rand() in four threads
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
int main() {
  std::vector<long> sums(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&sums, t] {
      for (int i = 0; i < 200000; ++i) sums[t] += rand() % 1000;
    });
  for (auto& thread : threads) thread.join();
  for (long sum : sums) printf("%ld\n", sum);
}
