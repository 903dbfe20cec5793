// Stacks of our own: what is called there leaves nothing on the caller's.
#include "core/base/own_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using detshim::on_own_stack;

std::uintptr_t place() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

bool is_near(std::uintptr_t a, std::uintptr_t b) { return (a > b ? a - b : b - a) < 65536; }

#if !defined(DETSHIM_ONE_STACK)

TEST(OwnStack, IsAnotherOne) {
  std::uintptr_t there = 0, within = 0;
  on_own_stack([&] {
    there = place();
    on_own_stack([&] {
      within = place();
    });
  });
  EXPECT_FALSE(is_near(there, place()));
  EXPECT_TRUE(is_near(within, there)); // the same one: it is not left
}

TEST(OwnStack, IsAnotherOneInEachThread) {
  constexpr int threads = 40; // more than there are
  std::atomic<int> there = 0;
  std::vector<std::uintptr_t> places(threads);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      on_own_stack([&] {
        places[static_cast<std::size_t>(i)] = place();
        ++there;
        while (there < threads)
          std::this_thread::yield();
      });
    });
  for (std::thread& one : all)
    one.join();
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i)
    EXPECT_GE(places[i] - places[i - 1], 4096u);
}

#endif

TEST(OwnStack, IsThereInAChildOfThreads) {
  std::atomic<bool> is_there = false, is_over = false;
  std::thread other([&] {
    on_own_stack([&] {
      is_there = true;
      while (!is_over)
        std::this_thread::yield();
    });
  });
  while (!is_there)
    std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    int done = 1;
    on_own_stack([&] {
      done = 0;
    });
    _exit(done);
  }
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  is_over = true;
  other.join();
}

TEST(OwnStack, KeepsSignalHandlersAway) {
  static std::atomic<bool> came = false;
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = [](int) {
    came = true;
  };
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  bool came_there = true;
  on_own_stack([&] {
    raise(SIGUSR1);
    came_there = came;
  });
  EXPECT_FALSE(came_there);
  EXPECT_TRUE(came);
  sigaction(SIGUSR1, &before, nullptr);
}

} // namespace
