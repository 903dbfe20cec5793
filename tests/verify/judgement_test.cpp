// What may not be called equal, verified or different: the rules of a verdict, each by its own
// column.
#include "run.h"

#include "environment/environment.h"
#include "evidence/evidence_file.h"
#include "evidence/program_state.h"
#include "verdict/finding.h"
#include "verdict/verdict.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

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

} // namespace
