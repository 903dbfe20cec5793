#include "core/base/mapped.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace {

using detshim::Mapped;

TEST(Mapped, IsMadeOnceAndZero) {
  static constinit Mapped<int[100]> table;
  EXPECT_EQ(table.peek(), nullptr);
  auto* const made = table.get();
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(table.peek(), made);
  EXPECT_EQ(table.get(), made);
  for (const int number : *made)
    EXPECT_EQ(number, 0);
}

TEST(Mapped, IsOneForAllThreads) {
  for (int round = 0; round < 100; ++round) {
    Mapped<int> table;
    int* seen[4] = {};
    std::vector<std::thread> threads;
    for (int*& own : seen)
      threads.emplace_back([&] {
        own = table.get();
      });
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_EQ(std::set<int*>(std::begin(seen), std::end(seen)), std::set<int*>{table.peek()});
  }
}

TEST(Mapped, IsNoneWithoutMemory) {
  static constinit Mapped<char[size_t{1} << 50]> table;
  EXPECT_EQ(table.get(), nullptr);
  EXPECT_EQ(table.peek(), nullptr);
}

} // namespace
