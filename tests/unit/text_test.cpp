#include "common/text.h"

#include <gtest/gtest.h>
#include <string>

namespace detshim {
namespace {

std::string json(const char* text, size_t limit = 512) {
  Text<1024> out;
  return out.add_json(text, limit).c_str();
}

TEST(Text, Numbers) {
  Text<64> text;
  text.add(uint64_t{0}).add(' ').add(~uint64_t{0}).add(' ').add_hex(0).add(' ').add_hex(0xabc, 6);
  EXPECT_STREQ(text.c_str(), "0 18446744073709551615 0 000abc");
}

TEST(Text, WhatDoesNotFitIsDroppedAndRemembered) {
  Text<8> text;
  text.add("12345678");
  EXPECT_STREQ(text.c_str(), "1234567");
  EXPECT_TRUE(text.cut());
}

TEST(Text, JsonEscapes) {
  EXPECT_EQ(json("a\"b\\c\n\x1b[31m\x7f"), "a\\\"b\\\\c\\u000a\\u001b[31m\\u007f");
}

TEST(Text, JsonKeepsUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(json("h\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "h\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(json("\xFF"), bad);
  EXPECT_EQ(json("\xC3"), bad);                               // cut short
  EXPECT_EQ(json("\xC0\x80"), bad + bad);                     // overlong
  EXPECT_EQ(json("\xED\xA0\x80"), bad + bad + bad);           // a surrogate
  EXPECT_EQ(json("\xF4\x90\x80\x80"), bad + bad + bad + bad); // above U+10FFFF
}

TEST(Text, OfAPathTheEndIsKept) {
  const auto path = [](const char* text, size_t limit) -> std::string {
    return Text<64>().add_json_path(text, limit).c_str();
  };
  EXPECT_EQ(path("/home/me/a.py", 40), "/home/me/a.py");
  EXPECT_EQ(path("/home/me/project/a.py", 24), "…/project/a.py");
  EXPECT_EQ(path("/home/me/pro\"\"\"\"ject/a.py", 24), "…/a.py")
      << "what is escaped takes more room";
  EXPECT_EQ(path("/home/a_name_without_room", 24), "…/a_name_withou…");
  EXPECT_EQ(path("<frozen importlib._bootstrap>", 24), "<frozen importlib…");
}

TEST(Text, JsonIsCutAtALimitWithoutCuttingASequence) {
  std::string euros;
  for (int i = 0; i < 100; ++i)
    euros += "\xE2\x82\xAC";
  const std::string cut = json(euros.c_str(), 64);
  EXPECT_LE(cut.size(), 64u);
  EXPECT_EQ(cut.substr(cut.size() - 3), "\xE2\x80\xA6");
  EXPECT_EQ(cut.size() % 3, 0u);
}

TEST(Text, FileNames) {
  EXPECT_STREQ(file_name("/usr/lib/libc.so.6"), "libc.so.6");
  EXPECT_STREQ(file_name("libc.so.6"), "libc.so.6");
  EXPECT_STREQ(file_name(""), "");
}

} // namespace
} // namespace detshim
