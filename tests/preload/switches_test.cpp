// Variables of the user's that speak of determinism: which of them anybody has asked for.
#include "files.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// A program and its environment, and what is said of the one switch in them.
struct Planted {
  const char* what;
  Words program; ///< ENVIRONMENT_PROGRAM is a C program that sets variables and asks for them
  Environment environment;
  std::string name, effect;
  Words files = {};
};

void PrintTo(const Planted& planted, std::ostream* stream) { *stream << planted.what; }

Words asks(const Words& steps) {
  Words program = {ENVIRONMENT_PROGRAM};
  program.insert(program.end(), steps.begin(), steps.end());
  return program;
}

class Switches : public testing::TestWithParam<Planted> {
protected:
  Switches() {
    file("sets_one.py") << "import os\nos.environ['CUDNN_DETERMINISTIC'] = '1'\n";
    file("sets_the_hash_seed.py") << "import os\nos.environ['PYTHONHASHSEED'] = '0'\n";
    file("engine.py") << "import os\nis_fixed = os.environ.get('ENGINE_DETERMINISTIC') == '1'\n";
    file("asks_an_engine.py") << "import os\nos.environ['ENGINE_DETERMINISTIC'] = '1'\n"
                                 "import engine\nprint(engine.is_fixed)\n";
    file("asks_for_another.py") << "import os\nos.environ['ENGINE_DETERMINISTICS'] = '1'\n"
                                   "import engine\nprint(engine.is_fixed)\n";
    file("imports_the_engine.py") << "import engine\nprint(engine.is_fixed)\n";
  }

  std::ofstream file(const std::string& name) const {
    return std::ofstream(scratch_.path() / name);
  }

  Json log_of(const Words& command, const Environment& environment) const {
    const Result done = run(command, environment, scratch_.path());
    EXPECT_EQ(done.status, 0) << done.err;
    const Result log = run({DETSHIM_COMMAND, "log", "--json"}, {}, scratch_.path());
    return Json::parse(log.out, nullptr, false);
  }

  static std::optional<Json> find(const Json& log, const std::string& name) {
    for (const Json& use : log["switches"])
      if (use["name"] == name)
        return use;
    return std::nullopt;
  }

  TemporaryFolder scratch_;
};

TEST_P(Switches, AreSaidToReachOrNot) {
  Words command = {DETSHIM_COMMAND, "run", "--quiet", "--library", DETSHIM_LIBRARY, "--"};
  command.insert(command.end(), GetParam().program.begin(), GetParam().program.end());
  const Json log = log_of(command, GetParam().environment);
  const std::optional<Json> use = find(log, GetParam().name);
  ASSERT_TRUE(use) << log["switches"];
  EXPECT_EQ((*use)["effect"], GetParam().effect) << *use;
  for (const std::string& name : GetParam().files)
    EXPECT_NE((*use)["files"].dump().find(name), std::string::npos) << *use;
}

// Eight that do nothing, four that may do something.
INSTANTIATE_TEST_SUITE_P(
    Planted, Switches,
    testing::Values(Planted{"no library has it",
                            asks({"print", "HOME"}),
                            {{"NCCL_DETERMINISTIC", "1"}},
                            "NCCL_DETERMINISTIC",
                            "never_read"},
                    Planted{"no package has it",
                            {"python3", "sets_one.py"},
                            {},
                            "CUDNN_DETERMINISTIC",
                            "never_read"},
                    Planted{"Python has read it",
                            {"python3", "sets_the_hash_seed.py"},
                            {},
                            "PYTHONHASHSEED",
                            "set_late",
                            {"python"}},
                    Planted{"misspelt",
                            {"python3", "sets_one.py"},
                            {{"CUBLAS_WORKSPACE_CONFG", ":4096:8"}},
                            "CUBLAS_WORKSPACE_CONFG",
                            "misspelt"},
                    Planted{"the package asks for another",
                            {"python3", "asks_for_another.py"},
                            {},
                            "ENGINE_DETERMINISTICS",
                            "never_read"},
                    Planted{"set behind the question",
                            asks({"print", "MY_DETERMINISTIC", "setenv", "MY_DETERMINISTIC", "1"}),
                            {},
                            "MY_DETERMINISTIC",
                            "set_late"},
                    Planted{"an entry behind the question",
                            asks({"print", "MY_DETERMINISTIC", "putenv", "MY_DETERMINISTIC=1"}),
                            {},
                            "MY_DETERMINISTIC",
                            "set_late"},
                    Planted{"small letters",
                            asks({"setenv", "my_deterministic_mode", "1"}),
                            {},
                            "my_deterministic_mode",
                            "never_read"},
                    Planted{"asked for",
                            asks({"print", "MY_DETERMINISTIC"}),
                            {{"MY_DETERMINISTIC", "1"}},
                            "MY_DETERMINISTIC",
                            "read"},
                    Planted{"set and asked for",
                            asks({"setenv", "MY_DETERMINISTIC", "1", "print", "MY_DETERMINISTIC"}),
                            {},
                            "MY_DETERMINISTIC",
                            "read"},
                    Planted{"a package has it",
                            {"python3", "asks_an_engine.py"},
                            {},
                            "ENGINE_DETERMINISTIC",
                            "named",
                            {"engine"}},
                    Planted{"a package has it, of the shell",
                            {"python3", "imports_the_engine.py"},
                            {{"ENGINE_DETERMINISTIC", "1"}},
                            "ENGINE_DETERMINISTIC",
                            "named",
                            {"engine"}}));

/// There is no list of files under a bare preload.
TEST_F(Switches, OfPythonAreNotSeenUnderABarePreload) {
  file("draws.py") << "import os, random\nos.environ['CUDNN_DETERMINISTIC'] = '1'\n"
                      "print(random.random())\n";
  const Json log =
      log_of({"python3", "draws.py"}, {{"LD_PRELOAD", DETSHIM_LIBRARY}, {"DETSHIM_SEED", "42"}});
  const std::optional<Json> use = find(log, "CUDNN_DETERMINISTIC");
  ASSERT_TRUE(use) << log["switches"];
  EXPECT_EQ((*use)["effect"], "not_seen");
  EXPECT_NE((*use)["set_at"].dump().find("draws.py:2"), std::string::npos) << *use;
}

/// Those that the library sets are no switches of the user's.
TEST_F(Switches, OfTheLibraryAreNone) {
  const Json log = log_of({DETSHIM_COMMAND, "run", "--quiet", "--library", DETSHIM_LIBRARY, "--",
                           "python3", "sets_one.py"},
                          {{"TF_CUDNN_DETERMINISTIC", "1"}});
  EXPECT_EQ(log["switches"].size(), 1U) << log["switches"];
}

} // namespace
