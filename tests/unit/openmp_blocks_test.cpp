#include "hooks/runtimes/openmp_blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

// In which blocks a loop is handed out, and how many iterations it has.
namespace {

using namespace detshim;

constexpr uint64_t minus(uint64_t number) { return -number; }
constexpr uint64_t middle = uint64_t{1} << 63;

TEST(OpenMpIterations, OfSignedLoopsAreCounted) {
  EXPECT_EQ((Iterations{0, 10, 1, true, false}).count(), 10u);
  EXPECT_EQ((Iterations{0, 10, 3, true, false}).count(), 4u);
  EXPECT_EQ((Iterations{minus(5), 5, 5, true, false}).count(), 2u);
  EXPECT_EQ((Iterations{10, 0, minus(1), false, false}).count(), 10u);
  EXPECT_EQ((Iterations{10, 0, minus(3), false, false}).count(), 4u);
  EXPECT_EQ((Iterations{5, minus(5), minus(10), false, false}).count(), 1u);
  EXPECT_EQ((Iterations{middle, middle - 1, 1, true, false}).count(), UINT64_MAX) << "all but one";
}

TEST(OpenMpIterations, OfUnsignedLoopsAreCounted) {
  EXPECT_EQ((Iterations{0, UINT64_MAX, 1, true, true}).count(), UINT64_MAX);
  EXPECT_EQ((Iterations{middle - 1, middle + 1, 1, true, true}).count(), 2u);
  EXPECT_EQ((Iterations{middle + 1, middle - 1, minus(1), false, true}).count(), 2u);
}

TEST(OpenMpIterations, OfEmptyLoopsAreNone) {
  EXPECT_EQ((Iterations{3, 3, 1, true, false}).count(), 0u);
  EXPECT_EQ((Iterations{4, 3, 1, true, false}).count(), 0u);
  EXPECT_EQ((Iterations{1, minus(1), 1, true, false}).count(), 0u);
  EXPECT_EQ((Iterations{minus(1), 1, 1, true, true}).count(), 0u);
  EXPECT_EQ((Iterations{3, 4, minus(1), false, false}).count(), 0u);
  EXPECT_EQ((Iterations{3, 4, 0, true, false}).count(), 0u) << "a step of nothing";
}

TEST(OpenMpBlocks, AreTheChunkWhereTheLoopIsShort) {
  EXPECT_EQ(block_of(Handing::as_dynamic, 0, 4, 1), 1);
  EXPECT_EQ(block_of(Handing::as_dynamic, 2047, 4, 1), 1);
  EXPECT_EQ(block_of(Handing::as_dynamic, 100'000, 4, 500), 500);
  EXPECT_EQ(block_of(Handing::as_guided, 255, 4, 1), 1);
}

TEST(OpenMpBlocks, AreMultiplesOfTheChunkWhereItIsLong) {
  EXPECT_EQ(block_of(Handing::as_dynamic, 2048, 4, 1), 2);
  EXPECT_EQ(block_of(Handing::as_guided, 256, 4, 1), 2);
  EXPECT_EQ(block_of(Handing::as_guided, 100'000, 4, 1), 100'000 / 128);
  for (const int64_t chunk : {1, 3, 7, 16}) {
    const int64_t block = block_of(Handing::as_dynamic, 1'000'000, 4, chunk);
    EXPECT_EQ(block % chunk, 0);
    EXPECT_LE(block, 1'000'000 / 4 / 256);
    EXPECT_GT(block, 1'000'000 / 4 / 512);
  }
  EXPECT_GT(block_of(Handing::as_guided, UINT64_MAX, 1, 1), 0);
}

TEST(OpenMpBlocks, LeaveAChunkThatIsNone) {
  EXPECT_EQ(block_of(Handing::as_dynamic, 1'000'000, 4, 0), 0);
  EXPECT_EQ(block_of(Handing::as_guided, 1'000'000, 4, -1), -1);
}

} // namespace
