// cuDNN's legacy API, with a double.
#include "cudnn_test.h"

namespace {

// ---- cuDNN's search for an algorithm, a double ----

class CudnnSearch : public CudaTest {
protected:
  void SetUp() override { use("find_algorithms"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnSearch, both_ways, name_of_way);

const char* const enough = "16";      // entries: more than the double has candidates
const char* const ample = "10000000"; // bytes of workspace: more than any candidate wants

std::string symbol(const std::string& search, const std::string& pass) {
  const std::string name = pass == "forward" ? "Forward"
                           : pass == "data"  ? "BackwardData"
                                             : "BackwardFilter";
  return (search == "get" ? "cudnnGetConvolution" : "cudnnFindConvolution") + name +
         (search == "get"      ? "Algorithm_v7"
          : search == "findex" ? "AlgorithmEx"
                               : "Algorithm");
}

/// The entries of an answer, without its first line.

Lines usable(Lines all) {
  std::erase_if(all, [](const std::string& entry) {
    return entry.find(" status=0 determinism=1 ") == entry.npos;
  });
  return all;
}

Lines sorted(Lines all) {
  std::ranges::sort(all);
  return all;
}

int number_in(const std::string& entry, const std::string& name) {
  return std::atoi(entry.c_str() + entry.find(name + "=") + name.size() + 1);
}

TEST_P(CudnnSearch, TimingGivesAnotherOrderEachTimeWithoutTheLibrary) {
  for (const std::string& pass : passes) {
    std::set<Lines> orders;
    for (int i = 0; i < 6; ++i)
      orders.insert(native({"find", pass, enough}));
    EXPECT_GT(orders.size(), 1U) << pass;
  }
}

TEST_P(CudnnSearch, OnlyDeterministicAlgorithmsInAStableOrder) {
  for (const std::string& pass : passes) {
    for (const std::string search : {"find", "findex", "get"}) {
      SCOPED_TRACE(search + " " + pass);
      const Arguments program{search, pass, enough, ample};
      const auto found = shimmed(program);
      EXPECT_FALSE(configs(found.out).empty()) << found;
      EXPECT_EQ(usable(configs(found.out)), configs(found.out)) << found;
      EXPECT_EQ(sorted(configs(found.out)), sorted(usable(configs(native(program)))));
      EXPECT_TRUE(found.did("replace", symbol(search, pass))) << found;
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(shimmed(program).out, found.out);
    }
  }
}

TEST_P(CudnnSearch, TheHeuristicsRankingIsKept) {
  for (const std::string& pass : passes) {
    const Arguments program{"get", pass, enough};
    EXPECT_EQ(configs(shimmed(program).out), usable(configs(native(program)))) << pass;
  }
}

TEST_P(CudnnSearch, NeverMoreThanTheCallersArray) {
  for (const std::string& pass : passes) {
    for (const std::string search : {"find", "findex", "get"}) {
      for (const std::string room : {"1", "2", "3"}) {
        SCOPED_TRACE(search + " " + pass + " " + room);
        const auto found = shimmed({search, pass, room, ample});
        // As many as there is room for, although the heuristic may rank nondeterministic ones
        // first.
        EXPECT_TRUE(contains(found.out, "status=0 returned=" + room)) << found;
        EXPECT_EQ(usable(configs(found.out)).size(), static_cast<size_t>(std::stoi(room))) << found;
        EXPECT_FALSE(contains(found.out, "written beyond")) << found;
      }
    }
  }
}

TEST_P(CudnnSearch, NothingIsTimed) {
  for (const std::string& pass : passes) {
    for (const std::string search : {"find", "findex"}) {
      SCOPED_TRACE(search + " " + pass);
      const Arguments program{search, pass, enough, ample};
      shimmed(program);
      EXPECT_FALSE(contains(calls(), "cudnnFind"));
      EXPECT_TRUE(contains(calls(), symbol("get", pass) + " 0xa 0xb 0xc 0xd "));
      native(program);
      EXPECT_TRUE(contains(calls(), symbol(search, pass) + " 0xa 0xb 0xc 0xd "));
    }
  }
}

TEST_P(CudnnSearch, AlgorithmsFitTheGivenWorkspace) {
  for (const std::string& pass : passes) {
    const Lines found = configs(shimmed({"findex", pass, enough, "65536"}).out);
    EXPECT_FALSE(found.empty());
    for (const std::string& entry : found)
      EXPECT_LE(number_in(entry, "memory"), 65536) << entry;
    EXPECT_GT(configs(shimmed({"findex", pass, enough, ample}).out).size(), found.size());
  }
}

TEST_P(CudnnSearch, NothingDeterministicGoesAheadAndIsRecorded) {
  const Environment only = misbehaving("only_nondeterministic");
  const Arguments get{"get", "filter", enough};
  const auto went_ahead = shimmed(get, enforce + only);
  EXPECT_EQ(went_ahead.out, native(get, only));
  EXPECT_TRUE(went_ahead.did("nondeterministic", symbol("get", "filter"))) << went_ahead;

  for (const std::string search : {"find", "findex"}) {
    const auto found = shimmed({search, "filter", enough, ample}, enforce + only);
    EXPECT_EQ(found.out.front(), native({search, "filter", enough, ample}, only).front());
    EXPECT_TRUE(found.did("nondeterministic", symbol(search, "filter"))) << found;
  }
}

// What does not run is in the library's own list too, with its status; times are there where it
// runs alone.
TEST_P(CudnnSearch, WhereNothingServesTheLibrarysOwnEntriesAreGiven) {
  struct Case {
    std::string workspace, misbehaviour;
  };
  for (const auto& [workspace, how] :
       {Case{"4096", ""}, Case{"0", ""}, Case{ample, "only_nondeterministic"}})
    for (const std::string pass : {"data", "filter"}) {
      SCOPED_TRACE(pass + " " + workspace + " " + how);
      const Environment poorly = misbehaving(how);
      const Arguments program{"findex", pass, enough, workspace, "times"};
      const auto found = shimmed(program, enforce + poorly);
      const auto without_times = [](Lines all) {
        std::erase_if(all, [](const std::string& line) {
          return line.starts_with("time=");
        });
        return sorted(all);
      };
      EXPECT_EQ(without_times(found.out), without_times(native(program, poorly)));
      EXPECT_TRUE(found.did("nondeterministic", symbol("findex", pass))) << found;
      for (size_t i = 2; i < found.out.size(); i += 2)
        EXPECT_EQ(found.out[i - 1].find(" status=0 ") != std::string::npos,
                  std::stof(found.out[i].substr(5)) > 0)
            << found;
      EXPECT_EQ(shimmed(program, enforce + poorly).out, found.out);
    }
}

std::vector<float> times(const Lines& out) {
  std::vector<float> result;
  for (const std::string& line : out)
    if (line.starts_with("time="))
      result.push_back(std::stof(line.substr(5)));
  return result;
}

// So that a program that sorts by them keeps the order.
TEST_P(CudnnSearch, TimesRiseAndAreTheSameInEveryRun) {
  for (const std::string& pass : passes)
    for (const std::string search : {"find", "findex"}) {
      SCOPED_TRACE(search + " " + pass);
      const Arguments program{search, pass, enough, ample, "times"};
      const auto found = times(shimmed(program).out);
      ASSERT_GT(found.size(), 1U);
      EXPECT_GT(found.front(), 0);
      EXPECT_TRUE(std::ranges::is_sorted(found, std::ranges::less_equal{}));
      EXPECT_EQ(times(shimmed(program).out), found);
    }
}

// The tuning file keeps no order of these searches.
TEST_P(CudnnSearch, OffAndRecordLeaveTheTimedOrderOfDeterministicAlgorithms) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "tuning.json").string();
  for (const std::string way : {"off", "record"}) {
    const Environment tuning{{"DETSHIM_AUTOTUNE", way == "off" ? way : "record:" + file}};
    std::set<Lines> orders;
    for (int i = 0; i < 6; ++i) {
      const auto run = shimmed({"find", "filter", enough}, enforce + tuning);
      EXPECT_FALSE(contains(run.out, "determinism=0")) << run;
      EXPECT_TRUE(run.did("nondeterministic", symbol("find", "filter"))) << run;
      EXPECT_EQ(values(run, symbol("find", "filter"), "why"),
                std::set<std::string>{way == "off" ? "timed_list" : "choice_cannot_be_kept"});
      orders.insert(configs(run.out));
    }
    EXPECT_GT(orders.size(), 1U) << way;
  }
  EXPECT_FALSE(std::filesystem::exists(file) && std::filesystem::file_size(file) > 0);
}

TEST_P(CudnnSearch, TheHeuristicGivesNoTimes) {
  const Arguments program{"get", "forward", enough, ample, "times"};
  for (const float time : times(shimmed(program).out))
    EXPECT_EQ(time, -1);
}

// "A nil pointer is considered a workSpace of 0 bytes" (cuDNN documentation of these functions).
TEST_P(CudnnSearch, NoWorkspaceIsOneOfNoBytes) {
  const Arguments program{"findex", "forward", enough, ample, "null"};
  const Lines found = configs(shimmed(program).out);
  EXPECT_EQ(found, usable(configs(native(program))));
  ASSERT_FALSE(found.empty());
  for (const std::string& entry : found)
    EXPECT_EQ(number_in(entry, "memory"), 0) << entry;
}

// A search that is given no workspace makes one of its own, as far as there is memory.
TEST_P(CudnnSearch, WhatMemoryDoesNotHoldIsNotOffered) {
  for (const std::string& pass : passes) {
    const Environment little{{"DOUBLE_FREE", "65536"}};
    const Lines found = configs(shimmed({"find", pass, enough}, enforce + little).out);
    EXPECT_FALSE(found.empty());
    for (const std::string& entry : found)
      EXPECT_LE(number_in(entry, "memory"), 65536) << entry;
    EXPECT_GT(configs(shimmed({"find", pass, enough}).out).size(), found.size());
  }
}

TEST_P(CudnnSearch, StrictModeRefusesWhereNothingIsDeterministic) {
  const Environment only = misbehaving("only_nondeterministic");
  for (const std::string search : {"find", "findex", "get"}) {
    const auto refused = shimmed({search, "filter", enough, ample}, strict + only);
    EXPECT_TRUE(contains(refused.out, "status=3000")) << refused;
    EXPECT_TRUE(refused.did("refuse", symbol(search, "filter"))) << refused;
    const auto fine = shimmed({search, "filter", enough, ample}, strict);
    EXPECT_TRUE(contains(fine.out, "status=0")) << fine;
  }
}

TEST_P(CudnnSearch, AFailureIsTheProgramsToSee) {
  const Environment failing = misbehaving("fail");
  for (const Environment& mode : {enforce, strict, record, observe}) {
    for (const std::string search : {"find", "findex", "get"})
      EXPECT_TRUE(
          contains(shimmed({search, "data", enough, ample}, mode + failing).out, "status=5000"));
  }
}

TEST_P(CudnnSearch, AShortListIsFilteredToo) {
  const Environment fewer = misbehaving("fewer");
  for (const std::string search : {"find", "findex", "get"}) {
    const auto found = shimmed({search, "data", enough, ample}, enforce + fewer);
    EXPECT_TRUE(contains(found.out, "status=0 returned=1")) << found;
    EXPECT_EQ(usable(configs(found.out)).size(), 1U) << found;
  }
}

TEST_P(CudnnSearch, AnOlderLibraryIsFilteredAndPutInOrder) {
  set_doubles({"old", "doubles"});
  for (const std::string& pass : passes) {
    for (const std::string search : {"find", "findex"}) {
      SCOPED_TRACE(search + " " + pass);
      const Arguments program{search, pass, enough, ample};
      const auto found = shimmed(program);
      EXPECT_TRUE(contains(calls(), symbol(search, pass)));
      EXPECT_FALSE(configs(found.out).empty()) << found;
      EXPECT_EQ(sorted(configs(found.out)), sorted(usable(configs(native(program)))));
      EXPECT_TRUE(std::ranges::is_sorted(configs(found.out), {}, [](const std::string& entry) {
        return number_in(entry, "algo");
      })) << found;
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(shimmed(program).out, found.out);
    }
  }
}

TEST_P(CudnnSearch, SearchesAreLeftAloneAndRecorded) {
  for (const Environment& mode : {record, observe}) {
    for (const std::string search : {"find", "findex"}) {
      const Arguments program{search, "filter", enough, ample};
      const auto left = shimmed(program, mode);
      EXPECT_TRUE(contains(calls(), symbol(search, "filter")));
      EXPECT_EQ(sorted(left.out), sorted(native(program)));
      EXPECT_TRUE(left.did("nondeterministic", symbol(search, "filter"))) << left;
    }
    const auto left = shimmed({"get", "filter", enough}, mode);
    EXPECT_EQ(left.out, native({"get", "filter", enough}));
    EXPECT_TRUE(left.recorded(symbol("get", "filter"))) << left;
  }
}

TEST_P(CudnnSearch, OptingOutBringsTheNativeResultBack) {
  for (const std::string& pass : passes) {
    for (const std::string search : {"find", "findex", "get"}) {
      for (const std::string& what : {symbol(search, pass), std::string{"cudnn"}}) {
        const Arguments program{search, pass, enough, ample};
        const Lines all = shimmed(program, disabled(what)).out;
        EXPECT_TRUE(contains(calls(), symbol(search, pass)));
        EXPECT_EQ(sorted(all), sorted(native(program))) << what;
      }
    }
  }
}

} // namespace
