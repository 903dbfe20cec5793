// What a real library answers to invalid calls: the same with the shim, in every mode. No device is
// needed, because none of these calls comes so far. Built into the tests of each library
// (add_bad_arguments).
#include "cuda_test.h"

#include <algorithm>
#include <sstream>

namespace {

struct Library {
  std::string name; ///< in the table of hooks
  std::string file;
};

/// From the build: NAME:FILE, separated by spaces.
std::vector<Library> libraries() {
  std::vector<Library> result;
  std::istringstream rows(DETSHIM_TEST_BAD_ARGUMENTS);
  for (std::string row; rows >> row;) {
    const size_t colon = row.find(':');
    result.push_back({row.substr(0, colon), row.substr(colon + 1)});
  }
  return result;
}

class BadArguments : public testing::TestWithParam<Library> {
protected:
  /// The functions of the library that are hooked.
  static Arguments functions() {
    Arguments result;
    for (const std::string& line : lines(run({DETSHIM_COMMAND, "hooks"}, {}).out)) {
      std::istringstream words(line);
      std::string library, function;
      if (words >> library >> function && library == GetParam().name)
        result.push_back(function);
    }
    // It returns nothing.
    std::erase(result, "__cudaRegisterFunction");
    return result;
  }

  static Lines answers(const std::string& fill, const Environment& environment) {
    Arguments program{DETSHIM_TEST_BAD_ARGUMENTS_PROGRAM, GetParam().file, fill};
    for (const std::string& function : functions())
      program.push_back(function);
    const Result result =
        run(program, environment + Environment{{"LD_LIBRARY_PATH", DETSHIM_TEST_CUDA_FOLDERS}});
    EXPECT_EQ(result.status, 0) << result.out;
    return lines(result.out);
  }
};

TEST_P(BadArguments, AreAnsweredAsWithoutTheLibrary) {
  // What a function reads from memory that it has not written decides some of the answers: each
  // stands beside all that were given without the shim, and where two runs of those differ, it is
  // not compared.
  std::vector<Lines> native = {answers("0", {}), answers("85", {})};
  ASSERT_EQ(native[0].size(), native[1].size());
  ASSERT_GT(native[0].size(), 10U);
  for (const Environment& mode : {enforce, strict, observe}) {
    const TemporaryFolder scratch;
    const Lines got = answers("0", under_shim(scratch, mode));
    ASSERT_EQ(got.size(), native[0].size());
    const auto differing = [&] {
      Lines result;
      for (size_t i = 0; i < got.size(); ++i)
        if (std::ranges::all_of(native,
                                [&](const Lines& one) {
                                  return one[i] == native[0][i];
                                }) &&
            got[i] != native[0][i])
          result.push_back(got[i] + " instead of " + native[0][i]);
      return result;
    };
    // A rare one shows in more runs.
    for (int more = 0; more < 5 && !differing().empty(); ++more) {
      native.push_back(answers(more % 2 == 0 ? "0" : "255", {}));
      ASSERT_EQ(native.back().size(), native[0].size());
    }
    EXPECT_EQ(differing(), Lines{});
  }
}

std::string name_of_library(const testing::TestParamInfo<Library>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Cuda, BadArguments, testing::ValuesIn(libraries()), name_of_library);

} // namespace
