// A double of libmindspore_core.so: the clock by which kernels are divided, and the pool that runs
// the parts of one, here in an order that follows from a clock, as if they raced.
#include <ctime>
#include <functional>

namespace mindspore {

[[gnu::visibility("default")]] double GetTime();
double GetTime() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_nsec % 1000); // nothing takes a time that anybody could foresee
}

class [[gnu::visibility("default")]] ThreadPool {
public:
  virtual ~ThreadPool() = default;
  virtual int ParallelLaunch(const std::function<int(void*, int, float, float)>& task,
                             void* content, int parts);
  int SyncRunFunc(const std::function<int(void*, int, float, float)>& task, void* content,
                  int first, int end) const;
};

int ThreadPool::ParallelLaunch(const std::function<int(void*, int, float, float)>& task,
                               void* content, int parts) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (int i = 0; i < parts; ++i)
    task(content, static_cast<int>((i + now.tv_nsec / 10) % parts), 0, 1);
  return 0;
}

int ThreadPool::SyncRunFunc(const std::function<int(void*, int, float, float)>& task, void* content,
                            int first, int end) const {
  for (int i = first; i < end; ++i)
    task(content, i, 0, 1);
  return 0;
}

[[gnu::visibility("default")]] ThreadPool* pool();
ThreadPool* pool() {
  static ThreadPool only;
  return &only;
}

} // namespace mindspore
