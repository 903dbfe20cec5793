#include "files.h"

#include "support/ask.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include <sys/prctl.h>
#include <sys/wait.h>

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
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0); // they become this one's
  const TemporaryFolder scratch;
  const std::string file = scratch.path() / "child";
  AskLimits limits;
  limits.bytes = 100'000;
  const Reply reply = ask({"sh", "-c", "sleep 1000 & echo $! >" + file + "; yes"}, limits);
  EXPECT_FALSE(reply.text) << "it said too much";
  const pid_t child = std::stoi(contents(file));
  ::kill(child, SIGTERM); // a test that fails does not wait either
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0) continue;
  ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

} // namespace
} // namespace detshim
