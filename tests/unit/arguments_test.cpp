// What a start record shows of a program's arguments, and what it hides.

#include "common/secrets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace detshim {
namespace {

std::string shown(const std::vector<std::string>& arguments) {
  std::string bytes;
  for (const std::string& argument : arguments)
    bytes += argument + '\0';
  const std::size_t size = bytes.size();
  bytes += '\0';
  std::string room(8192, '\0');
  TextWriter line(room.data(), room.size());
  add_arguments(line, bytes.data(), size, DrawnParts::hidden);
  return line.c_str();
}

TEST(Arguments, WhatWasDrawnIsHidden) {
  const std::string drawn = "kZ8vQ2mX7pLr4TnB9wYc";
  for (const std::string& argument :
       {"https://a.blob.example.org/c?sv=2024&sig=" + drawn,
        "https://hooks.example.org/services/T00/B00/" + drawn,
        "https://example.org/api/webhooks/123456789012345678/" + drawn,
        "c = {'X': 1}; c['X']='" + drawn + "'"}) {
    const std::string text = shown({"program", argument});
    EXPECT_EQ(text.find(drawn), text.npos) << text;
    EXPECT_NE(text.find("<hidden>"), text.npos) << text;
  }
}

TEST(Arguments, NamesOfSecretsHideTheirValues) {
  for (const char* option :
       {"--jwt", "--otp", "--pin", "--signature", "--session-id", "--private", "--webhook"}) {
    EXPECT_EQ(shown({"program", option, "value"}).find("value"), std::string::npos) << option;
    EXPECT_EQ(shown({"program", option + std::string("=value")}).find("value"), std::string::npos)
        << option;
  }
  EXPECT_EQ(shown({"/usr/bin/mysql", "-pvalue"}).find("value"), std::string::npos);
}

TEST(Arguments, WhatIsNoSecretIsShown) {
  for (const char* argument :
       {"--pin-memory=value", "--session-dir=value", "--signature-size=value", "-pvalue",
        "--spin=value", "resnet50-imagenet1k-v2-batch32",
        "/data/checkpoints/step000012000/model00001of00004.safetensors",
        "--revision=0123456789abcdef0123456789abcdef01234567", "20261121T003512-4711",
        "/nix/store/0c1b7v3yqx2d9k5mzr8w4p6hjs1n7fga-train/train.py"})
    EXPECT_EQ(shown({"program", argument}).find("hidden"), std::string::npos) << argument;
}

// A start record has one line for all.
TEST(Arguments, OfOneNoMoreIsShownThanOfOthers) {
  std::string argument;
  for (int i = 0; i < 40; ++i)
    argument += std::string(30, '=') + "kZ8vQ2mX7pLr4TnB9wYc";
  EXPECT_LT(shown({"program", argument}).size(), 700U);
}

} // namespace
} // namespace detshim
