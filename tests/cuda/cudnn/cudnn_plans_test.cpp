// cuDNN's graph API beyond one convolution: the real heuristics on many graphs, programs that time
// their plans, and, on a double, what follows from running them.
#include "cudnn_test.h"

#include <map>
#include <sstream>

namespace {

const char* const query = "cudnnBackendGetAttribute";
const char* const set_attribute = "cudnnBackendSetAttribute";
const char* const finalize = "cudnnBackendFinalize";

/// With a driver library to load, where there is one: the real library lists more engines then.
class CudnnOfManyGraphs : public RealCudnn {
protected:
  void use_with_driver(const std::string& program) {
    use_real_cudnn(program);
    if (has_driver)
      add_libraries(DETSHIM_TEST_DRIVER);
  }
  static constexpr bool has_driver = sizeof DETSHIM_TEST_DRIVER > 1;
};

// ---- the heuristics lists of many graphs ----

class CudnnGraphLists : public CudnnOfManyGraphs {
protected:
  void SetUp() override { use_with_driver("cudnn_graphs"); }
};
// Minutes each, and how a function is reached changes nothing in what it answers: one way
// (CudnnGraph has both).
const auto one_way = testing::Values(Way{"Linked", ""});
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnGraphLists, one_way, name_of_way);

/// The lists by graph and mode: `GRAPH MODE`, then its engines, or how the library refused.
using Lists = std::map<std::string, Lines>;

/// The lists, and by graph what its row of the table expects of the library.
Lists lists_of(const Lines& out, std::map<std::string, std::string>* expected = nullptr) {
  Lists lists;
  Lines* list = nullptr;
  for (const std::string& line : out) {
    if (!line.starts_with("= ")) {
      if (list)
        list->push_back(line);
      continue;
    }
    std::istringstream words(line.substr(2));
    std::string graph, mode, answer, outcome;
    words >> graph >> mode >> answer >> outcome;
    list = &lists[graph + " " + mode];
    if (outcome.starts_with("refused"))
      list->push_back(outcome);
    if (expected)
      (*expected)[graph] = answer.substr(answer.find('=') + 1);
  }
  return lists;
}

Lists deterministic(Lists lists) {
  for (auto& [name, list] : lists)
    std::erase_if(list, is_nondeterministic);
  return lists;
}

std::string graph_in(const std::string& name) { return name.substr(0, name.rfind(' ')); }

const Environment deterministic_reductions{{"DETERMINISTIC_REDUCTIONS", "1"}};

TEST_P(CudnnGraphLists, EveryListIsTheNativeOneWithoutNondeterministicEngines) {
  std::map<std::string, std::string> expected;
  const Lists native_lists = lists_of(native({}), &expected);
  std::set<std::string> graphs, listed, refused, losing;
  size_t engines = 0, dropped = 0;
  for (const auto& [name, list] : native_lists) {
    graphs.insert(graph_in(name));
    if (!list.empty() && list.front().starts_with("refused")) {
      refused.insert(graph_in(name));
      continue;
    }
    if (!list.empty())
      listed.insert(graph_in(name));
    const auto bad = static_cast<size_t>(std::ranges::count_if(list, is_nondeterministic));
    engines += list.size();
    dropped += bad;
    if (bad > 0)
      losing.insert(graph_in(name));
  }
  std::cout << graphs.size() << " graphs, " << listed.size() << " with engines, " << refused.size()
            << " refused by the library; " << native_lists.size() << " lists with " << engines
            << " engines, of which " << dropped << " in the lists of " << losing.size()
            << " graphs are nondeterministic\n";
  // What is left out must be there without the library, and in no small number.
  EXPECT_GE(listed.size(), 40U);
  EXPECT_GE(losing.size(), 20U);
  // No graph drops out of the comparison unnamed: the table says of which ones the library lists
  // nothing.
  for (const auto& [graph, answer] : expected) {
    const std::string got = refused.contains(graph)  ? "refusal"
                            : listed.contains(graph) ? "engines"
                                                     : "no-engine";
    if (has_driver) {
      EXPECT_EQ(got, answer) << graph;
    }
  }

  // Reductions are made deterministic, which gives them other engines: those that a program gets
  // that asks.
  const Lists asking = lists_of(native({}, deterministic_reductions));
  const auto kept = shimmed({});
  const Lists kept_lists = lists_of(kept.out);
  ASSERT_EQ(kept_lists.size(), native_lists.size());
  for (const auto& [name, list] : deterministic(asking))
    EXPECT_EQ(kept_lists.at(name), list) << name;
  for (const auto& [name, list] : kept_lists)
    EXPECT_EQ(std::ranges::count_if(list, is_nondeterministic), 0);
  EXPECT_TRUE(kept.did("replace", query));
}

TEST_P(CudnnGraphLists, WithoutItsHookEachPartIsNative) {
  const Arguments program{"conv-filter-small", "matmul-reduction"};
  const Lists all = lists_of(native(program)),
              asking = lists_of(native(program, deterministic_reductions));
  ASSERT_NE(all, deterministic(all));
  EXPECT_EQ(lists_of(shimmed(program).out), deterministic(asking));
  EXPECT_EQ(lists_of(shimmed(program, disabled(query)).out), asking);
  EXPECT_EQ(lists_of(shimmed(program, disabled(finalize)).out), deterministic(all));
  EXPECT_EQ(lists_of(shimmed(program, disabled("cudnn")).out), all);
  EXPECT_EQ(lists_of(shimmed(program, observe).out), all);
  if (has_driver) {
    EXPECT_NE(all, asking); // engines that are compiled as they are needed
  }
}

// ---- programs that time their plans ----

class CudnnTiming : public CudnnOfManyGraphs {
protected:
  void SetUp() override { use_with_driver("cudnn_plans"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnTiming, one_way, name_of_way);

const std::string convolutions[] = {"conv-filter-small-nhwc-float", "conv-data-small-nhwc-float",
                                    "conv-forward-small-nhwc-half"};
const std::string convolution = convolutions[0];
const Environment untimed = enforce + Environment{{"DETSHIM_AUTOTUNE", "off"}};

bool is_usable(const std::string& line) { return line.ends_with(": 0"); }
long usable(const Lines& out) { return std::ranges::count_if(out, is_usable); }

TEST_P(CudnnTiming, TheChoiceIsTheSameInEveryRun) {
  for (const std::string& graph : convolutions)
    for (const std::string order : {"time=list", "time=shuffled"}) {
      SCOPED_TRACE(graph + " " + order);
      std::set<Lines> native_choices, choices, untimed_choices;
      for (int i = 0; i < 6; ++i) {
        native_choices.insert(native({graph, order}));
        choices.insert(shimmed({graph, order}).out);
        untimed_choices.insert(shimmed({graph, order}, untimed).out);
      }
      EXPECT_GT(native_choices.size(), 1U);
      EXPECT_GT(untimed_choices.size(), 1U);
      EXPECT_EQ(choices.size(), 1U);
      EXPECT_FALSE(contains(*choices.begin(), "none"));
      EXPECT_TRUE(shimmed({graph, order}).did("replace", finalize));
      EXPECT_TRUE(shimmed({graph, order}, strict).did("replace", finalize));
    }
}

/// What the usable plans say that they are of.
std::set<std::string> configs_of_plans(const Lines& out) {
  std::set<std::string> result;
  for (const std::string& line : out) {
    if (const size_t as = line.find(" as "); as != line.npos)
      result.insert(line.substr(as + 4));
    else if (is_usable(line))
      result.insert(line.substr(0, line.rfind(": ")));
  }
  return result;
}

// A program that builds several plans gets as many, whether or not it times them; they are of one
// config.
TEST_P(CudnnTiming, EveryPlanOfAGraphIsTheFirst) {
  const Arguments program{convolution, "keep"};
  const auto kept = shimmed(program);
  const Lines all = native(program);
  EXPECT_EQ(kept.out.size(), shimmed(program, untimed).out.size());
  EXPECT_FALSE(std::ranges::any_of(kept.out, [](auto& line) {
    return line.ends_with(": 3000");
  })) << kept;
  EXPECT_EQ(configs_of_plans(kept.out),
            (std::set<std::string>{all.at(0).substr(0, all.at(0).rfind(": "))}));
  EXPECT_GT(configs_of_plans(all).size(), 2U);
  EXPECT_TRUE(kept.did("replace", finalize)) << kept;
  EXPECT_FALSE(kept.did("refuse", finalize)) << kept;
  EXPECT_EQ(shimmed(program, untimed).out, shimmed(program, disabled(finalize)).out);
  EXPECT_GT(configs_of_plans(shimmed(program, untimed).out).size(), 2U);
  EXPECT_EQ(shimmed(program, disabled("cudnn")).out, native(program));
  EXPECT_GT(configs_of_plans(shimmed(program, disabled(set_attribute)).out).size(), 2U);
  EXPECT_GT(configs_of_plans(shimmed(program, record).out).size(), 2U);
  EXPECT_EQ(shimmed(program, observe + Environment{{"DETSHIM_AUTOTUNE", "first"}}).out,
            native(program));
}

TEST_P(CudnnTiming, APlanThatIsDestroyedWithoutARunLetsTheNextOneIn) {
  const auto tried = shimmed({convolution, "memory"});
  EXPECT_EQ(tried.out, shimmed({convolution, "memory"}, untimed).out);
  EXPECT_GT(usable(tried.out), 2);
  EXPECT_FALSE(tried.did("replace", finalize)) << tried;
}

TEST_P(CudnnTiming, TheSameConfigMayBeBuiltAgain) {
  const auto built = shimmed({convolution, "twice"});
  EXPECT_EQ(built.out, native({convolution, "twice"}));
  EXPECT_EQ(usable(built.out), 4) << built;
  EXPECT_FALSE(built.did("replace", finalize)) << built;
}

TEST_P(CudnnTiming, EveryGraphHasAFirstPlan) {
  for (const std::string again : {"other-graph", "new-graph"}) {
    const auto built = shimmed({convolution, again});
    EXPECT_EQ(built.out, native({convolution, again}));
    EXPECT_EQ(usable(built.out), 2) << built;
  }
}

TEST_P(CudnnTiming, ConfigsThatOutliveTheirGraphAreStillOfOne) {
  const Lines late = shimmed({convolution, "late"}).out;
  EXPECT_EQ(configs_of_plans(late).size(), 1U);
  EXPECT_FALSE(std::ranges::any_of(late, [](auto& line) {
    return line.ends_with(": 3000");
  }));
  EXPECT_EQ(late.size(), shimmed({convolution, "late"}, untimed).out.size());
  EXPECT_GT(configs_of_plans(native({convolution, "late"})).size(), 2U);
}

TEST_P(CudnnTiming, ThreadsThatRaceForTheFirstPlanAreRecorded) {
  for (int i = 0; i < 5; ++i) {
    const auto raced = shimmed({convolution, "threads"});
    EXPECT_TRUE(raced.did("nondeterministic", finalize)) << raced;
  }
  EXPECT_EQ(shimmed({convolution, "threads"}, untimed).out, Lines{"finalized 4"});
}

// A program that counts engines meets no list.
TEST_P(CudnnTiming, AWalkOverAllEnginesIsCaughtPlanByPlan) {
  const Arguments program{convolution, "walk"};
  const Lines all = native(program);
  EXPECT_TRUE(contains(all, "nondeterministic: 0"));
  Lines refused_ones = all;
  for (std::string& line : refused_ones)
    if (line.ends_with("nondeterministic: 0"))
      line.replace(line.size() - 1, 1, "3000");
  const auto left = shimmed(program);
  EXPECT_EQ(left.out, all); // each plan is destroyed before the next
  EXPECT_TRUE(left.did("nondeterministic", finalize)) << left;
  const auto refused = shimmed(program, strict);
  EXPECT_EQ(refused.out, refused_ones);
  EXPECT_TRUE(refused.did("refuse", finalize)) << refused;
  Environment opted_out = strict;
  opted_out["DETSHIM_DISABLE"] = finalize;
  EXPECT_EQ(shimmed(program, opted_out).out, all);
}

// The real engines carry no note that tells the two forms of the backward pass apart, nor from the
// rest.
TEST_P(CudnnTiming, SdpaBackwardOfSingleOperationsIsRecognised) {
  if (!has_driver)
    GTEST_SKIP() << "without a driver library to load, its engines are not listed";
  for (const std::string graph :
       {"attention-backward-half", "attention-backward-accumulating-half"}) {
    const Arguments program{graph, "keep"};
    const Lines all = native(program); // these plans cannot be finalized without a GPU
    ASSERT_GE(all.size(), 2U);
    EXPECT_FALSE(contains(all, ": 3000"));
    const auto refused = shimmed(program, strict);
    EXPECT_EQ(refused.out.size(), all.size());
    EXPECT_TRUE(std::ranges::all_of(refused.out, [](auto& line) {
      return line.ends_with(": 3000");
    })) << refused;
    EXPECT_TRUE(refused.did("refuse", finalize)) << refused;
  }
  EXPECT_EQ(shimmed({"attention-forward-half", "keep"}, strict).out,
            native({"attention-forward-half", "keep"}));
}

// ---- running plans, and what cuDNN refuses without a GPU: on the double ----

class CudnnExecute : public CudaTest {
protected:
  void SetUp() override { use("cudnn_execute", {"backend"}); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnExecute, both_ways, name_of_way);

TEST_P(CudnnExecute, TheListIsTheNativeOneWithoutNondeterministicEngines) {
  // The order is another one in each run.
  const std::pair<const char*, const char*> lists[] = {
      {"1,9,2,3", "1 2 3"}, {"9,3,2,1", "3 2 1"}, {"2,1,3,9", "2 1 3"}};
  for (const auto& [engines, kept] : lists) {
    const Environment order{{"DOUBLE_ENGINES", engines}};
    const auto filtered = shimmed({"list"}, enforce + order);
    EXPECT_EQ(filtered.out, Lines{std::string{"list: 0 "} + kept});
    EXPECT_TRUE(filtered.did("replace", query)) << filtered;
    std::string all = std::string{"list: 0 "} + engines;
    std::ranges::replace(all, ',', ' ');
    EXPECT_EQ(native({"list"}, order), Lines{all});
    EXPECT_EQ(shimmed({"list"}, disabled(query) + order).out, Lines{all});
  }
}

TEST_P(CudnnExecute, ALibraryThatFailsIsTheProgramsToSee) {
  const Environment failing = misbehaving("heuristics fail");
  const auto failed = shimmed({"list"}, enforce + failing);
  EXPECT_EQ(failed.out, Lines{"list: 5000"});
  EXPECT_EQ(failed.out, native({"list"}, failing));
  EXPECT_FALSE(failed.recorded(query)) << failed;
}

TEST_P(CudnnExecute, AShorterListThanPromisedIsFilteredToo) {
  const Environment fewer = misbehaving("fewer");
  EXPECT_EQ(native({"list"}, fewer), Lines{"list: 0 1 9"});
  EXPECT_EQ(shimmed({"list"}, enforce + fewer).out, Lines{"list: 0 1"});
}

TEST_P(CudnnExecute, AListWithoutADeterministicEngineIsLeftAndRecorded) {
  const Environment only = misbehaving("only_nondeterministic");
  const auto left = shimmed({"list"}, enforce + only);
  EXPECT_EQ(left.out, Lines{"list: 0 1 9 2 3"});
  EXPECT_TRUE(left.did("nondeterministic", query)) << left;
  const auto refused = shimmed({"list"}, strict + only);
  EXPECT_EQ(refused.out, Lines{"list: 3000"});
  EXPECT_TRUE(refused.did("refuse", query)) << refused;
}

// The list is filtered by asking twice, which another order would defeat.
TEST_P(CudnnExecute, AListThatChangesBetweenTwoQueriesIsNotCalledDeterministic) {
  const Environment changing = misbehaving("another order");
  const auto left = shimmed({"list"}, enforce + changing);
  EXPECT_TRUE(contains(left.out, " 9")) << left;
  EXPECT_TRUE(left.did("nondeterministic", query)) << left;
  EXPECT_FALSE(left.did("replace", query)) << left;
  const auto refused = shimmed({"list"}, strict + changing);
  EXPECT_EQ(refused.out, Lines{"list: 3000"});
  EXPECT_TRUE(refused.did("refuse", query)) << refused;
}

TEST_P(CudnnExecute, AnEngineWithoutReadableNotesIsNotCalledDeterministic) {
  const Environment silent = misbehaving("no notes");
  const auto left = shimmed({"list", "plan=1"}, enforce + silent);
  EXPECT_EQ(left.out, (Lines{"list: 0 1 9 2 3", "plan 1: 0"}));
  EXPECT_TRUE(left.did("nondeterministic", query)) << left;
  EXPECT_FALSE(left.did("observe", query)) << left;
  EXPECT_TRUE(left.did("nondeterministic", finalize)) << left;
  const auto refused = shimmed({"plan=1"}, strict + silent);
  EXPECT_EQ(refused.out, Lines{"plan 1: 3000"});
  EXPECT_TRUE(refused.did("refuse", finalize)) << refused;
}

TEST_P(CudnnExecute, TimesDoNotChoose) {
  for (const std::string fastest : {"1", "2", "3"}) { // another one in each run
    const Environment times{{"DOUBLE_FASTEST", fastest}};
    EXPECT_EQ(native({"time"}, times), Lines{"chosen " + fastest});
    EXPECT_EQ(shimmed({"time"}, untimed + times).out, Lines{"chosen " + fastest});
    EXPECT_EQ(shimmed({"time"}, enforce + times).out, Lines{"chosen 1"});
    EXPECT_EQ(shimmed({"time"}, strict + times).out, Lines{"chosen 1"});
    // What was timed are equals.
    EXPECT_FALSE(contains(calls(), "cudnnBackendExecute engine=2"));
  }
}

// A program that only builds: nothing of it fails, and the log says what each plan is.
TEST_P(CudnnExecute, EveryPlanThatIsBuiltCanBeUsed) {
  const Arguments program{"plan=0", "run",    "destroy", "plan=1", "run",
                          "plan=2", "plan=3", "plan=4",  "run"};
  const auto built = shimmed(program);
  EXPECT_EQ(built.out, (Lines{"plan 0: 0", "run: 0", "plan 1: 0 as 0", "run: 0", "plan 2: 0 as 0",
                              "plan 3: 0 as 0", "plan 4: 0 as 0", "run: 0"}));
  EXPECT_EQ(native(program).size(), built.out.size());
  EXPECT_FALSE(built.did("refuse", finalize)) << built;
  std::set<std::string> given;
  for (const auto& record : built.records)
    if (record["t"] == "call" && record["fn"] == finalize && record["do"] == "replace")
      given.insert(record["requested"].get<std::string>() + ">" +
                   record["effective"].get<std::string>());
  EXPECT_EQ(given, (std::set<std::string>{"1>0", "2>0", "3>0", "4>0"}));
}

TEST_P(CudnnExecute, TheFirstThatWorksIsTheChoiceOfATimingProgram) {
  const Environment broken{
      {"DOUBLE_ENGINES", "0,1,2"}, {"DOUBLE_FASTEST", "2"}, {"DOUBLE_MISBEHAVE", "engine 0 fails"}};
  EXPECT_EQ(native({"time"}, broken), Lines{"chosen 2"});
  EXPECT_EQ(shimmed({"time"}, enforce + broken).out, Lines{"chosen 1"});
}

TEST_P(CudnnExecute, AnOlderLibraryCanDoWithoutGraphs) {
  set_doubles({"backend_old"});
  EXPECT_EQ(shimmed({"plan=1", "run", "destroy", "plan=2"}).out,
            (Lines{"plan 1: 0", "run: 0", "plan 2: 0 as 1"}));
  const Environment vary = enforce + Environment{{"DETSHIM_SEED_POLICY", "vary"}};
  const Lines listed = shimmed({"list", "reduction", "rng=7"}, vary).out;
  EXPECT_EQ(listed, (Lines{"list: 0 1 2 3", "reduction: 0 true", listed.back()}));
  EXPECT_NE(listed.back(), "seed: 7");
}

const Environment engine_0_fails = misbehaving("engine 0 fails");

TEST_P(CudnnExecute, AChoiceThatHasRunStays) {
  for (const std::string run : {"run", "populate"}) {
    const Arguments program{"plan=1", run, "plan=2", "destroy", "plan=2", "plan=1", run, run};
    const Lines kept{"plan 1: 0", run + ": 0", "plan 2: 0 as 1", "plan 2: 0 as 1",
                     "plan 1: 0", run + ": 0", run + ": 0"};
    Lines all = kept;
    all[2] = all[3] = "plan 2: 0";
    EXPECT_EQ(native(program), all);
    EXPECT_EQ(shimmed(program).out, kept);
    EXPECT_EQ(shimmed(program, untimed).out, all);
    const std::string hook = run == "run" ? "cudnnBackendExecute" : "cudnnBackendPopulateCudaGraph";
    // With that hook off, the plan has never run, and another one follows it.
    EXPECT_EQ(shimmed({"plan=1", run, "destroy", "plan=2"}).out.back(), "plan 2: 0 as 1");
    EXPECT_EQ(shimmed({"plan=1", run, "destroy", "plan=2"}, disabled(hook)).out.back(),
              "plan 2: 0");
  }
}

TEST_P(CudnnExecute, AChoiceThatFailsLetsTheNextOneIn) {
  for (const std::string run : {"run", "populate"}) {
    const Arguments program{"plan=0", "plan=1", run, "plan=1", run, "plan=2", "plan=0"};
    const auto failed = shimmed(program, enforce + engine_0_fails);
    EXPECT_EQ(failed.out, (Lines{"plan 0: 0", "plan 1: 0 as 0", run + ": 5000", "plan 1: 0",
                                 run + ": 0", "plan 2: 0 as 1", "plan 0: 0 as 1"}));
    const std::string hook = run == "run" ? "cudnnBackendExecute" : "cudnnBackendPopulateCudaGraph";
    EXPECT_TRUE(failed.did("observe", hook)) << failed;
    EXPECT_EQ(shimmed(program, disabled(hook) + engine_0_fails).out.at(3), "plan 1: 0 as 0");
  }
}

TEST_P(CudnnExecute, TheLastPlanOfAConfigGivesItBack) {
  EXPECT_EQ(shimmed({"plan=1", "plan=1", "destroy", "plan=2"}).out,
            (Lines{"plan 1: 0", "plan 1: 0", "plan 2: 0 as 1"}));
  EXPECT_EQ(shimmed({"plan=1", "destroy", "plan=2", "plan=1"}).out,
            (Lines{"plan 1: 0", "plan 2: 0", "plan 1: 0 as 2"}));
  EXPECT_EQ(shimmed({"plan=1", "destroy", "plan=2"}, disabled("cudnnBackendDestroyDescriptor")).out,
            (Lines{"plan 1: 0", "plan 2: 0 as 1"}));
}

TEST_P(CudnnExecute, ManyGraphsComeAndGo) {
  constexpr int graphs = 4500;
  Arguments program;
  for (int i = 0; i < graphs; ++i)
    program.insert(program.end(), {"graph", "plan=1", "plan=2"});
  const auto built = shimmed(program);
  // Their descriptors are all alive: there is room for some thousand graphs, and the others are
  // left alone.
  EXPECT_EQ(std::ranges::count(built.out, "plan 1: 0"), graphs);
  EXPECT_GT(std::ranges::count(built.out, "plan 2: 0 as 1"), 3000);
  EXPECT_EQ(std::ranges::count(built.out, "plan 2: 0 as 1") +
                std::ranges::count(built.out, "plan 2: 0"),
            graphs);
  EXPECT_EQ(std::ranges::count_if(built.records,
                                  [](const auto& record) {
                                    return record["t"] == "call" &&
                                           record["do"] == "nondeterministic";
                                  }),
            1);
}

TEST_P(CudnnExecute, GraphsThatAreGoneMakeRoom) {
  constexpr int graphs = 4500; // more than there is room for at once
  Arguments program;
  for (int i = 0; i < graphs; ++i)
    program.insert(program.end(), {"graph", "plan=1", "plan=2", "drop"});
  const auto built = shimmed(program);
  EXPECT_EQ(std::ranges::count(built.out, "plan 2: 0 as 1"), graphs);
  EXPECT_FALSE(built.did("nondeterministic", set_attribute)) << built.records.back();
}

TEST_P(CudnnExecute, SdpaBackwardIsRecordedAndRefusedInStrictMode) {
  const Arguments program{"sdpa", "plan=1"};
  const auto left = shimmed(program);
  EXPECT_EQ(left.out, native(program));
  EXPECT_TRUE(left.did("nondeterministic", finalize)) << left;
  const auto refused = shimmed(program, strict);
  EXPECT_EQ(refused.out, Lines{"plan 1: 3000"});
  EXPECT_TRUE(refused.did("refuse", finalize)) << refused;
  Environment opted_out = strict;
  opted_out["DETSHIM_DISABLE"] = finalize;
  EXPECT_EQ(shimmed(program, opted_out).out, native(program));
  EXPECT_EQ(shimmed({"sdpa", "graph", "plan=1"}, strict).out, Lines{"plan 1: 0"});
}

// Its backward pass is five matrix products where it is not one operation, its forward pass two.
TEST_P(CudnnExecute, SdpaBackwardOfSingleOperationsIsRecognised) {
  const auto left = shimmed({"matmuls=5", "plan=1"});
  EXPECT_EQ(left.out, Lines{"plan 1: 0"});
  EXPECT_TRUE(left.did("nondeterministic", finalize)) << left;
  EXPECT_EQ(shimmed({"matmuls=5", "plan=1"}, strict).out, Lines{"plan 1: 3000"});
  EXPECT_FALSE(contains(calls(), "cudnnBackendFinalize type=5"));
  const auto forward = shimmed({"matmuls=2", "plan=1"}, strict);
  EXPECT_EQ(forward.out, Lines{"plan 1: 0"});
  EXPECT_FALSE(forward.recorded(finalize)) << forward;
}

TEST_P(CudnnExecute, AnEngineByItsIndexIsLookedAt) {
  EXPECT_TRUE(shimmed({"plan=9"}).did("nondeterministic", finalize));
  EXPECT_EQ(shimmed({"plan=9", "plan=1"}, strict).out, (Lines{"plan 9: 3000", "plan 1: 0"}));
}

TEST_P(CudnnExecute, ReductionsAreDeterministic) {
  const Arguments program{"reduction", "reduction=0", "reduction=1"};
  const Lines all{"reduction: 0 unset", "reduction: 0 false", "reduction: 0 true"};
  EXPECT_EQ(native(program), all);
  const auto made = shimmed(program);
  EXPECT_EQ(made.out, Lines(3, "reduction: 0 true"));
  EXPECT_TRUE(made.did("replace", finalize)) << made;
  EXPECT_FALSE(made.did("nondeterministic", finalize)) << made;
  EXPECT_EQ(shimmed(program, strict).out, made.out);
  EXPECT_EQ(shimmed(program, disabled(finalize)).out, all);
  EXPECT_FALSE(shimmed({"reduction=1"}).did("replace", finalize));
  for (const Environment& mode : {record, observe}) {
    const auto left = shimmed(program, mode);
    EXPECT_EQ(left.out, all);
    EXPECT_TRUE(left.did("nondeterministic", finalize)) << left;
    EXPECT_FALSE(shimmed({"reduction=1"}, mode).did("nondeterministic", finalize));
  }
}

TEST_P(CudnnExecute, ReductionsThatTheLibraryCannotPromiseAreRecorded) {
  for (const Environment& older :
       {Environment{{"DOUBLE_CUDNN_VERSION", "91000"}}, misbehaving("no promises")}) {
    const auto left = shimmed({"reduction"}, enforce + older);
    EXPECT_EQ(left.out, Lines{"reduction: 0 unset"});
    EXPECT_TRUE(left.did("nondeterministic", finalize)) << left;
    EXPECT_FALSE(left.did("replace", finalize)) << left;
  }
}

TEST_P(CudnnExecute, OldVersionsHaveAnotherNumberForNotSupported) {
  const Environment older{{"DOUBLE_CUDNN_VERSION", "8907"}};
  EXPECT_EQ(shimmed({"plan=9", "plan=1"}, strict + older).out, (Lines{"plan 9: 9", "plan 1: 0"}));
}

TEST_P(CudnnExecute, ConstantSeedsStay) {
  const Arguments program{"rng=7", "rng=8", "rng=7"};
  EXPECT_EQ(native(program), (Lines{"seed: 7", "seed: 8", "seed: 7"}));
  EXPECT_EQ(shimmed(program).out, native(program));
  EXPECT_EQ(shimmed(program, observe).out, native(program));
}

TEST_P(CudnnExecute, ConstantSeedsAreMappedUnderVary) {
  const Arguments program{"rng=7", "rng=8", "rng=7"};
  const Environment vary = enforce + Environment{{"DETSHIM_SEED_POLICY", "vary"}};
  const auto pinned = shimmed(program, vary);
  EXPECT_NE(pinned.out.at(0), "seed: 7");
  EXPECT_NE(pinned.out.at(1), pinned.out.at(0));
  EXPECT_NE(pinned.out.at(1), "seed: 8");
  EXPECT_EQ(pinned.out.at(2), pinned.out.at(0));
  EXPECT_TRUE(pinned.did("pin", set_attribute)) << pinned;
  EXPECT_EQ(shimmed({"rng=1000", "rng=8"}, vary).out.at(1), pinned.out.at(1))
      << "by the value, not by the order";
  EXPECT_NE(shimmed(program, vary + Environment{{"DETSHIM_SEED", "43"}}).out, pinned.out);
  EXPECT_EQ(shimmed(program, vary + disabled(set_attribute)).out, native(program));
  EXPECT_EQ(shimmed(program, enforce + Environment{{"DETSHIM_SEED_POLICY", "keep"}}).out,
            native(program));
}

TEST_P(CudnnExecute, ATensorForASeedIsTheProgramsBusiness) {
  const auto left = shimmed({"rng-tensor", "rng=7"});
  EXPECT_EQ(left.out, shimmed({"rng=7"}).out);
  EXPECT_TRUE(left.did("observe", set_attribute)) << left;
}

} // namespace
