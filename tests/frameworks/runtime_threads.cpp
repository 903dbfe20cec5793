// Stands in, by its file's name, for a library that starts workers of its own: start(n) has n of
// them.
#include <pthread.h>

extern "C" void start(int workers) {
  for (int i = 0; i < workers; ++i) {
    pthread_t thread = {};
    pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
          return nullptr;
        },
        nullptr);
    pthread_join(thread, nullptr);
  }
}
