// cuDNN's layers in the legacy API, by a double: algorithms and modes that a program names itself.
#include "cudnn_test.h"

#include <map>
#include <sstream>

namespace {

class CudnnLayers : public CudaTest {
protected:
  void SetUp() override { use("cudnn_layers"); }

  /// The one line of a run that says what the double was told in a call of `function`; "" if it was
  /// not called, or more than once.
  std::string told(const std::string& function) const {
    Lines found;
    for (const std::string& line : calls())
      if (line.starts_with(function + " "))
        found.push_back(line);
    return found.size() == 1 ? found.front() : "";
  }

  /// Calls of `function` are handed on as they are and recorded with what CUBLAS_WORKSPACE_CONFIG
  /// says.
  void expect_recorded_with_workspace_setting(const std::string& function, const Arguments& program,
                                              const Lines& out) const {
    SCOPED_TRACE(function);
    EXPECT_EQ(native(program), out);
    const Lines called = calls();
    const Environment bad{{"CUBLAS_WORKSPACE_CONFIG", ":0:0"}},
        good{{"CUBLAS_WORKSPACE_CONFIG", ":16:8"}};
    for (const Environment& unset :
         {disabled("env:CUBLAS_WORKSPACE_CONFIG"), disabled("env:CUBLAS_WORKSPACE_CONFIG") + bad,
          record, observe, observe + bad}) {
      const auto left = shimmed(program, unset);
      EXPECT_EQ(calls(), called); // every argument in its place
      EXPECT_TRUE(left.did("nondeterministic", function)) << left;
    }
    for (const Environment& set : {enforce, strict, observe + good}) {
      const auto fine = shimmed(program, set);
      EXPECT_EQ(fine.out, out);
      EXPECT_EQ(calls(), called);
      EXPECT_TRUE(fine.did("observe", function)) << fine;
      EXPECT_FALSE(fine.did("nondeterministic", function)) << fine;
      EXPECT_EQ(values(fine, function, "stream"), std::set<std::string>{"default"});
    }
    const auto own = shimmed(program, enforce + Environment{{"DOUBLE_STREAM", "77"}});
    EXPECT_EQ(values(own, function, "stream"), std::set<std::string>{"own"});
    EXPECT_FALSE(
        shimmed(program, observe + Environment{{"DETSHIM_DISABLE", function}}).recorded(function));
  }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnLayers, both_ways, name_of_way);

/// An algorithm that is not deterministic, and what runs in its place.
struct Substitution {
  const char* layer;
  const char* asked;
  const char* given;
  const char* needed; ///< bytes of the deterministic one
  const char* native; ///< bytes of the one that was asked for
  const char* run;    ///< functions
  const char* size;
};
const Substitution substitutions[] = {
    {"data", "0", "1", "8192", "0", "cudnnConvolutionBackwardData",
     "cudnnGetConvolutionBackwardDataWorkspaceSize"},
    {"filter", "0", "1", "8192", "0", "cudnnConvolutionBackwardFilter",
     "cudnnGetConvolutionBackwardFilterWorkspaceSize"},
    {"filter", "3", "1", "8192", "16384", "cudnnConvolutionBackwardFilter",
     "cudnnGetConvolutionBackwardFilterWorkspaceSize"},
    {"ctc", "1", "0", "4096", "1024", "cudnnCTCLoss", "cudnnGetCTCLossWorkspaceSize"},
    {"ctc_v8", "1", "0", "4096", "1024", "cudnnCTCLoss_v8", "cudnnGetCTCLossWorkspaceSize_v8"},
};

/// Where the algorithm and the workspace's size stand in what the double was told, counted from its
/// name.
struct Positions {
  size_t algorithm, workspace, algorithm_in_size;
};
const std::map<std::string, Positions> positions = {
    {"data", {8, 10, 6}}, {"filter", {8, 10, 6}}, {"ctc", {10, 13, 7}}, {"ctc_v8", {2, 12, 2}}};

Lines words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>{stream}, {}};
}

std::string word(const std::string& line, size_t number) {
  const Lines all = words(line);
  return number < all.size() ? all[number] : "";
}

std::string with_word(const std::string& line, size_t number, const std::string& value) {
  std::string result;
  const Lines all = words(line);
  for (size_t i = 0; i < all.size(); ++i)
    result += (i != 0 ? " " : "") + (i == number ? value : all[i]);
  return result;
}

TEST_P(CudnnLayers, TheDeterministicAlgorithmRunsWithAWorkspaceOfItsSize) {
  for (const Substitution& s : substitutions) {
    SCOPED_TRACE(std::string{s.layer} + " " + s.asked);
    const Arguments program{s.layer, s.asked, "ask"};
    const Positions at = positions.at(s.layer);
    EXPECT_TRUE(contains(native(program), std::string{"size=0 bytes="} + s.native + " run=0"));
    const std::string natively = told(s.run), size_natively = told(s.size);
    EXPECT_EQ(word(natively, at.algorithm), s.asked);

    // Enough for both: the library may yet refuse the one that is to run.
    const std::string enough = std::to_string(std::max(std::stoi(s.needed), std::stoi(s.native)));
    for (const Environment& mode : {enforce, strict}) {
      const auto ran = shimmed(program, mode);
      EXPECT_TRUE(contains(ran.out, "size=0 bytes=" + enough + " run=0")) << ran;
      // Every other argument is the program's own, in its place.
      EXPECT_EQ(told(s.run),
                with_word(with_word(natively, at.algorithm, s.given), at.workspace, enough));
      std::set<std::string> asked_for; // the size that was asked for, and the check before the run
      for (const std::string& line : calls())
        if (line.starts_with(std::string{s.size} + " "))
          asked_for.insert(line);
      EXPECT_EQ(asked_for,
                (std::set<std::string>{size_natively,
                                       with_word(size_natively, at.algorithm_in_size, s.given)}));
      EXPECT_TRUE(ran.did("replace", s.run)) << ran;
      EXPECT_TRUE(ran.did("replace", s.size)) << ran;
    }
  }
}

TEST_P(CudnnLayers, OptingOutRunsTheProgramsAlgorithm) {
  for (const Substitution& s : substitutions) {
    SCOPED_TRACE(std::string{s.layer} + " " + s.asked);
    const Arguments program{s.layer, s.asked, "ask"};
    const Lines out = native(program), called = calls();
    EXPECT_EQ(shimmed(program, disabled(std::string{s.run} + "," + s.size)).out, out);
    EXPECT_EQ(calls(), called);
    EXPECT_EQ(shimmed(program, disabled("cudnn")).out, out);
    EXPECT_EQ(calls(), called);

    // Each hook for itself: the size alone is the library's, the run alone is.
    shimmed(program, disabled(s.size));
    EXPECT_TRUE(contains(
        calls(), with_word(called.front(), positions.at(s.layer).algorithm_in_size, s.asked)));
    shimmed({s.layer, s.asked, "65536"}, disabled(s.run));
    EXPECT_EQ(word(told(s.run), positions.at(s.layer).algorithm), s.asked);
  }
}

TEST_P(CudnnLayers, AWorkspaceThatIsTooSmallRunsTheProgramsAlgorithmAndIsRecorded) {
  for (const Substitution& s : substitutions) {
    SCOPED_TRACE(std::string{s.layer} + " " + s.asked);
    // As much as the program's own algorithm wants, one byte less than the other, and just enough.
    const std::string short_of = std::to_string(std::atoi(s.needed) - 1);
    const bool fits = std::atoi(s.native) < std::atoi(s.needed);
    const Arguments program{s.layer, s.asked, fits ? short_of : s.native};
    const auto left = shimmed(program);
    EXPECT_TRUE(contains(left.out, " run=0")) << left;
    if (fits) {
      EXPECT_EQ(word(told(s.run), positions.at(s.layer).algorithm), s.asked);
      EXPECT_TRUE(left.did("nondeterministic", s.run)) << left;
      EXPECT_FALSE(left.did("replace", s.run)) << left;

      const auto refused = shimmed(program, strict);
      EXPECT_TRUE(contains(refused.out, " run=3000")) << refused;
      EXPECT_EQ(told(s.run), "");
      EXPECT_TRUE(refused.did("refuse", s.run)) << refused;
    }
    const auto enough = shimmed({s.layer, s.asked, s.needed}, strict);
    EXPECT_TRUE(contains(enough.out, " run=0")) << enough;
    EXPECT_EQ(word(told(s.run), positions.at(s.layer).algorithm), s.given);
  }
}

TEST_P(CudnnLayers, WithoutASizeTheProgramsAlgorithmRunsWithItsOwn) {
  for (const Substitution& s : substitutions) {
    SCOPED_TRACE(std::string{s.layer} + " " + s.asked);
    const Arguments program{s.layer, s.asked, "ask"};
    const Lines out = native(program);
    const std::string natively = told(s.run);
    const auto left = shimmed(program, enforce + misbehaving("no_size"));
    EXPECT_EQ(left.out, out);
    EXPECT_EQ(told(s.run), natively);
    EXPECT_TRUE(left.did("nondeterministic", s.run)) << left;

    const auto refused = shimmed(program, strict + misbehaving("no_size"));
    EXPECT_TRUE(contains(refused.out, std::string{"bytes="} + s.native + " run=3000")) << refused;
    EXPECT_TRUE(refused.did("refuse", s.run)) << refused;
  }
}

TEST_P(CudnnLayers, WhatTheLibraryRefusesToRunRunsAsTheProgramAsked) {
  for (const Substitution& s : substitutions) {
    SCOPED_TRACE(std::string{s.layer} + " " + s.asked);
    const Arguments program{s.layer, s.asked, "65536"};
    const auto left = shimmed(program, enforce + misbehaving("refuses"));
    EXPECT_TRUE(contains(left.out, " run=0")) << left;
    EXPECT_TRUE(left.did("nondeterministic", s.run)) << left;
    EXPECT_FALSE(left.did("replace", s.run)) << left;
    EXPECT_EQ(word(calls().back(), positions.at(s.layer).algorithm), s.asked);

    const auto refused = shimmed(program, strict + misbehaving("refuses"));
    EXPECT_TRUE(contains(refused.out, " run=3000")) << refused;
    EXPECT_TRUE(refused.did("refuse", s.run)) << refused;
    EXPECT_EQ(word(told(s.run), positions.at(s.layer).algorithm), s.given);
  }
}

TEST_P(CudnnLayers, AFailureOnTheDeviceIsTheProgramsToSee) {
  for (const Substitution& s : substitutions) {
    for (const Environment& mode : {enforce, strict, record, observe}) {
      const auto failed = shimmed({s.layer, s.asked, "65536"}, mode + misbehaving("fail"));
      EXPECT_TRUE(contains(failed.out, " run=5000")) << failed;
      EXPECT_NE(told(s.run), ""); // one attempt
      EXPECT_FALSE(failed.recorded(s.run)) << failed;
    }
  }
}

TEST_P(CudnnLayers, ModesThatForceNothingLeaveTheAlgorithmAndRecordIt) {
  for (const Substitution& s : substitutions) {
    SCOPED_TRACE(std::string{s.layer} + " " + s.asked);
    const Arguments program{s.layer, s.asked, "ask"};
    const Lines out = native(program), called = calls();
    for (const Environment& mode : {record, observe}) {
      const auto left = shimmed(program, mode);
      EXPECT_EQ(left.out, out);
      EXPECT_EQ(calls(), called);
      EXPECT_TRUE(left.did("nondeterministic", s.run)) << left;
    }
  }
}

TEST_P(CudnnLayers, DeterministicAlgorithmsAreNoneOfItsBusiness) {
  for (const Arguments& program : {Arguments{"data", "1", "ask"}, Arguments{"data", "5", "ask"},
                                   Arguments{"filter", "5", "ask"}, Arguments{"ctc", "0", "ask"},
                                   Arguments{"ctc_v8", "0", "ask"}}) {
    const Lines out = native(program), called = calls();
    const auto left = shimmed(program, strict);
    EXPECT_EQ(left.out, out);
    EXPECT_EQ(calls(), called);
    for (const Substitution& s : substitutions)
      EXPECT_FALSE(left.recorded(s.run)) << left;
  }
}

TEST_P(CudnnLayers, ALibraryThatGivesNoSizesRunsWhatTheProgramAsked) {
  set_doubles({"old", "doubles"});
  for (const Substitution& s : substitutions) {
    const auto left = shimmed({s.layer, s.asked, "65536"});
    EXPECT_TRUE(contains(left.out, " run=0")) << left;
    EXPECT_EQ(word(told(s.run), positions.at(s.layer).algorithm), s.asked);
    EXPECT_TRUE(left.did("nondeterministic", s.run)) << left;
  }
}

// ---- pooling ----

struct Pooling {
  const char* dimensions;
  const char* set;
  const char* values; ///< what the descriptor says besides its mode
};
const Pooling poolings[] = {
    {"2d", "cudnnSetPooling2dDescriptor", " 1 2 3 4 5 6 7"},
    {"nd", "cudnnSetPoolingNdDescriptor", " 1 2 4 5 3 6 7"},
};

TEST_P(CudnnLayers, MaxPoolingIsDeterministic) {
  for (const Pooling& p : poolings) {
    SCOPED_TRACE(p.dimensions);
    const Arguments program{"pooling", p.dimensions, "0"};
    const Lines out = native(program);
    const std::string natively = told(p.set);
    EXPECT_EQ(out, Lines{std::string{"set=0 get=0 mode=0"} + p.values});
    for (const Environment& mode : {enforce, strict}) {
      const auto set = shimmed(program, mode);
      EXPECT_EQ(set.out, Lines{std::string{"set=0 get=0 mode=3"} + p.values});
      EXPECT_EQ(told(p.set), with_word(natively, 1, "3"));
      EXPECT_TRUE(set.did("replace", p.set)) << set;
    }
    EXPECT_EQ(shimmed(program, disabled(p.set)).out, out);
    EXPECT_EQ(told(p.set), natively);
  }
}

TEST_P(CudnnLayers, OtherModesOfPoolingStay) {
  for (const Pooling& p : poolings) {
    // Averages, the deterministic one, and each of them after MAX in the same descriptor.
    for (const char* mode : {"1", "2", "3"}) {
      for (const Arguments& program : {Arguments{"pooling", p.dimensions, mode},
                                       Arguments{"pooling", p.dimensions, "0", mode}}) {
        const auto set = shimmed(program);
        EXPECT_EQ(set.out.back(), native(program).back()) << set;
        EXPECT_EQ(word(calls().back(), 1), mode);
      }
    }
  }
}

TEST_P(CudnnLayers, PoolingIsLeftAloneWhereNothingIsForced) {
  for (const Pooling& p : poolings) {
    const Arguments program{"pooling", p.dimensions, "0"};
    for (const Environment& mode : {record, observe}) {
      const auto left = shimmed(program, mode);
      EXPECT_EQ(word(told(p.set), 1), "0");
      EXPECT_TRUE(contains(left.out, "mode=0")) << left;
      EXPECT_TRUE(left.did("nondeterministic", p.set)) << left;
    }
  }
}

TEST_P(CudnnLayers, ALibraryWithoutTheModeKeepsMaxAndStrictRefuses) {
  for (const Pooling& p : poolings) {
    const Arguments program{"pooling", p.dimensions, "0"};
    const auto left = shimmed(program, enforce + misbehaving("refuses"));
    EXPECT_TRUE(contains(left.out, "set=0 get=0 mode=0")) << left;
    EXPECT_TRUE(left.did("nondeterministic", p.set)) << left;
    const auto refused = shimmed(program, strict + misbehaving("refuses"));
    EXPECT_TRUE(contains(refused.out, "set=2000")) << refused;
    EXPECT_TRUE(refused.did("refuse", p.set)) << refused;
  }
}

/// Descriptors of the real library need no device. libcudnn_ops.so.9 is used directly too: it has
/// no cudnnGetVersion.
class CudnnRealLayers : public RealCudnn {
protected:
  void SetUp() override { use_real_cudnn("cudnn_layers"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnRealLayers, both_ways, name_of_way);
INSTANTIATE_TEST_SUITE_P(CudaSublibrary, CudnnRealLayers, testing::Values(Way{"Opened", "_ops"}),
                         name_of_way);

TEST_P(CudnnRealLayers, TheRealLibraryTakesTheMode) {
  for (const Pooling& p : poolings) {
    const Arguments program{"pooling", p.dimensions, "0", "3", "0", "1"};
    const auto set = shimmed(program);
    EXPECT_EQ(set.out.back(), native(program).back());
    EXPECT_TRUE(set.did("replace", p.set)) << set;
    EXPECT_TRUE(contains(shimmed({"pooling", p.dimensions, "0"}).out,
                         std::string{"set=0 get=0 mode=3"} + p.values));
    EXPECT_TRUE(contains(native({"pooling", p.dimensions, "0"}),
                         std::string{"set=0 get=0 mode=0"} + p.values));
  }
}

TEST_P(CudnnRealLayers, ARefusalHasTheLibrarysOwnNumber) {
  EXPECT_EQ(shimmed({"call", "cudnnSpatialTfSamplerBackward"}, strict).out, Lines{"status=3000"});
}

// ---- CTC loss' descriptor ----

TEST_P(CudnnLayers, GradientsThatAreNotWrittenAreRecorded) {
  constexpr const char* function = "cudnnSetCTCLossDescriptor_v9";
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto skips = shimmed({"oob", "1"}, mode);
    EXPECT_EQ(told(function), std::string{function} + " 11 12 13 1 15"); // as the program set it
    EXPECT_TRUE(skips.did("nondeterministic", function)) << skips;
    EXPECT_FALSE(shimmed({"oob", "0"}, mode).recorded(function));
  }
  EXPECT_FALSE(shimmed({"oob", "1"}, disabled(function)).recorded(function));
}

// ---- dropout ----

constexpr const char* set_dropout = "cudnnSetDropoutDescriptor";

/// The seeds that the double was given.
Lines seeds(const Lines& calls) {
  Lines found;
  for (const std::string& line : calls)
    if (line.starts_with(set_dropout))
      found.push_back(word(line, 6));
  return found;
}

TEST_P(CudnnLayers, DropoutsSeedFollowsFromDetshimsSeedAndTheProgramsValueUnderVary) {
  const Environment vary{{"DETSHIM_SEED_POLICY", "vary"}};
  const Arguments program{"dropout", "7", "8", "7"};
  const Lines out = native(program);
  const Lines native_calls = calls();
  EXPECT_EQ(seeds(native_calls), (Lines{"7", "8", "7"}));
  Lines given;
  for (const Environment& mode : {enforce, strict, enforce + Environment{{"RANK", "3"}}}) {
    const auto pinned = shimmed(program, mode + vary);
    EXPECT_EQ(pinned.out, out);
    if (given.empty())
      given = seeds(calls());
    EXPECT_EQ(seeds(calls()), given) << "in every mode, in every rank, in every run";
    ASSERT_EQ(given.size(), 3U) << pinned;
    EXPECT_NE(given[0], "7");
    EXPECT_NE(given[1], given[0]);
    EXPECT_EQ(given[2], given[0]); // the same value is the same seed
    EXPECT_EQ(calls().front(), with_word(native_calls.front(), 6, given[0]));
    EXPECT_TRUE(pinned.did("pin", set_dropout)) << pinned;
  }
  shimmed(program, vary + Environment{{"DETSHIM_SEED", "43"}});
  EXPECT_NE(seeds(calls()).front(), given[0]);
  for (const Environment& mode : {enforce, strict, observe, record}) {
    shimmed(program, mode);
    EXPECT_EQ(calls(), native_calls) << "what the program fixes stays";
  }
  shimmed(program, disabled(set_dropout));
  EXPECT_EQ(calls(), native_calls);
}

TEST_P(CudnnLayers, ASeedFromAClockIsPinned) {
  shimmed({"dropout", "clock"});
  EXPECT_EQ(seeds(calls()), Lines{"42"});
}

TEST_P(CudnnLayers, DropoutFollowsTheSeedPolicy) {
  const auto policy = [](const char* name) {
    return enforce + Environment{{"DETSHIM_SEED_POLICY", name}};
  };
  const Arguments program{"dropout", "7", "8"};
  EXPECT_FALSE(shimmed(program, policy("keep")).did("pin", set_dropout));
  EXPECT_EQ(seeds(calls()), (Lines{"7", "8"}));
  shimmed(program, policy("fixed"));
  EXPECT_EQ(seeds(calls()), (Lines{"7", "8"}));
  shimmed(program, policy("vary"));
  const Lines mapped = seeds(calls());
  EXPECT_NE(mapped.at(0), "7");
  EXPECT_NE(mapped.at(0), mapped.at(1));
}

TEST_P(CudnnLayers, ADescriptorWithoutStatesTakesNoSeed) {
  const Arguments program{"dropout", "none", "clock"};
  native(program);
  const Lines native_calls = calls();
  const auto pinned = shimmed(program);
  EXPECT_EQ(calls().front(), native_calls.front());
  EXPECT_EQ(seeds(calls()), (Lines{"0", "42"}));
  EXPECT_TRUE(pinned.did("observe", set_dropout)) << pinned;
}

TEST_P(CudnnLayers, ObserveLeavesDropoutsSeedAndRecordsAClocks) {
  shimmed({"dropout", "7"}, observe);
  EXPECT_EQ(seeds(calls()), Lines{"7"});
  const auto left = shimmed({"dropout", "clock"}, observe);
  EXPECT_NE(seeds(calls()), Lines{"42"});
  EXPECT_TRUE(left.did("nondeterministic", set_dropout)) << left;
}

TEST_P(CudnnLayers, AFailureOfDropoutIsTheProgramsToSee) {
  const auto failed = shimmed({"dropout", "7"}, enforce + misbehaving("fail"));
  EXPECT_EQ(failed.out, Lines{"set=5000"});
  EXPECT_FALSE(failed.recorded(set_dropout)) << failed;
}

TEST_P(CudnnLayers, RestoredStatesKeepTheirSeedAndAreRecorded) {
  constexpr const char* function = "cudnnRestoreDropoutDescriptor";
  native({"restore", "7"});
  const Lines called = calls();
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto restored = shimmed({"restore", "7"}, mode);
    EXPECT_EQ(calls(), called);
    EXPECT_TRUE(restored.did("observe", function)) << restored;
  }
  EXPECT_FALSE(shimmed({"restore", "7"}, observe + Environment{{"DETSHIM_DISABLE", function}})
                   .recorded(function));
}

// ---- what is recorded alone ----

const char* const workspace_users[] = {"cudnnRNNForward", "cudnnRNNBackwardData_v8",
                                       "cudnnRNNBackwardWeights_v8"};

TEST_P(CudnnLayers, NetworksAreRecordedWithTheWorkspaceSetting) {
  for (const std::string function : workspace_users)
    expect_recorded_with_workspace_setting(function, {"call", function}, {"status=0"});
}

const char* const users_of_atomics[] = {
    "cudnnSpatialTfSamplerBackward", "cudnnCausalConv1dBackward", "cudnnCausalConv1dNwhBackward"};

TEST_P(CudnnLayers, WhatAddsByAtomicsIsRecordedAndStrictRefusesIt) {
  for (const std::string function : users_of_atomics) {
    SCOPED_TRACE(function);
    const Arguments program{"call", function};
    EXPECT_EQ(native(program), Lines{"status=0"});
    const Lines called = calls();
    for (const Environment& mode : {enforce, record, observe}) {
      const auto ran = shimmed(program, mode);
      EXPECT_EQ(ran.out, Lines{"status=0"});
      EXPECT_EQ(calls(), called);
      EXPECT_TRUE(ran.did("nondeterministic", function)) << ran;
    }
    const auto refused = shimmed(program, strict);
    EXPECT_EQ(refused.out, Lines{"status=3000"});
    EXPECT_TRUE(calls().empty());
    EXPECT_TRUE(refused.did("refuse", function)) << refused;
    const auto opted_out = shimmed(program, strict + Environment{{"DETSHIM_DISABLE", function}});
    EXPECT_EQ(opted_out.out, Lines{"status=0"});
    EXPECT_FALSE(opted_out.recorded(function));
    const auto failed = shimmed(program, enforce + misbehaving("fail"));
    EXPECT_EQ(failed.out, native(program, misbehaving("fail")));
    EXPECT_FALSE(failed.recorded(function)) << failed;
  }
}

// ---- cuDNN 8 ----

class Cudnn8 : public CudnnLayers {
protected:
  void SetUp() override { use("cudnn_8_layers", {"cudnn_8"}); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Cudnn8, both_ways, name_of_way);

TEST_P(Cudnn8, ItsStatusNumbersAreItsOwn) {
  EXPECT_TRUE(contains(shimmed({"data", "0", "0"}, strict).out, "status=9"));
  const auto left = shimmed({"data", "0", "8192"}, enforce + misbehaving("refuses"));
  EXPECT_TRUE(contains(left.out, "status=0")) << left;
  EXPECT_TRUE(left.did("nondeterministic", "cudnnConvolutionBackwardData")) << left;
  EXPECT_TRUE(
      contains(shimmed({"data", "0", "8192"}, enforce + misbehaving("fail")).out, "status=8"));
}

TEST_P(Cudnn8, NetworksAreRecordedWithTheWorkspaceSetting) {
  for (const std::string function :
       {"cudnnRNNForwardInference", "cudnnRNNForwardTraining", "cudnnRNNBackwardData",
        "cudnnRNNBackwardWeights", "cudnnRNNForwardInferenceEx", "cudnnRNNForwardTrainingEx",
        "cudnnRNNBackwardDataEx", "cudnnRNNBackwardWeightsEx"})
    expect_recorded_with_workspace_setting(function, {"run", function}, {"status=0"});
}

} // namespace
