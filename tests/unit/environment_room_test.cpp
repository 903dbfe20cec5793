// One size of environment, whatever detshim's own variables are.
#include "common/environment_room.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace detshim;

/// With its room.
std::vector<std::string> filled(const std::vector<std::string>& texts) {
  std::vector<std::string> all = texts;
  std::vector<char*> entries;
  for (std::string& text : all)
    entries.push_back(text.data());
  entries.push_back(nullptr);
  const auto is_users = [](const char* entry) {
    return !is_made_by_detshim(entry);
  };
  const auto any = [](const char*) {
    return true;
  };
  const EnvironmentSize room =
      room_for(size_of_entries(entries.data(), is_users), size_of_entries(entries.data(), any));
  std::vector<char> memory(room.bytes, 'x');
  std::vector<char*> added(room.variables);
  write_room(room, memory.data(), added.data());
  for (const char* one : added)
    all.emplace_back(one);
  EXPECT_EQ(memory.back(), 0);
  return all;
}

EnvironmentSize size_of(const std::vector<std::string>& texts) {
  EnvironmentSize size;
  for (const std::string& text : texts)
    ++size.variables, size.bytes += text.size() + 1;
  return size;
}

TEST(EnvironmentRoom, MakesOneSizeOfAll) {
  const std::vector<std::string> users = {"PATH=/usr/bin", "HOME=/root"};
  const EnvironmentSize first = size_of(filled(users));
  for (std::size_t more = 0; more < 40; ++more)
    for (const std::size_t length : {0u, 1u, 17u, 18u, 19u, 200u}) {
      std::vector<std::string> texts = users;
      for (std::size_t i = 0; i < more; ++i)
        texts.push_back("DETSHIM_" + std::to_string(i) + "=" +
                        std::string(i == 0 ? length * 20 : 20, 'v'));
      const EnvironmentSize size = size_of(filled(texts));
      EXPECT_EQ(size.variables, first.variables) << more << ' ' << length;
      EXPECT_EQ(size.bytes, first.bytes) << more << ' ' << length;
    }
}

TEST(EnvironmentRoom, GrowsByWholeBlocks) {
  const EnvironmentSize small = size_of(filled({"A=b"}));
  const EnvironmentSize large = size_of(filled({"A=b", "DETSHIM_LOG=" + std::string(9000, 'l')}));
  EXPECT_EQ(large.variables, small.variables);
  EXPECT_EQ(large.bytes, 2 * small.bytes - 4);
  std::vector<std::string> many = {"A=b"};
  for (int i = 0; i < 96; ++i)
    many.push_back("DETSHIM_" + std::to_string(i) + "=");
  EXPECT_EQ(size_of(filled(many)).variables, 1u + 2 * 96);
}

TEST(EnvironmentRoom, HasNamesOfItsOwn) {
  std::vector<std::string> all = filled({"A=b"});
  all.erase(all.begin());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(is_room(all[i].c_str())) << all[i];
    EXPECT_TRUE(is_made_by_detshim(all[i].c_str()));
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_NE(all[i].substr(0, 17), all[k].substr(0, 17));
  }
  EXPECT_FALSE(is_room("DETSHIM_ROOM=1"));
  EXPECT_FALSE(is_made_by_detshim("PATH=/usr/bin"));
  EXPECT_TRUE(is_made_by_detshim("LD_PRELOAD=/usr/lib/libdetshim.so"));
}

} // namespace
