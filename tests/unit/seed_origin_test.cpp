// Which of several readings explains a seed: each rule that decides between two of them.
#include "core/seeds/rules/rules.h"

#include "core/identity/thread.h"
#include "core/seeds/clock_samples.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace detshim {
namespace {

/// Addresses in this program's code, too far apart for one to lead to the other.
const void* code_at(int place) {
  constexpr int apart = 256;
  return reinterpret_cast<const char*>(&code_at) + apart * place;
}

const void* const caller = code_at(10);

/// A second of a clock of which nothing in this file is near but what a test adds to it: no two
/// tests share a reading.
std::uint64_t second_of(int test) {
  volatile std::uint64_t first = 1'850'000'000; // in no instruction: that would be a constant
  return first + static_cast<std::uint64_t>(test) * 100'000;
}

void read_clock(std::uint64_t second, int place) {
  note_clock_sample(Source::seconds, second, 0, code_at(place));
}

Explanation explained(std::uint64_t seed) {
  return explain({.value = seed, .bits = 64, .caller = Caller(caller)}, SeedingCode::program);
}

TEST(SeedOrigin, OfTheSameSecondIsANewReadingWhereItIsReadAnew) {
  const std::uint64_t now = second_of(1);
  read_clock(now, 0);
  const Explanation first = explained(now);
  ASSERT_EQ(first.origin, Origin::clock);
  EXPECT_EQ(explained(now).instance, first.instance) << "nothing was read since";
  read_clock(now, 0);
  EXPECT_NE(explained(now).instance, first.instance) << "the same line has read the clock again";
}

TEST(SeedOrigin, OfTheSameSecondIsTheFirstReadingWhereAnotherLineReads) {
  const std::uint64_t now = second_of(2);
  read_clock(now, 1);
  const Explanation first = explained(now);
  read_clock(now, 2);
  EXPECT_EQ(explained(now).instance, first.instance);
}

TEST(SeedOrigin, OfTheSameSecondIsTheFirstReadingWhereTheNewOneWasUsed) {
  const std::uint64_t now = second_of(3);
  read_clock(now, 3);
  const Explanation first = explained(now);
  read_clock(now, 3);
  explained(second_of(4)); // seeds with what no reading explains
  EXPECT_EQ(explained(now).instance, first.instance);
}

std::uint64_t ordinal_in(const ThreadName& name) {
  const std::string path = static_cast<const char*>(name.path);
  return std::strtoull(path.c_str() + path.rfind('.') + 1, nullptr, 10);
}

void in_thread(const ThreadName& name, const std::function<void()>& work) {
  std::thread([&] {
    enter_thread(name);
    work();
    leave_clock_samples();
    leave_thread();
  }).join();
}

// seed = main's time() + the thread's number: the main thread's reading, though the thread has read
// a clock of its own in the same minutes.
TEST(SeedOrigin, OfAThreadIsTheClockThatItsNumberWasAddedTo) {
  const std::uint64_t now = second_of(5);
  read_clock(now, 4);
  const std::uint64_t main_key = this_thread().key;
  const ThreadName name = name_new_thread();
  const std::uint64_t ordinal = ordinal_in(name);
  ASSERT_GT(ordinal, 0U);
  Explanation with_number, without_number;
  std::uint64_t thread_key = 0;
  in_thread(name, [&] {
    constexpr std::uint64_t earlier = 500;
    thread_key = this_thread().key;
    read_clock(now - earlier, 5);
    with_number = explained(now + ordinal);
    read_clock(second_of(6), 5);
    without_number = explained(second_of(6) + ordinal + 40);
  });
  EXPECT_EQ(with_number.owner_key, main_key);
  EXPECT_EQ(static_cast<std::uint64_t>(with_number.offset), ordinal);
  EXPECT_EQ(without_number.owner_key, thread_key) << "the main thread has read nothing near it";
}

/// What explains the seed of a thread that has read the clock in the same second as the main
/// thread.
struct SeedOfThread {
  Explanation explanation;
  std::uint64_t thread_key = 0;
};

SeedOfThread seed_beside_main(std::uint64_t now, std::uint64_t added_to_number, int place) {
  read_clock(now, place);
  const ThreadName name = name_new_thread();
  SeedOfThread seed;
  in_thread(name, [&] {
    seed.thread_key = this_thread().key;
    read_clock(now, place + 1);
    seed.explanation = explained(now + ordinal_in(name) + added_to_number);
  });
  return seed;
}

TEST(SeedOrigin, OfAThreadIsItsOwnClockWhereItsNumberWasAddedToThat) {
  const SeedOfThread seed = seed_beside_main(second_of(7), 0, 6);
  EXPECT_EQ(seed.explanation.owner_key, seed.thread_key);
}

TEST(SeedOrigin, OfAThreadIsItsOwnClockWhereNoNumberOfAThreadWasAdded) {
  const SeedOfThread seed = seed_beside_main(second_of(8), 50, 8);
  EXPECT_EQ(seed.explanation.owner_key, seed.thread_key);
}

} // namespace
} // namespace detshim
