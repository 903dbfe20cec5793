// Every snippet in every framework: equal under one seed, different under another, and different
// without the library or without its hook. A test that passes without the library proves nothing.
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace {

struct Snippet {
  std::string name;
  /// What DETSHIM_DISABLE has to name to leave the snippet as random as it is without the library:
  /// the hook that the snippet is about, and those that would make up for it.
  std::string hooks;
};

// The functions of one generator share its state, so they are hooked, and left alone, together.
const char* const random_hooks = "srand,rand,srandom,random,initstate,setstate";
const char* const drand48_hooks = "srand48,seed48,lcong48,drand48,lrand48,mrand48";

const std::vector<Snippet> snippets = {
    {"rand", random_hooks},
    {"srand", random_hooks},
    {"random", random_hooks},
    {"srandom", random_hooks},
    {"initstate", random_hooks},
    {"setstate", random_hooks},
    {"rand_r", "rand_r"},
    {"initstate_r", "initstate_r"},
    {"srandom_r", "srandom_r"},
    {"random_r", "initstate_r"},
    {"setstate_r", "initstate_r"},

    {"srand48", drand48_hooks},
    {"seed48", drand48_hooks},
    {"lcong48", drand48_hooks},
    {"drand48", drand48_hooks},
    {"lrand48", drand48_hooks},
    {"mrand48", drand48_hooks},
    {"erand48", "erand48"},
    {"nrand48", "nrand48"},
    {"jrand48", "jrand48"},
    {"srand48_r", "srand48_r"},
    {"drand48_r", "srand48_r"},
    {"lrand48_r", "srand48_r"},
    {"mrand48_r", "srand48_r"},

    {"arc4random", "arc4random"},
    {"arc4random_buf", "arc4random_buf"},
    {"arc4random_uniform", "arc4random_uniform"},
    {"getrandom", "getrandom"},
    {"getentropy", "getentropy"},
    {"syscall_getrandom", "syscall"},

    {"open", "open"},
    {"open64", "open64"},
    {"openat", "openat"},
    {"openat64", "openat64"},
    {"fopen", "fopen"},
    {"fopen64", "fopen64"},
    {"freopen", "freopen"},
    {"freopen64", "freopen64"},
    {"__open_2", "__open_2"},
    {"__open64_2", "__open64_2"},
    {"__openat_2", "__openat_2"},
    {"__openat64_2", "__openat64_2"},
    {"dev_random", "open"},
    {"uuid", "open"},
    {"urandom_large", "open,fopen"},
    {"urandom_dup", "open"},

    {"std_random_device", "_ZNSt13random_device9_M_getvalEv"},
    {"std_random_device_old_abi", "_ZNSt13random_device9_M_getvalEv"},
    {"libcxx_random_device", "_ZNSt3__113random_deviceclEv,open"},
    {"mt19937_seeded", "_ZNSt13random_device9_M_getvalEv"},
};

/// Snippets that may run in a signal handler.
const std::set<std::string> signal_safe = {"getrandom", "rand", "open"};

/// Snippets that call C++ members, which no program looks up by name.
const std::set<std::string> members = {"std_random_device", "std_random_device_old_abi",
                                       "libcxx_random_device", "mt19937_seeded"};

struct Case {
  Snippet snippet;
  std::string framework;
};

// How GoogleTest prints a case.
void PrintTo(const Case& tested, std::ostream* stream) {
  *stream << tested.snippet.name << " in " << tested.framework;
}

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const Snippet& snippet : snippets) {
    for (const char* framework : {"plain", "constructor", "thread", "fork", "exec"})
      result.push_back({snippet, framework});
    if (!members.contains(snippet.name))
      for (const char* framework : {"dlsym", "dlvsym"})
        result.push_back({snippet, framework});
    if (signal_safe.contains(snippet.name))
      result.push_back({snippet, "signal"});
  }
  return result;
}

const std::filesystem::path folder = SNIPPET_FOLDER;

/// What the snippet prints.
std::string output(const Case& tested, Environment environment) {
  Result result;
  if (tested.framework == "constructor") {
    std::string& preload = environment["LD_PRELOAD"];
    if (!preload.empty())
      preload += ":";
    preload += folder / (tested.snippet.name + ".so");
    result = run({folder / "nothing"}, environment);
  } else {
    result = run({folder / tested.snippet.name, tested.framework}, environment);
  }
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out, "");
  return result.out;
}

std::string output_under_shim(const Case& tested, const Environment& environment) {
  const TemporaryFolder scratch;
  return output(tested, under_shim(scratch, environment));
}

class Snippets : public testing::TestWithParam<Case> {};

TEST_P(Snippets, AreEqualUnderOneSeedAndDifferWithoutIt) {
  const Case& tested = GetParam();
  if (!std::filesystem::exists(folder / tested.snippet.name))
    GTEST_SKIP() << tested.snippet.name
                 << " was not built: this machine's libraries lack the source";

  EXPECT_NE(output(tested, {}), output(tested, {})) << "without the library";
  const std::string expected = output_under_shim(tested, {{"DETSHIM_SEED", "42"}});
  EXPECT_EQ(output_under_shim(tested, {{"DETSHIM_SEED", "42"}}), expected) << "seed 42 again";
  EXPECT_NE(output_under_shim(tested, {{"DETSHIM_SEED", "43"}}), expected) << "seed 43";

  const Environment disabled = {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", tested.snippet.hooks}};
  const std::string unhooked = output_under_shim(tested, disabled);
  EXPECT_NE(unhooked, expected) << "without the hook";
  EXPECT_NE(unhooked, output_under_shim(tested, disabled)) << "without the hook, twice";
}

INSTANTIATE_TEST_SUITE_P(All, Snippets, testing::ValuesIn(cases()), [](const auto& tested) {
  return tested.param.snippet.name + "_" + tested.param.framework;
});

TEST(SnippetTable, NamesEverySnippetThatWasBuilt) {
  std::set<std::string> named, built;
  for (const Snippet& snippet : snippets)
    named.insert(snippet.name + ".so");
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    if (entry.path().extension() == ".so")
      built.insert(entry.path().filename());
  EXPECT_TRUE(std::ranges::includes(named, built));
  EXPECT_GT(built.size(), 40u);
}

TEST(SnippetRandomDevice, AcceptsTheSameSourcesAsWithoutTheLibrary) {
  const auto sources = [](const std::string& text) {
    std::vector<std::string> names = lines(text);
    std::erase_if(names, [](const std::string& line) {
      return line.size() == 16;
    }); // the values
    return names;
  };
  for (const char* name : {"std_random_device", "std_random_device_old_abi"}) {
    const Case tested{{name, ""}, "plain"};
    EXPECT_EQ(sources(output_under_shim(tested, {{"DETSHIM_SEED", "42"}})),
              sources(output(tested, {})));
  }
}

} // namespace
