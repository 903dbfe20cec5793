#include <map>
#include <sstream>
// Who chooses kernels by time is answered; who times steps is not.
#include "tuning_test.h"

namespace {

const Environment off{{"DETSHIM_AUTOTUNE", "off"}}, observing{{"DETSHIM_AUTOTUNE", "observe"}},
    inverse{{"DETSHIM_AUTOTUNE", "inverse"}};

// ---- A library that times candidates itself ----

class Builder : public CudaTest {
protected:
  void SetUp() override { use("tuned_calls"); }

  static Arguments building(const std::string& way) { return {way, "2", "1", "3"}; }
  static Lines taken(const std::string& candidate) {
    return {"taken=" + candidate, "step=2 status=0"};
  }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Builder, both_ways, name_of_way);

struct TunersWay {
  std::string way, hook;
};
const TunersWay ways_to_events[] = {
    {"cudaEventElapsedTime", "cudaEventElapsedTime"},
    {"cudaEventElapsedTime_v2", "cudaEventElapsedTime_v2"},
    {"cuEventElapsedTime", "cuEventElapsedTime"},
    {"cuEventElapsedTime_v2", "cuEventElapsedTime_v2"},
    {"entry 12", "cuEventElapsedTime"},
    {"entry 13", "cuEventElapsedTime_v2"},
};

TEST_P(Builder, IsGivenOneTimeForAllCandidates) {
  for (const auto& [way, hook] : ways_to_events) {
    EXPECT_EQ(native(building(way)), taken("1")) << way;
    const auto answered = shimmed(building(way));
    EXPECT_EQ(answered.out, taken("0")) << way << answered;
    EXPECT_TRUE(answered.did("replace", hook)) << answered;
    EXPECT_EQ(values(answered, hook, "tuner"), std::set<std::string>{"libnvinfer"}) << answered;
    EXPECT_EQ(shimmed(building(way), disabled("cudart,cuda")).out, taken("1")) << way;
  }
}

TEST_P(Builder, IsLeftAloneAndRecordedOnRequest) {
  for (const auto& [way, hook] : ways_to_events)
    for (const Environment& asked : {enforce + off, enforce + observing, observe, record}) {
      const auto left = shimmed(building(way), asked);
      EXPECT_EQ(left.out, taken("1")) << way;
      EXPECT_TRUE(left.did("nondeterministic", hook)) << left;
    }
}

TEST_P(Builder, TakesItsSlowestOnRequest) {
  const auto turned = shimmed(building("cudaEventElapsedTime"), enforce + inverse);
  EXPECT_EQ(turned.out, taken("2")) << turned;
  EXPECT_TRUE(turned.did("nondeterministic", "cudaEventElapsedTime")) << turned;
}

TEST_P(Builder, IsToldWhatTheLibraryRefuses) {
  const auto refused =
      shimmed(building("cudaEventElapsedTime"), enforce + misbehaving("not ready"));
  EXPECT_EQ(refused.out, (Lines{"taken=-1", "step=0 status=600"})) << refused;
  EXPECT_FALSE(refused.recorded("cudaEventElapsedTime")) << refused;
}

TEST_P(Builder, IsRecordedAsOneThatTimes) {
  for (const Environment& mode : {enforce, observe}) {
    const auto built = shimmed(building("cudaEventElapsedTime"), mode);
    EXPECT_TRUE(built.did("nondeterministic", "createInferBuilder_INTERNAL")) << built;
  }
  const auto without =
      shimmed(building("cudaEventElapsedTime"), disabled("createInferBuilder_INTERNAL"));
  EXPECT_FALSE(without.recorded("createInferBuilder_INTERNAL")) << without;
}

TEST_P(Builder, ASearchOfCusparseltIsRecorded) {
  EXPECT_EQ(native({"search"}), Lines{"search=0"});
  const Lines untouched = calls();
  const auto searched = shimmed({"search"});
  EXPECT_EQ(searched.out, Lines{"search=0"});
  EXPECT_EQ(calls(), untouched);
  EXPECT_TRUE(searched.did("nondeterministic", "cusparseLtMatmulSearch")) << searched;
  EXPECT_FALSE(shimmed({"search"}, disabled("cusparselt")).recorded("cusparseLtMatmulSearch"));
  const auto failed = shimmed({"search"}, enforce + misbehaving("no search"));
  EXPECT_EQ(failed.out, Lines{"search=10"});
  EXPECT_FALSE(failed.recorded("cusparseLtMatmulSearch")) << failed;
}

// ---- Tuners in Python ----

/// A Python that has the module, or an empty text.
std::string python_with(const std::string& module) {
  const char* named = std::getenv("DETSHIM_TEST_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  return run({python, "-c", "import " + module}).status == 0 ? python : "";
}

/// Which Triton, and whether the events are asked with the interpreter's lock held.
struct Tritons {
  const char* name;
  bool is_real;
  const char* lock;
};

class TritonTuner : public testing::TestWithParam<Tritons> {
protected:
  void SetUp() override {
    python_ = GetParam().is_real ? python_with("triton.testing") : "python3";
    if (python_.empty())
      GTEST_SKIP() << "not installed: triton (DETSHIM_TEST_PYTHON names a Python that has it)";
  }

  /// What the tuner takes for its two problems where candidates take so long, and a step's time.
  /// With `second`, they take another time for the second problem.
  Environment timed(const std::string& times, const std::string& second = "") const {
    return {{"TIMES", times},
            {"SECOND", second},
            {"EVENTS", "libcudart.so.13"},
            {"LOCK", GetParam().lock},
            {"STANDIN", GetParam().is_real ? "" : "1"},
            {"LD_LIBRARY_PATH", test_folder() + "/doubles"},
            {"DOUBLE_LOG", "/dev/null"},
            {"PYTHONDONTWRITEBYTECODE", "1"}};
  }
  Arguments program() const { return {python_, TUNERS_FOLDER "/triton_tuner.py"}; }

  /// Triton keeps on disk what it took: nobody else's.
  static Environment cache_in(const TemporaryFolder& scratch) {
    return {{"TRITON_CACHE_DIR", (scratch.path() / "cache").string()}};
  }

  Lines native(const Environment& environment) const {
    const TemporaryFolder scratch;
    const Result result = run(program(), environment + cache_in(scratch));
    EXPECT_EQ(result.status, 0) << result.err;
    return lines(result.out);
  }

  Shimmed shimmed(const Environment& environment) const {
    const TemporaryFolder scratch;
    Shimmed shimmed;
    shimmed.result = run(program(), under_shim(scratch, environment + cache_in(scratch)));
    EXPECT_EQ(shimmed.result.status, 0) << shimmed.result.err;
    shimmed.out = lines(shimmed.result.out);
    shimmed.processes = read_log(scratch.log());
    for (const ProcessLog& process : shimmed.processes)
      shimmed.records.insert(shimmed.records.end(), process.records.begin(), process.records.end());
    return shimmed;
  }

  static Lines taken(const std::string& first, const std::string& second) {
    return {"1000 " + first, "2000 " + second, "step 2.0"};
  }

  Environment tuning(const std::string& what) const {
    return enforce + Environment{{"DETSHIM_AUTOTUNE", what}};
  }

  std::string python_;
  TemporaryFolder tuning_;
  std::string file_ = (tuning_.path() / "tuning.json").string();
};
INSTANTIATE_TEST_SUITE_P(Python, TritonTuner,
                         testing::Values(Tritons{"Installed", true, "keep"},
                                         Tritons{"InstalledWithoutLock", true, "give"},
                                         Tritons{"StandIn", false, "keep"},
                                         Tritons{"StandInWithoutLock", false, "give"}),
                         [](const auto& which) {
                           return std::string(which.param.name);
                         });

constexpr const char* clock_hook = "cudaEventElapsedTime";

TEST_P(TritonTuner, RanksOfOtherTimesTakeTheSame) {
  const Environment one = timed("64=3,128=1,256=2"), another = timed("64=3,128=2,256=1");
  EXPECT_EQ(native(one), taken("128", "128"));
  EXPECT_EQ(native(another), taken("256", "256"));
  const auto answered = shimmed(enforce + one);
  EXPECT_EQ(answered.out, taken("64", "64")) << answered;
  EXPECT_EQ(shimmed(enforce + another).out, answered.out);
  EXPECT_EQ(answered.count("replace", clock_hook), 6U)
      << answered; // three candidates for each of two problems
  EXPECT_EQ(values(answered, clock_hook, "tuner"), std::set<std::string>{"triton/testing.py"})
      << answered;
  EXPECT_EQ(values(answered, clock_hook, "kernel"), std::set<std::string>{"scale"}) << answered;
  EXPECT_EQ(shimmed(disabled("cudart,cuda") + one).out, taken("128", "128"));
}

TEST_P(TritonTuner, IsLeftAloneAndCountedOnRequest) {
  const auto left = shimmed(tuning("observe") + timed("64=3,128=1,256=2"));
  EXPECT_EQ(left.out, taken("128", "128")) << left;
  EXPECT_EQ(left.count("nondeterministic", clock_hook), 6U) << left;
  const auto record = std::ranges::find_if(left.records, [](const auto& entry) {
    return entry["t"] == "call" && entry["fn"] == clock_hook;
  });
  ASSERT_NE(record, left.records.end());
  ASSERT_TRUE(record->contains("user")) << *record;
  EXPECT_NE((*record)["py"][(*record)["user"].get<size_t>()].template get<std::string>().find(
                "triton_tuner.py"),
            std::string::npos)
      << *record;
}

TEST_P(TritonTuner, TakesAgainWhatItTookAsItWasRecorded) {
  // The second problem has another fastest candidate than the first.
  const Environment as_recorded = timed("64=3,128=1,256=2", "64=1,128=3");
  const auto recorded = shimmed(tuning("record:" + file_) + as_recorded);
  EXPECT_EQ(recorded.out, taken("128", "64")) << recorded;
  EXPECT_TRUE(recorded.did("nondeterministic", clock_hook)) << recorded;
  std::map<std::string, std::string> choices; // of each problem the last line counts
  std::istringstream lines(contents(file_));
  for (std::string line; std::getline(lines, line);) {
    const auto choice = nlohmann::json::parse(line);
    EXPECT_EQ(choice["library"], "triton");
    choices[choice["problem"]] = choice["choice"];
  }
  ASSERT_EQ(choices.size(), 2U) << contents(file_);
  const std::string& first = choices["triton/runtime/autotuner.py; scale; __main__; (1000)"];
  EXPECT_NE(first.find("BLOCK: 128"), std::string::npos) << first;

  const Environment other_times = timed("64=1,128=2,256=3");
  EXPECT_EQ(native(other_times), taken("64", "64"));
  const auto replayed = shimmed(tuning("replay:" + file_) + other_times);
  EXPECT_EQ(replayed.out, taken("128", "64")) << replayed;
  EXPECT_TRUE(replayed.did("replace", clock_hook)) << replayed;
  EXPECT_FALSE(replayed.did("nondeterministic", clock_hook)) << replayed;
}

// Of each problem the last line counts.
TEST_P(TritonTuner, RanksThatRecordedApartTakeWhatTheLastOfTheirFilesSays) {
  const Environment ranks[] = {timed("64=3,128=1,256=2"), timed("64=3,128=2,256=1")};
  std::string all;
  for (const Environment& rank : ranks) {
    const std::string file = file_ + std::to_string(all.size());
    shimmed(tuning("record:" + file) + rank);
    all += contents(file);
  }
  std::ofstream(file_) << all;
  for (const Environment& rank : ranks)
    EXPECT_EQ(shimmed(tuning("replay:" + file_) + rank).out, taken("256", "256"));
}

TEST_P(TritonTuner, WhatTheFileDoesNotHoldIsAnsweredAsFirst) {
  shimmed(tuning("record:" + file_) + timed("64=3,128=1,256=2"));
  const auto other = shimmed(tuning("replay:" + file_) + timed("512=3,1024=1"));
  EXPECT_EQ(other.out, taken("512", "512")) << other; // none of the kept candidates is there
}

TEST_P(TritonTuner, AFileThatIsCalledAsATunersIsNone) {
  const Environment own = timed("64=3,128=1") + Environment{{"OWN", "1"}};
  const auto recorded = shimmed(tuning("record:" + file_) + own);
  EXPECT_TRUE(contains(recorded.out, "own 128")) << recorded;
  EXPECT_EQ(contents(file_).find("own"), std::string::npos) << contents(file_);
}

TEST_P(TritonTuner, TakesItsSlowestOnRequest) {
  EXPECT_EQ(shimmed(tuning("inverse") + timed("64=2,128=1,256=3")).out, taken("256", "256"));
}

// What was taken is kept on disk, by which a later run does not time. The stand-in keeps nothing.
class InstalledTritonTuner : public TritonTuner {};
INSTANTIATE_TEST_SUITE_P(Python, InstalledTritonTuner,
                         testing::Values(Tritons{"Installed", true, "keep"}),
                         [](const auto& which) {
                           return std::string(which.param.name);
                         });

TEST_P(InstalledTritonTuner, KeepsWhatItTookApartForEachWay) {
  const TemporaryFolder home;
  const Environment times = timed("64=3,128=1,256=2") + Environment{{"HOME", home.path().string()}};
  const auto at_home = [&](const Environment& environment) {
    const TemporaryFolder scratch;
    const Result result = run(program(), under_shim(scratch, environment + times));
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  };
  const Result first = at_home(tuning("first"));
  EXPECT_EQ(lines(first.out), taken("64", "64"));
  EXPECT_EQ(lines(at_home(tuning("observe")).out), taken("128", "128"));
  EXPECT_EQ(lines(at_home(tuning("record:" + file_)).out), taken("128", "128"));
  EXPECT_EQ(lines(at_home(tuning("replay:" + file_)).out), taken("128", "128"));
  const Result again = at_home(tuning("first"));
  EXPECT_EQ(lines(again.out), taken("64", "64"));
  EXPECT_TRUE(again.err.find("launches 2\n") != std::string::npos)
      << again.err; // nothing was timed
  EXPECT_TRUE(first.err.find("launches 2\n") == std::string::npos) << first.err;
}

// ---- Who asks, by the path of the file ----

/// A file that times three candidates, of which the second is the fastest.
Shimmed asked_from(const std::string& path, const Environment& environment = enforce) {
  const TemporaryFolder scratch;
  Shimmed shimmed;
  shimmed.result = run(
      {"python3", TUNERS_FOLDER "/asks_from_a_file.py", path},
      under_shim(scratch, environment + Environment{{"TIMES", "64=3,128=1,256=2"},
                                                    {"EVENTS", "libcudart.so.13"},
                                                    {"LOCK", "keep"},
                                                    {"LD_LIBRARY_PATH", test_folder() + "/doubles"},
                                                    {"DOUBLE_LOG", "/dev/null"},
                                                    {"PYTHONDONTWRITEBYTECODE", "1"}}));
  EXPECT_EQ(shimmed.result.status, 0) << shimmed.result.err;
  shimmed.out = lines(shimmed.result.out);
  if (std::filesystem::exists(scratch.log()))
    for (const ProcessLog& process : read_log(scratch.log()))
      shimmed.records.insert(shimmed.records.end(), process.records.begin(), process.records.end());
  return shimmed;
}

TEST(TunersFiles, TakeTheFirstCandidate) {
  for (const std::string path :
       {"flashinfer/autotuner/_graph_timing.py",
        "flashinfer/mla/_sparse_mla_sm120/_calibration.py",
        "flashinfer/mla/_sparse_mla_sm120_cpb.py",
        "flashinfer/comm/pcie_ipc_tuning.py",
        "flashinfer/comm/pcie_ipc_collectives/_ag_rs_tuning.py",
        "flashinfer/moe_ep/core/tuning_measurement.py",
        "flashinfer/moe_ep/kernel_src/sm107/next_cutedsl_megamoe/shim/autotune.py",
        "flashinfer/moe_ep/cute_dsl/megamoe/bf16_nvfp4/autotune.py",
        "flashinfer/moe_ep/backends/mega/kernel/sm120/mxfp4_mxfp8_bf16_cake/cake_tuner.py",
        "flashinfer/testing/utils.py",
        "flashinfer/experimental/b12x/preparation/_measurement.py",
        "b12x/preparation/_measurement.py",
        "b12x/comm/pcie/pcie_dma.py",
        "cuda/tile/tune/_tune.py",
        "cuda/tile/tune/_tune_utils.py",
        "cudnn/gemm/ops/swiglu_mlp.py",
        "cudnn/moe_ep/_autotune.py",
        "torchao/kernel/autotuner.py",
        "torch/_vendor/quack/autotuner.py",
        "sglang/multimodal_gen/runtime/layers/attention/autotune.py",
        "sglang/srt/distributed/device_communicators/pymscclpp.py"}) {
    const Shimmed answered = asked_from("site-packages/" + path);
    EXPECT_EQ(answered.out, Lines{"64"}) << path << answered;
    EXPECT_TRUE(answered.did("replace", clock_hook)) << path << answered;
  }
}

// Whether they choose by it is not known.
TEST(TunersFiles, OfOtherPackagesAreToldTheTruthAndNamed) {
  for (const std::string path :
       {"tilelang/profiler/bench.py", "helion/autotuner/benchmarking.py"}) {
    const Shimmed told = asked_from("lib/python3/site-packages/" + path);
    EXPECT_EQ(told.out, Lines{"128"}) << path << told;
    EXPECT_TRUE(told.did("observe", clock_hook)) << told;
    EXPECT_EQ(values(told, clock_hook, "tuner"), std::set<std::string>{path}) << told;
  }
  for (const std::string path :
       {"site-packages/deepspeed/utils/timer.py", "project/train.py", "project/autotuner.py"}) {
    const Shimmed told = asked_from(path);
    EXPECT_EQ(told.out, Lines{"128"}) << path << told;
    EXPECT_FALSE(told.recorded(clock_hook)) << path << told;
  }
}

// Where Triton keeps it, and whether anything was there, is in the log.
TEST(TritonCache, HasAFolderForEachWayAndItsStateInTheLog) {
  const TemporaryFolder home;
  const std::string script = contents(PROGRAMS "triton_cache.py");
  const auto printed = [&](const Environment& environment) {
    const TemporaryFolder scratch;
    const Environment at_home = environment + Environment{{"HOME", home.path().string()}};
    const Result result = run({"python3", "-c", script}, under_shim(scratch, at_home));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  const std::string folder = (home.path() / ".triton/detshim-").string();
  const auto tuning = [](const std::string& what) {
    return enforce + Environment{{"DETSHIM_AUTOTUNE", what}};
  };
  EXPECT_EQ(printed(enforce), folder + "first 1\n");
  EXPECT_EQ(printed(enforce), folder + "first 1\n");
  EXPECT_EQ(printed(tuning("off")), folder + "off 1\n");
  EXPECT_EQ(printed(tuning("record:/nowhere/tuning.json")), folder + "record None\n");
  const std::string replayed = printed(tuning("replay:/nowhere/tuning.json"));
  EXPECT_TRUE(replayed.starts_with(folder + "replay-")) << replayed;
  EXPECT_NE(printed(tuning("replay:/nowhere/other.json")), replayed);
  EXPECT_EQ(printed(enforce + Environment{{"TRITON_CACHE_DIR", "/nowhere"}}).find("/nowhere 1"),
            0U);
  // One that is a parent's is replaced if kernels are chosen in another way here.
  EXPECT_EQ(printed(tuning("off") + Environment{{"TRITON_CACHE_DIR", folder + "first"}}),
            folder + "off 1\n");
  EXPECT_EQ(printed(disabled("env:TRITON_CACHE_DIR")), " 1\n");
  EXPECT_EQ(printed(record), " None\n");
}

/// Inductor's tuner with each of its two clocks.
class InductorTuner : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Python, InductorTuner, testing::Values("triton", "inductor"),
                         [](const auto& way) {
                           return std::string(way.param);
                         });

// Inductor keeps what it took, too, and asks its cache before it times anything.
TEST(InductorCache, HasAFolderForEachWayAndItsStateInTheLog) {
  const std::string python =
      python_with("torch._inductor.runtime.triton_heuristics, triton.testing");
  if (python.empty())
    GTEST_SKIP() << "not installed: torch with Inductor, and triton";
  const TemporaryFolder home;
  const Environment with = {
      {"TIMES", "64=3,128=1,256=2"},  {"EVENTS", test_folder() + "/doubles/libcuda.so.1"},
      {"DOUBLE_LOG", "/dev/null"},    {"KEEP", "1"},
      {"HOME", home.path().string()}, {"PYTHONDONTWRITEBYTECODE", "1"}};
  const auto taken = [&](const std::string& tuning, const Environment& more = {}) {
    const TemporaryFolder scratch;
    const Result result =
        run({python, TUNERS_FOLDER "/inductor_tuner.py", "inductor"},
            under_shim(scratch, enforce + with + Environment{{"DETSHIM_AUTOTUNE", tuning}} + more));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out.substr(0, result.out.find('\n'));
  };
  const std::string file = (home.path() / "tuning.json").string();
  const std::string folder = (home.path() / ".cache/torchinductor/detshim-").string();
  EXPECT_EQ(taken("off"), "XBLOCK: 128");
  EXPECT_EQ(taken("first"), "XBLOCK: 64");
  EXPECT_EQ(taken("first"), "XBLOCK: 64");
  // What is recorded is chosen anew each time.
  EXPECT_EQ(taken("record:" + file), "XBLOCK: 128");
  EXPECT_EQ(taken("record:" + file, {{"TIMES", "64=1,128=2,256=3"}}), "XBLOCK: 64");
  // One cache for two ways: what the first of them chose stays.
  const Environment shared = {{"TORCHINDUCTOR_CACHE_DIR", (home.path() / "shared").string()}};
  EXPECT_EQ(taken("off", shared), "XBLOCK: 128");
  EXPECT_EQ(taken("first", shared), "XBLOCK: 128");
}

TEST_P(InductorTuner, TakesTheSameInEachRun) {
  const std::string python =
      python_with("torch._inductor.runtime.triton_heuristics, triton.testing");
  if (python.empty())
    GTEST_SKIP() << "not installed: torch with Inductor, and triton";
  const Arguments program = {python, TUNERS_FOLDER "/inductor_tuner.py", GetParam()};
  const TemporaryFolder folder;
  const Environment with = {{"TIMES", "64=3,128=1,256=2"},
                            {"EVENTS", test_folder() + "/doubles/libcuda.so.1"},
                            {"DOUBLE_LOG", "/dev/null"},
                            {"HOME", folder.path().string()}, // where caches are
                            {"PYTHONDONTWRITEBYTECODE", "1"}};
  const auto out = [&](const Environment& environment) {
    const Result result = run(program, environment);
    EXPECT_EQ(result.status, 0) << result.err;
    return lines(result.out);
  };
  const auto under = [&](const std::string& tuning, const Environment& more = {}) {
    const TemporaryFolder scratch;
    return out(
        under_shim(scratch, enforce + with + Environment{{"DETSHIM_AUTOTUNE", tuning}} + more));
  };
  const std::string file = (folder.path() / "tuning.json").string();
  const Environment other_times = {{"TIMES", "64=1,128=2,256=3"}};
  const Lines fastest{"XBLOCK: 128", "step 2.0"}, first_of_all{"XBLOCK: 64", "step 2.0"};
  EXPECT_EQ(out(with), fastest);
  EXPECT_EQ(under("first"), first_of_all);
  EXPECT_EQ(under("record:" + file), fastest);
  EXPECT_EQ(under("replay:" + file, other_times), fastest);
}

TEST(FlashinferTuner, TakesTheSameInEachRun) {
  const std::string python =
      python_with("torch, tqdm, importlib.util as u; assert u.find_spec('flashinfer')");
  if (python.empty())
    GTEST_SKIP() << "not installed: flashinfer-python, torch and tqdm";
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "tuning.json").string();
  const Environment with = {{"EVENTS", test_folder() + "/doubles/libcuda.so.1"},
                            {"DOUBLE_LOG", "/dev/null"},
                            {"HOME", folder.path().string()}, // where caches are
                            {"PYTHONDONTWRITEBYTECODE", "1"}};
  const auto taken = [&](const Environment& environment) {
    const Result result = run({python, TUNERS_FOLDER "/flashinfer_tuner.py"}, with + environment);
    EXPECT_EQ(result.status, 0) << result.err;
    return lines(result.out);
  };
  const auto under = [&](const std::string& tuning, const Environment& times) {
    const TemporaryFolder scratch;
    return taken(
        under_shim(scratch, enforce + with + times + Environment{{"DETSHIM_AUTOTUNE", tuning}}));
  };
  const Environment times = {{"TIMES", "64=3,128=1,256=2"}},
                    other_times = {{"TIMES", "64=1,128=2,256=3"}};
  const Lines fastest{"tactic: 128", "step 2.0"}, first_of_all{"tactic: 64", "step 2.0"};
  EXPECT_EQ(taken(times), fastest);
  EXPECT_EQ(under("first", times), first_of_all);
  EXPECT_EQ(under("record:" + file, times), fastest);
  EXPECT_NE(contents(file).find("\"library\": \"flashinfer\""), std::string::npos)
      << contents(file);
  EXPECT_EQ(under("replay:" + file, other_times), fastest);
}

} // namespace
