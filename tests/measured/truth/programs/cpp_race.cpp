// threads that add to one number without a lock
#include <cstdio>
#include <thread>
int main() {
  volatile double sum = 0;
  auto add = [&sum](double step) {
    for (int i = 0; i < 3000000; ++i) sum = sum + step;
  };
  std::thread a(add, 1.0), b(add, 0.5);
  a.join();
  b.join();
  printf("%f\n", sum);
}
