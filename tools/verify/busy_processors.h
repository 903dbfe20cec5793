// Keeps all processors busy for as long as it lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <sched.h>

namespace detshim {

/// How many processors this process may use.
inline std::size_t available_processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set))
                                                       : 1;
}

/// To be made after a fork, not before.
class BusyProcessors {
public:
  BusyProcessors() {
    for (std::size_t i = 0; i < available_processors(); ++i)
      threads_.emplace_back([this] {
        while (!is_over_.load(std::memory_order_relaxed)) {}
      });
  }
  ~BusyProcessors() {
    is_over_ = true;
    for (std::thread& thread : threads_)
      thread.join();
  }
  BusyProcessors& operator=(BusyProcessors&&) = delete; // neither copied nor moved

private:
  std::atomic<bool> is_over_ = false;
  std::vector<std::thread> threads_;
};

} // namespace detshim
