// `detshim completion`, tried in the shells themselves.
#include "run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

class Completion : public testing::Test {
protected:
  /// The file that a shell reads.
  std::string script(const std::string& shell, const std::string& name) {
    const Result printed = run({DETSHIM_COMMAND, "completion", shell});
    EXPECT_EQ(printed.status, 0) << printed.err;
    std::ofstream(scratch_.path() / name) << printed.out;
    return scratch_.path() / name;
  }

  /// The command is found as a user's is.
  Environment environment() const {
    return {{"PATH", std::filesystem::path(DETSHIM_COMMAND).parent_path().string() + ":" +
                         std::getenv("PATH")},
            {"HOME", scratch_.path()}};
  }

  TemporaryFolder scratch_;
};

TEST_F(Completion, Bash) {
  if (find_program("bash").empty())
    GTEST_SKIP() << "no bash";
  const std::string file = script("bash", "completion");
  const auto completed = [&](const std::string& words) {
    return run({"bash", "--norc", "-c",
                "cd " + scratch_.path().string() + "; source " + file + "; COMP_WORDS=(" + words +
                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _detshim; echo ${COMPREPLY[@]}"},
               environment())
        .out;
  };
  EXPECT_EQ(completed("detshim ver"), "verify\n");
  EXPECT_EQ(completed("detshim run --see"), "--seed\n");
  EXPECT_EQ(completed("detshim log di"), "diff\n");
  EXPECT_EQ(completed("detshim run -- " DETSHIM_COMMAND), DETSHIM_COMMAND "\n");
}

TEST_F(Completion, Zsh) {
  if (find_program("zsh").empty())
    GTEST_SKIP() << "no zsh";
  script("zsh", "_detshim");
  const Result typed = run({"/usr/bin/python3", ZSH_COMPLETION_SCRIPT, scratch_.path(),
                            "detshim veri", "detshim run --see", "detshim run -- setarc"},
                           environment());
  EXPECT_EQ(typed.status, 0) << typed.err;
  EXPECT_NE(typed.out.find("detshim verify "), std::string::npos) << typed.out;
  EXPECT_NE(typed.out.find("detshim run --seed "), std::string::npos) << typed.out;
  EXPECT_NE(typed.out.find("detshim run -- setarch "), std::string::npos) << typed.out;
}

TEST_F(Completion, Fish) {
  if (find_program("fish").empty())
    GTEST_SKIP() << "no fish";
  const std::string file = script("fish", "detshim.fish");
  const auto completed = [&](const std::string& words) {
    return run({"fish", "--no-config", "-c", "source " + file + "; complete -C '" + words + "'"},
               environment())
        .out;
  };
  EXPECT_TRUE(completed("detshim veri").starts_with("verify\t")) << completed("detshim veri");
  EXPECT_TRUE(completed("detshim run --see").starts_with("--seed\t"));
  EXPECT_TRUE(completed("detshim log di").starts_with("diff\t"));
}

TEST_F(Completion, OfAnotherShellIsRefused) {
  const Result refused = run({DETSHIM_COMMAND, "completion", "csh"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "detshim: completion 'csh' is not accepted: bash, zsh or fish\n");
}

} // namespace
