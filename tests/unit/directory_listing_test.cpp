// Folders of several kilobytes of names, and one larger than what is kept at once.
#include "hooks/libc/directory_listing.h"

#include "files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace detshim {
namespace {

using Names = std::vector<std::string>;

class LargeFolder : public testing::Test {
protected:
  static constexpr std::size_t count = 2000;

  LargeFolder() {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t mixed = i * 2654435761U % 1000003;
      all_.push_back("a name of some length in common " + std::to_string(mixed) +
                     std::string(i % 40, 'x'));
      std::ofstream{scratch_.path() / all_.back()};
    }
    all_.insert(all_.end(), {".", ".."});
    std::ranges::sort(all_, [](const std::string& one, const std::string& other) {
      return compare_names(one.c_str(), other.c_str(), false) < 0;
    });
    fd_ = open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY);
  }
  ~LargeFolder() override {
    close(fd_);
    listing_memory.limit = usual_;
  }

  Names read(Listing* listing, std::size_t limit = ~std::size_t{0}) const {
    Names names;
    int error = 0;
    while (names.size() < limit) {
      const dirent64* const entry = listing->next(fd_, error);
      if (entry == nullptr)
        break;
      names.emplace_back(entry->d_name);
      EXPECT_EQ(entry->d_off, listing->position());
    }
    EXPECT_EQ(error, 0);
    return names;
  }

  const std::size_t usual_ = listing_memory.limit;
  TemporaryFolder scratch_;
  Names all_;
  int fd_;
};

TEST_F(LargeFolder, IsSortedAsAWhole) {
  Listing* const listing = Listing::make(this, 0, false);
  EXPECT_EQ(read(listing), all_);
  EXPECT_FALSE(listing->is_left_to_libc());
  EXPECT_TRUE(listing->has_order());
  EXPECT_EQ(listing->position(), static_cast<long>(all_.size()));
  listing->give_back();

  lseek(fd_, 0, SEEK_SET);
  Listing* const reversed = Listing::make(this, 0, true);
  std::ranges::reverse(all_.begin() + 2, all_.end());
  EXPECT_EQ(read(reversed), all_);
  reversed->give_back();
}

TEST_F(LargeFolder, HasPositions) {
  Listing* const listing = Listing::make(this, 0, false);
  read(listing);
  for (const long place : {3L, 1600L, 17L, 2002L, 999L, 0L}) {
    listing->go_to(place);
    EXPECT_EQ(listing->position(), place);
    EXPECT_EQ(read(listing, 2),
              Names(all_.begin() + place, all_.begin() + std::min(place + 2, 2002L)))
        << place;
  }
  listing->go_to(1000000);
  EXPECT_EQ(read(listing), Names{});
  listing->give_back();
}

// A folder without an end must not be read to it.
TEST_F(LargeFolder, WithTooManyEntriesIsLeftToLibc) {
  listing_memory.limit = 40000;
  Listing* const listing = Listing::make(this, 0, false);
  EXPECT_TRUE(listing->fill(fd_));
  EXPECT_TRUE(listing->is_left_to_libc());
  EXPECT_FALSE(listing->fill(fd_)) << "it is said once";
  EXPECT_EQ(lseek(fd_, 0, SEEK_CUR), 0) << "libc reads it from the start";
  listing->give_back();
}

// A folder that is read again is counted again, and its only file comes in one order.
TEST(FolderOfOneFile, HasNoOrderHoweverOftenItIsRead) {
  const TemporaryFolder scratch;
  std::ofstream{scratch.path() / "only"};
  const int fd = open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY);
  Listing* const listing = Listing::make(&scratch, 0, false);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(listing->fill(fd));
    EXPECT_FALSE(listing->has_order());
    lseek(fd, 0, SEEK_SET);
    listing->begin_again(0);
  }
  listing->give_back();
  close(fd);
}

TEST(NameOrder, IsThatOfTheBytes) {
  EXPECT_LT(compare_names("a", "b", false), 0);
  EXPECT_LT(compare_names("Z", "a", false), 0);
  EXPECT_LT(compare_names("a", "\xC3\xA4", false), 0);
  EXPECT_LT(compare_names("x10", "x9", false), 0);
  EXPECT_LT(compare_names("..", "!", false), 0);
  EXPECT_LT(compare_names(".", "..", true), 0) << "these two stay in front";
  EXPECT_GT(compare_names("a", "b", true), 0);
  EXPECT_LT(compare_names("..", "a", true), 0);
  EXPECT_EQ(compare_names("same", "same", true), 0);
}

} // namespace
} // namespace detshim
