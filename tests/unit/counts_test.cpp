#include "core/counts.h"

#include "core/identity.h"

#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

class Counts : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/detshim-counts-XXXXXX";
    folder = mkdtemp(name);
    path = folder + "/counts";
    // What is left of a block belongs to the file before.
    this_thread().count_block_left = 0;
  }
  void TearDown() override {
    use_counts_file(nullptr);
    this_thread().count_block_left = 0;
    unlink(path.c_str());
    rmdir(folder.c_str());
  }
  uint64_t in_file(Action action) const {
    uint64_t sums[action_count] = {};
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    sum_file_counts(fd, sums);
    close(fd);
    return sums[static_cast<int>(action)];
  }
  std::string folder, path;
};

TEST_F(Counts, ReachTheFileWithoutASystemCall) {
  use_counts_file(path.c_str());
  int64_t index = -1;
  Counter* counter = new_counter(Action::pin, index);
  EXPECT_EQ(index, 0);
  counter->number += 5;
  new_counter(Action::replace, index)->number += 2;
  EXPECT_EQ(index, 1);
  EXPECT_EQ(in_file(Action::pin), 5u);
  EXPECT_EQ(in_file(Action::replace), 2u);
}

TEST_F(Counts, GrowWithTheRecords) {
  use_counts_file(path.c_str());
  int64_t index = -1;
  for (int i = 0; i < 5000; ++i) {
    ++new_counter(Action::pin, index)->number;
    EXPECT_EQ(index, i);
  }
  EXPECT_EQ(in_file(Action::pin), 5000u);
}

TEST_F(Counts, GoOnBehindAnEarlierProgramOfTheSameProcess) {
  use_counts_file(path.c_str());
  int64_t index = -1;
  new_counter(Action::pin, index)->number = 3;
  this_thread().count_block_left = 0;
  use_counts_file(path.c_str());
  new_counter(Action::pin, index)->number = 4;
  EXPECT_GT(index, 0);
  EXPECT_EQ(in_file(Action::pin), 7u);
}

TEST_F(Counts, LiveInMemoryWithoutAFile) {
  use_counts_file("/nowhere/at/all");
  int64_t index = 0;
  ++new_counter(Action::pin, index)->number;
  EXPECT_EQ(index, -1);
  uint64_t sums[action_count] = {};
  sum_own_counts(sums);
  EXPECT_EQ(sums[static_cast<int>(Action::pin)], 1u);
}

TEST_F(Counts, AFileThatIsNoneAddsNothing) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(write(fd, "not a counts file, but long enough to hold a header of 64 bytes ............", 70),
            70);
  close(fd);
  EXPECT_EQ(in_file(Action::pin), 0u);
}

} // namespace
} // namespace detshim
