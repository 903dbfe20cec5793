#include "core/base/user_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

// By their names in C++: the test's own memcpy stays libc's.
#define __asm__(NAME)
#include "core/base/memory_functions.cpp"
#undef __asm__

namespace {

/// Three pages, of which the middle one can be taken away.
class Pages {
public:
  Pages() {
    void* const pages =
        mmap(nullptr, 3 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin_ = static_cast<char*>(pages);
    std::memset(begin_, 'x', 3 * size);
  }
  ~Pages() { munmap(begin_, 3 * size); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  void protect_middle() const { mprotect(begin_ + size, size, PROT_NONE); }
  uintptr_t place(size_t offset) const { return reinterpret_cast<uintptr_t>(begin_ + offset); }

  static constexpr size_t size = 4096;

private:
  char* begin_;
};

TEST(UserMemory, IsCopiedUpToWhatCannotBeRead) {
  const Pages pages;
  char copy[2 * Pages::size];
  EXPECT_EQ(detshim::copy_readable(pages.place(10), copy, sizeof copy), sizeof copy);
  pages.protect_middle();
  EXPECT_EQ(detshim::copy_readable(pages.place(Pages::size - 7), copy, sizeof copy), 7u);
  EXPECT_EQ(detshim::copy_readable(pages.place(Pages::size + 7), copy, sizeof copy), 0u);
  EXPECT_EQ(detshim::copy_readable(pages.place(2 * Pages::size), copy, 100), 100u);
  EXPECT_EQ(detshim::copy_readable(0, copy, 1), 0u);
}

TEST(MemoryFunctions, DoWhatTheirNamesSay) {
  for (size_t size = 0; size < 70; ++size)
    for (size_t from = 0; from < 9; ++from)
      for (size_t to = 0; to < 9; ++to) {
        std::string text(100, '.');
        for (size_t i = 0; i < text.size(); ++i)
          text[i] = static_cast<char>('0' + i % 70);
        std::string expected = text, moved = text, copied(100, '.'), filled = text;
        std::memmove(expected.data() + to, expected.data() + from, size);
        EXPECT_EQ(detshim_memmove(moved.data() + to, moved.data() + from, size), moved.data() + to);
        EXPECT_EQ(moved, expected) << size << " from " << from << " to " << to;
        detshim_memcpy(copied.data() + to, text.data() + from, size);
        EXPECT_EQ(copied.substr(to, size), text.substr(from, size));
        EXPECT_EQ(copied.substr(to + size), std::string(100 - to - size, '.'));
        detshim_memset(filled.data() + to, 0x1ff, size);
        EXPECT_EQ(filled, text.substr(0, to) + std::string(size, '\xff') + text.substr(to + size));
      }
}

TEST(MemoryFunctions, CompareAsUnsigned) {
  EXPECT_EQ(detshim_memcmp("same", "same", 5), 0);
  EXPECT_EQ(detshim_memcmp("a", "b", 0), 0);
  EXPECT_LT(detshim_memcmp("a\x7f", "a\x80", 2), 0);
  EXPECT_GT(detshim_memcmp("ab", "aa", 2), 0);
  EXPECT_EQ(detshim_strlen(""), 0u);
  EXPECT_EQ(detshim_strlen("seven c"), 7u);
}

} // namespace
