// The last step of a judgement, and the finders that read text: without a program that is run.
#include "files.h"
#include "log_reader/call_owner.h"
#include "log_reader/pool.h"
#include "verdict/finders.h"
#include "verdict/pools.h"
#include "verdict/shell_tokens.h"
#include "verdict/verdict.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace detshim {
namespace {

using Names = std::vector<std::string>;

// ---- every finding, by what compared runs have shown, accepted or not ----

constexpr struct {
  Finding finding;
  const char* name;
} all_findings[] = {
#define DETSHIM_TEST_FINDING(finding, ...) {Finding::finding, #finding},
    DETSHIM_FINDINGS(DETSHIM_TEST_FINDING)
#undef DETSHIM_TEST_FINDING
};

using Answer = EvidenceUse::Answer;

/// What compared runs have shown, and whether that answers for what they saw too.
struct EvidenceCase {
  const char* name;
  Evidence::Program program;
  bool were_equal;
  std::size_t runs;
  bool has_seen_it; ///< the finding
  Answer answer;    ///< where the finding is left
  bool holds;
};
constexpr EvidenceCase evidence_cases[] = {
    {"never compared", Evidence::Program::never_compared, false, 0, false, Answer::none, false},
    {"five equal", Evidence::Program::same, true, 5, true, Answer::holds, true},
    {"two equal", Evidence::Program::same, true, 2, true, Answer::holds, true},
    {"not seen", Evidence::Program::same, true, 5, false, Answer::new_findings, false},
    {"changed", Evidence::Program::changed, true, 5, true, Answer::changed, false},
    {"unknown", Evidence::Program::unknown, true, 5, true, Answer::unknown, false},
    {"changed, differed", Evidence::Program::changed, false, 5, true, Answer::changed, false},
    {"differed", Evidence::Program::same, false, 5, true, Answer::differed, false},
};

Evidence evidence_of_case(const EvidenceCase& of, const VerdictReason& reason) {
  Evidence evidence;
  evidence.program = of.program;
  evidence.were_equal = of.were_equal;
  evidence.runs = of.runs;
  if (of.has_seen_it)
    for (const std::string& key : keys_of(reason))
      evidence.can_differ.insert(key);
  return evidence;
}

TEST(Verdicts, OfEachFindingByEvidenceAndAcceptance) {
  for (const auto& [finding, name] : all_findings)
    for (const EvidenceCase& of : evidence_cases)
      for (const bool is_accepted : {false, true})
        for (const bool is_refused : {false, true}) {
          SCOPED_TRACE(std::string(name) + ", " + of.name + (is_accepted ? ", accepted" : "") +
                       (is_refused ? ", refused" : ""));
          const VerdictReason reason{.finding = finding, .function = "f"};
          const Names accepted =
              is_accepted ? Names{reason.kind()} : Names{std::string(reason.kind()) + ":g"};
          Findings findings;
          findings.add(reason);
          findings.has_refused = is_refused;
          const Verdict verdict = conclude(findings, {}, evidence_of_case(of, reason), accepted);

          // The reason `differed` is accepted with a finding of its kind alone.
          const bool is_differed = of.answer == Answer::differed;
          const bool is_kind = finding == Finding::runs_differed;
          const bool has_differed = is_differed && !(is_accepted && is_kind);
          const FindingRow row = row_of(finding);
          VerdictLevel level = is_accepted ? VerdictLevel::covered : row.level;
          const bool can_be_verified =
              is_accepted ? of.runs > 2
                          : level == VerdictLevel::unverified && row.settled != Settled::by_nothing;
          const bool is_nothing_new =
              of.holds || (is_accepted && of.answer == Answer::new_findings);
          if (is_nothing_new && can_be_verified)
            level = VerdictLevel::verified;
          if (has_differed)
            level = VerdictLevel::partial;
          EXPECT_STREQ(level_name(verdict.level), level_name(level));

          EXPECT_EQ(verdict.reasons.size(), (is_accepted ? 0U : 1U) + (has_differed ? 1U : 0U));
          EXPECT_EQ(verdict.acceptances.front().reasons,
                    is_accepted ? (is_differed && is_kind ? 2U : 1U) : 0U);
          EXPECT_EQ(verdict.accepted.size(), verdict.acceptances.front().reasons);
          const Answer answer =
              is_accepted && of.answer == Answer::new_findings ? Answer::holds : of.answer;
          EXPECT_EQ(verdict.evidence.answer, answer);
          EXPECT_EQ(verdict.has_refused, is_refused);
          const bool passes = level == VerdictLevel::verified || verdict.reasons.empty() ||
                              (finding == Finding::not_decoded && !has_differed);
          EXPECT_EQ(verdict.passes_check(), passes && !is_refused);
        }
}

TEST(Verdicts, OfARunWithoutReasonsAreCovered) {
  EXPECT_EQ(conclude({}, {}, {}, {}).level, VerdictLevel::covered);
}

TEST(Verdicts, TakeBackWhatDoesNotComeFromTheLog) {
  const CarriedState carried{{"n", "ck/last"}};
  const Verdict left = conclude({}, carried, {}, {});
  EXPECT_EQ(left.level, VerdictLevel::unverified);
  ASSERT_EQ(left.reasons.size(), 1U);
  EXPECT_EQ(left.reasons[0].names, carried.files);
  const Verdict taken = conclude({}, carried, {}, {"state"});
  EXPECT_EQ(taken.level, VerdictLevel::covered);
  EXPECT_EQ(taken.acceptances.front().reasons, 1U);

  Evidence differed;
  differed.program = Evidence::Program::same;
  EXPECT_EQ(conclude({}, {}, differed, {}).level, VerdictLevel::partial);
  const Verdict accepted = conclude({}, {}, differed, {"differed"});
  EXPECT_EQ(accepted.level, VerdictLevel::covered); // and never verified
  EXPECT_EQ(accepted.evidence.answer, Answer::differed);
}

TEST(Verdicts, HaveTheWorstReasonsFirst) {
  Findings findings;
  findings.add({.finding = Finding::clock_read});
  findings.add({.finding = Finding::own_code});
  const Verdict verdict = conclude(findings, {{"n"}}, {}, {});
  ASSERT_EQ(verdict.reasons.size(), 3U);
  EXPECT_EQ(verdict.reasons[0].finding, Finding::own_code);
  EXPECT_EQ(verdict.reasons[1].finding, Finding::clock_read);
  EXPECT_EQ(verdict.reasons[2].finding, Finding::state_carried);
}

// ---- scripts of shells ----

/// What the verdict names of a shell with those arguments, in that folder.
Names words_of_shell(const Names& arguments, const std::string& folder = "/",
                     const char* program = "/bin/dash", const char* mode = "enforce") {
  Log log;
  Start start;
  start.program = program;
  start.mode = mode;
  start.working_directory = folder;
  start.args = {"bash"};
  start.args.insert(start.args.end(), arguments.begin(), arguments.end());
  log.processes.emplace_back().starts.push_back(start);
  Findings findings;
  find_shell_words({log, Summary(), LoadedCode()}, findings);
  return findings.reasons.empty() ? Names() : findings.reasons.front().names;
}

TEST(Scripts, HaveWordsThatDifferInEachRun) {
  const struct {
    const char* script;
    Names names;
  } scripts[] = {
      {"echo $$", {"$$"}},
      {"x=${RANDOM}", {"RANDOM"}},
      {"echo $((SECONDS + 1)) $EPOCHSECONDS", {"EPOCHSECONDS", "SECONDS"}},
      {"date", {"date"}},
      {"x=$(/bin/date +%s)", {"date"}},
      {"x=`date`;\\date", {"date"}},
      {"echo \"it is $(date)\"", {"date"}},
      {"eval 'date | sort'", {"date"}},
      {"trap 'kill $$' EXIT", {"$$"}},
      {"cat </proc/stat; cat /data/processed", {"/proc"}},
      {"ls -lt | head -1", {"ls -t"}},
      {"ls -l; sort -t,", {}},
      {"find . | xargs -0 -P4 gzip", {"xargs -P"}},
      {"a & b", {" & "}},
      {"a&", {" & "}},
      {"a && b >&2 2>&1 &>/dev/null", {}},
      {"curl 'http://x/?a=1&b=2'", {}},
      {"eval 'a & b'", {" & "}},
      {"coproc cat; wait -n; read -t 1 x", {"coproc", "read -t", "wait -n"}},
      {"a | tee >(wc -l)", {">("}},
      {"cmp <(a) <(b) > c", {}},
      {"time ./a", {"time"}},
      {"if time ./a; then times; fi", {"time", "times"}},
      {"while ! time ./a; do :; done", {"time"}},
      {"echo time times coproc; at_a time", {}},
      {"do_it time x", {}},
      {"printf '%(%s)T\\n' -1", {"printf %(…)T"}},
      {"printf '%s (%d)\\n' 5 6", {}},
      // words that only look so
      {"python3 update.py --candidates my_date MAX_SECONDS=1", {}},
      // comments are no tokens
      {"# updated candidates on a date: $RANDOM & $$", {}},
      {"true # date\necho 1 ;# date", {}},
      {"echo \"$#\" ${#x} x#y; date", {"date"}},
      {"true # don't\ndate", {"date"}},
      // what only looks like a comment
      {"echo '# date'", {"date"}},
      {"echo \"# $(date)\"", {"date"}},
      {"y=${x/ #/$(date)}", {"date"}},
      {"z=\"$(echo \"a # b\" $(date))\"", {"date"}},
      {"echo \\# date", {"date"}},
      {"cat <<EOF\n# $(date)\nEOF\n", {"date"}},
      {"cat <<-'END' | sh # date\n\t# uptime\n\tEND\n# date\n", {"uptime"}},
      {"cat <<A <<B\nA\n# $$\nB\n# date", {"$$"}},
      {"echo 'open # date", {"date"}}, // its quotes do not close: no comment is believed
      {"echo $'it\\'s' # date", {}},
  };
  for (const auto& [script, names] : scripts)
    EXPECT_EQ(words_of_shell({"-c", script}), names) << script;
}

// Its own numbers come from a function that the library answers.
TEST(Scripts, OfBashMayDraw) {
  const Names draws = {"-c", "echo $RANDOM $SRANDOM"};
  const Names words = {"RANDOM", "SRANDOM"};
  EXPECT_EQ(words_of_shell(draws, "/", "/bin/bash"), Names{});
  EXPECT_EQ(words_of_shell(draws, "/", "/bin/bash", "observe"), words);
  EXPECT_EQ(words_of_shell(draws, "/", "/no/such/bash"), words);
  EXPECT_EQ(words_of_shell(draws, "/", "/bin/zsh"), words);
}

TEST(Scripts, AreReadByTheCommandLine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "job.sh") << "#!/bin/sh\n# date\nuptime\n";
  const std::string folder = scratch.path().string();
  const Names uptime = {"job.sh:3 uptime"};
  EXPECT_EQ(words_of_shell({"job.sh", "date"}, folder), uptime);
  EXPECT_EQ(words_of_shell({"-e", "job.sh"}, folder), uptime);
  EXPECT_EQ(words_of_shell({"-euo", "pipefail", "job.sh"}, folder), uptime);
  EXPECT_EQ(words_of_shell({"-ec", "uptime"}, folder), Names{"uptime"});
  EXPECT_EQ(words_of_shell({"-c", "eval $1", "sh", "date"}, folder), Names{"date"});
  EXPECT_EQ(words_of_shell({"gone.sh"}, folder), Names{"a text that is gone"});
  EXPECT_EQ(words_of_shell({}, folder), Names{"a text from its input"});
  EXPECT_EQ(words_of_shell({"-s"}, folder), Names{"a text from its input"});
}

// ---- whose code a call is ----

TEST(CallOwners, OfPythonByItsFrames) {
  const TemporaryFolder scratch;
  const std::string packages = (scratch.path() / "site-packages").string();
  std::filesystem::create_directory(packages);
  std::ofstream(packages + "/a.py") << "t = time()\nseed(time())\n";
  SourceLines lines;
  const auto owner = [&](const Names& frames, std::optional<std::size_t> user) {
    return owner_of_call("", {}, {frames, user}, lines);
  };
  EXPECT_EQ(owner({"time.py:1 f", "/home/me/train.py:12 main"}, 1).owner, CallOwner::user);
  EXPECT_EQ(owner({"time.py:1 f", "/home/me/train.py:12 main"}, 1).line, "train.py:12");
  EXPECT_EQ(owner({packages + "/a.py:1 f"}, 0).owner, CallOwner::package);
  EXPECT_EQ(owner({packages + "/a.py:2 f"}, 0).owner, CallOwner::user);
  EXPECT_EQ(owner({packages + "/a.py:2 f"}, std::nullopt).owner, CallOwner::package);
  EXPECT_EQ(owner({"/x/torch/utils/data/dataloader.py:7 f", "t.py:1 m"}, 1).owner,
            CallOwner::data_loader);
  EXPECT_EQ(owner({"<string>:1 <module>"}, 0).owner, CallOwner::text);
}

TEST(CallOwners, OfMachineCodeWithoutDebugInformationAreUnknown) {
  SourceLines lines;
  const OwnedCall call = owner_of_call("/no/such/file+0x10", {}, {}, lines);
  EXPECT_EQ(call.owner, CallOwner::unknown);
  EXPECT_EQ(call.place, "/no/such/file+0x10");
}

// ---- pools ----

TEST(Pools, AreReadAsEachFormatHasThem) {
  const auto read = [](const std::string& function, const std::vector<Field>& fields) {
    Call call;
    call.function = function;
    call.fields = fields;
    return pool_of(call);
  };
  const Pool pool{"multiprocessing.Pool", "", "/home/me, too/train.py:5"};
  EXPECT_EQ(read("random", {{"pool", pool.kind}, {"pool_at", pool.place}}), pool);
  EXPECT_EQ(read("random", {{"pool", pool.kind + ", " + pool.place}}), pool); // before 0.2
  EXPECT_EQ(read("random", {{"pool", "loky"}}), (Pool{"loky", "", ""}));
  const Pool queue{"multiprocessing.Queue", "mp-7f3a", "/a/t.py:7"};
  EXPECT_EQ(read("pthread_create",
                 {{"threads_of", queue.kind}, {"queue", queue.queue}, {"made_at", queue.place}}),
            queue);
  EXPECT_EQ(read("pthread_create", {{"threads_of", "joblib"}, {"queue", ""}, {"made_at", ""}}),
            (Pool{"joblib", "", ""}));
  EXPECT_EQ(read("pthread_create", {{"threads", "multiprocessing.Queue/mp-7f3a, /a/t.py:7"}}),
            queue); // before 0.2
  EXPECT_EQ(read("GOMP_parallel", {{"threads", "8"}}), std::nullopt);
}

// One process of the run deals its tasks in turn, and another lets its workers race for theirs.
TEST(Pools, OfAKindThatRacesAnywhereAreNotDealt) {
  const auto pools_of = [](const std::vector<std::string>& reasons) {
    const TemporaryFolder folder;
    std::ofstream log(folder.path() / "0-0-4711.jsonl");
    log << R"({"t":"start","v":1,"detshim":"0.1.0","run":"20261121T003512-4711","pid":4711,"rank":0,)"
           R"("path":"0","program":"/bin/train","args":["./train"],"mode":"enforce","policy":"fixed",)"
           R"("seed":"42","seed_from":"DETSHIM_SEED","env":[]})"
           "\n";
    for (std::size_t i = 0; i < reasons.size(); ++i)
      log << R"({"t":"call","n":)" << i + 1
          << R"(,"thread":"0","lib":"libc","fn":"pthread_create","do":"observe",)"
             R"("threads_of":"loky","queue":"","made_at":"/a/t.py:7","why":")"
          << reasons[i] << "\"}\n";
    log << R"({"t":"end","counts":{}})" << std::endl;
    return LoggedPools(read_log(folder.path()));
  };
  EXPECT_TRUE(pools_of({"tasks_dealt"}).are_dealt("loky"));
  EXPECT_FALSE(pools_of({"tasks_dealt", "task_race"}).are_dealt("loky"));
  EXPECT_FALSE(pools_of({"task_race", "tasks_dealt"}).are_dealt("loky"));
  EXPECT_FALSE(pools_of({}).are_dealt("loky"));
}

} // namespace
} // namespace detshim
