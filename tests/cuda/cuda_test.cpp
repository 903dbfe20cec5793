// What the library does to unmodified users of cuRAND, cuDNN and cuBLAS: the programs beside this file, each
// linked to its library and each reaching it by dlopen and dlsym. Every expectation is compared with a run
// without the library, or shown to vanish when the hook is opted out of: one that holds anyway proves
// nothing.

#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Arguments = std::vector<std::string>;
using Lines = std::vector<std::string>;

/// A run under the library, with its log.
struct Shimmed {
  Result result;
  Lines out;
  std::vector<nlohmann::json> records;

  /// Whether a call of `function` was recorded with this action.
  bool did(const std::string& action, const std::string& function) const {
    return std::ranges::any_of(records, [&](const nlohmann::json& record) {
      return record["t"] == "call" && record["fn"] == function && record["do"] == action;
    });
  }
  bool recorded(const std::string& function) const {
    return std::ranges::any_of(records, [&](const nlohmann::json& record) {
      return record["t"] == "call" && record["fn"] == function;
    });
  }
  nlohmann::json start() const {
    const auto found =
        std::ranges::find_if(records, [](const auto& record) { return record["t"] == "start"; });
    return found == records.end() ? nlohmann::json{} : *found;
  }
};

std::ostream& operator<<(std::ostream& stream, const Shimmed& run) {
  stream << "exit status " << run.result.status << "\n" << run.result.out << run.result.err;
  for (const auto& record : run.records) stream << record << "\n";
  return stream;
}

const Environment enforce{{"DETSHIM_SEED", "42"}};
const Environment strict{{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "strict"}};
const Environment observe{{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "observe"}};
const Environment record{{"DETSHIM_MODE", "record"}};

Environment operator+(Environment a, const Environment& b) {
  for (const auto& [name, value] : b) a[name] = value;
  return a;
}

Environment disabled(const std::string& what) { return enforce + Environment{{"DETSHIM_DISABLE", what}}; }

/// One way to a library; the parameter of every test here.
struct Way {
  const char* name;
  const char* suffix; ///< of the program
};

std::ostream& operator<<(std::ostream& stream, const Way& way) { return stream << way.name; }

/// A program of this folder with the libraries that it finds.
class CudaTest : public testing::TestWithParam<Way> {
protected:
  /// `folder` is where the libraries are; null skips the test for `reason`.
  void use(const std::string& program, const char* folder, const char* reason) {
    unsetenv("CUBLAS_WORKSPACE_CONFIG"); // the tester's own value is none of the programs' business
    if (!folder) GTEST_SKIP() << reason;
    program_ = std::string{DETSHIM_TEST_PROGRAMS "/"} + program + GetParam().suffix;
    libraries_ = folder;
  }

  Lines native(const Arguments& arguments, const Environment& environment = {}) const {
    const Result result = run(command(arguments), environment + paths());
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    return lines(result.out);
  }

  Shimmed shimmed(const Arguments& arguments, const Environment& environment = enforce) const {
    const TemporaryFolder scratch;
    Shimmed shimmed;
    shimmed.result = run(command(arguments), under_shim(scratch, environment + paths()));
    EXPECT_EQ(shimmed.result.status, 0) << shimmed.result.out << shimmed.result.err;
    shimmed.out = lines(shimmed.result.out);
    if (!std::filesystem::exists(scratch.log())) return shimmed;
    for (const ProcessLog& process : read_log(scratch.log()))
      shimmed.records.insert(shimmed.records.end(), process.records.begin(), process.records.end());
    return shimmed;
  }

  /// What the doubles recorded of the latest run.
  Lines calls() const {
    std::ifstream file(double_log());
    return lines(std::string{std::istreambuf_iterator<char>{file}, {}});
  }

  void set_libraries(const std::string& folder) { libraries_ = folder; }

private:
  Arguments command(const Arguments& arguments) const {
    std::filesystem::remove(double_log());
    Arguments result{program_};
    result.insert(result.end(), arguments.begin(), arguments.end());
    return result;
  }
  Environment paths() const {
    return {{"LD_LIBRARY_PATH", libraries_}, {"DOUBLE_LOG", double_log().string()}};
  }
  std::filesystem::path double_log() const { return scratch_.path() / "calls"; }

  TemporaryFolder scratch_;
  std::string program_, libraries_;
};

bool contains(const Lines& all, std::string_view part) {
  return std::ranges::any_of(all, [&](const std::string& line) { return line.find(part) != line.npos; });
}

std::string name_of_way(const testing::TestParamInfo<Way>& info) { return info.param.name; }
const auto both_ways = testing::Values(Way{"Linked", ""}, Way{"Opened", "_dlopen"});

// ---- cuRAND, the real one: host generators ----

class CurandHost : public CudaTest {
protected:
  void SetUp() override {
#ifdef DETSHIM_TEST_CURAND
    use("curand_host", DETSHIM_TEST_CURAND, "");
#else
    use("curand_host", nullptr, "the real cuRAND was not found when the build was configured");
#endif
  }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CurandHost, both_ways, name_of_way);

// Default, XORWOW, MRG32k3a, MTGP32 and Philox. MT19937 needs seconds for its first number: it has a test of
// its own.
const char* const pseudo_types[] = {"100", "101", "121", "141", "161"};
const char* const quasi_types[] = {"200", "201", "202", "203", "204"};

TEST_P(CurandHost, ClockSeedsDifferWithoutTheLibrary) {
  for (const std::string type : pseudo_types)
    EXPECT_NE(native({"new=" + type, "seed=clock", "draw=8"}),
              native({"new=" + type, "seed=clock", "draw=8"}));
}

TEST_P(CurandHost, FirstGeneratorDrawsWhatTheSeedNativelyGives) {
  for (const std::string type : pseudo_types) {
    SCOPED_TRACE("type " + type);
    const Lines expected = native({"new=" + type, "seed=42", "draw=8"});
    EXPECT_EQ(shimmed({"new=" + type, "seed=clock", "draw=8"}).out, expected);
    EXPECT_EQ(shimmed({"new=" + type, "seed=time", "draw=8"}).out, expected);
    EXPECT_EQ(shimmed({"new=" + type, "seed=1234", "draw=8"}).out, expected);
    EXPECT_EQ(shimmed({"new=" + type, "draw=8"}).out, expected) << "without a seed of its own";
    EXPECT_NE(native({"new=" + type, "draw=8"}), expected);
  }
}

TEST_P(CurandHost, MersenneTwisterDrawsWhatTheSeedNativelyGives) {
  EXPECT_EQ(shimmed({"new=142", "seed=clock", "draw=8"}).out, native({"new=142", "seed=42", "draw=8"}));
}

TEST_P(CurandHost, AnotherSeedGivesAnotherSequence) {
  const Arguments program{"new=101", "seed=clock", "draw=8"};
  const Lines other = shimmed(program, {{"DETSHIM_SEED", "43"}}).out;
  EXPECT_EQ(other, native({"new=101", "seed=43", "draw=8"}));
  EXPECT_NE(other, shimmed(program).out);
}

TEST_P(CurandHost, SeedsOfAllBitsArrive) {
  const std::string seed = "18446744073709551615";
  EXPECT_EQ(shimmed({"new=161", "seed=clock", "draw=8"}, {{"DETSHIM_SEED", seed}}).out,
            native({"new=161", "seed=" + seed, "draw=8"}));
}

TEST_P(CurandHost, FurtherGeneratorsAreDistinctAndRepeat) {
  const Arguments program{"new=101", "draw=4",  "new=101",    "draw=4", "new=101", "seed=clock",
                          "draw=4",  "new=101", "seed=clock", "draw=4", "new=101", "seed=5",
                          "draw=4",  "new=101", "seed=6",     "draw=4", "new=101", "draw=4"};
  const Lines first = shimmed(program).out;
  EXPECT_EQ(first.size(), 7U);
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), first.size());
  EXPECT_EQ(shimmed(program).out, first);
}

TEST_P(CurandHost, EqualSeedsOfTheProgramStayEqual) {
  const Lines drawn = shimmed({"new=101", "seed=7", "draw=8", "new=101", "seed=8", "draw=8", "new=101",
                               "seed=7", "draw=8", "free", "new=101", "seed=8", "draw=8"})
                          .out;
  ASSERT_EQ(drawn.size(), 4U);
  EXPECT_EQ(drawn[0], drawn[2]);
  EXPECT_EQ(drawn[1], drawn[3]);
  EXPECT_NE(drawn[0], drawn[1]);
  EXPECT_NE(drawn[0], native({"new=101", "seed=7", "draw=8"}).at(0));
}

// Whether two readings of a clock of seconds coincide is chance, so they count as two seeds.
TEST_P(CurandHost, TheTimeIsANewSeedEachTime) {
  const Arguments program{"new=101", "seed=time", "draw=8", "new=101", "seed=time", "draw=8"};
  const Lines drawn = shimmed(program).out;
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_NE(drawn[0], drawn[1]);
  EXPECT_EQ(shimmed(program).out, drawn);
}

// A new seed goes on at the generator's position, natively as well as under the library.
TEST_P(CurandHost, ReseedingRepeats) {
  const Arguments program{"new=101", "seed=clock", "draw=8", "seed=clock", "draw=8"};
  const Lines drawn = shimmed(program).out;
  EXPECT_EQ(drawn.size(), 2U);
  EXPECT_EQ(shimmed(program).out, drawn);
  EXPECT_NE(native(program), native(program));
}

TEST_P(CurandHost, OffsetAndOrderingAreTheProgramsOwn) {
  EXPECT_EQ(shimmed({"new=101", "seed=clock", "offset=100", "draw=8"}).out,
            native({"new=101", "seed=42", "offset=100", "draw=8"}));
  EXPECT_EQ(shimmed({"new=101", "offset=100", "draw=8"}).out,
            native({"new=101", "seed=42", "offset=100", "draw=8"}));
  for (const std::string ordering : {"100", "101", "102", "103"}) {
    EXPECT_EQ(shimmed({"new=101", "order=" + ordering, "seed=clock", "draw=8"}).out,
              native({"new=101", "order=" + ordering, "seed=42", "draw=8"}));
  }
}

TEST_P(CurandHost, QuasiRandomTypesAreUntouched) {
  for (const std::string type : quasi_types) {
    const Arguments program{"new=" + type, "draw=8", "new=" + type, "dims=2",
                            "offset=2",    "draw=8", "seed=42"};
    EXPECT_EQ(shimmed(program).out, native(program)) << "type " << type;
  }
}

// A quasi-random generator takes no seed from the row: the pseudo-random one after it is still the first.
TEST_P(CurandHost, QuasiRandomTypesDoNotShiftTheSeeds) {
  EXPECT_EQ(shimmed({"new=201", "new=101", "seed=clock", "draw=8"}).out,
            native({"new=101", "seed=42", "draw=8"}));
}

// A seed that a quasi-random generator refuses is no seed of the program's.
TEST_P(CurandHost, ARefusedSeedDoesNotShiftTheRow) {
  const Lines alone = shimmed({"new=101", "seed=clock", "draw=8"}).out;
  const Lines after = shimmed({"new=201", "seed=5", "new=101", "seed=clock", "draw=8"}).out;
  EXPECT_EQ(after, (Lines{"seed: 103", alone.at(0)}));
}

TEST_P(CurandHost, RanksDrawDifferently) {
  const Arguments program{"new=101", "seed=clock", "draw=8"};
  const Environment rank_one = enforce + Environment{{"RANK", "1"}};
  const Lines drawn = shimmed(program, rank_one).out;
  EXPECT_NE(drawn, shimmed(program).out);
  EXPECT_EQ(drawn, shimmed(program, rank_one).out);
  EXPECT_EQ(shimmed(program, enforce + Environment{{"RANK", "0"}}).out, shimmed(program).out);
}

TEST_P(CurandHost, PolicyKeepLeavesAProgramsSeed) {
  const Arguments program{"new=101", "seed=1234", "draw=8"};
  const auto kept = shimmed(program, enforce + Environment{{"DETSHIM_SEED_POLICY", "keep"}});
  EXPECT_EQ(kept.out, native(program));
  EXPECT_TRUE(kept.recorded("curandSetPseudoRandomGeneratorSeed")) << kept;
  const Arguments unseeded{"new=101", "draw=8"};
  EXPECT_EQ(shimmed(unseeded, enforce + Environment{{"DETSHIM_SEED_POLICY", "keep"}}).out, native(unseeded));
}

TEST_P(CurandHost, PolicyMixFollowsAProgramsSeed) {
  const Environment mix = enforce + Environment{{"DETSHIM_SEED_POLICY", "mix"}};
  const Lines drawn = shimmed({"new=101", "seed=7", "draw=8", "new=101", "seed=8", "draw=8"}, mix).out;
  const Lines other = shimmed({"new=101", "seed=8", "draw=8", "new=101", "seed=7", "draw=8"}, mix).out;
  ASSERT_EQ(drawn.size(), 2U);
  ASSERT_EQ(other.size(), 2U);
  EXPECT_NE(drawn[0], drawn[1]);
  EXPECT_EQ(drawn[0], other[1]);
  EXPECT_EQ(drawn[1], other[0]);
  EXPECT_NE(drawn[0], native({"new=101", "seed=7", "draw=8"}).at(0));
}

TEST_P(CurandHost, LogTellsAskedAndGiven) {
  const auto seeded = shimmed({"new=101", "seed=1234", "draw=1"});
  const auto call = std::ranges::find_if(seeded.records, [](const nlohmann::json& r) {
    return r["t"] == "call" && r["fn"] == "curandSetPseudoRandomGeneratorSeed";
  });
  ASSERT_NE(call, seeded.records.end()) << seeded;
  EXPECT_EQ((*call)["lib"], "curand");
  EXPECT_EQ((*call)["do"], "pin");
  EXPECT_EQ((*call)["asked"], "1234");
  EXPECT_EQ((*call)["given"], "42");
  const std::string at = (*call)["at"];
  EXPECT_NE(at.find("curand_host"), std::string::npos) << at;

  EXPECT_TRUE(shimmed({"new=101", "draw=1"}).did("pin", "curandCreateGeneratorHost"));
  EXPECT_TRUE(shimmed({"new=101", "offset=100"}).recorded("curandSetGeneratorOffset"));
  const auto library = std::ranges::find_if(
      seeded.records, [](const nlohmann::json& r) { return r["t"] == "library" && r["lib"] == "curand"; });
  ASSERT_NE(library, seeded.records.end()) << seeded;
  EXPECT_NE((*library)["file"].get<std::string>().find("libcurand.so"), std::string::npos);
}

TEST_P(CurandHost, RecordModeCanBeReproduced) {
  const Arguments program{"new=101", "seed=clock", "draw=8", "new=101", "draw=8"};
  const auto recorded = shimmed(program, record);
  ASSERT_TRUE(recorded.start().contains("seed")) << recorded;
  const std::string seed = recorded.start()["seed"];
  EXPECT_EQ(shimmed(program, {{"DETSHIM_SEED", seed}}).out, recorded.out);
  EXPECT_NE(shimmed(program, record).out, recorded.out);
}

TEST_P(CurandHost, ObserveModeLeavesTheSeed) {
  const auto seen = shimmed({"new=101", "seed=1234", "draw=8", "new=101", "draw=8"}, observe);
  EXPECT_EQ(seen.out, native({"new=101", "seed=1234", "draw=8", "new=101", "draw=8"}));
  EXPECT_TRUE(seen.did("unfixed", "curandSetPseudoRandomGeneratorSeed")) << seen;
}

TEST_P(CurandHost, StrictModePinsToo) {
  EXPECT_EQ(shimmed({"new=101", "seed=clock", "draw=8"}, strict).out,
            native({"new=101", "seed=42", "draw=8"}));
}

TEST_P(CurandHost, OptingOutBringsTheNativeResultBack) {
  const Arguments program{"new=101", "seed=1234", "draw=8"};
  EXPECT_EQ(shimmed(program, disabled("curandSetPseudoRandomGeneratorSeed")).out, native(program));
  EXPECT_EQ(shimmed(program, disabled("curand")).out, native(program));
  const Arguments unseeded{"new=101", "draw=8"};
  EXPECT_EQ(shimmed(unseeded, disabled("curandCreateGeneratorHost")).out, native(unseeded));
  EXPECT_EQ(shimmed(unseeded, disabled("curand")).out, native(unseeded));
}

// ---- cuRAND, a double: generators on a device ----

class CurandDevice : public CudaTest {
protected:
  void SetUp() override { use("curand_device", DETSHIM_TEST_DOUBLES, ""); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CurandDevice, both_ways, name_of_way);

TEST_P(CurandDevice, SeedIsPinned) {
  shimmed({"100:clock"});
  EXPECT_TRUE(contains(calls(), "curandSetPseudoRandomGeneratorSeed generator=0 seed=42"));
  shimmed({"100"});
  EXPECT_TRUE(contains(calls(), "curandSetPseudoRandomGeneratorSeed generator=0 seed=42"));
  native({"100"});
  EXPECT_FALSE(contains(calls(), "curandSetPseudoRandomGeneratorSeed"));
}

TEST_P(CurandDevice, QuasiRandomTypesGetNoSeed) {
  shimmed({"200", "204"});
  EXPECT_FALSE(contains(calls(), "curandSetPseudoRandomGeneratorSeed"));
}

// Generators that are gone make room: with more of them than are kept in mind, the next one still has a seed
// of its own, which the program's first value takes over.
TEST_P(CurandDevice, DestroyedGeneratorsAreForgotten) {
  const auto seeds_of_the_last = [&](const Environment& environment) {
    shimmed({"x1100", "100:5"}, environment);
    Lines seeds = calls();
    std::erase_if(seeds, [](const std::string& call) {
      return !call.starts_with("curandSetPseudoRandomGeneratorSeed generator=1100 ");
    });
    return seeds;
  };
  const Lines own = seeds_of_the_last(enforce);
  ASSERT_EQ(own.size(), 2u);
  EXPECT_EQ(own[0], own[1]);
  const Lines emptied = seeds_of_the_last(disabled("curandDestroyGenerator"));
  EXPECT_NE(emptied.at(0), emptied.at(1));
}

TEST_P(CurandDevice, AFailureIsTheProgramsToSee) {
  const Environment failing{{"DOUBLE_MISBEHAVE", "fail"}};
  const TemporaryFolder scratch;
  Environment environment = under_shim(scratch, enforce + failing);
  environment["LD_LIBRARY_PATH"] = DETSHIM_TEST_DOUBLES;
  const Result result = run(
      {std::string{DETSHIM_TEST_PROGRAMS "/curand_device"} + GetParam().suffix, "100:clock"}, environment);
  EXPECT_EQ(result.out, "create=203\n");
  EXPECT_EQ(result.status, 1) << result.err;
}

TEST_P(CurandDevice, DynamicOrderingIsReplaced) {
  const Arguments program{"100:clock:104"};
  const auto replaced = shimmed(program);
  EXPECT_TRUE(contains(calls(), "curandSetGeneratorOrdering generator=0 ordering=101"));
  EXPECT_TRUE(replaced.did("replace", "curandSetGeneratorOrdering")) << replaced;
  shimmed(program, strict);
  EXPECT_TRUE(contains(calls(), "curandSetGeneratorOrdering generator=0 ordering=101"));
  native(program);
  EXPECT_TRUE(contains(calls(), "curandSetGeneratorOrdering generator=0 ordering=104"));
}

TEST_P(CurandDevice, DynamicOrderingIsLeftAloneAndRecorded) {
  for (const Environment& mode : {record, observe}) {
    const auto left = shimmed({"100:clock:104"}, mode);
    EXPECT_TRUE(contains(calls(), "curandSetGeneratorOrdering generator=0 ordering=104"));
    EXPECT_TRUE(left.did("unfixed", "curandSetGeneratorOrdering")) << left;
  }
}

TEST_P(CurandDevice, OtherOrderingsAreLeftAlone) {
  shimmed({"100:clock:103", "201:0:201"});
  EXPECT_TRUE(contains(calls(), "curandSetGeneratorOrdering generator=0 ordering=103"));
  EXPECT_TRUE(contains(calls(), "curandSetGeneratorOrdering generator=1 ordering=201"));
}

TEST_P(CurandDevice, OptingOutBringsTheNativeResultBack) {
  shimmed({"100:1234:104"}, disabled("curandSetGeneratorOrdering"));
  EXPECT_TRUE(contains(calls(), "curandSetGeneratorOrdering generator=0 ordering=104"));
  shimmed({"100:1234:104"}, disabled("curand"));
  EXPECT_TRUE(contains(calls(), "curandSetGeneratorOrdering generator=0 ordering=104"));
  EXPECT_TRUE(contains(calls(), "curandSetPseudoRandomGeneratorSeed generator=0 seed=1234"));
  shimmed({"100"}, disabled("curandCreateGenerator"));
  EXPECT_FALSE(contains(calls(), "curandSetPseudoRandomGeneratorSeed"));
}

// ---- cuDNN's graph API, the real one ----

class CudnnGraph : public CudaTest {
protected:
  void SetUp() override {
#ifdef DETSHIM_TEST_CUDNN
    use("cudnn_heuristics", DETSHIM_TEST_CUDNN, "");
#else
    use("cudnn_heuristics", nullptr,
        "the real cuDNN (9.8 or later) was not found when the build was configured");
#endif
  }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnGraph, both_ways, name_of_way);
INSTANTIATE_TEST_SUITE_P(CudaSublibrary, CudnnGraph, testing::Values(Way{"Opened", "_graph"}), name_of_way);

const char* const query = "cudnnBackendGetAttribute";
const char* const finalize = "cudnnBackendFinalize";
const std::string heuristic_modes[] = {"A", "B", "FALLBACK"};
const std::string passes[] = {"forward", "data", "filter"};

/// The configs of a list, without its first line.
Lines configs(const Lines& out) { return out.empty() ? Lines{} : Lines(out.begin() + 1, out.end()); }

bool is_nondeterministic(const std::string& config) {
  const size_t begin = config.find("notes=") + 6;
  const std::string notes = "," + config.substr(begin, config.find(' ', begin) - begin) + ",";
  return notes.find(",4,") != notes.npos;
}

Lines deterministic(Lines all) {
  std::erase_if(all, is_nondeterministic);
  return all;
}

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
    EXPECT_TRUE(left.did("unfixed", query)) << left;
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
  const Arguments program{"filter", "float", "large", "A", "engine=" + nondeterministic_engine(all)};
  EXPECT_EQ(native(program), Lines{"plan: 0"});
  for (const Environment& mode : {enforce, record, observe}) {
    const auto planned = shimmed(program, mode);
    EXPECT_EQ(planned.out, Lines{"plan: 0"});
    EXPECT_TRUE(planned.did("unfixed", finalize)) << planned;
  }
}

TEST_P(CudnnGraph, StrictModeRefusesAPlanOfANondeterministicEngine) {
  const Lines all = configs(native({"filter", "float", "large", "A"}));
  const Arguments program{"filter", "float", "large", "A", "engine=" + nondeterministic_engine(all)};
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
    EXPECT_FALSE(planned.did("unfixed", finalize) || planned.did("refuse", finalize)) << planned;
  }
}

// A refused plan is destroyed, and what comes after it may get its address.
TEST_P(CudnnGraph, ARefusedPlanLeavesNothingBehind) {
  const Lines all = configs(native({"filter", "float", "large", "A"}));
  const std::string bad = "engine=" + nondeterministic_engine(all);
  EXPECT_EQ(shimmed({"filter", "float", "large", "A", bad, "engine=0", bad, "engine=0"}, strict).out,
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
  EXPECT_TRUE(loaded.did("unfixed", finalize)) << loaded;
  const auto refused = shimmed(with("load"), strict + file);
  EXPECT_EQ(refused.out, Lines{"plan: 3000"});
  EXPECT_TRUE(refused.did("refuse", finalize)) << refused;

  native(with("save=0"), file);
  EXPECT_EQ(shimmed(with("load"), strict + file).out, Lines{"plan: 0"});
}

TEST_P(CudnnGraph, AQueryWithoutACountIsFilteredToo) {
  const Arguments program{"filter", "float", "large", "A", "uncounted=20"};
  EXPECT_EQ(shimmed(program).out, deterministic(native(program)));
  EXPECT_NE(shimmed(program).out, native(program));
}

// ---- cuRAND opened more than once, a double ----

class CurandReopened : public CudaTest {
protected:
  void SetUp() override { use("curand_reopen", DETSHIM_TEST_DOUBLES, ""); }
  static constexpr const char* library = DETSHIM_TEST_DOUBLES "/libcurand.so.10";
};
INSTANTIATE_TEST_SUITE_P(Cuda, CurandReopened, testing::Values(Way{"Opened", ""}), name_of_way);

TEST_P(CurandReopened, ALibraryThatIsLoadedAgainIsHookedAgain) {
  native({library, library});
  EXPECT_TRUE(contains(calls(), "seed=1234"));
  shimmed({library, library});
  EXPECT_FALSE(contains(calls(), "seed=1234"));
}

TEST_P(CurandReopened, ASecondCopyIsRecordedAsUncovered) {
  const TemporaryFolder folder;
  const std::string copy = (folder.path() / "libcurand.so.10").string();
  std::filesystem::copy_file(library, copy);
  const auto both = shimmed({std::string{"+"} + library, "+" + copy});
  EXPECT_TRUE(both.did("uncovered", "dlsym")) << both;
  EXPECT_FALSE(shimmed({std::string{"+"} + library, std::string{"+"} + library}).did("uncovered", "dlsym"));
}

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

// ---- cuBLAS, a double ----

class Cublas : public CudaTest {
protected:
  void SetUp() override { use("cublas_handle", DETSHIM_TEST_DOUBLES, ""); }

  static Environment workspace(const std::string& value) { return {{"CUBLAS_WORKSPACE_CONFIG", value}}; }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Cublas, both_ways, name_of_way);

const char* const seen_workspace = "cublasCreate_v2 CUBLAS_WORKSPACE_CONFIG=";

TEST_P(Cublas, WorkspaceIsSetBeforeTheFirstHandle) {
  native({});
  EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + "(unset)"));
  for (const Environment& mode : {enforce, strict}) {
    shimmed({}, mode);
    EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":4096:8"));
  }
}

TEST_P(Cublas, ADeterministicWorkspaceOfTheUserStays) {
  shimmed({}, enforce + workspace(":16:8"));
  EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":16:8"));
}

TEST_P(Cublas, AnotherWorkspaceIsReplacedAndBothValuesAreRecorded) {
  const auto replaced = shimmed({}, enforce + workspace(":0:0"));
  EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":4096:8"));
  const auto changes = replaced.start()["env"];
  ASSERT_TRUE(changes.is_array()) << replaced;
  const auto change = std::ranges::find_if(
      changes, [](const nlohmann::json& c) { return c["name"] == "CUBLAS_WORKSPACE_CONFIG"; });
  ASSERT_NE(change, changes.end()) << replaced;
  EXPECT_EQ((*change)["was"], ":0:0");
  EXPECT_EQ((*change)["now"], ":4096:8");
}

// The library set the variable before main; a program may set it again, or take it away.
TEST_P(Cublas, AWorkspaceThatTheProgramUndoesIsSetAgain) {
  for (const std::string own : {":0:0", ""}) {
    const auto undone = shimmed({own});
    EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":4096:8"));
    EXPECT_TRUE(undone.did("replace", "cublasCreate_v2")) << undone;
  }
  shimmed({":16:8"});
  EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":16:8"));
  shimmed({":0:0"}, disabled("cublasCreate_v2"));
  EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":0:0"));
}

TEST_P(Cublas, AHandleWithoutTheWorkspaceIsRecorded) {
  for (const Environment& mode : {record, observe, disabled("env:CUBLAS_WORKSPACE_CONFIG")}) {
    const auto left = shimmed({}, mode);
    EXPECT_TRUE(left.did("unfixed", "cublasCreate_v2")) << left;
  }
}

TEST_P(Cublas, WorkspaceIsLeftAloneWhereNothingIsForced) {
  for (const Environment& mode : {record, observe, disabled("env:CUBLAS_WORKSPACE_CONFIG")}) {
    shimmed({}, mode);
    EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + "(unset)"));
  }
}

TEST_P(Cublas, AtomicsStayOff) {
  EXPECT_TRUE(contains(native({}), "get=0 mode=1"));
  for (const Environment& mode : {enforce, strict}) {
    const auto handled = shimmed({}, mode);
    EXPECT_TRUE(contains(handled.out, "set=0")) << handled;
    EXPECT_TRUE(contains(handled.out, "get=0 mode=0")) << handled;
    EXPECT_TRUE(contains(calls(), "cublasSetAtomicsMode mode=0"));
    EXPECT_TRUE(handled.did("replace", "cublasSetAtomicsMode")) << handled;
  }
}

TEST_P(Cublas, AtomicsAreLeftAloneAndRecorded) {
  for (const Environment& mode : {record, observe}) {
    const auto left = shimmed({}, mode);
    EXPECT_TRUE(contains(left.out, "get=0 mode=1")) << left;
    EXPECT_TRUE(left.did("unfixed", "cublasSetAtomicsMode")) << left;
  }
}

TEST_P(Cublas, OptingOutBringsTheNativeResultBack) {
  for (const std::string what : {"cublasSetAtomicsMode", "cublas"})
    EXPECT_TRUE(contains(shimmed({}, disabled(what)).out, "get=0 mode=1")) << what;
}

} // namespace
