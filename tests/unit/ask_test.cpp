#include "support/ask.h"

#include <gtest/gtest.h>

#include <csignal>

namespace detshim {
namespace {

TEST(Ask, GivesTheAnswerWhereEndedChildrenAreNotKept) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const Reply answer = ask({"echo", "here"});
  const Reply nothing = ask({"false"});
  std::signal(SIGCHLD, before);
  EXPECT_EQ(answer.text.value_or(answer.problem), "here\n");
  EXPECT_FALSE(nothing.text);
  EXPECT_EQ(ask({"sh", "-c", "echo seen; exit 3"}).status, 3);
}

} // namespace
} // namespace detshim
