#include "support/ask.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include <poll.h>
#include <unistd.h>

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

// What a program has started ends with it, and does not stay behind.
TEST(Ask, EndsThoseThatTheProgramStarted) {
  int ends[2]; // what the program starts has it open until it ends
  ASSERT_EQ(::pipe(ends), 0);
  AskLimits limits;
  limits.bytes = 100'000;
  const Reply reply =
      ask({"sh", "-c", "sleep 1000 & echo $! >&" + std::to_string(ends[1]) + "; yes"}, limits);
  EXPECT_FALSE(reply.text) << "it said too much";
  ::close(ends[1]);
  char child[32] = {};
  ASSERT_GT(::read(ends[0], child, sizeof child - 1), 0);
  pollfd end{ends[0], POLLIN, 0};
  const bool has_ended = ::poll(&end, 1, 10'000) == 1;
  if (!has_ended)
    ::kill(std::stoi(child), SIGTERM);
  EXPECT_TRUE(has_ended);
  ::close(ends[0]);
}

} // namespace
} // namespace detshim
