// core/base/native_frames.h and its rules (core/base/cfi_rules.h): the frames are those that
// backtrace(3) finds.
#include "core/base/native_frames.h"

#include <algorithm>
#include <alloca.h>
#include <cstdint>
#include <cstring>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

namespace detshim {
namespace {

struct Found {
  std::vector<uintptr_t> ours, theirs; ///< behind the frame that called
};

volatile int sink = 0;

/// Stands for a hook.
__attribute__((noinline)) Found look() {
  const auto caller = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  NativeFrames frames;
  find_native_frames(__builtin_return_address(0), frames);
  void* all[64];
  const int count = backtrace(all, 64);
  Found found;
  found.ours.assign(frames.addresses, frames.addresses + frames.count);
  std::transform(all, all + count, std::back_inserter(found.theirs), [](void* address) {
    return reinterpret_cast<uintptr_t>(address);
  });
  found.theirs.erase(found.theirs.begin(), std::ranges::find(found.theirs, caller) + 1);
  return found;
}

__attribute__((noinline)) Found called_plainly() {
  Found found = look();
  sink = 1; // no tail call
  return found;
}

/// Finds its frame by the frame pointer.
__attribute__((noinline)) Found called_with_a_growing_frame() {
  const auto size = static_cast<size_t>(64 + sink);
  auto* const bytes = static_cast<char*>(alloca(size));
  std::memset(bytes, 1, size);
  Found found = called_plainly();
  sink = bytes[0] != 0;
  return found;
}

/// Aligns the stack anew: where the caller's stood is kept in the frame.
__attribute__((noinline)) Found called_with_an_aligned_frame() {
  alignas(128) char bytes[128];
  const auto size = static_cast<size_t>(64 + sink);
  auto* const more = static_cast<char*>(alloca(size));
  std::memset(bytes, 1, sizeof bytes);
  std::memset(more, 1, size);
  asm volatile("" : : "r"(bytes), "r"(more) : "memory");
  Found found = called_with_a_growing_frame();
  sink = bytes[5] != 0;
  return found;
}

/// Returns early, and goes on behind that: the rules are remembered and restored.
__attribute__((noinline)) Found called_behind_an_early_return(int depth) {
  if (depth > 1)
    return {};
  char bytes[300];
  std::memset(bytes, depth, sizeof bytes);
  asm volatile("" : : "r"(bytes) : "memory");
  Found found = called_with_an_aligned_frame();
  sink = bytes[7];
  return found;
}

[[noreturn]] __attribute__((noinline)) void throw_what_is_found() { throw look(); }

/// Its code ends with that call: the return address is where another function may begin.
[[noreturn]] __attribute__((noinline)) void end_with_a_call() { throw_what_is_found(); }

__attribute__((noinline)) Found called_before_an_end() {
  try {
    end_with_a_call();
  } catch (const Found& found) {
    return found;
  }
}

TEST(NativeFrames, AreThoseThatBacktraceFinds) {
  for (const Found& found :
       {called_plainly(), called_with_a_growing_frame(), called_with_an_aligned_frame(),
        called_behind_an_early_return(sink), called_before_an_end()}) {
    ASSERT_GE(found.ours.size(), 6U) << "up to gtest's, at least";
    ASSERT_LE(found.ours.size(), found.theirs.size());
    EXPECT_TRUE(
        std::ranges::equal(found.ours.begin(), found.ours.end(), found.theirs.begin(),
                           found.theirs.begin() + static_cast<std::ptrdiff_t>(found.ours.size())));
  }
}

/// Stands for a hook.
__attribute__((noinline)) uint64_t look_for_a_key() {
  return native_frames_key(__builtin_return_address(0));
}
__attribute__((noinline)) uint64_t key_of_callers() {
  const uint64_t key = look_for_a_key();
  sink = 1; // no tail call
  return key;
}
__attribute__((noinline)) uint64_t one_caller() {
  const uint64_t key = key_of_callers();
  sink = 2;
  return key;
}
__attribute__((noinline)) uint64_t another_caller() {
  const uint64_t key = key_of_callers();
  sink = 3;
  return key;
}

// All of a known way is compared: its outer end is the same for both.
TEST(NativeFrames, OfTwoCallersHaveTwoKeys) {
  std::vector<uint64_t> keys;
  for (uint64_t (*const caller)() : {one_caller, another_caller, one_caller, another_caller})
    keys.push_back(caller());
  EXPECT_NE(keys[0], 0u);
  EXPECT_NE(keys[1], keys[0]);
  EXPECT_EQ(keys[2], keys[0]);
  EXPECT_EQ(keys[3], keys[1]);
}

} // namespace
} // namespace detshim
