#include "core/base/signal_safe_lock.h"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#if defined(__SANITIZE_THREAD__) // gcc
#define DETSHIM_UNDER_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) // clang
#define DETSHIM_UNDER_TSAN
#endif
#endif

namespace detshim {
namespace {

/// What the kernel says of a thread: R while it runs or could, S while it sleeps.
char state_of(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t behind_name = text.rfind(") ");
  return behind_name == std::string::npos ? '?' : text[behind_name + 2];
}

/// True if the thread is seen asleep in one of very many looks.
bool falls_asleep(int thread) {
  for (int i = 0; i < 200'000; ++i)
    if (state_of(thread) == 'S')
      return true;
  return false;
}

/// Makes futex fail in the calling thread alone, as a sandbox may.
bool refuse_futex() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// A thread waits for a lock that this one holds: true if it slept meanwhile.
bool sleeps_until_it_is_free(bool with_futex) {
  uint64_t word = 0;
  std::atomic<int> waiter = 0;
  std::atomic<bool> has_had_it = false;
  std::thread thread;
  bool slept;
  {
    const SpinGuard turn(word);
    EXPECT_TRUE(turn.held());
    thread = std::thread([&] {
      EXPECT_TRUE(with_futex || refuse_futex());
      waiter = sys::gettid();
      const SpinGuard other(word);
      has_had_it = other.held();
    });
    while (waiter == 0)
      std::this_thread::yield();
    slept = falls_asleep(waiter);
    EXPECT_FALSE(has_had_it);
  }
  thread.join();
  EXPECT_TRUE(has_had_it);
  EXPECT_EQ(word, 0u);
  return slept;
}

// A real-time thread that only yields would never let an ordinary holder run.
TEST(SpinGuard, WhoWaitsSleeps) { EXPECT_TRUE(sleeps_until_it_is_free(true)); }
TEST(SpinGuard, WhoWaitsSleepsWhereFutexesAreRefused) {
  EXPECT_TRUE(sleeps_until_it_is_free(false));
}

TEST(SpinGuard, IsNotHadTwiceByOneThread) {
  uint64_t word = 0;
  const SpinGuard outer(word);
  EXPECT_TRUE(outer.held());
  {
    const SpinGuard inner(word);
    EXPECT_FALSE(inner.held());
  }
  EXPECT_NE(word, 0u);
}

TEST(SpinGuard, IsHadByOneThreadAtATime) {
  uint64_t word = 0;
  long number = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        const SpinGuard turn(word);
        number = number + 1;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(number, 160'000);
  EXPECT_EQ(word, 0u);
}

// What another thread of the parent held, with others waiting for it, is free in a child.
TEST(SpinGuard, OfAParentsThreadIsFreeInAChild) {
  uint64_t word = 0;
  begin_generation();
  std::atomic<int> waiter = 0;
  std::thread thread;
  {
    const SpinGuard turn(word);
    thread = std::thread([&] {
      waiter = sys::gettid();
      const SpinGuard other(word);
    });
    while (waiter == 0)
      std::this_thread::yield();
    EXPECT_TRUE(falls_asleep(waiter));
    const pid_t child = fork();
    if (child == 0) {
      begin_generation();
      bool is_held, is_left;
      {
        const SpinGuard own(word);
        is_held = own.held();
      }
      is_left = word == 0;
      _exit(is_held && is_left ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  thread.join();
}

// What a holder of the process before has in hand is free by now, and may be somebody else's.
TEST(SpinGuard, GivesBackOnlyWhatItHolds) {
  uint64_t word = 0;
  std::optional<SpinGuard> before;
  before.emplace(word);
  begin_generation();
  {
    const SpinGuard now(word);
    EXPECT_TRUE(now.held());
    const uint64_t held = word;
    before.reset();
    EXPECT_EQ(word, held);
  }
  EXPECT_EQ(word, 0u);
}

volatile sig_atomic_t handled = 0;

// A handler could draw, or leave by longjmp with the lock held.
TEST(SignalSafeLock, KeepsHandlersAwayUntilItIsFree) {
#ifdef DETSHIM_UNDER_TSAN
  GTEST_SKIP()
      << "ThreadSanitizer delivers signals itself, and knows no mask that was set without libc";
#endif
  uint64_t word = 0;
  const auto before = std::signal(SIGUSR1, [](int) {
    handled = 1;
  });
  {
    const SignalSafeLock lock(word);
    EXPECT_TRUE(lock.held());
    raise(SIGUSR1);
    EXPECT_EQ(handled, 0);
  }
  EXPECT_EQ(handled, 1);
  std::signal(SIGUSR1, before);
}

TEST(SpinGuard, LeavesErrnoAlone) {
  uint64_t word = 0;
  errno = ENOTTY;
  { const SpinGuard turn(word); }
  EXPECT_EQ(errno, ENOTTY);
}

} // namespace
} // namespace detshim
