// NCCL, with a double.
#include "cuda_test.h"

namespace {

struct Variable {
  std::string name, shown, value, another;
};
/// What the library sets, how the double shows it, and a value that is invalid.
const Variable variables[] = {
    {"NCCL_ALGO", "ALGO=", "Ring", "Tree"},  {"NCCL_PROTO", "PROTO=", "Simple", "^LL128"},
    {"NCCL_NVLS_ENABLE", "NVLS=", "0", "1"}, {"NCCL_COLLNET_ENABLE", "COLLNET=", "0", "2"},
    {"NCCL_WIN_ENABLE", "WIN=", "0", "1"},
};
const char* const pinned = " ALGO=Ring PROTO=Simple NVLS=0 COLLNET=0 WIN=0";
const char* const unset = " ALGO=(unset) PROTO=(unset) NVLS=(unset) COLLNET=(unset) WIN=(unset)";

/// Every way to a communicator.
const std::string makers[] = {
    "ncclGetUniqueId",          "ncclCommInitRank",    "ncclCommInitRankConfig",
    "ncclCommInitRankScalable", "ncclCommInitAll",     "ncclCommSplit",
    "ncclCommShrink",           "ncclCommGetUniqueId", "ncclCommGrow"};

class Nccl : public CudaTest {
protected:
  void SetUp() override {
    for (const Variable& variable : variables)
      unsetenv(variable.name.c_str());
    for (const char* plugin : {"NCCL_TUNER_PLUGIN", "NCCL_ENV_PLUGIN"})
      unsetenv(plugin);
    use("communicators");
  }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Nccl, both_ways, name_of_way);

TEST_P(Nccl, SettingsAreInForceBeforeTheFirstCommunicator) {
  native({});
  EXPECT_TRUE(contains(calls(), std::string{"ncclGetUniqueId"} + unset));
  for (const Environment& mode : {enforce, strict}) {
    const auto set = shimmed({}, mode);
    for (const std::string& maker : makers)
      EXPECT_TRUE(contains(calls(), maker + pinned)) << maker;
    EXPECT_FALSE(set.did("nondeterministic", "ncclGetUniqueId")) << set;
  }
}

TEST_P(Nccl, SettingsAreLeftAloneAndRecordedWhereNothingIsForced) {
  for (const Environment& mode : {record, observe}) {
    const auto left = shimmed({}, mode);
    for (const std::string& maker : makers) {
      EXPECT_TRUE(contains(calls(), maker + unset)) << maker;
      EXPECT_TRUE(left.did("nondeterministic", maker)) << left;
    }
  }
}

TEST_P(Nccl, EachSettingCanBeSwitchedOff) {
  for (const Variable& variable : variables) {
    const auto left = shimmed({}, disabled("env:" + variable.name));
    EXPECT_TRUE(contains(calls(), variable.shown + "(unset)")) << variable.name;
    EXPECT_TRUE(left.did("nondeterministic", "ncclCommInitRank")) << left;
  }
}

TEST_P(Nccl, GoodValuesOfTheUserStay) {
  const std::pair<std::string, std::string> good[] = {
      {"NCCL_ALGO", "ring"},         {"NCCL_ALGO", "RING"},       {"NCCL_ALGO", "CollNetDirect"},
      {"NCCL_ALGO", "CollnetChain"}, {"NCCL_ALGO", "^NVLS"},      {"NCCL_ALGO", "^nvls,nvlstree"},
      {"NCCL_PROTO", "LL"},          {"NCCL_PROTO", "ll128"},     {"NCCL_NVLS_ENABLE", "0"},
      {"NCCL_WIN_ENABLE", "0"},      {"NCCL_COLLNET_ENABLE", "1"}};
  for (const auto& [name, value] : good) {
    const auto stays = shimmed({}, enforce + Environment{{name, value}});
    const std::string shown = std::ranges::find_if(variables, [&wanted = name](const Variable& v) {
                                return v.name == wanted;
                              })->shown;
    EXPECT_TRUE(contains(calls(), shown + value)) << name << "=" << value;
    EXPECT_FALSE(stays.did("nondeterministic", "ncclGetUniqueId")) << stays;
  }
}

TEST_P(Nccl, OtherValuesAreReplacedAndBothAreRecorded) {
  for (const Variable& variable : variables) {
    const auto replaced = shimmed({}, enforce + Environment{{variable.name, variable.another}});
    EXPECT_TRUE(contains(calls(), std::string{"ncclCommInitRank"} + pinned)) << variable.name;
    const auto changes = replaced.start()["env"];
    ASSERT_TRUE(changes.is_array()) << replaced;
    const auto change = std::ranges::find_if(changes, [&](const nlohmann::json& c) {
      return c["name"] == variable.name;
    });
    ASSERT_NE(change, changes.end()) << replaced;
    EXPECT_EQ((*change)["was"], variable.another);
    EXPECT_EQ((*change)["now"], variable.value);
  }
  // Longer than a value that is known, and the start of one.
  for (const std::string value : {"Ring,Tree", "Rin", "allreduce:nvls", ""}) {
    shimmed({}, enforce + Environment{{"NCCL_ALGO", value}});
    EXPECT_TRUE(contains(calls(), std::string{"ncclCommInitRank"} + pinned)) << value;
  }
}

// The library set them before main; a program may set them again, or take them away.
TEST_P(Nccl, WhatTheProgramUndoesIsSetAgain) {
  for (const Variable& variable : variables)
    for (const std::string& own : {variable.name + "=" + variable.another, variable.name}) {
      const auto undone = shimmed({own});
      for (const std::string& maker : makers) {
        EXPECT_TRUE(contains(calls(), maker + pinned)) << own << " before " << maker;
        EXPECT_TRUE(undone.did("replace", maker)) << undone;
      }
    }
  for (const std::string& maker : makers) {
    shimmed({"NCCL_ALGO=Tree"}, disabled(maker));
    EXPECT_TRUE(contains(calls(), maker + " ALGO=Tree")) << maker;
  }
}

// As SGLang's deterministic mode chooses, after the library has set the protocol for all functions.
TEST_P(Nccl, AProgramThatNamesFunctionsHasTheProtocolForThem) {
  const Environment channels = {{"NCCL_MIN_NCHANNELS", "1"}, {"NCCL_MAX_NCHANNELS", "1"}};
  native({"NCCL_ALGO=allreduce:tree"}, channels);
  EXPECT_TRUE(contains(calls(), "ncclCommInitRank ALGO=allreduce:tree PROTO=(unset)"));
  const auto named = shimmed({"NCCL_ALGO=allreduce:tree"}, enforce + channels);
  for (const std::string& maker : makers)
    EXPECT_TRUE(contains(calls(), maker + " ALGO=allreduce:tree PROTO=allreduce:Simple,Simple "))
        << maker;
  EXPECT_TRUE(named.did("replace", "ncclGetUniqueId")) << named;
  EXPECT_FALSE(named.did("nondeterministic", "ncclCommInitRank")) << named;
}

TEST_P(Nccl, PluginsAreRecorded) {
  const auto none = shimmed({});
  EXPECT_FALSE(none.did("nondeterministic", "ncclCommInitRank")) << none;
  for (const std::string name : {"NCCL_TUNER_PLUGIN", "NCCL_ENV_PLUGIN"}) {
    const Environment plugin{{name, "libmine.so"}};
    const auto recorded = shimmed({}, enforce + plugin);
    EXPECT_TRUE(recorded.did("nondeterministic", "ncclCommInitRank")) << recorded;
    const auto without = shimmed({}, disabled("ncclCommInitRank") + plugin);
    EXPECT_FALSE(without.recorded("ncclCommInitRank")) << without;
  }
  // One that a file of NCCL's names is not in the environment before the first call.
  EXPECT_TRUE(
      shimmed({}, enforce + misbehaving("file")).did("nondeterministic", "ncclGetUniqueId"));
}

// They are for buffers without a window, so NCCL_WIN_ENABLE=0 is not in their way by its name
// alone.
TEST_P(Nccl, SymmetricKernelsThatAreAskedForAreTakenAway) {
  for (const auto& [name, another, value] :
       {std::array{"NCCL_SYM_NOWIN_ENABLE", "1", "0"},
        std::array{"NCCL_SYM_KERNEL", "AllReduce_AGxLL_R", ""}}) {
    const auto set_again = shimmed({std::string{name} + "=" + another});
    EXPECT_TRUE(set_again.did("replace", "ncclCommInitRank")) << set_again;
    const auto left =
        shimmed({}, disabled(std::string{"env:"} + name) + Environment{{name, another}});
    EXPECT_TRUE(left.did("nondeterministic", "ncclCommInitRank")) << left;
    const auto replaced = shimmed({}, enforce + Environment{{name, another}});
    EXPECT_FALSE(replaced.did("nondeterministic", "ncclCommInitRank")) << replaced;
    EXPECT_TRUE(std::ranges::any_of(replaced.start()["env"], [&](const nlohmann::json& c) {
      return c["name"] == name && c["was"] == another && c["now"] == value;
    })) << replaced;
  }
}

TEST_P(Nccl, WindowsAreRecordedAndRefusedInStrict) {
  const char* const function = "ncclCommWindowRegister";
  EXPECT_TRUE(contains(native({}), "window=0"));
  const std::string arrived = std::string{function} + " 0x9 10 1";
  EXPECT_TRUE(contains(calls(), arrived));

  // With NCCL_WIN_ENABLE=0 it does no harm; then the program takes that away.
  for (const Environment& mode : {enforce, strict}) {
    const auto harmless = shimmed({}, mode);
    EXPECT_TRUE(contains(calls(), arrived));
    EXPECT_TRUE(harmless.did("observe", function)) << harmless;
  }
  for (const Environment& mode : {enforce, record, observe}) {
    const auto left = shimmed({"NCCL_WIN_ENABLE"}, mode);
    EXPECT_TRUE(contains(left.out, "window=0")) << left;
    EXPECT_TRUE(contains(calls(), arrived));
    EXPECT_TRUE(left.did("nondeterministic", function)) << left;
  }
  const auto refused = shimmed({"NCCL_WIN_ENABLE"}, strict);
  EXPECT_TRUE(contains(refused.out, "window=5")) << refused;
  EXPECT_FALSE(contains(calls(), function));
  EXPECT_TRUE(refused.did("refuse", function)) << refused;
  EXPECT_TRUE(contains(shimmed({"NCCL_WIN_ENABLE"}, disabled(function) + strict).out, "window=0"));
}

TEST_P(Nccl, ReductionsAreRecordedAsTheyAre) {
  const Lines expected = native({"NCCL_ALGO=Tree"});
  const Lines expected_calls = calls();
  for (const std::string call :
       {"ncclAllReduce 0x1 0x2 3 7 0 0x4", "ncclReduce 0x1 0x2 3 7 0 1 0x4",
        "ncclReduceScatter 0x1 0x2 3 7 0 0x4"}) {
    ASSERT_TRUE(contains(expected_calls, call));
    const std::string function = call.substr(0, call.find(' '));
    for (const Environment& mode : {enforce, record, observe}) {
      const auto recorded = shimmed({"NCCL_ALGO=Tree"}, mode);
      EXPECT_EQ(recorded.out, expected);
      EXPECT_TRUE(contains(calls(), call)) << call;
      EXPECT_TRUE(recorded.did("observe", function)) << recorded;
    }
    const auto without = shimmed({"NCCL_ALGO=Tree"}, disabled(function));
    EXPECT_FALSE(without.recorded(function)) << without;
  }
  // Identifiers are passed by value, 128 bytes; the rest arrives too.
  shimmed({});
  for (const std::string call :
       {"ncclCommInitRank ranks=2 id=an id! rank=1",
        "ncclCommInitRankConfig ranks=2 id=an id! rank=1 config=1",
        "ncclCommInitRankScalable ranks=2 rank=1 ids=1 an id config=1",
        "ncclCommInitAll count=2 first=3", "ncclCommSplit color=1 key=2 config=1",
        "ncclCommShrink 3 of 1 config=1 flags=8", "ncclCommGetUniqueId 1",
        "ncclCommGrow 1 ranks=3 id=grown! rank=-1 config=1"})
    EXPECT_TRUE(contains(calls(), call)) << call;
}

// An algorithm that a call selects for itself goes before NCCL_ALGO.
TEST_P(Nccl, ASelectionOfOneReductionIsTakenAwayUnlessItAddsInOneOrder) {
  const std::pair<std::string, std::string> reductions[] = {
      {"ncclAllReduceConfig", "ncclAllReduceConfig 0x1 0x2 3 7 0 0x4 "},
      {"ncclReduceConfig", "ncclReduceConfig 0x1 0x2 3 7 0 1 0x4 "},
      {"ncclReduceScatterConfig", "ncclReduceScatterConfig 0x1 0x2 3 7 0 0x4 "}};
  for (const auto& [function, call] : reductions)
    for (const std::string prefix : {"", "p"}) {
      const auto arguments = [&](const std::string& selection) {
        Arguments all{"select=" + selection};
        if (!prefix.empty())
          all.push_back("second");
        return all;
      };
      const Lines expected = native(arguments("tree"));
      EXPECT_TRUE(contains(calls(), call + "tree"));
      for (const Environment& mode : {enforce, strict}) {
        const auto replaced = shimmed(arguments("tree"), mode);
        EXPECT_EQ(replaced.out, expected);
        EXPECT_TRUE(contains(calls(), call + "(automatic)")) << function;
        EXPECT_TRUE(replaced.did("replace", prefix + function)) << replaced;
        const auto good = shimmed(arguments("Ring"), mode);
        EXPECT_TRUE(contains(calls(), call + "Ring")) << function;
        EXPECT_TRUE(good.did("observe", prefix + function)) << good;
        EXPECT_FALSE(good.did("replace", prefix + function)) << good;
      }
      for (const Environment& mode : {record, observe}) {
        const auto left = shimmed(arguments("tree"), mode);
        EXPECT_TRUE(contains(calls(), call + "tree")) << function;
        EXPECT_TRUE(left.did("nondeterministic", prefix + function)) << left;
      }
      const auto without = shimmed(arguments("tree"), disabled(prefix + function));
      EXPECT_TRUE(contains(calls(), call + "tree")) << function;
      EXPECT_FALSE(without.recorded(prefix + function)) << without;
    }
  // One of a later NCCL is as large as it says.
  const auto large = shimmed({"select=tree", "large"});
  EXPECT_TRUE(contains(calls(), reductions[0].second + "tree"));
  EXPECT_TRUE(large.did("nondeterministic", "ncclAllReduceConfig")) << large;
  const auto failed = shimmed({"select=tree"}, enforce + misbehaving("fail_later"));
  EXPECT_FALSE(failed.recorded("ncclAllReduceConfig")) << failed;
}

TEST_P(Nccl, SecondNamesAreHookedToo) {
  const Lines expected = native({"second", "NCCL_ALGO=Tree"});
  EXPECT_TRUE(contains(calls(), "by its second name"));
  const auto set = shimmed({"second", "NCCL_ALGO=Tree"});
  EXPECT_EQ(set.out, expected);
  EXPECT_TRUE(contains(calls(), "by its second name"));
  for (const std::string& maker : makers) {
    EXPECT_TRUE(contains(calls(), maker + pinned)) << maker;
    EXPECT_TRUE(set.did("replace", "p" + maker)) << set;
    EXPECT_FALSE(set.recorded(maker)) << set;
    const auto out = shimmed({"second", "NCCL_ALGO=Tree"}, disabled("p" + maker));
    EXPECT_TRUE(contains(calls(), maker + " ALGO=Tree")) << out;
  }
  for (const std::string function :
       {"pncclAllReduce", "pncclReduce", "pncclReduceScatter", "pncclCommWindowRegister"}) {
    EXPECT_TRUE(set.did("observe", function)) << set;
    EXPECT_FALSE(shimmed({"second"}, disabled(function)).recorded(function)) << function;
  }
  EXPECT_TRUE(contains(shimmed({"second", "NCCL_WIN_ENABLE"}, strict).out, "window=5"));
}

TEST_P(Nccl, FilesOfVariablesAreRecorded) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "nccl.conf").string();
  const auto names = [](const Shimmed& run, const std::string& path) {
    return std::ranges::any_of(run.records, [&](const nlohmann::json& r) {
      return r["t"] == "call" && r["fn"] == "ncclGetUniqueId" && r["do"] == "observe" &&
             r["requested"] == path;
    });
  };
  const Environment named{{"NCCL_CONF_FILE", file}};
  EXPECT_FALSE(names(shimmed({}, enforce + named), file)) << "it is not there yet";
  std::ofstream(file) << "NCCL_DEBUG=WARN\n";
  EXPECT_TRUE(names(shimmed({}, enforce + named), file));
  EXPECT_FALSE(names(shimmed({}, disabled("ncclGetUniqueId") + named), file));
  EXPECT_EQ(names(shimmed({}), "/etc/nccl.conf"), std::filesystem::exists("/etc/nccl.conf"));
}

// Two jobs on one host with one seed must not meet under one name.
TEST_P(Nccl, UniqueNamesStayUnique) {
  const auto made = [](const Lines& out) {
    const auto found = std::ranges::find_if(out, [](const std::string& line) {
      return line.starts_with("made=");
    });
    return found == out.end() ? std::string{} : *found;
  };
  const Environment unique = misbehaving("unique id");
  const auto first = shimmed({}, enforce + unique), again = shimmed({}, enforce + unique);
  EXPECT_NE(made(first.out), "");
  EXPECT_NE(made(first.out), made(again.out));
  EXPECT_EQ(made(shimmed({}).out), made(shimmed({}).out))
      << "which without entropy is always the same";
}

TEST_P(Nccl, FailuresAreTheLibrarysOwn) {
  const Environment fail = misbehaving("fail");
  const Lines expected = native({}, fail);
  EXPECT_TRUE(contains(expected, "rank=2"));
  EXPECT_EQ(shimmed({}, enforce + fail).out, expected);
}

TEST_P(Nccl, WhatWasRefusedIsNotRecorded) {
  const Environment allowed{{"NCCL_WIN_ENABLE", "1"}}; // which registers windows in `record`
  for (const Environment& mode : {enforce, record + allowed, observe}) {
    const auto refused = shimmed({}, mode + misbehaving("fail_later"));
    const auto taken = shimmed({}, mode + misbehaving("in_progress"));
    for (const char* function :
         {"ncclAllReduce", "ncclReduce", "ncclReduceScatter", "ncclCommWindowRegister"}) {
      EXPECT_FALSE(refused.recorded(function)) << refused;
      EXPECT_TRUE(taken.recorded(function)) << taken;
    }
  }
}

TEST_P(Nccl, TheLibraryIsNamed) {
  const auto set = shimmed({"NCCL_ALGO=Tree"});
  EXPECT_TRUE(std::ranges::any_of(set.records, [](const nlohmann::json& record) {
    return record["t"] == "library" && record["lib"] == "nccl" && record["version"] == "23203";
  })) << set;
}

} // namespace
