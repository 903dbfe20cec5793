// cuDNN's legacy API, by a double.
#include "cuda_test.h"

namespace {

// ---- cuDNN's search for an algorithm, a double ----

class CudnnSearch : public CudaTest {
protected:
  void SetUp() override { use("find_algorithms", DETSHIM_TEST_DOUBLES, ""); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnSearch, both_ways, name_of_way);

const char* const enough = "16";      // entries: more than the double has candidates
const char* const ample = "10000000"; // bytes of workspace: more than any candidate wants

std::string symbol(const std::string& search, const std::string& pass) {
  const std::string name = pass == "forward" ? "Forward" : pass == "data" ? "BackwardData" : "BackwardFilter";
  return (search == "get" ? "cudnnGetConvolution" : "cudnnFindConvolution") + name +
         (search == "get"      ? "Algorithm_v7"
          : search == "findex" ? "AlgorithmEx"
                               : "Algorithm");
}

/// The entries of an answer, without its first line.
Lines entries(const Lines& out) { return configs(out); }

Lines usable(Lines all) {
  std::erase_if(
      all, [](const std::string& entry) { return entry.find(" status=0 determinism=1 ") == entry.npos; });
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
    for (int i = 0; i < 6; ++i) orders.insert(native({"find", pass, enough}));
    EXPECT_GT(orders.size(), 1U) << pass;
  }
}

TEST_P(CudnnSearch, OnlyDeterministicAlgorithmsInAStableOrder) {
  for (const std::string& pass : passes) {
    for (const std::string search : {"find", "findex", "get"}) {
      SCOPED_TRACE(search + " " + pass);
      const Arguments program{search, pass, enough, ample};
      const auto found = shimmed(program);
      EXPECT_FALSE(entries(found.out).empty()) << found;
      EXPECT_EQ(usable(entries(found.out)), entries(found.out)) << found;
      EXPECT_EQ(sorted(entries(found.out)), sorted(usable(entries(native(program)))));
      EXPECT_TRUE(found.did("replace", symbol(search, pass))) << found;
      for (int i = 0; i < 3; ++i) EXPECT_EQ(shimmed(program).out, found.out);
    }
  }
}

TEST_P(CudnnSearch, TheHeuristicsRankingIsKept) {
  for (const std::string& pass : passes) {
    const Arguments program{"get", pass, enough};
    EXPECT_EQ(entries(shimmed(program).out), usable(entries(native(program)))) << pass;
  }
}

TEST_P(CudnnSearch, NeverMoreThanTheCallersArray) {
  for (const std::string& pass : passes) {
    for (const std::string search : {"find", "findex", "get"}) {
      for (const std::string room : {"1", "2", "3"}) {
        SCOPED_TRACE(search + " " + pass + " " + room);
        const auto found = shimmed({search, pass, room, ample});
        // As many as there is room for, although the heuristic may rank nondeterministic ones first.
        EXPECT_TRUE(contains(found.out, "status=0 returned=" + room)) << found;
        EXPECT_EQ(usable(entries(found.out)).size(), static_cast<size_t>(std::stoi(room))) << found;
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
    const Lines found = entries(shimmed({"findex", pass, enough, "65536"}).out);
    EXPECT_FALSE(found.empty());
    for (const std::string& entry : found) EXPECT_LE(number_in(entry, "memory"), 65536) << entry;
    EXPECT_GT(entries(shimmed({"findex", pass, enough, ample}).out).size(), found.size());
  }
}

TEST_P(CudnnSearch, NothingDeterministicGoesAheadAndIsRecorded) {
  const Environment only{{"DOUBLE_MISBEHAVE", "only_nondeterministic"}};
  const Arguments get{"get", "filter", enough};
  const auto went_ahead = shimmed(get, enforce + only);
  EXPECT_EQ(went_ahead.out, native(get, only));
  EXPECT_TRUE(went_ahead.did("unfixed", symbol("get", "filter"))) << went_ahead;

  for (const std::string search : {"find", "findex"}) {
    const auto found = shimmed({search, "filter", enough, ample}, enforce + only);
    EXPECT_EQ(found.out.front(), native({search, "filter", enough, ample}, only).front());
    EXPECT_TRUE(found.did("unfixed", symbol(search, "filter"))) << found;
  }
}

TEST_P(CudnnSearch, StrictModeRefusesWhereNothingIsDeterministic) {
  const Environment only{{"DOUBLE_MISBEHAVE", "only_nondeterministic"}};
  for (const std::string search : {"find", "findex", "get"}) {
    const auto refused = shimmed({search, "filter", enough, ample}, strict + only);
    EXPECT_TRUE(contains(refused.out, "status=3000")) << refused;
    EXPECT_TRUE(refused.did("refuse", symbol(search, "filter"))) << refused;
    const auto fine = shimmed({search, "filter", enough, ample}, strict);
    EXPECT_TRUE(contains(fine.out, "status=0")) << fine;
  }
}

TEST_P(CudnnSearch, AFailureIsTheProgramsToSee) {
  const Environment failing{{"DOUBLE_MISBEHAVE", "fail"}};
  for (const Environment& mode : {enforce, strict, record, observe}) {
    for (const std::string search : {"find", "findex", "get"})
      EXPECT_TRUE(contains(shimmed({search, "data", enough, ample}, mode + failing).out, "status=5000"));
  }
}

TEST_P(CudnnSearch, AShortListIsFilteredToo) {
  const Environment fewer{{"DOUBLE_MISBEHAVE", "fewer"}};
  for (const std::string search : {"find", "findex", "get"}) {
    const auto found = shimmed({search, "data", enough, ample}, enforce + fewer);
    EXPECT_TRUE(contains(found.out, "status=0 returned=1")) << found;
    EXPECT_EQ(usable(entries(found.out)).size(), 1U) << found;
  }
}

TEST_P(CudnnSearch, AnOlderLibraryIsFilteredAndPutInOrder) {
  set_libraries(DETSHIM_TEST_OLD_DOUBLES ":" DETSHIM_TEST_DOUBLES);
  for (const std::string& pass : passes) {
    for (const std::string search : {"find", "findex"}) {
      SCOPED_TRACE(search + " " + pass);
      const Arguments program{search, pass, enough, ample};
      const auto found = shimmed(program);
      EXPECT_TRUE(contains(calls(), symbol(search, pass)));
      EXPECT_FALSE(entries(found.out).empty()) << found;
      EXPECT_EQ(sorted(entries(found.out)), sorted(usable(entries(native(program)))));
      EXPECT_TRUE(std::ranges::is_sorted(entries(found.out), {}, [](const std::string& entry) {
        return number_in(entry, "algo");
      })) << found;
      for (int i = 0; i < 3; ++i) EXPECT_EQ(shimmed(program).out, found.out);
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
      EXPECT_TRUE(left.did("unfixed", symbol(search, "filter"))) << left;
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
