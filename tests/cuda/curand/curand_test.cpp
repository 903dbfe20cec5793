// cuRAND: the real host generators, and a double for those on a device.
#include "cuda_test.h"

namespace {

// ---- cuRAND, the real one: host generators ----

class CurandHost : public CudaTest {
protected:
  void SetUp() override { use_real("curand_host", "cuRAND", DETSHIM_TEST_CURAND); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CurandHost, both_ways, name_of_way);

// Default, XORWOW, MRG32k3a, MTGP32 and Philox. MT19937 needs seconds for its first number: it has
// a test of its own.
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
    EXPECT_EQ(shimmed({"new=" + type, "draw=8"}).out, expected) << "without a seed of its own";
    EXPECT_NE(native({"new=" + type, "draw=8"}), expected);
  }
}

// Under `vary`, alike in every rank, whatever was made or seeded before.
TEST_P(CurandHost, ASeedOfTheProgramsOwnFollowsFromItsValue) {
  const Environment vary = enforce + Environment{{"DETSHIM_SEED_POLICY", "vary"}};
  const Arguments program{"new=101", "seed=1234", "draw=8"};
  const Lines drawn = shimmed(program, vary).out;
  EXPECT_NE(drawn, native(program));
  EXPECT_EQ(shimmed(program, vary + Environment{{"RANK", "2"}}).out, drawn);
  EXPECT_EQ(shimmed({"new=101", "seed=5", "new=101", "seed=1234", "draw=8"}, vary).out, drawn);
  EXPECT_EQ(shimmed({"new=101", "seed=1234", "fork", "new=101", "seed=1234", "draw=8"}, vary).out,
            drawn);
  EXPECT_NE(shimmed(program, vary + Environment{{"DETSHIM_SEED", "43"}}).out, drawn);
}

TEST_P(CurandHost, InRecordAnUnseededGeneratorKeepsItsConstantSeed) {
  const Arguments program{"new=101", "draw=8", "new=101", "draw=8"};
  EXPECT_EQ(shimmed(program, Environment{{"DETSHIM_MODE", "record"}}).out, native(program));
}

TEST_P(CurandHost, MersenneTwisterDrawsWhatTheSeedNativelyGives) {
  EXPECT_EQ(shimmed({"new=142", "seed=clock", "draw=8"}).out,
            native({"new=142", "seed=42", "draw=8"}));
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
  const Lines drawn =
      shimmed({"new=101", "seed=7", "draw=8", "new=101", "seed=8", "draw=8", "new=101", "seed=7",
               "draw=8", "free", "new=101", "seed=8", "draw=8"})
          .out;
  ASSERT_EQ(drawn.size(), 4U);
  EXPECT_EQ(drawn[0], drawn[2]);
  EXPECT_EQ(drawn[1], drawn[3]);
  EXPECT_NE(drawn[0], drawn[1]);
  EXPECT_EQ(drawn[0], native({"new=101", "seed=7", "draw=8"}).at(0));
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

// Which generators take DYNAMIC, the library knows; a program may go by its answer.
TEST_P(CurandHost, AnOrderingThatAGeneratorRefusesIsRefused) {
  int refused = 0;
  for (const std::string type : {"101", "121", "141", "142", "161", "201"})
    for (const std::string ordering : {"104", "100", "105", "201"}) {
      const Arguments program{"new=" + type, "order=" + ordering};
      const Lines expected = native(program);
      refused += contains(expected, "order: ") ? 1 : 0;
      for (const Environment& mode : {enforce, strict, record, observe}) {
        const auto run = shimmed(program, mode);
        EXPECT_EQ(run.out, expected) << run;
        EXPECT_FALSE(contains(expected, "order: ") &&
                     run.did("replace", "curandSetGeneratorOrdering"))
            << run;
      }
    }
  EXPECT_GT(refused, 6);
}

TEST_P(CurandHost, QuasiRandomTypesAreUntouched) {
  for (const std::string type : quasi_types) {
    const Arguments program{"new=" + type, "draw=8", "new=" + type, "dims=2",
                            "offset=2",    "draw=8", "seed=42"};
    EXPECT_EQ(shimmed(program).out, native(program)) << "type " << type;
  }
}

// A quasi-random generator takes no seed from the row: the pseudo-random one after it is still the
// first.
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
  EXPECT_EQ(shimmed(unseeded, enforce + Environment{{"DETSHIM_SEED_POLICY", "keep"}}).out,
            native(unseeded));
}

TEST_P(CurandHost, AProgramsSeedStays) {
  const Arguments program{"new=101", "seed=20260101", "draw=8",  "offset=100", "draw=8", "new=121",
                          "seed=0",  "draw=8",        "new=161", "seed=7",     "draw=8"};
  for (const Environment& mode : {enforce, strict, observe, record})
    EXPECT_EQ(shimmed(program, mode).out, native(program));
  const Arguments mersenne{"new=141", "seed=1234", "draw=8"}; // takes a second
  EXPECT_EQ(shimmed(mersenne).out, native(mersenne));
}

TEST_P(CurandHost, AProgramsSeedIsMappedByItsValueUnderVary) {
  const Environment vary = enforce + Environment{{"DETSHIM_SEED_POLICY", "vary"}};
  const Lines drawn =
      shimmed({"new=101", "seed=7", "draw=8", "new=101", "seed=8", "draw=8"}, vary).out;
  const Lines other =
      shimmed({"new=101", "seed=8", "draw=8", "new=101", "seed=7", "draw=8"}, vary).out;
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
  EXPECT_EQ((*call)["requested"], "1234");
  EXPECT_EQ((*call)["effective"], "1234");
  EXPECT_EQ((*call)["why"], "own_value");
  const std::string at = (*call)["at"];
  EXPECT_NE(at.find("curand_host"), std::string::npos) << at;

  EXPECT_TRUE(shimmed({"new=101", "draw=1"}).did("pin", "curandCreateGeneratorHost"));
  EXPECT_TRUE(shimmed({"new=101", "offset=100"}).recorded("curandSetGeneratorOffset"));
  const auto library = std::ranges::find_if(seeded.records, [](const nlohmann::json& r) {
    return r["t"] == "library" && r["lib"] == "curand";
  });
  ASSERT_NE(library, seeded.records.end()) << seeded;
  EXPECT_NE((*library)["file"].get<std::string>().find("libcurand.so"), std::string::npos);
}

TEST_P(CurandHost, RecordModeCanBeReproduced) {
  const Arguments program{"new=101", "seed=clock", "draw=8", "new=101", "draw=8"};
  const auto recorded = shimmed(program, record);
  ASSERT_TRUE(recorded.start().contains("seed")) << recorded;
  const std::string seed = recorded.start()["seed"];
  EXPECT_EQ(shimmed(program, {{"DETSHIM_SEED", seed}, {"DETSHIM_MODE", "record"}}).out,
            recorded.out);
  EXPECT_NE(shimmed(program, record).out, recorded.out);
}

TEST_P(CurandHost, ObserveModeLeavesTheSeed) {
  const Arguments fixed{"new=101", "seed=1234", "draw=8", "new=101", "draw=8"};
  EXPECT_EQ(shimmed(fixed, observe).out, native(fixed));
  const auto seen = shimmed({"new=101", "seed=clock", "draw=8"}, observe);
  EXPECT_TRUE(seen.did("nondeterministic", "curandSetPseudoRandomGeneratorSeed")) << seen;
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

/// What takes a generator's next numbers, and a type that it serves.
struct Draw {
  std::string name, function, type = "new=101";
};
const Draw draws[] = {
    {"Generate", "curandGenerate"},           {"LongLong", "curandGenerateLongLong", "new=203"},
    {"Uniform", "curandGenerateUniform"},     {"UniformDouble", "curandGenerateUniformDouble"},
    {"Normal", "curandGenerateNormal"},       {"NormalDouble", "curandGenerateNormalDouble"},
    {"LogNormal", "curandGenerateLogNormal"}, {"LogNormalDouble", "curandGenerateLogNormalDouble"},
    {"Poisson", "curandGeneratePoisson"},     {"PoissonMethod", "curandGeneratePoissonMethod"}};

TEST_P(CurandHost, AGeneratorThatThreadsShareIsRecordedOnce) {
  for (const auto& [name, function, type] : draws) {
    const Arguments shared{type, "here=" + name, "there=" + name, "there=" + name, "here=" + name};
    const Lines expected = native(shared);
    for (const Environment& mode : {enforce, strict, record, observe}) {
      const auto seen = shimmed(shared, mode);
      EXPECT_EQ(seen.out, expected);
      EXPECT_EQ(seen.count("nondeterministic", function), 1U) << function << seen;
    }
    EXPECT_FALSE(shimmed(shared, disabled(function)).recorded(function)) << function;
    // Another generator for each thread, and one that is drawn from in one thread alone.
    const auto apart =
        shimmed({type, "here=" + name, type, "there=" + name, "use=0", "here=" + name});
    EXPECT_FALSE(apart.recorded(function)) << apart;
    EXPECT_FALSE(shimmed({type, "there=" + name}).recorded(function)) << function;
  }
}

TEST_P(CurandHost, EachSharedGeneratorIsRecorded) {
  const auto both = shimmed({"new=101", "new=161", "here=Generate", "there=Generate", "use=0",
                             "here=Uniform", "there=Uniform"});
  EXPECT_TRUE(both.did("nondeterministic", "curandGenerate")) << both;
  EXPECT_TRUE(both.did("nondeterministic", "curandGenerateUniform")) << both;
}

// Threads are told apart by their names, not by their stacks, which the next one gets again.
TEST_P(CurandHost, AThreadAfterAnotherIsAnotherThread) {
  const auto seen = shimmed({"new=101", "there=Generate", "there=Generate"});
  EXPECT_TRUE(seen.did("nondeterministic", "curandGenerate")) << seen;
}

// The child's generator is a copy, which the parent does not draw from.
TEST_P(CurandHost, AForkedChildSharesNothing) {
  const Arguments program{"new=101", "here=Generate", "fork", "here=Generate"};
  const auto alone = shimmed(program);
  EXPECT_FALSE(alone.did("nondeterministic", "curandGenerate")) << alone;
  Arguments shared = program;
  shared.push_back("there=Generate");
  const auto child = shimmed(shared);
  EXPECT_EQ(child.count("nondeterministic", "curandGenerate"), 1U) << child;
}

TEST_P(CurandHost, NoGeneratorIsSharedByNobody) {
  const Arguments program{"new=9999", "here=Generate", "there=Generate"};
  const auto refused = shimmed(program);
  EXPECT_EQ(refused.out, native(program));
  EXPECT_TRUE(contains(refused.out, "new: "));
  EXPECT_FALSE(refused.recorded("curandGenerate")) << refused;
}

// A thread that makes a generator for another one may set it up. Later that is a race with what is
// drawn.
TEST_P(CurandHost, SettingUpAGeneratorOfAnotherThreadIsRecorded) {
  for (const std::string name : {"Seeds", "SetStream"}) {
    const std::string function = name == "Seeds" ? "curandGenerateSeeds" : "curandSetStream";
    const auto before = shimmed({"new=101", "here=" + name, "there=Generate"});
    EXPECT_FALSE(before.did("nondeterministic", function)) << before;
    EXPECT_FALSE(before.did("nondeterministic", "curandGenerate")) << before;
    const Arguments after{"new=101", "here=Generate", "here=" + name, "there=" + name,
                          "there=" + name};
    const auto recorded = shimmed(after);
    EXPECT_EQ(recorded.out, native(after));
    EXPECT_EQ(recorded.count("nondeterministic", function), 1U) << recorded;
    EXPECT_FALSE(shimmed(after, disabled(function)).recorded(function)) << function;
  }
}

// ---- cuRAND, a double: generators on a device ----

class CurandDevice : public CudaTest {
protected:
  void SetUp() override { use("curand_device"); }
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

// Generators that are gone make room: with more of them than are kept in mind, the next one still
// has a seed of its own, which a clock's value takes over.
TEST_P(CurandDevice, DestroyedGeneratorsAreForgotten) {
  const auto seeds_of_the_last = [&](const Environment& environment) {
    shimmed({"x1100", "100:clock"}, environment);
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

// The address of one that was shared says nothing of the generator that has it now.
TEST_P(CurandDevice, ADestroyedGeneratorsUsersAreForgotten) {
  const Arguments program{"r100", "r100"};
  const auto reborn = shimmed(program);
  EXPECT_FALSE(reborn.did("nondeterministic", "curandGenerate")) << reborn;
  const auto emptied = shimmed(program, disabled("curandDestroyGenerator"));
  EXPECT_TRUE(emptied.did("nondeterministic", "curandGenerate")) << emptied;
}

TEST_P(CurandDevice, AFailureIsTheProgramsToSee) {
  const Environment failing = misbehaving("fail");
  EXPECT_EQ(ended({"100:clock"}, enforce + failing, 1).out, Lines{"create=203"});
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
    EXPECT_TRUE(left.did("nondeterministic", "curandSetGeneratorOrdering")) << left;
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

// ---- cuRAND opened more than once, a double ----

class CurandReopened : public CudaTest {
protected:
  void SetUp() override { use("curand_reopen"); }
  const std::string library = test_folder() + "/doubles/libcurand.so.10";
};
INSTANTIATE_TEST_SUITE_P(Cuda, CurandReopened, testing::Values(Way{"Opened", ""}), name_of_way);

TEST_P(CurandReopened, ALibraryThatIsLoadedAgainIsHookedAgain) {
  native({library, library});
  EXPECT_TRUE(contains(calls(), "seed=1234"));
  shimmed({library, library}, enforce + Environment{{"DETSHIM_SEED_POLICY", "vary"}});
  EXPECT_FALSE(contains(calls(), "seed=1234"));
}

TEST_P(CurandReopened, ASecondCopyIsRecordedAsUncovered) {
  const TemporaryFolder folder;
  const std::string copy = (folder.path() / "libcurand.so.10").string();
  std::filesystem::copy_file(library, copy);
  const auto both = shimmed({"+" + library, "+" + copy});
  EXPECT_TRUE(both.did("uncovered", "dlsym")) << both;
  EXPECT_FALSE(shimmed({"+" + library, "+" + library}).did("uncovered", "dlsym"));
}

} // namespace
