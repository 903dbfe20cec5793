// What may not be called equal, verified or different: the rules of a verdict, each by its own
// column.
#include "run.h"

#include "environment/environment.h"
#include "evidence/evidence_file.h"
#include "evidence/program_state.h"
#include "support/exit_status.h"
#include "verdict/finding.h"
#include "verdict/verdict.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using namespace detshim;
using Json = nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

// ------------------------------------------------------------------ a log's verdict

Verdict verdict_of(VerdictLevel level, const std::vector<Finding>& findings) {
  Verdict verdict;
  verdict.level = level;
  for (const Finding finding : findings)
    verdict.reasons.push_back({.finding = finding});
  return verdict;
}

// What a log does not hold can differ in the next run, and no comparison says what it was.
TEST(Settling, IsNotDoneOfALogThatDoesNotSayAll) {
  const std::set<Finding> what_is_missing = {
      Finding::lost_calls,   Finding::lost_records,   Finding::no_modules,    Finding::not_decoded,
      Finding::mode_observe, Finding::no_start,       Finding::damaged,       Finding::other_format,
      Finding::unreadable,   Finding::gave_up_rights, Finding::missing_ranks, Finding::no_rank};
  for (int i = 0; i <= static_cast<int>(Finding::no_draw); ++i) {
    const auto finding = static_cast<Finding>(i);
    const Verdict verdict = verdict_of(VerdictLevel::unverified, {finding});
    EXPECT_EQ(verdict.can_be_settled(), !what_is_missing.contains(finding))
        << "finding " << i << " " << row_of(finding).kind;
    const Verdict among_others =
        verdict_of(VerdictLevel::unverified, {Finding::clock_read, finding});
    EXPECT_EQ(among_others.can_be_settled(), verdict.can_be_settled()) << i;
  }
}

TEST(Settling, IsDoneOfWhatIsUnverifiedAlone) {
  using enum VerdictLevel;
  for (const VerdictLevel level : {covered, verified, partial})
    EXPECT_FALSE(verdict_of(level, {Finding::clock_read}).can_be_settled()) << level_name(level);
}

Verdict with_refusals(VerdictLevel level, const std::vector<Finding>& findings, bool has_refused) {
  Verdict verdict = verdict_of(level, findings);
  verdict.has_refused = has_refused;
  return verdict;
}

TEST(Check, FailsWhereACallWasRefused) {
  using enum VerdictLevel;
  const auto passes = [](VerdictLevel level, const std::vector<Finding>& findings, bool refused) {
    return with_refusals(level, findings, refused).passes_check();
  };
  EXPECT_TRUE(passes(covered, {}, false));
  EXPECT_FALSE(passes(covered, {}, true));
  EXPECT_TRUE(passes(verified, {Finding::clock_read}, false));
  EXPECT_FALSE(passes(verified, {Finding::clock_read}, true));
  EXPECT_TRUE(passes(unverified, {Finding::not_decoded}, false));
  EXPECT_FALSE(passes(unverified, {Finding::not_decoded}, true));
  EXPECT_FALSE(passes(unverified, {Finding::clock_read}, false));
}

TEST(Comparison, PassesWithReasonsThatItAnswersAndWithoutRefusedCalls) {
  using enum VerdictLevel;
  const auto passes = [](VerdictLevel level, const std::vector<Finding>& findings, bool refused) {
    return with_refusals(level, findings, refused).passes_if_equal();
  };
  EXPECT_TRUE(passes(unverified, {Finding::clock_read}, false));
  EXPECT_FALSE(passes(unverified, {Finding::clock_read}, true));
  EXPECT_FALSE(passes(unverified, {Finding::clock_read, Finding::lost_records}, false));
  EXPECT_FALSE(passes(covered, {}, true));
}

// ------------------------------------------------------------------ evidence

ProgramState known_state() {
  ProgramState state;
  state.command = "python3 train.py";
  state.seed = "42";
  state.parts = {{"code: file train.py", "1"}};
  state.is_captured = true;
  return state;
}

EvidenceUse::Answer answer_of(const ProgramState& of_runs, const ProgramState& now,
                              VerdictLevel& level) {
  EvidenceEntry entry;
  entry.state = of_runs;
  entry.is_equal = true;
  entry.runs = 5;
  entry.can_differ = {keys_of({.finding = Finding::clock_read})[0]};
  Findings findings;
  findings.add({.finding = Finding::clock_read});
  const Verdict verdict = conclude(std::move(findings), {}, evidence_of({entry}, now), {});
  level = verdict.level;
  return verdict.evidence.answer;
}

TEST(KeptEvidence, HoldsForTheStateThatWasCompared) {
  VerdictLevel level = VerdictLevel::covered;
  EXPECT_EQ(answer_of(known_state(), known_state(), level), EvidenceUse::Answer::holds);
  EXPECT_EQ(level, VerdictLevel::verified);
}

// The same was unknown when the runs were compared: it may have been another thing.
TEST(KeptEvidence, DoesNotHoldWhereSomethingMayHaveChangedUnseen) {
  ProgramState unknown = known_state();
  unknown.parts["code: file data.bin"] = "unknown";
  unknown.unknown = {"code: file data.bin: it cannot be read"};
  VerdictLevel level = VerdictLevel::covered;
  EXPECT_EQ(answer_of(unknown, unknown, level), EvidenceUse::Answer::unknown);
  EXPECT_EQ(level, VerdictLevel::unverified);
}

TEST(KeptEvidence, DoesNotHoldWhereTheStateWasNotCaptured) {
  ProgramState not_captured = known_state();
  not_captured.is_captured = false;
  VerdictLevel level = VerdictLevel::covered;
  EXPECT_EQ(answer_of(known_state(), not_captured, level), EvidenceUse::Answer::unknown);
  EXPECT_EQ(level, VerdictLevel::unverified);
}

// A date has no time of day: what stands further back in the file is later.
TEST(KeptEvidence, OfTwoComparisonsOfOneDayIsTheLater) {
  EvidenceEntry earlier, later;
  earlier.date = later.date = "2026-11-25";
  earlier.state = later.state = known_state();
  earlier.state.parts["code: file train.py"] = "2";
  later.state.parts["code: file data.txt"] = "1";
  const Evidence evidence = evidence_of({earlier, later}, known_state());
  EXPECT_EQ(evidence.names, Words{"code: file data.txt"});
}

/// A comparison of that day, of a program with other code.
EvidenceEntry entry_of(const std::string& command, const std::string& date,
                       const std::string& code = "2") {
  EvidenceEntry entry;
  entry.state = known_state();
  entry.state.command = command;
  entry.state.parts = {{"code: file train.py", code}};
  entry.date = date;
  entry.is_equal = true;
  return entry;
}

TEST(KeptEvidence, IsOfThisStateElseOfTheCommandElseOfTheProgram) {
  const std::string command = known_state().command;
  EvidenceEntry other_seed = entry_of(command, "2026-11-24");
  other_seed.state.seed = "43";
  const struct {
    std::vector<EvidenceEntry> entries;
    const char* date; ///< of the one that counts; empty: none does
  } cases[] = {
      {{}, ""},
      {{entry_of(command, "2026-11-20"), entry_of(command, "2026-11-21")}, "2026-11-21"},
      {{entry_of(command, "2026-11-21"), entry_of(command, "2026-11-20")}, "2026-11-21"},
      {{entry_of(command, "2026-11-20"), entry_of(command + " --lr 1", "2026-11-21")},
       "2026-11-20"},
      {{entry_of(command + " --lr 1", "2026-11-21"), entry_of(command, "2026-11-20")},
       "2026-11-20"},
      {{entry_of(command + " --lr 1", "2026-11-21"), entry_of(command + " --lr 2", "2026-11-20")},
       "2026-11-21"},
      {{entry_of(command, "2026-11-20", "1"), entry_of(command, "2026-11-21")}, "2026-11-20"},
      {{other_seed, entry_of(command, "2026-11-20")}, "2026-11-20"},
      {{other_seed}, "2026-11-24"},
      {{entry_of("python3 test.py", "2026-11-21")}, ""},
      {{entry_of("python3", "2026-11-21"), entry_of("", "2026-11-21")}, ""},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    const Evidence evidence = evidence_of(cases[i].entries, known_state());
    EXPECT_EQ(evidence.date, cases[i].date) << i;
    EXPECT_EQ(evidence.program == Evidence::Program::never_compared, evidence.date.empty()) << i;
  }
  ProgramState one_word = known_state();
  one_word.command = "train";
  EXPECT_EQ(evidence_of({entry_of("train", "2026-11-21")}, one_word).date, "2026-11-21");
}

TEST(KeptEvidence, OfRunsThatDifferedCountsWhereSomethingIsUnknown) {
  EvidenceEntry entry = entry_of(known_state().command, "2026-11-21", "1");
  ProgramState unknown = known_state();
  unknown.unknown = {"code: file data.bin: it cannot be read"};
  EXPECT_EQ(evidence_of({entry}, unknown).program, Evidence::Program::unknown);
  EXPECT_EQ(evidence_of({entry}, unknown).names, unknown.unknown);
  EXPECT_EQ(evidence_of({entry}, known_state()).program, Evidence::Program::same);
  entry.is_equal = false;
  EXPECT_EQ(evidence_of({entry}, unknown).program, Evidence::Program::same);
  entry.state.parts["code: file train.py"] = "2";
  EXPECT_EQ(evidence_of({entry}, unknown).program, Evidence::Program::changed);
  unknown.is_captured = false;
  EXPECT_EQ(evidence_of({entry}, unknown).program, Evidence::Program::unknown);
}

TEST(KeptEvidence, IsOfTheNewestStatesOfACommand) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "evidence.json").string();
  EXPECT_TRUE(read_evidence(file).empty());
  const auto kept = [&] {
    Words all;
    for (const EvidenceEntry& entry : read_evidence(file))
      all.push_back(entry.state.command + entry.state.parts.at("code: file train.py"));
    return all;
  };
  keep_evidence(file, entry_of("b", "2026-11-21", "1"));
  for (int i = 1; i <= 5; ++i)
    keep_evidence(file, entry_of("a", "2026-11-21", std::to_string(i)));
  EXPECT_EQ(kept(), (Words{"b1", "a1", "a2", "a3", "a4", "a5"}));
  keep_evidence(file, entry_of("a", "2026-11-22", "2")); // in the place of the same
  EXPECT_EQ(kept(), (Words{"b1", "a1", "a3", "a4", "a5", "a2"}));
  keep_evidence(file, entry_of("a", "2026-11-22", "6"));
  EXPECT_EQ(kept(), (Words{"b1", "a3", "a4", "a5", "a2", "a6"}));
  EvidenceEntry other_seed = entry_of("a", "2026-11-22", "6");
  other_seed.state.seed = "43";
  keep_evidence(file, other_seed);
  EXPECT_EQ(kept().size(), 7U);
}

TEST(KeptEvidence, IsBelievedOfAFileOfItsForm) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "evidence.json").string();
  const auto is_believed = [&] {
    try {
      return read_evidence(file).size() == 1;
    } catch (const UsageError&) {
      return false;
    }
  };
  keep_evidence(file, entry_of("a", "2026-11-21"));
  const std::string text = contents(file);
  EXPECT_TRUE(is_believed());
  std::string later = text;
  const std::string version = "\"schema_version\": 1";
  ASSERT_NE(later.find(version), std::string::npos);
  std::ofstream(file) << later.replace(later.find(version), version.size(),
                                       "\"schema_version\": 2");
  EXPECT_FALSE(is_believed()) << "of a later form";
  std::ofstream(file) << text.substr(0, text.size() / 2);
  EXPECT_FALSE(is_believed()) << "cut";
  fs::resize_file(file, (16 << 20) + 1);
  EXPECT_FALSE(is_believed());
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(is_believed());
  fs::remove(file);
  std::ofstream(file) << text;
  EXPECT_TRUE(is_believed());
  const bool is_strangers = ::chown(file.c_str(), 65534, 65534) == 0; // where a root asks
  EXPECT_EQ(is_believed(), !is_strangers);
}

TEST(ProgramStates, AreTheSameByTheirParts) {
  using Parts = std::map<std::string, std::string>;
  const struct {
    Parts one, other;
    Words changed;
  } cases[] = {
      {{{"a", "1"}}, {{"a", "1"}}, {}},
      {{{"a", "1"}}, {{"a", "2"}}, {"a"}},
      {{{"a", "1"}}, {}, {"a"}},
      {{}, {{"a", "1"}}, {"a"}},
      {{{"a", "any"}}, {{"a", "2"}}, {}},
      {{{"a", "any"}}, {}, {}},
      {{{"a", "1"}, {"b", "1"}}, {{"b", "2"}, {"c", "1"}}, {"a", "b", "c"}},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    ProgramState one, other;
    one.parts = cases[i].one;
    other.parts = cases[i].other;
    EXPECT_EQ(changed_parts(one, other), cases[i].changed) << i;
  }
}

// What differed among compared runs may be anything; what some had alike is said.
TEST(ProgramStates, OfComparedRunsHoldWhatAllHad) {
  const struct {
    Words hashes; ///< of each run; empty: it lacks the part
    const char* common;
    bool is_said;
  } cases[] = {
      {{"1", "1"}, "1", false},        {{"1", "2"}, "any", true},
      {{"1", "2", "3"}, "any", false}, {{"1", "1", "2"}, "any", true},
      {{"1", "1", "1"}, "1", false},   {{"1", "1", ""}, "any", true},
      {{"", "1", "1"}, "any", true},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    std::vector<ProgramState> states(cases[i].hashes.size());
    for (std::size_t run = 0; run < states.size(); ++run)
      if (!cases[i].hashes[run].empty())
        states[run].parts["a"] = cases[i].hashes[run];
    std::string remark;
    EXPECT_EQ(common_state(states, remark).parts["a"], cases[i].common) << i;
    EXPECT_EQ(!remark.empty(), cases[i].is_said) << i;
  }
}

TEST(ProgramStates, LeaveOutWhatDecidesNothing) {
  const auto has_part = [](EnvironmentSection section, const Subject& subject) {
    detshim::Environment environment;
    environment.of(section).set_fact(subject, "x");
    return !state_of(environment).parts.empty();
  };
  using enum EnvironmentSection;
  const Subject path = {SubjectKind::variable, "PATH"};
  EXPECT_FALSE(has_part(code, {SubjectKind::git, "/a"}));
  EXPECT_TRUE(has_part(versions, {SubjectKind::git, "/a"}));
  EXPECT_TRUE(has_part(code, {SubjectKind::file, "a"}));
  EXPECT_FALSE(has_part(loader, path));
  EXPECT_TRUE(has_part(settings, path));
  EXPECT_TRUE(has_part(loader, {SubjectKind::variable, "LD_LIBRARY_PATH"}));
  EXPECT_FALSE(has_part(session, {SubjectKind::limit, "stack"}));
  EXPECT_TRUE(has_part(machine, {SubjectKind::limit, "stack"}));
  EXPECT_TRUE(has_part(session, {SubjectKind::variable, "TZ"}));
  EXPECT_FALSE(has_part(caches, {SubjectKind::files_in_folder, "/c"}));
}

TEST(ProgramStates, TellAFactFromWhatIsNotKnown) {
  const auto hash = [](const Value& value) {
    detshim::Environment environment;
    environment.of(EnvironmentSection::machine).values["processor"] = value;
    return state_of(environment).parts["machine: processor"];
  };
  EXPECT_EQ(hash({ValueState::known, "x"}), hash({ValueState::known, "x"}));
  EXPECT_NE(hash({ValueState::known, "x"}), hash({ValueState::known, "y"}));
  EXPECT_NE(hash({ValueState::known, "x"}), hash({ValueState::unknown, "x"}));
  EXPECT_NE(hash({ValueState::hidden, "x"}), hash({ValueState::unknown, "x"}));
}

TEST(ProgramStates, SayWhatOfThemIsUnknown) {
  const auto state_with = [](EnvironmentSection section, const Subject& subject) {
    detshim::Environment environment;
    environment.of(section).set_unknown(subject, "it cannot be read");
    return state_of(environment);
  };
  using enum EnvironmentSection;
  const std::vector<std::pair<EnvironmentSection, Subject>> hiding = {
      {code, {SubjectKind::file, "train.py"}},
      {libraries, detshim::whole_section},
      {versions, {SubjectKind::python, ""}}};
  for (const auto& [section, subject] : hiding) {
    EXPECT_EQ(state_with(section, subject).unknown.size(), 1U) << subject_text(subject);
    EXPECT_EQ(state_with(section, subject).parts.size(), 1U) << subject_text(subject);
  }
  const ProgramState of_one_fact = state_with(machine, "processor");
  EXPECT_TRUE(of_one_fact.unknown.empty()) << "a single fact may be unknown in every run";
  EXPECT_EQ(of_one_fact.parts.size(), 1U);
}

// ------------------------------------------------------------------ verify

class Judgement : public testing::Test {
protected:
  Json verify(const Words& options, const Words& program) const {
    Words words = {DETSHIM_COMMAND, "verify", "--json", "--library", DETSHIM_LIBRARY, "-n", "2"};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    const Result result = run(words, {}, scratch_.path());
    const Json document = Json::parse(result.out, nullptr, false);
    EXPECT_TRUE(document.is_object()) << result.out << result.err;
    return document;
  }

  static Words kinds_of(const Json& list) {
    Words kinds;
    for (const Json& one : list)
      kinds.push_back(one["kind"]);
    return kinds;
  }

  fs::path evidence() const { return scratch_.path() / "detshim-evidence.json"; }

  const TemporaryFolder scratch_;
};

TEST_F(Judgement, IsNotEqualWhereALogHasLostItsRecords) {
  const Json result = verify({}, {"/usr/bin/python3", PROGRAMS_FOLDER "/loses_its_records.py"});
  EXPECT_EQ(result["verdict"], "unverified") << result.dump(1);
  EXPECT_EQ(kinds_of(result["problems"]), Words{"log"});
  EXPECT_TRUE(result["differences"].empty()) << result["differences"].dump(1);
}

// Also in a run in which something was turned that is no reason for it.
TEST_F(Judgement, IsNotEqualWhereAPerturbedRunsLogHasLostItsRecords) {
  std::ofstream(scratch_.path() / "train.py")
      << "import time\nexec(open('" PROGRAMS_FOLDER "/loses_its_records.py').read()\n"
         "     if time.tzname[0] == 'XXX' else 'import random; print(random.random())')\n";
  const Words program = {"/usr/bin/python3", "train.py"};
  const Json plain = verify({}, program);
  EXPECT_EQ(kinds_of(plain["problems"]), Words{}) << plain.dump(1);
  const Json turned = verify({"--perturb=zone"}, program);
  EXPECT_EQ(turned["verdict"], "unverified") << turned.dump(1);
  EXPECT_EQ(kinds_of(turned["problems"]), Words{"log"});
}

// Of many that a run changes, too, the last is not forgotten.
TEST_F(Judgement, IsNotEqualWhereTheLastOfManyChangedFilesDiffers) {
  for (int i = 0; i < 70; ++i)
    std::ofstream(scratch_.path() / ("part-" + std::to_string(i))) << "0000000";
  const Json result = verify({}, {"/usr/bin/python3", "-c",
                                  "import time\n"
                                  "for i in range(70): open(f'part-{i}', 'r+')"
                                  ".write(str(time.time_ns() % 1000003 if i == 69 else 0))\n"
                                  "print('done')"});
  EXPECT_EQ(result["verdict"], "unverified") << result.dump(1);
  EXPECT_NE(result["problems"].dump().find("part-69"), std::string::npos) << result["problems"];
}

// The second run is ended by a signal: that what it printed differs may come of that.
TEST_F(Judgement, IsNotDifferentWhereARunWasSpoiled) {
  const Json result =
      verify({"--ignore", "second"},
             {"/bin/sh", "-c", "test -e second && echo 2 && kill -9 $$; echo 1; : >second"});
  EXPECT_EQ(result["verdict"], "unverified") << result.dump(1);
  EXPECT_EQ(kinds_of(result["problems"])[0], "killed");
  EXPECT_FALSE(result["differences"].empty());
}

// How often plain runs may still differ: a run in which something was turned says nothing of it.
TEST_F(Judgement, BoundsTheRateByPlainRunsAlone) {
  const Json turned = verify({"--perturb=zone"}, {"/bin/sh", "-c", "date -d @0 +%H"});
  EXPECT_EQ(turned["verdict"], "different");
  EXPECT_EQ(turned["differences"][0]["perturbation"], "zone");
  EXPECT_EQ(turned["equal_runs"], 2);
  EXPECT_TRUE(turned["bound"].is_number()) << turned["bound"];
  EXPECT_FALSE(fs::exists(evidence())) << "it speaks of runs that nothing was turned in";
  const Json plain = verify({}, {"/bin/sh", "-c", "date +%N"});
  EXPECT_EQ(plain["verdict"], "different");
  EXPECT_EQ(plain["equal_runs"], 0);
  EXPECT_TRUE(plain["bound"].is_null()) << plain["bound"];
  EXPECT_TRUE(fs::exists(evidence()));
}

// Of two controls and two runs, those fail that are listed: 1 and 2 are the controls.
TEST_F(Judgement, BlamesEnforcementWhereItAloneFails) {
  const std::pair<const char*, bool> cases[] = {{"3 4", true},    {"3", false},       {"4", false},
                                                {"1 3 4", false}, {"1 2 3 4", false}, {"1", false}};
  for (const auto& [failing, is_blamed] : cases) {
    fs::remove(scratch_.path() / "n");
    const Json result =
        verify({"--control", "--ignore", "n"},
               {"/bin/sh", "-c",
                "n=$(cat n 2>/dev/null || echo 0); n=$((n + 1)); echo $n >n; echo x; for i in " +
                    std::string(failing) + "; do test $n -ne $i || exit 1; done"});
    const Words kinds = kinds_of(result["problems"]);
    EXPECT_EQ(std::ranges::count(kinds, "fails_when_enforced"), is_blamed ? 1 : 0)
        << failing << result["problems"].dump(1);
    EXPECT_NE(result["verdict"], "equal") << failing;
  }
}

} // namespace
