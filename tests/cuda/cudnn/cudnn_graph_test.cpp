// cuDNN's graph API: the real heuristics, without a device.
#include "cudnn_test.h"

namespace {

// ---- cuDNN's graph API, the real one ----

class CudnnGraph : public RealCudnn {
protected:
  void SetUp() override { use_real_cudnn("cudnn_heuristics"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnGraph, both_ways, name_of_way);
INSTANTIATE_TEST_SUITE_P(CudaSublibrary, CudnnGraph, testing::Values(Way{"Opened", "_graph"}),
                         name_of_way);

const char* const query = "cudnnBackendGetAttribute";
const char* const finalize = "cudnnBackendFinalize";
const std::string heuristic_modes[] = {"A", "B", "FALLBACK"};

/// The index of the first nondeterministic engine in a list.
std::string nondeterministic_engine(const Lines& all) {
  const auto found = std::ranges::find_if(all, is_nondeterministic);
  return found == all.end() ? "none" : found->substr(7, found->find(' ') - 7);
}

TEST_P(CudnnGraph, ListsHoldNondeterministicEnginesWithoutTheLibrary) {
  for (const std::string pass : {"data", "filter"}) {
    for (const std::string& mode : heuristic_modes) {
      const Lines all = native({pass, "float", "large", mode});
      EXPECT_NE(configs(all), deterministic(configs(all))) << pass << " " << mode;
    }
  }
}

TEST_P(CudnnGraph, ListsHoldDeterministicEnginesAloneInTheirOrder) {
  for (const std::string& pass : passes) {
    for (const std::string& mode : heuristic_modes) {
      for (const std::string type : {"float", "half"}) {
        for (const std::string shape : {"large", "small"}) {
          const Arguments program{pass, type, shape, mode};
          SCOPED_TRACE(pass + " " + type + " " + shape + " " + mode);
          const auto kept = shimmed(program);
          const Lines all = configs(native(program));
          EXPECT_EQ(configs(kept.out), deterministic(all));
          EXPECT_FALSE(contains(kept.out, "array changed"));
          EXPECT_EQ(kept.did("replace", query), all != deterministic(all)) << kept;
        }
      }
    }
  }
}

TEST_P(CudnnGraph, ForwardConvolutionIsUntouched) {
  for (const std::string& mode : heuristic_modes) {
    const Arguments program{"forward", "float", "large", mode};
    EXPECT_EQ(configs(shimmed(program).out), configs(native(program)));
  }
}

TEST_P(CudnnGraph, AShortRequestGetsTheFirstDeterministicOnes) {
  for (const std::string& mode : heuristic_modes) {
    const Lines all = configs(native({"filter", "float", "large", mode}));
    const auto at = std::ranges::find_if(all, is_nondeterministic) - all.begin();
    // The request ends just behind, at, and before the nondeterministic one.
    for (const auto count : {at + 2, at + 1, at}) {
      SCOPED_TRACE(mode + " " + std::to_string(count));
      const std::string request = "request=" + std::to_string(count);
      Lines expected = deterministic(all);
      ASSERT_GE(expected.size(), static_cast<size_t>(count));
      expected.resize(static_cast<size_t>(count));
      const auto kept = shimmed({"filter", "float", "large", mode, request});
      EXPECT_EQ(configs(kept.out), expected);
      EXPECT_TRUE(contains(kept.out, "returned=" + std::to_string(count))) << kept;
    }
  }
}

TEST_P(CudnnGraph, AnOversizedRequestGetsWhatThereIs) {
  const auto kept = shimmed({"filter", "float", "large", "A", "request=100"});
  const Lines expected = deterministic(configs(native({"filter", "float", "large", "A"})));
  EXPECT_EQ(configs(kept.out), expected);
  EXPECT_TRUE(contains(kept.out, "returned=" + std::to_string(expected.size()))) << kept;
}

TEST_P(CudnnGraph, AskingAgainGivesTheSame) {
  const Lines once = shimmed({"filter", "float", "large", "A"}).out;
  EXPECT_EQ(configs(once), deterministic(configs(once)));
  Lines twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(shimmed({"filter", "float", "large", "A", "list", "list"}).out, twice);
}

TEST_P(CudnnGraph, ListsAreLeftAloneAndRecorded) {
  const Arguments program{"filter", "float", "large", "A"};
  for (const Environment& mode : {record, observe}) {
    const auto left = shimmed(program, mode);
    EXPECT_EQ(left.out, native(program));
    EXPECT_TRUE(left.did("nondeterministic", query)) << left;
  }
}

TEST_P(CudnnGraph, StrictModeFiltersListsToo) {
  const Arguments program{"filter", "float", "large", "A"};
  EXPECT_EQ(configs(shimmed(program, strict).out), deterministic(configs(native(program))));
}

TEST_P(CudnnGraph, OptingOutBringsTheNativeListBack) {
  const Arguments program{"filter", "float", "large", "A"};
  EXPECT_EQ(shimmed(program, disabled(query)).out, native(program));
  EXPECT_EQ(shimmed(program, disabled("cudnn")).out, native(program));
}

// An engine may be asked for by its index, with no list that could leave it out.
TEST_P(CudnnGraph, APlanOfANondeterministicEngineIsRecorded) {
  const Lines all = configs(native({"filter", "float", "large", "A"}));
  const Arguments program{"filter", "float", "large", "A",
                          "engine=" + nondeterministic_engine(all)};
  EXPECT_EQ(native(program), Lines{"plan: 0"});
  for (const Environment& mode : {enforce, record, observe}) {
    const auto planned = shimmed(program, mode);
    EXPECT_EQ(planned.out, Lines{"plan: 0"});
    EXPECT_TRUE(planned.did("nondeterministic", finalize)) << planned;
  }
}

TEST_P(CudnnGraph, StrictModeRefusesAPlanOfANondeterministicEngine) {
  const Lines all = configs(native({"filter", "float", "large", "A"}));
  const Arguments program{"filter", "float", "large", "A",
                          "engine=" + nondeterministic_engine(all)};
  const auto refused = shimmed(program, strict);
  EXPECT_EQ(refused.out, Lines{"plan: 3000"});
  EXPECT_TRUE(refused.did("refuse", finalize)) << refused;

  Environment opted_out = strict;
  opted_out["DETSHIM_DISABLE"] = finalize;
  EXPECT_EQ(shimmed(program, opted_out).out, Lines{"plan: 0"});
}

TEST_P(CudnnGraph, APlanOfADeterministicEngineIsNobodysBusiness) {
  const Arguments program{"filter", "float", "large", "A", "engine=0"};
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto planned = shimmed(program, mode);
    EXPECT_EQ(planned.out, Lines{"plan: 0"});
    EXPECT_FALSE(planned.did("nondeterministic", finalize) || planned.did("refuse", finalize))
        << planned;
  }
}

// A refused plan is destroyed, and what comes after it may get its address.
TEST_P(CudnnGraph, ARefusedPlanLeavesNothingBehind) {
  const Lines all = configs(native({"filter", "float", "large", "A"}));
  const std::string bad = "engine=" + nondeterministic_engine(all);
  EXPECT_EQ(
      shimmed({"filter", "float", "large", "A", bad, "engine=0", bad, "engine=0"}, strict).out,
      (Lines{"plan: 3000", "plan: 0", "plan: 3000", "plan: 0"}));
}

TEST_P(CudnnGraph, APlanOfAListedNondeterministicEngine) {
  const Arguments program{"filter", "float", "large", "A", "plan"};
  EXPECT_EQ(native(program).back(), "plan: 0");
  EXPECT_EQ(shimmed(program).out.back(), "plan: no such config");
  Environment unfiltered = strict;
  unfiltered["DETSHIM_DISABLE"] = query;
  EXPECT_EQ(shimmed(program, unfiltered).out.back(), "plan: 3000");
}

// A plan that was written as JSON names its engine only once it is finalized.
TEST_P(CudnnGraph, APlanFromJsonIsLookedAtToo) {
  const TemporaryFolder files;
  const Environment file{{"PLAN_FILE", (files.path() / "plan.json").string()}};
  const Arguments convolution{"filter", "float", "large", "A"};
  const auto with = [&](const std::string& command) {
    Arguments all = convolution;
    all.push_back(command);
    return all;
  };
  native(with("save=" + nondeterministic_engine(configs(native(convolution)))), file);
  EXPECT_EQ(native(with("load"), file), Lines{"plan: 0"});
  const auto loaded = shimmed(with("load"), enforce + file);
  EXPECT_EQ(loaded.out, Lines{"plan: 0"});
  EXPECT_TRUE(loaded.did("nondeterministic", finalize)) << loaded;
  const auto refused = shimmed(with("load"), strict + file);
  EXPECT_EQ(refused.out, Lines{"plan: 3000"});
  EXPECT_TRUE(refused.did("refuse", finalize)) << refused;

  native(with("save=0"), file);
  const auto harmless = shimmed(with("load"), strict + file);
  EXPECT_EQ(harmless.out, Lines{"plan: 0"});
  EXPECT_TRUE(harmless.did("observe", finalize)) << harmless;
}

TEST_P(CudnnGraph, AQueryWithoutACountIsFilteredToo) {
  const Arguments program{"filter", "float", "large", "A", "uncounted=20"};
  EXPECT_EQ(shimmed(program).out, deterministic(native(program)));
  EXPECT_NE(shimmed(program).out, native(program));
}

} // namespace
