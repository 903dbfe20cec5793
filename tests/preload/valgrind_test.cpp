// Under valgrind's tools a program with the library says what it says without: no complaint of the
// library's own, and each of the program's.
#include "run.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

struct Tool {
  std::string name;
  std::string race; ///< what it says of one; empty where it looks for none
};
void PrintTo(const Tool& tool, std::ostream* stream) { *stream << tool.name; }

class Valgrind : public testing::TestWithParam<Tool> {
public:
  void SetUp() override {
    if (find_program("valgrind").empty())
      GTEST_SKIP() << "needs valgrind";
    if (run(under_valgrind({"true"})).status != 0)
      GTEST_SKIP() << "valgrind does not run here";
  }

  static std::vector<std::string> under_valgrind(const std::vector<std::string>& program) {
    std::vector<std::string> command = {"valgrind", "-q", "--tool=" + GetParam().name,
                                        "--suppressions=" VALGRIND_SUPPRESSIONS};
    command.insert(command.end(), program.begin(), program.end());
    return command;
  }

  static Result with_library(const std::vector<std::string>& program) {
    const TemporaryFolder scratch;
    return run(under_valgrind(program), under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  }
};

TEST_P(Valgrind, SaysNothingOfTheLibrary) {
  const Result native = run(under_valgrind({DRAWING_THREADS_PROGRAM}));
  ASSERT_EQ(native.err, "");
  EXPECT_EQ(with_library({DRAWING_THREADS_PROGRAM}), native);
}

TEST_P(Valgrind, SaysWhatItSaysOfTheProgram) {
  if (GetParam().race.empty())
    GTEST_SKIP() << "looks for no race";
  const std::vector<std::string> program = {DRAWING_THREADS_PROGRAM, "race"};
  ASSERT_NE(run(under_valgrind(program)).err.find(GetParam().race), std::string::npos);
  const std::string said = with_library(program).err;
  EXPECT_NE(said.find(GetParam().race), std::string::npos) << said;
  EXPECT_NE(said.find("drawing_threads.cpp"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(All, Valgrind,
                         testing::Values(Tool{"memcheck", ""},
                                         Tool{"helgrind", "Possible data race"},
                                         Tool{"drd", "Conflicting"}),
                         [](const auto& tested) {
                           return tested.param.name;
                         });

} // namespace
