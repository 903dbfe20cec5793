// cuBLASLt, with a double.
#include "tuning_test.h"

#include <algorithm>
#include <csignal>
#include <thread>

namespace {

class CublasLt : public TuningTest {
protected:
  void SetUp() override { use("cublaslt_matmul"); }

  void refused(const Environment& environment, const std::string& because) {
    TuningTest::refused({"64"}, environment, because);
  }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CublasLt, both_ways, name_of_way);

const Environment off{{"DETSHIM_AUTOTUNE", "off"}}, first{{"DETSHIM_AUTOTUNE", "first"}};
const std::string heuristic = "cublasLtMatmulAlgoGetHeuristic";
const std::string all_four = "64: status=0 returned=4 algos=10,11,12,13 usable=4 chosen=13 run=0";
const std::string the_first = "64: status=0 returned=1 algos=10 usable=1 chosen=10 run=0";

TEST_P(CublasLt, OneAlgorithmIsGiven) {
  EXPECT_TRUE(contains(native({"64"}), all_four));
  for (const Environment& mode : {enforce, strict}) {
    const auto given = shimmed({"64"}, mode);
    EXPECT_TRUE(contains(given.out, the_first)) << given;
    EXPECT_TRUE(given.did("replace", heuristic)) << given;
  }
  for (const std::string& what : {heuristic, std::string{"cublaslt"}})
    EXPECT_TRUE(contains(shimmed({"64"}, disabled(what)).out, all_four));
}

// The second way to a list, since cuBLAS 13.5.
TEST_P(CublasLt, OneAlgorithmIsGivenForAStream) {
  const std::string function = heuristic + "ForStream";
  EXPECT_TRUE(contains(native({"stream", "64"}), all_four));
  EXPECT_TRUE(contains(calls(), function + " requested=8 stream=0x4d"));
  for (const Environment& mode : {enforce, strict}) {
    const auto given = shimmed({"stream", "64"}, mode);
    EXPECT_TRUE(contains(given.out, the_first)) << given;
    EXPECT_TRUE(contains(calls(), function + " requested=8 stream=0x4d"));
    EXPECT_TRUE(given.did("replace", function)) << given;
    EXPECT_FALSE(given.recorded(heuristic)) << given;
  }
  const auto next = shimmed({"stream", "64"}, enforce + misbehaving("unchecked"));
  EXPECT_TRUE(contains(next.out, "64: status=0 returned=1 algos=11 usable=1 chosen=11")) << next;
  EXPECT_TRUE(contains(calls(), "cublasLtMatmulAlgoCheckForStream"));
  for (const Environment& mode : {record, observe, enforce + off})
    EXPECT_TRUE(shimmed({"stream", "64"}, mode).did("nondeterministic", function));
  EXPECT_TRUE(contains(shimmed({"stream", "64"}, disabled(function)).out, all_four));
  // What one list has chosen, the other finds.
  shimmed({"stream", "64"}, recording() + fastest("12"));
  EXPECT_TRUE(contains(shimmed({"64"}, replaying()).out,
                       "64: status=0 returned=1 algos=12 usable=1 chosen=12 run=0"));
}

// Products that differ in an attribute of theirs alone have a choice each.
TEST_P(CublasLt, LaterAttributesAreOfTheProblemsName) {
  for (const std::string attribute : {"grouped", "strides"}) {
    std::filesystem::remove(file_);
    shimmed({"64", attribute, "64"}, recording() + fastest("12"));
    EXPECT_EQ(choices().size(), 2U) << attribute;
  }
  std::filesystem::remove(file_);
  shimmed({"64", "64"}, recording() + fastest("12"));
  EXPECT_EQ(choices().size(), 1U);
}

TEST_P(CublasLt, AProductsReductionIsRecorded) {
  using Schemes = std::set<std::string>;
  const auto schemes = [](const Shimmed& run) {
    return values(run, "cublasLtMatmul", "reduction");
  };
  EXPECT_EQ(schemes(shimmed({"64"})), Schemes{"none"});
  EXPECT_EQ(schemes(shimmed({"64"}, enforce + misbehaving("bad_first"))), Schemes{"compute type"});
  EXPECT_EQ(schemes(shimmed({"64"}, enforce + off)), (Schemes{"compute type", "none"}));
  EXPECT_EQ(schemes(shimmed({"64", "null"})), (Schemes{"", "none"}));
}

TEST_P(CublasLt, TheFirstThatWorksIsGiven) {
  const auto given = shimmed({"64"}, enforce + misbehaving("bad_first"));
  EXPECT_TRUE(contains(given.out, "64: status=0 returned=1 algos=11 usable=1 chosen=11")) << given;
  const auto none = shimmed({"64"}, enforce + misbehaving("all_bad"));
  EXPECT_EQ(none.out, native({"64"}, misbehaving("all_bad"))) << none;
}

TEST_P(CublasLt, ListsAreLeftAloneAndRecorded) {
  for (const Environment& mode :
       {record, record + first, observe, observe + first, enforce + off}) {
    const auto left = shimmed({"64"}, mode);
    EXPECT_TRUE(contains(left.out, all_four)) << left;
    EXPECT_TRUE(left.did("nondeterministic", heuristic)) << left;
  }
}

TEST_P(CublasLt, FailuresAndShortListsPass) {
  for (const std::string how : {"fail", "fewer"}) {
    const auto passed = shimmed({"64", "ids"}, enforce + misbehaving(how));
    EXPECT_EQ(passed.out, how == "fail" ? native({"64", "ids"}, misbehaving(how)) : passed.out);
    EXPECT_TRUE(contains(passed.out, how == "fail" ? "64: status=1 returned=-1" : the_first))
        << passed;
  }
  const auto one = shimmed({"one", "64"});
  EXPECT_TRUE(contains(one.out, the_first)) << one;
  EXPECT_FALSE(one.recorded(heuristic)) << one;
}

TEST_P(CublasLt, TheOneThatIsGivenFitsAndIsTaken) {
  for (const auto& [arguments, how] : {std::pair{Arguments{"64"}, "unchecked"},
                                       std::pair{Arguments{"limit=20000", "64"}, "over_limit"}}) {
    const auto given = shimmed(arguments, enforce + misbehaving(how));
    EXPECT_TRUE(contains(given.out, "64: status=0 returned=1 algos=11 usable=1 chosen=11"))
        << how << given;
  }
  EXPECT_TRUE(contains(shimmed({"limit=20000", "64"}).out, the_first));
}

TEST_P(CublasLt, NumbersAreTheLibrarysOwn) {
  for (const Environment& mode : {enforce, strict, record, observe, enforce + off, recording()}) {
    const auto left = shimmed({"64", "ids"}, mode);
    EXPECT_TRUE(contains(left.out, "ids: status=0 returned=3 first=20")) << left;
    EXPECT_TRUE(left.did("nondeterministic", "cublasLtMatmulAlgoGetIds")) << left;
    EXPECT_FALSE(left.did("replace", "cublasLtMatmulAlgoGetIds")) << left;
  }
}

/// The tiles of the products that ran, in their order.
Lines tiles(const Lines& calls) {
  Lines result;
  for (const std::string& line : calls)
    if (const size_t at = line.find(" tile="); at != line.npos)
      result.push_back(line.substr(at + 6));
  return result;
}

// As NVIDIA's samples do: what the program times it chooses, and that is recorded.
TEST_P(CublasLt, ConfiguredAlgorithmsAreRecorded) {
  const Lines all = native({"find=256"}, fastest("128"));
  EXPECT_EQ(all, Lines{"find: status=0 ran=6 run=0"});
  for (const Environment& mode : {enforce, strict, record, observe, enforce + off}) {
    const auto left = shimmed({"find=256"}, mode + fastest("128"));
    EXPECT_EQ(left.out, all) << left;
    EXPECT_EQ(tiles(calls()), (Lines{"64", "128", "256", "64", "128", "256", "128"}));
    EXPECT_TRUE(left.did("nondeterministic", "cublasLtMatmulAlgoConfigSetAttribute")) << left;
  }
}

TEST_P(CublasLt, AFailingProductIsNotReplaced) {
  const auto failed = shimmed({"64", "find=256"}, enforce + misbehaving("fail"));
  EXPECT_EQ(failed.out, native({"64", "find=256"}, misbehaving("fail")));
  EXPECT_FALSE(failed.recorded("cublasLtMatmul")) << failed;
}

TEST_P(CublasLt, ProductsAndConfigurationsAreRecorded) {
  // A record that only observes makes no log: the list's record comes first.
  const auto run = shimmed({"64", "null", "config"});
  EXPECT_TRUE(run.did("observe", "cublasLtMatmul")) << run;
  const auto algorithms = values(run, "cublasLtMatmul", "algorithm");
  EXPECT_EQ(algorithms.size(), 2u) << run;
  EXPECT_TRUE(algorithms.contains("")) << "the library's choice";
  EXPECT_EQ(values(run, "cublasLtMatmulAlgoConfigSetAttribute", "attribute"),
            (std::set<std::string>{"2"}));
  EXPECT_EQ(values(run, "cublasLtMatmulAlgoConfigSetAttribute", "value"),
            (std::set<std::string>{"4"}));
  // The same algorithm has the same fingerprint in every run, another has another.
  EXPECT_EQ(values(shimmed({"64", "null"}), "cublasLtMatmul", "algorithm"), algorithms);
  EXPECT_EQ(values(shimmed({"64"}, enforce + off), "cublasLtMatmul", "algorithm").size(), 4u);
  for (const std::string what : {"cublasLtMatmul", "cublasLtMatmulAlgoConfigSetAttribute"})
    EXPECT_FALSE(shimmed({"64", "config"}, disabled(what)).recorded(what)) << what;
}

TEST_P(CublasLt, AVersionWithoutAFunctionServes) {
  set_doubles({"old"});
  const auto given = shimmed({"64"});
  EXPECT_TRUE(contains(given.out, the_first)) << given;
}

// ---- recorded tuning ----

TEST_P(CublasLt, WhatTheProgramChoseIsGivenAgain) {
  const auto recorded = shimmed({"64", "128"}, recording() + fastest("12"));
  EXPECT_TRUE(
      contains(recorded.out, "64: status=0 returned=4 algos=10,11,12,13 usable=4 chosen=12"))
      << recorded;
  EXPECT_TRUE(recorded.did("nondeterministic", heuristic)) << recorded;
  ASSERT_EQ(choices().size(), 2u) << text();
  for (const auto& choice : choices()) {
    EXPECT_EQ(choice["device"], "Double A");
    EXPECT_EQ(choice["library"], "cublaslt");
    EXPECT_EQ(choice["version"], "13.1.0");
    EXPECT_EQ(choice["operation"], "matmul");
    EXPECT_TRUE(choice["choice"].get<std::string>().starts_with("000000000000000c ")) << choice;
    EXPECT_TRUE(choice["choice"].get<std::string>().ends_with(" workspace 12288")) << choice;
  }
  const std::string before = text();
  // The program would take another one by now; the list may come in another order.
  for (const std::string how : {"", "shuffle", "shuffle"}) {
    const auto replayed = shimmed({"64", "128"}, replaying() + fastest("10") + misbehaving(how));
    EXPECT_TRUE(contains(replayed.out, "64: status=0 returned=1 algos=12 usable=1 chosen=12 run=0"))
        << replayed;
    EXPECT_TRUE(contains(replayed.out, "128: status=0 returned=1 algos=12")) << replayed;
    EXPECT_TRUE(replayed.did("replace", heuristic)) << replayed;
  }
  EXPECT_EQ(text(), before);
  const auto out = replaying() + fastest("10") + Environment{{"DETSHIM_DISABLE", heuristic}};
  EXPECT_TRUE(
      contains(shimmed({"64"}, out).out, "returned=4 algos=10,11,12,13 usable=4 chosen=10"));
}

TEST_P(CublasLt, TheLastUseIsTheChoice) {
  shimmed({"64"}, recording() + fastest("11"));
  shimmed({"64"}, recording() + fastest("12"));
  EXPECT_TRUE(contains(shimmed({"64"}, replaying()).out, "algos=12 "));
  ASSERT_EQ(choices().size(), 1u) << text();
}

TEST_P(CublasLt, ModesThatChangeNothingKeepButDoNotReplay) {
  for (const std::string mode : {"observe", "record"}) {
    const Environment watching{{"DETSHIM_MODE", mode}};
    std::filesystem::remove(file_);
    shimmed({"64"}, recording() + watching + fastest("12"));
    EXPECT_TRUE(contains(shimmed({"64"}, replaying()).out, "algos=12 "));
    EXPECT_TRUE(contains(shimmed({"64"}, replaying() + watching).out, all_four));
  }
}

TEST_P(CublasLt, NothingIsKeptWhereTheHookIsOut) {
  shimmed({"64"}, recording() + Environment{{"DETSHIM_DISABLE", "cublasLtMatmul"}});
  EXPECT_EQ(text(), "");
  shimmed({"64"}, recording() + Environment{{"DETSHIM_DISABLE", heuristic}});
  EXPECT_EQ(text(), "");
  shimmed({"one", "64", "null"}, recording()); // no search
  EXPECT_EQ(text(), "");
}

TEST_P(CublasLt, WhatIsNotKeptIsAnsweredByTheFirst) {
  shimmed({"64"}, recording() + fastest("12"));
  const auto missing = shimmed({"256"}, replaying());
  EXPECT_TRUE(contains(missing.out, "256: status=0 returned=1 algos=10 ")) << missing;
  EXPECT_TRUE(missing.did("replace", heuristic)) << missing;
  const auto dropped = shimmed({"64"}, replaying() + misbehaving("dropped"));
  EXPECT_TRUE(contains(dropped.out, "64: status=0 returned=1 algos=50 ")) << dropped;
  EXPECT_EQ(values(missing, heuristic, "why"), (std::set<std::string>{"not_in_tuning_file"}));
  EXPECT_EQ(values(dropped, heuristic, "why"), (std::set<std::string>{"kept_choice_not_offered"}));
}

TEST_P(CublasLt, AKilledRunLeavesWhatItChose) {
  const auto killed = ended({"64", "kill"}, recording() + fastest("12"), 128 + SIGKILL);
  EXPECT_TRUE(contains(killed.out, "chosen=12")) << killed;
  EXPECT_TRUE(contains(shimmed({"64"}, replaying()).out, "algos=12 "));
}

TEST_P(CublasLt, AForkedChildKeepsItsOwn) {
  const auto run = shimmed({"64", "fork", "128"}, recording() + fastest("12"));
  EXPECT_EQ(choices().size(), 2u) << run << text();
  const auto replayed = shimmed({"64", "fork", "128"}, replaying());
  EXPECT_TRUE(contains(replayed.out, "64: status=0 returned=1 algos=12 ")) << replayed;
  EXPECT_TRUE(contains(replayed.out, "128: status=0 returned=1 algos=12 ")) << replayed;
}

// Ranks that end at the same time.
TEST_P(CublasLt, SeveralRanksShareTheFile) {
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 8; ++rank)
    ranks.emplace_back([this, rank] {
      shimmed({std::to_string(100 + rank)}, recording());
    });
  for (std::thread& rank : ranks)
    rank.join();
  EXPECT_EQ(choices().size(), 8u) << text();
}

TEST_P(CublasLt, AFileOfAnotherDeviceIsRefused) {
  shimmed({"64"}, recording());
  const Environment other{{"DOUBLE_DEVICE", "Double B"}};
  refused(replaying() + other, "is from the device \"Double A\"");
  refused(recording() + other, "is from the device \"Double A\"");
}

TEST_P(CublasLt, AFileOfAnotherVersionIsRefused) {
  shimmed({"64"}, recording());
  set_doubles({"old"});
  refused(replaying(), "is from cublaslt 13.1.0; accepted is one from 12.9.1");
  refused(recording(), "is from cublaslt 13.1.0; accepted is one from 12.9.1");
}

TEST_P(CublasLt, ADamagedFileIsRefused) {
  refused(replaying(), "does not exist");
  shimmed({"64"}, recording());
  const std::string good = text(); // a line for each choice
  const auto lines = std::count(good.begin(), good.end(), '\n');
  for (const auto& mode : {recording(), replaying()}) {
    std::string edited = good;
    edited[edited.find("matmul")] = 'M';
    put(good + edited);
    refused(mode, "is damaged in line " + std::to_string(lines + 1));
    std::string later = good;
    later.replace(later.find(": 2,"), 4, ": 3,");
    put(later);
    refused(mode, "has format 3; accepted is format 2");
    EXPECT_EQ(text(), later) << "left as it is";
  }
  put(good.substr(0, good.size() -
                         9)); // while it is recorded, another rank may be in the middle of it
  refused(replaying(), "is damaged in line " + std::to_string(lines));
  put("");
  refused(replaying(), "holds no choice");
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  for (const auto& mode : {recording(), replaying()})
    refused(mode, "cannot be read (Invalid argument)");
  file_ = (tuning_.path() / "none" / "tuning.json").string();
  refused(recording(), "cannot be written (No such file or directory)");
}

TEST_P(CublasLt, AutotuneOfCublasIsNotReplayed) {
  use("cublas_gemm");
  const auto left = shimmed({"ex:68:999"}, recording());
  EXPECT_TRUE(contains(calls(), "cublasGemmEx k=5 ldc=7 batches=1 compute=68 algo=999"));
  EXPECT_TRUE(left.did("nondeterministic", "cublasGemmEx")) << left;
  const auto replaced = shimmed({"ex:68:999"}, replaying());
  EXPECT_TRUE(contains(calls(), "cublasGemmEx k=5 ldc=7 batches=1 compute=68 algo=-1"));
  EXPECT_TRUE(replaced.did("replace", "cublasGemmEx")) << replaced;
}

TEST_P(CublasLt, VariablesOfTheUserAreRecorded) {
  for (const auto& [name, value, action] :
       {std::tuple{"CUBLAS_EMULATE_DOUBLE_PRECISION", "1", "nondeterministic"},
        std::tuple{"CUBLASLT_HEURISTICS_LUT_FILE", "table", "observe"}}) {
    const Environment set{{name, value}};
    const auto recorded = shimmed({"1"}, enforce + set);
    EXPECT_TRUE(recorded.did(action, "cublasLtCreate")) << recorded;
    EXPECT_FALSE(shimmed({"1"}, disabled("cublasLtCreate") + set).recorded("cublasLtCreate"));
  }
  EXPECT_FALSE(shimmed({"1"}).recorded("cublasLtCreate"));
  const Environment emulated{{"CUBLAS_EMULATE_DOUBLE_PRECISION", "1"}};
  const auto refused = shimmed({"1"}, enforce + emulated + misbehaving("no_handle"));
  EXPECT_FALSE(refused.recorded("cublasLtCreate")) << refused;
}

} // namespace
