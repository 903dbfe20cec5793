// Threads that draw, and add what they drew under a mutex; with `race` without one.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <random>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
volatile long sum = 0;
bool has_race = false;

long draw() {
  std::random_device device;
  long drawn = device() & 7;
  for (int i = 0; i < 40; ++i)
    drawn += rand() & 7;
  return drawn + (lrand48() & 7);
}

void* work(void*) {
  const long drawn = draw();
  if (!has_race)
    pthread_mutex_lock(&mutex);
  sum = sum + drawn;
  if (!has_race)
    pthread_mutex_unlock(&mutex);
  return nullptr;
}

} // namespace

int main(int argc, char** argv) {
  has_race = argc > 1 && std::strcmp(argv[1], "race") == 0;
  pthread_t threads[4];
  for (pthread_t& thread : threads)
    pthread_create(&thread, nullptr, work, nullptr);
  for (const pthread_t thread : threads)
    pthread_join(thread, nullptr);
  std::printf("%d\n", sum > 0);
}
