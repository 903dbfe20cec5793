// What the real libraries answer to calls that are none: the same with the shim, in every mode. No device is
// needed, because none of these calls comes so far.
#include "bad_arguments_of.h"
#include "cuda_test.h"

namespace {

struct Library {
  const char* name; ///< in the table of hooks
  const char* file;
};

class BadArguments : public testing::TestWithParam<Library> {
protected:
  /// The functions of the library that are hooked.
  static Arguments functions() {
    Arguments result;
    bool is_here = false;
    for (const std::string& line : lines(run({DETSHIM_COMMAND, "hooks", "--markdown"}, {}).out)) {
      if (line.starts_with("## ")) is_here = line == std::string{"## "} + GetParam().name;
      if (is_here && line.starts_with("| `")) result.push_back(line.substr(3, line.find('`', 3) - 3));
    }
    // It returns nothing.
    std::erase(result, "__cudaRegisterFunction");
    return result;
  }

  static Lines answers(const std::string& fill, const Environment& environment) {
    Arguments program{DETSHIM_TEST_PROGRAMS "/bad_arguments", GetParam().file, fill};
    for (const std::string& function : functions()) program.push_back(function);
    const Result result =
        run(program, environment + Environment{{"LD_LIBRARY_PATH", DETSHIM_TEST_CUDA_FOLDERS}});
    EXPECT_EQ(result.status, 0) << result.out;
    return lines(result.out);
  }
};

TEST_P(BadArguments, AreAnsweredAsWithoutTheLibrary) {
  const Lines expected = answers("0", {}), other = answers("85", {});
  ASSERT_EQ(expected.size(), other.size());
  ASSERT_GT(expected.size(), 10U);
  for (const Environment& mode : {enforce, strict, observe}) {
    const TemporaryFolder scratch;
    const Lines got = answers("0", under_shim(scratch, mode));
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      if (expected[i] == other[i]) {
        EXPECT_EQ(got[i], expected[i]);
      }
  }
}

std::string name_of_library(const testing::TestParamInfo<Library>& info) { return info.param.name; }
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BadArguments);
#ifdef DETSHIM_TEST_BAD_ARGUMENTS
const Library libraries[] = {DETSHIM_TEST_BAD_ARGUMENTS};
INSTANTIATE_TEST_SUITE_P(Cuda, BadArguments, testing::ValuesIn(libraries), name_of_library);
#endif

// Descriptors that are good ones, and no handle: a function that is asked in the place of another one may
// look at less.
class CudnnBadCalls : public CudaTest {
protected:
  void SetUp() override {
#ifdef DETSHIM_TEST_CUDNN
    use("cudnn_bad_calls", DETSHIM_TEST_CUDNN, "");
#else
    use("cudnn_bad_calls", nullptr,
        "the real cuDNN (9.8 or later) was not found when the build was configured");
#endif
  }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnBadCalls, both_ways, name_of_way);

TEST_P(CudnnBadCalls, AreAnsweredAsWithoutTheLibrary) {
  const Lines expected = native({});
  ASSERT_GT(expected.size(), 100U);
  EXPECT_TRUE(contains(expected, "cudnnFindConvolutionForwardAlgorithm without 0: status 2000"));
  for (const Environment& mode : {enforce, strict, record, observe})
    EXPECT_EQ(shimmed({}, mode).out, expected);
}

} // namespace
