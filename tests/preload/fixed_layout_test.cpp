// Under a bare preload too, addresses are the same in every run: the first process executes its
// program once more. The program finds everything as it would have without that.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <fstream>

namespace {

using Arguments = std::vector<std::string>;

bool can_be_fixed() { return run({"setarch", "-R", "true"}).status == 0; }

class FixedLayout : public testing::Test {
protected:
  void SetUp() override {
    if (!can_be_fixed())
      GTEST_SKIP() << "the kernel refuses a fixed layout";
  }

  Result started(const Arguments& command, const Environment& more = {},
                 const std::filesystem::path& folder = {}) {
    const TemporaryFolder scratch;
    Environment all = under_shim(scratch, {{"DETSHIM_SEED", "42"}});
    for (const auto& [name, value] : more)
      all[name] = value;
    return run(command, all, folder.empty() ? scratch_.path() : folder);
  }

  /// Natively random, the same in every run under the library, and random again where that is left
  /// alone.
  void expect_fixed(const Arguments& command) {
    const std::string first = started(command).out;
    EXPECT_NE(first, "");
    EXPECT_EQ(started(command).out, first);
    EXPECT_NE(run(command, {}, scratch_.path()).out, run(command, {}, scratch_.path()).out);
    const Environment leave = {{"DETSHIM_LAYOUT", "leave"}};
    EXPECT_NE(started(command, leave).out, started(command, leave).out);
  }

  void write_script(const std::string& name, const std::string& text) {
    std::ofstream(scratch_.path() / name) << text;
    std::filesystem::permissions(scratch_.path() / name, std::filesystem::perms::owner_all);
  }

  const TemporaryFolder scratch_;
};

constexpr const char* code = "print(id(object()), id(print))";

TEST_F(FixedLayout, OfPrograms) {
  expect_fixed({POINTERS_PROGRAM});
  expect_fixed({"/usr/bin/python3", "-c", code});
  expect_fixed({"sh", "-c", std::string("/usr/bin/python3 -c '") + code + "'"});
}

TEST_F(FixedLayout, OfScripts) {
  write_script("plain", std::string("#!/usr/bin/python3\n") + code + "\n");
  write_script("argument", std::string("#!/usr/bin/python3 -I\n") + code + "\n");
  write_script("searched", std::string("#!/usr/bin/env python3\n") + code + "\n");
  for (const char* script : {"./plain", "./argument", "./searched"})
    expect_fixed({script});
}

TEST_F(FixedLayout, LeavesWhatAProgramFinds) {
  std::ofstream(scratch_.path() / "input") << "from a pipe";
  write_script("script", "#!" WHAT_EXEC_KEEPS " of interpreter\n");
  write_script("nested", "#!" + (scratch_.path() / "script").string() + "\n");
  const TemporaryFolder log;
  const Environment kept = {{"KEPT_A", "1"}, {"KEPT_EMPTY", ""}};
  const auto found = [&](const std::string& command, const Environment& variables) {
    std::string all = "cat input | " WHAT_EXEC_KEEPS " set env";
    for (const auto& [name, value] : variables)
      all += " " + name + "=" + value;
    return run({"sh", "-c", all + " " + command}, kept, scratch_.path());
  };
  for (const std::string command :
       {WHAT_EXEC_KEEPS " one '' 'two words'", "./script one", "./nested -x",
        "bash -c 'exec -a another " WHAT_EXEC_KEEPS " one'"}) {
    const Result native = found(command, {});
    EXPECT_GT(lines(native.out).size(), 50u) << native.err;
    const Result under = found(command, under_shim(log, {{"DETSHIM_SEED", "42"}}));
    EXPECT_EQ(under.out, native.out) << command << under.err;
  }
}

TEST_F(FixedLayout, ComesBeforeEveryConstructor) {
  const Result native = run({PRINTS_AS_IT_IS_LOADED});
  EXPECT_EQ(native.out, "loaded\nused\n");
  EXPECT_EQ(started({PRINTS_AS_IT_IS_LOADED}).out, native.out);
}

TEST_F(FixedLayout, ExecutesNothingTwiceForWhoWatches) {
  EXPECT_EQ(run({STARTED_UNDER, "tracer", "env", "LD_PRELOAD=" DETSHIM_LIBRARY, "DETSHIM_SEED=42",
                 "DETSHIM_QUIET=1", "true"})
                .out,
            "programs 2\n")
      << "env, and true";
}

TEST_F(FixedLayout, IsLeftWhereAFilterMightEndTheProgram) {
  const TemporaryFolder scratch;
  Arguments command = {STARTED_UNDER, "filter", "env"};
  for (const auto& [name, value] : under_shim(scratch, {{"DETSHIM_SEED", "42"}}))
    command.push_back(name + "=" + value);
  command.insert(command.end(), {"od", "-An", "-N4", "/dev/urandom"});
  ASSERT_EQ(run(command).status, 0);
  EXPECT_EQ(read_log(scratch.log()).at(0).records.at(0)["layout"], "random");
}

TEST_F(FixedLayout, IsOfModesThatForce) {
  for (const auto& [mode, layout] : {std::pair{"enforce", "fixed"},
                                     {"strict", "fixed"},
                                     {"record", "random"},
                                     {"observe", "random"}}) {
    const TemporaryFolder scratch;
    ASSERT_EQ(run({SNIPPET_FOLDER "/getrandom", "plain"},
                  under_shim(scratch, {{"DETSHIM_MODE", mode}, {"DETSHIM_FINGERPRINT", "host"}}))
                  .status,
              0);
    const auto logs = read_log(scratch.log());
    ASSERT_FALSE(logs.empty()) << mode;
    EXPECT_EQ(logs[0].records.at(0)["layout"], layout) << mode;
  }
}

TEST(LayoutOption, AcceptsTwoWords) {
  const TemporaryFolder scratch;
  const Result wrong =
      run({"true"}, under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_LAYOUT", "random"}}));
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(lines(wrong.err).size(), 1u);
  EXPECT_NE(wrong.err.find("DETSHIM_LAYOUT"), std::string::npos) << wrong.err;
}

} // namespace
