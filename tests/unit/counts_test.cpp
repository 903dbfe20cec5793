#include "core/log/counts.h"

#include "files.h"

#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace detshim {
namespace {

class Counts : public testing::Test {
protected:
  void SetUp() override {
    // What is left of a block belongs to the file before.
    detail::counter_block.left = 0;
  }
  void TearDown() override {
    use_counts_file(-1, nullptr);
    detail::counter_block.left = 0;
  }
  void use_file() const {
    use_counts_file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), path.c_str());
  }
  uint64_t in_file(Action action) const {
    uint64_t sums[action_count] = {};
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    sum_file_counts(fd, sums);
    close(fd);
    return sums[static_cast<int>(action)];
  }
  const TemporaryFolder scratch;
  const std::string path = scratch.path() / "counts";
};

TEST_F(Counts, ReachTheFileAtOnceWhileTheyAreSmall) {
  use_file();
  int64_t index = -1;
  Counter* counter = new_counter(Action::pin, index);
  EXPECT_EQ(index, 0);
  for (uint64_t number = 1; number <= 32; ++number) {
    count(*counter);
    EXPECT_EQ(in_file(Action::pin), number);
  }
  count(*new_counter(Action::replace, index));
  EXPECT_EQ(index, 1);
  EXPECT_EQ(in_file(Action::replace), 1u);
}

TEST_F(Counts, AreNeverMoreThanAThirtyThirdBehind) {
  use_file();
  int64_t index = -1;
  Counter* counter = new_counter(Action::pin, index);
  for (uint64_t number = 1; number <= 20000; ++number) {
    count(*counter);
    const uint64_t written = in_file(Action::pin);
    ASSERT_GE(written * 33, number * 32) << number;
    ASSERT_LE(written, number);
  }
  write_counts();
  EXPECT_EQ(in_file(Action::pin), 20000u);
  count(*counter);
  EXPECT_EQ(in_file(Action::pin), 20001u) << "what was the last number is so no more";
}

TEST_F(Counts, OfThreadsThatShareOneAreAllThere) {
  use_file();
  int64_t index = -1;
  Counter* counter = new_counter(Action::pin, index);
  share(*counter);
  constexpr uint64_t calls = 20000;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([counter] {
      for (uint64_t number = 0; number < calls; ++number)
        count(*counter);
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_GE(in_file(Action::pin) * 33, 4 * calls * 32);
  write_counts();
  EXPECT_EQ(in_file(Action::pin), 4 * calls);
  count(*counter);
  EXPECT_EQ(in_file(Action::pin), 4 * calls + 1) << "what was the last number is so no more";
}

TEST_F(Counts, OfAFileThatWasCutShortAreWrittenAnew) {
  use_file();
  int64_t index = -1;
  for (int i = 0; i < 1000; ++i)
    count(*new_counter(Action::pin, index));
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_EQ(in_file(Action::pin), 0u);
  count(*new_counter(Action::pin, index));
  write_counts();
  EXPECT_EQ(in_file(Action::pin), 1001u);
}

TEST_F(Counts, GoOnWhereTheProgramClosesTheDescriptor) {
  use_file();
  int64_t index = -1;
  Counter* counter = new_counter(Action::pin, index);
  count(*counter);
  close_range(3, 1000, 0);
  count(*counter);
  EXPECT_EQ(in_file(Action::pin), 2u);
  unlink(path.c_str()); // another file of its name is left alone
  const int other = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  close_range(3, 1000, 0);
  count(*counter);
  EXPECT_EQ(in_file(Action::pin), 0u);
  struct stat state;
  ASSERT_EQ(stat(path.c_str(), &state), 0);
  EXPECT_EQ(state.st_size, 0);
  close(other);
}

TEST_F(Counts, HoldsForAnyNumberOfThreads) {
  use_file();
  int64_t index = -1;
  for (int thread = 0; thread < 140000; ++thread) {
    detail::counter_block.left = 0; // as a thread that begins
    count(*new_counter(Action::pin, index));
    ASSERT_EQ(index, 4 * thread);
  }
  write_counts();
  EXPECT_EQ(in_file(Action::pin), 140000u);
}

TEST_F(Counts, GrowWithTheRecords) {
  use_file();
  int64_t index = -1;
  for (int i = 0; i < 5000; ++i) {
    count(*new_counter(Action::pin, index));
    EXPECT_EQ(index, i);
  }
  EXPECT_EQ(in_file(Action::pin), 5000u);
}

TEST_F(Counts, GoOnBehindAnEarlierProgramOfTheSameProcess) {
  use_file();
  int64_t index = -1;
  Counter* counter = new_counter(Action::pin, index);
  for (int i = 0; i < 3; ++i)
    count(*counter);
  detail::counter_block.left = 0;
  use_file();
  counter = new_counter(Action::pin, index);
  for (int i = 0; i < 4; ++i)
    count(*counter);
  EXPECT_GT(index, 0);
  EXPECT_EQ(in_file(Action::pin), 7u);
  uint64_t sums[action_count] = {};
  sum_own_counts(sums);
  EXPECT_EQ(sums[static_cast<int>(Action::pin)], 7u);
}

TEST_F(Counts, LiveInMemoryWithoutAFile) {
  use_counts_file(-1, nullptr);
  int64_t index = 0;
  count(*new_counter(Action::pin, index));
  EXPECT_EQ(index, -1);
  uint64_t sums[action_count] = {};
  sum_own_counts(sums);
  EXPECT_EQ(sums[static_cast<int>(Action::pin)], 1u);
}

TEST_F(Counts, AFileThatIsNoneAddsNothing) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(
      write(fd, "not a counts file, but long enough to hold a header of 64 bytes ............", 70),
      70);
  close(fd);
  EXPECT_EQ(in_file(Action::pin), 0u);
}

} // namespace
} // namespace detshim
