// The library stands on libc, and not on what a program or a sanitizer calls by libc's names: those
// go on as natively.
#include "run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace {

const char* const all_modes[] = {"enforce", "record", "observe", "strict"};

Result run_in_mode(const std::vector<std::string>& command, const std::string& mode,
                   const Environment& more = {}) {
  const TemporaryFolder scratch;
  Environment environment{{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", mode}};
  for (const auto& [name, value] : more)
    environment[name] = value;
  return run(command, under_shim(scratch, environment));
}

TEST(BorrowedNames, OfTheProgramAreNotCalled) {
  const std::vector<std::string> command{OWN_NAMES_PROGRAM};
  const Result native = run(command);
  ASSERT_EQ(native.status, 0) << native.err;
  EXPECT_NE(run(command).out, native.out) << "without the library";
  for (const char* mode : all_modes)
    for (const char* fingerprint : {"off", "host"}) {
      const Result result = run_in_mode(command, mode, {{"DETSHIM_FINGERPRINT", fingerprint}});
      EXPECT_EQ(result.status, 0) << mode << ": " << result.err;
      EXPECT_EQ(result.err, "") << mode;
    }
  EXPECT_EQ(run_in_mode(command, "enforce").out, run_in_mode(command, "enforce").out);
}

TEST(ProtectedConstants, AreNotRead) {
  for (const char* way : {"protected", "unmapped"}) {
    const std::vector<std::string> command{PROTECTED_CONSTANTS_PROGRAM, way};
    const Result native = run(command);
    ASSERT_EQ(native.status, 0) << native.err;
    EXPECT_NE(run(command).out, native.out) << "without the library";
    for (const char* mode : all_modes) {
      const Result result = run_in_mode(command, mode);
      EXPECT_EQ(result.status, 0) << way << " in " << mode << ": " << result.err;
    }
    EXPECT_EQ(run_in_mode(command, "enforce").out, run_in_mode(command, "enforce").out) << way;
  }
}

/// All snippets in one program, built by a compiler with one of its sanitizers.
struct Sanitizer {
  const char* name;
  Environment options; ///< what the sanitizer wants beside a preload
};

// gcc's AddressSanitizer is a library that wants to be the first; ThreadSanitizer of these
// compilers does not know the layout of addresses that newer kernels have, and starts itself anew
// without it.
const Environment in_any_order{{"ASAN_OPTIONS", "verify_asan_link_order=0"}};
const std::vector<Sanitizer> sanitizers = {
    {"gcc_address", in_any_order},
    {"gcc_thread", {}},
    {"gcc_undefined", {}},
    {"gcc_leak", {}},
    {"clang_address", {}},
    {"clang_memory", {}},
    {"clang_thread", {}},
    {"clang_undefined", {}},
    {"clang_leak", {}},
};

class Sanitizers : public testing::TestWithParam<Sanitizer> {
protected:
  std::vector<std::string> command(const char* framework) const {
    std::vector<std::string> words;
    if (std::string{GetParam().name}.find("thread") != std::string::npos)
      words = {"setarch", "-R"};
    words.push_back(program());
    words.push_back(framework);
    return words;
  }
  std::string program() const {
    return std::string{SNIPPET_FOLDER "/sanitized/"} + GetParam().name;
  }
  Result run_under_shim(const char* framework, const char* mode) const {
    return run_in_mode(command(framework), mode, GetParam().options);
  }
};

TEST_P(Sanitizers, FindInEachSnippetWhatTheyFindNatively) {
  if (!std::filesystem::exists(program()))
    GTEST_SKIP() << "not built: " << program();
  for (const char* framework : {"plain", "thread", "fork"}) {
    const Result native = run(command(framework), GetParam().options);
    if (native.status != 0)
      GTEST_SKIP() << "natively: " << native.err;
    for (const char* mode : all_modes) {
      const Result result = run_under_shim(framework, mode);
      EXPECT_EQ(result.status, 0) << framework << " in " << mode;
      EXPECT_EQ(result.err, native.err) << framework << " in " << mode;
      EXPECT_EQ(lines(result.out).size(), lines(native.out).size()) << framework << " in " << mode;
    }
    const Result pinned = run_under_shim(framework, "enforce");
    EXPECT_EQ(run_under_shim(framework, "enforce").out, pinned.out) << framework;
    EXPECT_NE(pinned.out, native.out) << framework << ": nothing was pinned";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sanitizers, testing::ValuesIn(sanitizers), [](const auto& tested) {
  return std::string{tested.param.name};
});

} // namespace
