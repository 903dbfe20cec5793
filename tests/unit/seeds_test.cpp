#include "core/seeds/seeds.h"

#include "core/identity/process.h"
#include "core/identity/thread.h"
#include "core/policy/options.h"
#include "core/seeds/clock_samples.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <time.h>

namespace detshim {
namespace {

// The tests run with DETSHIM_SEED=42, which main's environment gets here before anything reads it.
const bool seeded = [] {
  return setenv("DETSHIM_SEED", "42", 1) == 0;
}();

constexpr Kind kind(int test) { return static_cast<Kind>(1000 + test); } // one row a test

ChosenSeed chosen(Kind of, uint64_t value, unsigned bits = 64) {
  return choose_seed({of, value, bits, __builtin_return_address(0)});
}

TEST(Seeds, DistinctValuesAreDistinctAndTheSameValueIsTheSame) {
  for (const unsigned bits : {32u, 48u, 64u}) {
    std::set<uint64_t> given;
    for (uint64_t asked = 0; asked < 2000; ++asked)
      EXPECT_TRUE(given.insert(chosen(kind(2), asked, bits).effective).second);
    for (uint64_t asked = 0; asked < 2000; ++asked)
      EXPECT_EQ(given.count(chosen(kind(2), asked, bits).effective), 1u);
    EXPECT_EQ(*given.rbegin() >> (bits - 1) >> 1, 0u) << "as wide as what was asked";
  }
}

TEST(Seeds, AnUnseededGeneratorStartsFromTheSeedAndAFixedOneStays) {
  EXPECT_EQ(choose_unseeded(Kind::libc_random, 1).effective, 42u);
  EXPECT_EQ(chosen(Kind::libc_random, 1, 32).effective, 1u);
  EXPECT_EQ(state_mask(Kind::libc_random, 32), 0u);
}

TEST(Seeds, OfTheProgramAreTheSameInEveryThread) {
  const uint64_t here = chosen(kind(5), 77).effective;
  const uint64_t own = next_seed(kind(5));
  uint64_t there = 0, own_there = 0;
  const ThreadName name = name_new_thread();
  std::thread([&] {
    enter_thread(name);
    there = chosen(kind(5), 77).effective;
    own_there = next_seed(kind(5));
    leave_thread();
  }).join();
  EXPECT_EQ(here, there);
  EXPECT_EQ(own, 42u);
  EXPECT_NE(own, own_there);
}

// steady_clock counts from the machine's start: for the first hour each small number lies near its
// seconds, and a program's own seeds were taken for a clock's, so that the same program drew
// something else later in the day.
TEST(Seeds, OfTheProgramAreNoClockOfAYoungMachine) {
  volatile uint64_t index = 16,
                    start = 1'795'000'000; // what stands in the code is the program's own
  note_clock_sample(Source::nanoseconds, 600, 123'456'789, __builtin_return_address(0));
  EXPECT_EQ(chosen(kind(7), index + 1, 32).why, Reason::own_value);
  note_clock_sample(Source::nanoseconds, start + 3, 123'456'789, __builtin_return_address(0));
  EXPECT_EQ(chosen(kind(7), start + 3, 32).why, Reason::clock_seed);
}

// A program that times itself and seeds with a small number: in one run of a thousand that is the
// milliseconds of the clock, and it drew something else then.
TEST(Seeds, OfTheProgramAreTheSameWhateverTheClockSays) {
  volatile uint64_t asked = 613;
  note_clock_sample(Source::nanoseconds, 1'795'000'000, 613'123'456, __builtin_return_address(0));
  const ChosenSeed by_chance = chosen(kind(9), asked, 32);
  note_clock_sample(Source::nanoseconds, 1'795'000'001, 123'456'789, __builtin_return_address(0));
  const ChosenSeed usual = chosen(kind(9), asked, 32);
  EXPECT_EQ(by_chance.effective, usual.effective);
  EXPECT_EQ(by_chance.why, usual.why) << reason_code(by_chance.why);
}

// A program that reads a clock, and seeds with a word of pinned entropy as a signed number.
TEST(Seeds, OfSignedEntropyAreNoClocks) {
  volatile int32_t before = -1'640'531'528; // what stands in the code is the program's own
  const int32_t word = before + 1;
  const auto seed = static_cast<uint64_t>(int64_t{word});
  note_clock_sample(Source::nanoseconds, 1'795'000'000, 123'456'789, __builtin_return_address(0));
  EXPECT_EQ(chosen(kind(11), seed).why, Reason::ordered_seed);
  note_entropy(&word, sizeof word);
  EXPECT_EQ(chosen(kind(12), seed).why, Reason::own_value);
  EXPECT_EQ(chosen(kind(12), seed).why.rule, SeedRule::entropy);
}

TEST(Seeds, OfTwoWordsOfEntropyAreNoClocks) {
  volatile uint64_t before = 0xD1B5'4A32'D192'ED02; // what stands in the code is the program's own
  const uint64_t words = before + 1;
  note_clock_sample(Source::nanoseconds, 1'795'000'000, 123'456'789, __builtin_return_address(0));
  EXPECT_EQ(chosen(kind(13), words).why, Reason::ordered_seed);
  note_entropy(&words, sizeof words);
  EXPECT_EQ(chosen(kind(14), words).why, Reason::own_value);
}

/// Microseconds as arithmetic of doubles has them, which may be one more than there were.
uint64_t rounded_microseconds(uint64_t seconds, uint64_t nanoseconds) {
  return static_cast<uint64_t>(
      (static_cast<double>(seconds) + static_cast<double>(nanoseconds) / 1e9) * 1e6);
}

/// Nanoseconds for which they are.
uint64_t nanoseconds_rounded_up(uint64_t seconds) {
  volatile uint64_t read = 123'456'788; // what stands in the code is the program's own
  uint64_t nanoseconds = read + 1;
  while (rounded_microseconds(seconds, nanoseconds) != seconds * 1'000'000 + nanoseconds / 1000 + 1)
    ++nanoseconds;
  return nanoseconds;
}

TEST(Seeds, OfNeighboursAreNoRoundedReadings) {
  constexpr uint64_t seconds = 1'795'000'000;
  const uint64_t nanoseconds = nanoseconds_rounded_up(seconds);
  const uint64_t exact = seconds * 1'000'000 + nanoseconds / 1000;
  note_clock_sample(Source::nanoseconds, seconds, nanoseconds, __builtin_return_address(0));
  EXPECT_EQ(chosen(kind(71), exact).why.rule, SeedRule::reading);
  EXPECT_EQ(chosen(kind(72), exact + 1).why.rule, SeedRule::order);
}

// Alone, it is: (unsigned)(1e6 * seconds).
TEST(Seeds, OfRoundedReadingsAreReadings) {
  constexpr uint64_t seconds = 1'795'000'000;
  const uint64_t nanoseconds = nanoseconds_rounded_up(seconds);
  note_clock_sample(Source::nanoseconds, seconds, nanoseconds, __builtin_return_address(0));
  const uint64_t rounded = rounded_microseconds(seconds, nanoseconds);
  EXPECT_EQ(chosen(kind(73), rounded).why.rule, SeedRule::reading);
}

// A double has one of 256 nanoseconds: `nanoseconds + i` comes to one of them.
TEST(Seeds, NearNanosecondsAreNoReadings) {
  volatile uint64_t read = 1'795'000'000'123'456'788;
  const uint64_t exact = read + 1;
  note_clock_sample(Source::nanoseconds, exact / 1'000'000'000, exact % 1'000'000'000,
                    __builtin_return_address(0));
  for (uint64_t i = 1; i < 300; ++i)
    EXPECT_EQ(chosen(kind(74), exact + i).why.rule, SeedRule::order) << i;
}

// As Python hashes a whole number of 128 bits, which NumPy's SeedSequence draws.
TEST(Seeds, OfLongNumbersOfEntropyAreNoClocks) {
  const unsigned char bytes[16] = {0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0,
                                   0x0F, 0x1E, 0x2D, 0x3C, 0x4B, 0x5A, 0x69, 0x78};
  constexpr uint64_t modulus = (uint64_t{1} << 61) - 1;
  unsigned __int128 number = 0, turned = 0;
  for (int i = 0; i < 16; ++i) {
    number = number << 8 | bytes[i];
    turned = turned << 8 | bytes[15 - i];
  }
  note_clock_sample(Source::nanoseconds, 1'795'000'000, 123'456'789, __builtin_return_address(0));
  note_entropy(bytes, sizeof bytes);
  const auto hash = static_cast<uint64_t>(number % modulus);
  const auto turned_hash = static_cast<uint64_t>(turned % modulus);
  EXPECT_EQ(chosen(kind(61), hash).why.rule, SeedRule::entropy);
  EXPECT_EQ(chosen(kind(62), turned_hash).why.rule, SeedRule::entropy);
  EXPECT_NE(chosen(kind(63), hash + 1).why.rule, SeedRule::entropy);
}

// int(os.urandom(8).hex(), 16), as CuPy seeds: the first byte is the highest.
TEST(Seeds, OfHexadecimalDigitsOfEntropyAreNoClocks) {
  volatile uint64_t before = 0x9E6C'63D0'876A'3F16; // what stands in the code is the program's own
  const uint64_t words = before + 1, seed = __builtin_bswap64(words);
  note_clock_sample(Source::nanoseconds, 1'795'000'000, 123'456'789, __builtin_return_address(0));
  EXPECT_EQ(chosen(kind(15), seed).why, Reason::ordered_seed);
  note_entropy(&words, sizeof words);
  EXPECT_EQ(chosen(kind(16), seed).why, Reason::own_value);
}

/// The call site is in the function that calls this.
[[gnu::noipa]] ChosenSeed chosen_by_caller(Kind of, uint64_t value) {
  return choose_seed({of, value, 32, __builtin_return_address(0)});
}

TEST(Seeds, OfTheCodeAreNoClocks) {
  note_clock_sample(Source::nanoseconds, 1'795'000'000, 123'456'789, __builtin_return_address(0));
  const ChosenSeed seed = chosen_by_caller(kind(17), 1'795'000'000);
  EXPECT_EQ(seed.why, Reason::own_value);
  EXPECT_EQ(seed.why.rule, SeedRule::in_code);
}

TEST(Seeds, SmallSeedsFoldToThemselves) {
  EXPECT_EQ(fold32(42), 42u);
  EXPECT_EQ(fold32(0xffffffff), 0xffffffffu);
  EXPECT_NE(fold32(uint64_t{1} << 32), fold32(uint64_t{1} << 33));
}

} // namespace
} // namespace detshim
