#include "core/log/folded_threads.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace detshim {
namespace {

/// The name under which the thread of that path is in the log.
std::string name_of(const std::string& path) {
  PathText text = {}, name = {};
  path.copy(text, sizeof text - 1);
  fold_name(text, name);
  return name;
}

TEST(ThreadNames, AreTheirOwnForTheFirstThatTheMainThreadMade) {
  EXPECT_EQ(name_of("0"), "0");
  EXPECT_EQ(name_of("0.1024"), "0.1024");
  EXPECT_EQ(name_of("0.1025"), "0.*");
  EXPECT_EQ(name_of("?1024"), "?1024");
  EXPECT_EQ(name_of("?1025"), "?*");
  EXPECT_EQ(name_of("0.4.64.e2"), "0.4.64.e2");
  EXPECT_EQ(name_of("0.2000.1"), "0.*.*");
  EXPECT_EQ(name_of("0.1024.1"), "0.1024.*");
}

TEST(ThreadNames, AreSomeThousandsHoweverManyMakersThereAre) {
  std::set<std::string> names;
  for (int maker = 1; maker <= 1100; ++maker)
    for (int thread = 1; thread <= 1200; thread += thread < 40 ? 1 : 29) {
      const std::string path = "0." + std::to_string(maker) + "." + std::to_string(thread);
      names.insert(name_of(path));
      if (thread <= 30)
        names.insert(name_of(path + ".30"));
    }
  EXPECT_LT(names.size(), 20000u); // of some 120,000
}

} // namespace
} // namespace detshim
