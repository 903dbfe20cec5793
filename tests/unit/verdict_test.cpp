// The last step of a judgement, and the finders that read text: without a program that is run.
#include "files.h"
#include "log_reader/call_owner.h"
#include "log_reader/pool.h"
#include "verdict/finders.h"
#include "verdict/pools.h"
#include "verdict/shell_tokens.h"
#include "verdict/shown_times.h"
#include "verdict/verdict.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace detshim {
namespace {

using Names = std::vector<std::string>;
using FindingList = std::vector<Finding>;

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

TEST(Verdicts, AreAcceptedByKindAndSubject) {
  const auto accepted = [](const VerdictReason& reason, const std::string& name) {
    Findings findings;
    findings.add(reason);
    return conclude(std::move(findings), {}, {}, {name}).accepted.size();
  };
  const VerdictReason reason{.finding = Finding::uncovered_call,
                             .library = "cublas",
                             .function = "f",
                             .file = "/x/plugin.so"};
  for (const char* name :
       {"uncovered", "uncovered:f", "uncovered:/x/plugin.so", "uncovered:cublas"})
    EXPECT_EQ(accepted(reason, name), 1U) << name;
  for (const char* name : {"bypass", "bypass:f", "uncovered:g", "uncovered:plugin.so"})
    EXPECT_EQ(accepted(reason, name), 0U) << name;
  const VerdictReason of_file{.finding = Finding::own_code, .file = "/x/plugin.so"};
  EXPECT_EQ(accepted(of_file, "code:plugin.so"), 1U) << "its subject";
}

TEST(Verdicts, NameAReasonByWhatStays) {
  const auto keys = [](const VerdictReason& reason) {
    return keys_of(reason);
  };
  EXPECT_EQ(keys({.finding = Finding::no_draw}), Names{"no_draw"});
  EXPECT_EQ(keys({.finding = Finding::clock_read, .names = {"a.py:1", "b.py:2"}, .count = 2}),
            (Names{"clock a.py:1", "clock b.py:2"}));
  EXPECT_EQ(keys({.finding = Finding::bypass,
                  .library = "cublas",
                  .file = "/x/a.so",
                  .code = "c",
                  .place = "p",
                  .detail = "d",
                  .count = 2}),
            Names{"bypass a.so c p d"});
}

TEST(Verdicts, LackDrawsAloneWhereThatIsTheOneReason) {
  const auto lacks = [](const FindingList& findings) {
    Verdict verdict;
    for (const Finding finding : findings)
      verdict.reasons.push_back({.finding = finding});
    return verdict.lacks_draws_alone();
  };
  EXPECT_FALSE(lacks({}));
  EXPECT_TRUE(lacks({Finding::no_draw}));
  EXPECT_FALSE(lacks({Finding::clock_read}));
  EXPECT_FALSE(lacks({Finding::no_draw, Finding::clock_read}));
}

// ---- calls ----

using Codes = std::vector<std::string>;

SymbolSummary symbol_of(Action action, const Codes& codes, const std::vector<Field>& fields = {}) {
  SymbolSummary symbol;
  symbol.action = action;
  symbol.library = "cublas";
  symbol.function = "f";
  symbol.reasons = codes;
  symbol.examples = {{fields, {}}};
  symbol.places = {{"/home/me/plugin.so+0x10", {}, {}, {}}};
  return symbol;
}

std::vector<VerdictReason> reasons_of(const SymbolSummary& symbol) {
  Summary summary;
  summary.symbols = {symbol};
  Findings findings;
  find_calls({Log(), summary, LoadedCode()}, findings);
  return findings.reasons;
}

FindingList findings_of(const std::vector<VerdictReason>& reasons) {
  FindingList findings;
  for (const VerdictReason& reason : reasons)
    findings.push_back(reason.finding);
  return findings;
}

TEST(Calls, AreFindingsByActionReasonAndFields) {
  using enum Action;
  const Field own_copy{"function_of", "/home/me/plugin.so"};
  const Field another{"function_of", "/usr/lib/libcublas.so.12"};
  const struct {
    Action action;
    Codes codes;
    std::vector<Field> fields;
    FindingList found;
  } calls[] = {
      {pin, {"may_be_key"}, {}, {}},
      {observe, {}, {}, {}},
      {observe, {"clock_read"}, {}, {}},
      {observe, {"may_be_key"}, {}, {}},
      {observe, {"secret_program"}, {}, {Finding::may_be_key}},
      {observe, {"undocumented"}, {}, {Finding::undocumented_call}},
      {observe, {"timed_by_tuner"}, {}, {Finding::timed_choice}},
      {nondeterministic, {}, {}, {Finding::nondeterministic_call}},
      {nondeterministic, {"undocumented"}, {}, {Finding::nondeterministic_call}},
      {nondeterministic, {"may_be_key"}, {}, {Finding::may_be_key}},
      {nondeterministic, {"other_version"}, {}, {Finding::setting_left}},
      {nondeterministic, {}, {{"operator", "aten::cumsum"}}, {Finding::nondeterministic_operator}},
      {nondeterministic, {}, {own_copy}, {Finding::nondeterministic_call}},
      {uncovered, {}, {}, {Finding::uncovered_call}},
      {uncovered, {}, {{"operator", "aten::cumsum"}}, {Finding::uncovered_call}},
      {uncovered, {}, {own_copy}, {Finding::foreign}},
      {uncovered, {}, {another}, {Finding::bypass}},
  };
  for (std::size_t i = 0; i < std::size(calls); ++i) {
    const SymbolSummary symbol = symbol_of(calls[i].action, calls[i].codes, calls[i].fields);
    EXPECT_EQ(findings_of(reasons_of(symbol)), calls[i].found) << i;
  }
}

TEST(Calls, AreNamedByTheirValues) {
  const VerdictReason operators =
      reasons_of(symbol_of(Action::nondeterministic, {}, {{"operator", "aten::cumsum"}})).at(0);
  EXPECT_EQ(operators.function, "aten::cumsum");
  const VerdictReason version = reasons_of(symbol_of(
      Action::nondeterministic, {"other_version"},
      {{"version", "2.9"}, {"known_good", "2.8"}, {"others", "3"}, {"function_of", "x"}}))[0];
  EXPECT_EQ(version.detail, "2.9");
  EXPECT_EQ(version.names, Names{"2.8"});
  EXPECT_EQ(version.count, 3U);
  EXPECT_EQ(version.code, "other_version");
  EXPECT_EQ(version.file, "/home/me/plugin.so");
  // What is executed has its program first.
  EXPECT_EQ(reasons_of(symbol_of(Action::uncovered, {}, {{"program", "/bin/x"}}))[0].detail,
            "/bin/x");
  EXPECT_EQ(reasons_of(symbol_of(Action::nondeterministic, {}, {{"size", "7"}}))[0].detail, "");
}

TEST(Calls, OfProgramsThatDrawNothingAreHarmless) {
  SymbolSummary symbol = symbol_of(Action::uncovered, {}, {{"program", "/bin/x"}});
  LoadedCode code;
  EXPECT_FALSE(code.is_harmless(symbol));
  code.without_draws = {"/bin/x"};
  EXPECT_TRUE(code.is_harmless(symbol));
  SymbolSummary refused = symbol, more = symbol, none = symbol, other = symbol, unnamed = symbol;
  refused.action = Action::refuse;
  more.examples_left_out = 1;
  none.examples.clear();
  other.examples.push_back({{{"program", "/bin/y"}}, {}});
  unnamed.examples.push_back({{{"size", "7"}}, {}});
  for (const SymbolSummary& open : {refused, more, none, other, unnamed})
    EXPECT_FALSE(code.is_harmless(open));
}

TEST(Calls, WithoutARecordAreFindingsByTheirAction) {
  const auto found = [](Action action, std::uint64_t lost, std::uint64_t missing, const Log& log) {
    Summary summary;
    summary.unrecorded[static_cast<std::size_t>(action)] = lost;
    summary.missing_records = missing;
    Findings findings;
    find_calls({log, summary, LoadedCode()}, findings);
    return findings_of(findings.reasons);
  };
  using enum Action;
  Log damaged;
  damaged.damaged_lines = 1;
  for (const Action action : {nondeterministic, uncovered})
    EXPECT_EQ(found(action, 1, 0, Log()), FindingList{Finding::lost_bad_calls});
  for (const Action action : {pin, replace, refuse})
    EXPECT_EQ(found(action, 1, 0, Log()), FindingList{Finding::lost_calls});
  EXPECT_EQ(found(observe, 1, 0, Log()), FindingList{});
  EXPECT_EQ(found(pin, 0, 0, Log()), FindingList{});
  EXPECT_EQ(found(pin, 0, 1, Log()), FindingList{Finding::lost_records});
  EXPECT_EQ(found(pin, 0, 1, damaged), FindingList{}) << "the damage is a reason already";
  EXPECT_EQ(found(pin, 1, 0, damaged), FindingList{Finding::lost_calls});
}

// ---- processes ----

Process whole_process() {
  Process process;
  process.pid = 4711;
  process.path = "0";
  process.starts.emplace_back().program = "/bin/train";
  process.end.emplace();
  process.modules = SharedTexts(std::make_shared<const Names>(Names{"libc.so.6"}));
  return process;
}

FindingList findings_by(void (*find)(const VerdictInputs&, Findings&), const Log& log) {
  Findings findings;
  find({log, Summary(), LoadedCode()}, findings);
  return findings_of(findings.reasons);
}

TEST(Processes, AreFindingsByWhatTheirLogLacks) {
  const Process whole = whole_process();
  Process unended = whole, followed = whole, not_followed = whole, without_rights = whole,
          ended_without_rights = whole, lost = whole, named_without_rights = whole,
          without_start = whole, without_modules = whole, killed_without_modules = whole;
  unended.end.reset();
  followed.end.reset();
  followed.executed.emplace().program = "/bin/x";
  not_followed = followed;
  not_followed.executed->is_followed = false;
  without_rights.end.reset();
  without_rights.gave_up_rights = "setuid";
  ended_without_rights.gave_up_rights = "setuid";
  lost.end.reset();
  lost.lost = {{lost.pid, "0", "/bin/x", "static"}};
  named_without_rights = lost;
  named_without_rights.gave_up_rights = "setuid";
  without_start.starts.clear();
  without_modules.modules = {};
  killed_without_modules.modules = {};
  killed_without_modules.end.reset();
  using enum Finding;
  const std::pair<Process, FindingList> processes[] = {{whole, {}},
                                                       {unended, {no_end}},
                                                       {followed, {}},
                                                       {not_followed, {no_end}},
                                                       {without_rights, {gave_up_rights}},
                                                       {ended_without_rights, {}},
                                                       {lost, {lost_process}},
                                                       {named_without_rights, {lost_process}},
                                                       {without_start, {no_start}},
                                                       {without_modules, {no_modules}},
                                                       {killed_without_modules, {no_end}}};
  for (std::size_t i = 0; i < std::size(processes); ++i) {
    Log log;
    log.processes = {processes[i].first};
    EXPECT_EQ(findings_by(find_processes, log), processes[i].second) << i;
  }
  Log without_root;
  without_root.missing_root = 4711;
  EXPECT_EQ(findings_by(find_processes, without_root), FindingList{no_end});
}

TEST(Processes, RecordedMayHaveChosenAlgorithms) {
  Process process = whole_process();
  process.starts[0].mode = "record";
  const auto found = [&](const Process& of) {
    Log log;
    log.processes = {of};
    return findings_by(find_settings, log);
  };
  const FindingList chosen = {Finding::mode_record};
  EXPECT_EQ(found(process), FindingList{});
  Process called = process, loaded = process, with_gpu = process, other = process;
  called.libraries = {{.name = "cublas", .file = "libcublas.so.12", .version = {}}};
  EXPECT_EQ(found(called), chosen);
  loaded.coverage = {{.library = "cublas", .files = {"libcublas.so.12"}, .missing = {}}};
  EXPECT_EQ(found(loaded), FindingList{}) << "it had no GPU";
  with_gpu = loaded;
  with_gpu.modules = SharedTexts(std::make_shared<const Names>(Names{"/usr/lib/libcuda.so.1"}));
  EXPECT_EQ(found(with_gpu), chosen);
  other.libraries = {{.name = "libc", .file = "libc.so.6", .version = {}}};
  EXPECT_EQ(found(other), FindingList{});
  with_gpu.starts[0].mode = "enforce";
  EXPECT_EQ(found(with_gpu), FindingList{});
  with_gpu.starts[0].mode = "observe";
  EXPECT_EQ(found(with_gpu), FindingList{Finding::mode_observe});
  with_gpu.starts[0].disabled = "cublas";
  EXPECT_EQ(found(with_gpu), (FindingList{Finding::mode_observe, Finding::disabled}));
}

TEST(Processes, OfAJobAreAllOfItsRanks) {
  const auto found = [](const std::vector<std::int64_t>& ranks, std::int64_t size,
                        const std::string& program = "") {
    Log log;
    for (const std::int64_t rank : ranks) {
      RankMark& mark = log.marks.emplace_back();
      mark.launcher = "node 4711";
      mark.rank = rank;
      mark.size = size;
      mark.program = program;
    }
    return findings_by(find_ranks, log);
  };
  EXPECT_EQ(found({}, 0), FindingList{});
  EXPECT_EQ(found({0, 1}, 2), FindingList{});
  EXPECT_EQ(found({0}, 2), FindingList{Finding::missing_ranks});
  EXPECT_EQ(found({1, 1}, 2), FindingList{Finding::missing_ranks});
  EXPECT_EQ(found({0}, 0, "/usr/bin/mpirun"), FindingList{Finding::no_rank});
}

TEST(Processes, WithATornLineAreDamagedWhereTheyEnded) {
  Log log;
  log.processes = {whole_process()};
  EXPECT_EQ(findings_by(find_damage, log), FindingList{});
  log.processes[0].has_torn_line = true;
  EXPECT_EQ(findings_by(find_damage, log), FindingList{Finding::damaged});
  log.processes[0].end.reset();
  EXPECT_EQ(findings_by(find_damage, log), FindingList{}) << "that it has no end is a reason";
  log.damaged_lines = 1;
  EXPECT_EQ(findings_by(find_damage, log), FindingList{Finding::damaged});
}

TEST(Processes, WithoutAnythingThatWasSeenAreNoDraw) {
  const FindingList none = {Finding::no_draw};
  Log log;
  log.processes = {whole_process(), whole_process()};
  EXPECT_EQ(findings_by(find_no_draw, log), none);
  Process called = whole_process(), answered = called, asked = called, bound = called;
  called.calls = 1;
  answered.libraries.emplace_back();
  asked.frameworks.emplace_back();
  bound.bound.emplace_back();
  for (const Process& process : {called, answered, asked, bound}) {
    log.processes[1] = process;
    EXPECT_EQ(findings_by(find_no_draw, log), FindingList{});
  }
}

// ---- the user's lines ----

/// The lines that each finding names.
std::map<Finding, Names> lines_in(const Log& log, const LoadedCode& code = {},
                                  Names* shown = nullptr) {
  Findings findings;
  const Summary summary = summarise(log);
  find_users_lines({log, summary, code}, findings);
  std::map<Finding, Names> lines;
  for (const VerdictReason& reason : findings.reasons)
    lines[reason.finding] = reason.names;
  if (shown != nullptr)
    *shown = findings.shown_times;
  return lines;
}

UserPlace python_place(RecordType kind, const std::string& frame, const std::string& what = "") {
  return {kind, what, "/usr/bin/python3.11+0x10", {}, {{"/usr/lib/python3.11/x.py:1 f", frame}, 1}};
}

UserPlace native_place(RecordType kind, const std::string& at, const std::string& what = "") {
  return {kind, what, at, {}, {}};
}

Log log_of_places(const std::vector<UserPlace>& places) {
  Log log;
  log.processes = {whole_process()};
  log.processes[0].user_places = places;
  return log;
}

using Lines = std::map<Finding, Names>;

TEST(UserLines, AreFindingsByWhatTheyDid) {
  using enum RecordType;
  const std::string frame = "/home/me/t.py:7 main";
  const std::string native = "/home/me/train+0x10";
  const std::string own = "/usr/lib/libx.so+0x10";
  UserPlace of_package = python_place(threads, frame);
  of_package.python.user.reset();
  const std::pair<UserPlace, Lines> places[] = {
      {python_place(clock, frame), {{Finding::clock_read, {"t.py:7"}}}},
      {python_place(threads, frame), {{Finding::threads_started, {"t.py:7"}}}},
      {python_place(forks, frame), {{Finding::processes_started, {"t.py:7"}}}},
      {python_place(children, frame), {{Finding::processes_started, {"t.py:7"}}}},
      {python_place(input, frame, "network"), {{Finding::input_read, {"t.py:7 (network)"}}}},
      {python_place(threads, "<string>:7 <module>"), {{Finding::threads_started, {"<string>:7"}}}},
      {of_package, {}},
      {native_place(clock, native), {{Finding::clock_read, {"train+0x10"}}}},
      {native_place(children, native), {{Finding::processes_started, {"train"}}}},
      {native_place(input, native, "file"), {{Finding::input_read, {"train+0x10 (file)"}}}},
      // the program "/bin/train" called it
      {native_place(forks, own), {{Finding::processes_started, {"program train"}}}},
      {native_place(children, own), {{Finding::processes_started, {"train"}}}},
  };
  for (std::size_t i = 0; i < std::size(places); ++i)
    EXPECT_EQ(lines_in(log_of_places({places[i].first})), places[i].second) << i;
}

TEST(UserLines, ThatStartProcessesAreNamedOnce) {
  const std::string frame = "/home/me/t.py:7 main";
  const Log log = log_of_places({python_place(RecordType::clock, frame),
                                 python_place(RecordType::clock, "/home/me/t.py:8 main"),
                                 python_place(RecordType::forks, frame)});
  EXPECT_EQ(lines_in(log),
            (Lines{{Finding::processes_started, {"t.py:7"}}, {Finding::clock_read, {"t.py:8"}}}));
}

TEST(UserLines, OfALauncherAreNone) {
  Log log = log_of_places({native_place(RecordType::threads, "/home/me/launch+0x10")});
  const auto lines = [&](const std::string& program, std::int64_t pid) {
    log.marks.resize(1);
    log.marks[0].program = program;
    log.marks[0].pid = pid;
    return lines_in(log).size();
  };
  EXPECT_EQ(lines("/usr/bin/mpirun", 4711), 0U);
  EXPECT_EQ(lines("/usr/bin/mpirun", 4712), 1U);
  EXPECT_EQ(lines("", 4711), 1U) << "the mark of a rank";
}

TEST(UserLines, OfCodeThatReadsAroundEveryLibrary) {
  LoadedCode code;
  FileScan scan;
  scan.file = "/home/me/train";
  scan.others = {{0x10, DrawKind::processor, ""}, {0x20, DrawKind::clock, ""}};
  code.reading = {scan};
  EXPECT_EQ(lines_in(Log(), code),
            (Lines{{Finding::input_read,
                    {std::string("train (") + draw_name(DrawKind::processor) + ")",
                     std::string("train+0x21 (") + draw_name(DrawKind::clock) + ")"}}}));
}

/// A log on disk: what is read again, record by record.
class LoggedLines : public testing::Test {
protected:
  /// `calls`: what each of their records has besides.
  Log read(const std::vector<std::string>& calls, const std::string& outputs = "tty",
           const std::string& path = "0") const {
    std::ofstream log(folder_.path() / ("0-" + path + "-4711.jsonl"));
    log << R"({"t":"start","v":1,"detshim":"0.1.0","run":"20261121T003512-4711","pid":4711,"rank":0,)"
           R"("path":")"
        << path
        << R"(","program":"/usr/bin/python3","args":["python3"],"mode":"enforce",)"
           R"("policy":"fixed","seed":"42","seed_from":"DETSHIM_SEED","outputs":")"
        << outputs << "\",\"env\":[]}\n";
    for (std::size_t i = 0; i < calls.size(); ++i)
      log << R"({"t":"call","n":)" << i + 1 << R"(,"thread":"0","lib":"libc",)" << calls[i]
          << "}\n";
    log << R"({"t":"end","counts":{}})" << std::endl;
    return read_log(folder_.path());
  }

  const TemporaryFolder folder_;
};

std::string dealt_at(const std::string& line, const std::string& why = "tasks_dealt") {
  return R"("fn":"pthread_create","do":"observe","threads_of":"loky","queue":"","made_at":")" +
         line + R"(","why":")" + why + '"';
}

// A pool that deals its tasks starts its workers, and asks its manager.
TEST_F(LoggedLines, OfAPoolThatDealsAreNone) {
  using enum RecordType;
  const auto lines = [&](const Log& read, const UserPlace& place) {
    Log log = read;
    log.processes[0].user_places = {place};
    return lines_in(log).size();
  };
  const std::string frame = "/a/t.py:7 main", text = "<string>:1 <module>";
  const std::pair<UserPlace, std::size_t> places[] = {
      {python_place(forks, frame), 0},
      {python_place(children, frame), 0},
      {python_place(input, frame, "network"), 0},
      {python_place(input, frame, "file"), 1},
      {python_place(threads, frame), 1},
      {python_place(clock, frame), 1},
      {python_place(forks, "/a/t.py:8 main"), 1},
      {python_place(forks, text), 0},
      {python_place(input, text, "file"), 1},
  };
  const Log dealt = read({dealt_at("/a/t.py:7")});
  for (std::size_t i = 0; i < std::size(places); ++i)
    EXPECT_EQ(lines(dealt, places[i].first), places[i].second) << i;
  EXPECT_EQ(lines(read({dealt_at("/a/t.py:7", "packages_tasks_dealt")}), places[0].first), 0U);
  const Log raced = read({dealt_at("/a/t.py:7", "task_race")});
  for (std::size_t i = 0; i < std::size(places); ++i)
    EXPECT_EQ(lines(raced, places[i].first), 1U) << i;
}

std::string clock_call(const std::string& frame) {
  return R"("fn":"clock_gettime","do":"observe","why":"clock_read",)"
         R"("at":"/usr/bin/python3.11+0x10","py":[")" +
         frame + R"("],"user":0)";
}

/// When a run begins that is later than all files, in microseconds since 1970.
constexpr std::uint64_t late = std::numeric_limits<std::uint32_t>::max() * 1'000'000ULL;

/// A script whose only clock is shown, and a log that says it was there before the run.
TEST_F(LoggedLines, ThatShowTimesCountWhereAProgramMayReadThem) {
  const std::string script = (folder_.path() / "t.py").string();
  std::ofstream(script) << "import time\nstart = time.time()\n"
                           "print(f'took {time.time() - start:.2f} s')\n";
  const std::string frame = script + ":3 <module>";
  const auto is_shown = [](Log log, std::uint64_t begun = late) {
    for (Process& process : log.processes)
      for (Start& start : process.starts)
        start.begun = begun;
    Names shown;
    const Lines lines = lines_in(log, {}, &shown);
    EXPECT_NE(shown.empty(), lines.empty());
    return !shown.empty();
  };
  const auto with_place = [&](Log log) {
    log.processes.back().user_places = {
        {RecordType::clock, "", "/usr/bin/python3.11+0x10", {}, {{frame}, 0}}};
    return log;
  };
  const Log recorded = read({clock_call(frame)});
  EXPECT_TRUE(is_shown(recorded));
  EXPECT_FALSE(is_shown(recorded, 1)) << "the script was written after it";
  EXPECT_TRUE(is_shown(with_place(read({}))));

  // A second process, of another path, prints elsewhere; the records of calls are the first's.
  const auto beside = [&](const Log& of, const std::string& program,
                          const std::optional<std::string>& outputs, const std::string& path) {
    Log log = of;
    Process other = log.processes[0];
    other.path = path;
    other.starts[0].program = program;
    other.starts[0].outputs = outputs;
    other.user_places.clear();
    log.processes.push_back(other);
    return log;
  };
  const std::string python = "/usr/bin/python3";
  EXPECT_FALSE(is_shown(with_place(beside(read({}), python, "pipe", "0.1"))));
  EXPECT_TRUE(is_shown(with_place(beside(read({}), python, "tty", "0.1"))));
  EXPECT_TRUE(is_shown(with_place(beside(read({}), python, std::nullopt, "0.1"))));
  EXPECT_TRUE(is_shown(with_place(beside(read({}), "/usr/bin/perl", "pipe", "0.1"))));
  Log launched = with_place(beside(read({}), python, "pipe", "0.1"));
  launched.marks.emplace_back();
  EXPECT_TRUE(is_shown(launched)) << "a launcher gives its ranks pipes";
  // What the first program printed on is the usual.
  EXPECT_TRUE(is_shown(beside(read({clock_call(frame)}), python, "pipe", "0.1")))
      << "the other one read no clock";
  Log unknown = with_place(beside(read({}), python, "pipe", "0.1"));
  unknown.processes[0].starts[0].outputs.reset();
  EXPECT_TRUE(is_shown(unknown)) << "nothing says what is usual";
  // A wrapper that gave its name away, which printed elsewhere than the program.
  Log wrapped = beside(read({clock_call(frame)}), "/bin/sh", "pipe", "0w");
  EXPECT_FALSE(is_shown(wrapped));
  wrapped.processes[1].starts[0].outputs = "tty";
  EXPECT_TRUE(is_shown(wrapped));
  // A program that prints elsewhere and reads no clock.
  Log drawn = beside(read({R"("fn":"random","do":"replace")"}), "/bin/sh", "pipe", "0w");
  EXPECT_TRUE(is_shown(with_place(beside(drawn, python, "pipe", "0.1"))));
}

// How lines look that show times: of those whose clock was read, in a file that is as it ran.
TEST_F(LoggedLines, ThatShowTimesHaveTheirFormats) {
  const std::string script = (folder_.path() / "t.py").string();
  std::ofstream(script) << "import time\nstart = time.time()\n"
                           "print(f'took {time.time() - start:.2f} s')\n";
  const auto formats = [&](RecordType kind, const std::string& file, std::uint64_t begun,
                           std::optional<std::size_t> user = 0) {
    Log log =
        log_of_places({{kind, "", "/usr/bin/python3.11+0x10", {}, {{file + ":3 <module>"}, user}}});
    log.processes[0].starts[0].begun = begun;
    return find_shown_formats(log).size();
  };
  EXPECT_EQ(formats(RecordType::clock, script, late), 1U);
  EXPECT_EQ(formats(RecordType::threads, script, late), 0U) << "no clock";
  EXPECT_EQ(formats(RecordType::clock, script, 1), 0U) << "written since";
  EXPECT_EQ(formats(RecordType::clock, "/gone/t.py", late), 0U);
  EXPECT_EQ(formats(RecordType::clock, script, late, std::nullopt), 0U) << "no line of the user's";
  std::filesystem::create_directory(folder_.path() / "d.py");
  EXPECT_EQ(formats(RecordType::clock, (folder_.path() / "d.py").string(), late), 0U);
}

TEST_F(LoggedLines, ThatSeedWithoutAnExplanation) {
  const std::string script = (folder_.path() / "t.py").string();
  std::ofstream(script) << "seed(1234)\nseed(51234)\nseed(x1234)\nseed(12345)\nseed(1234\n";
  const auto names = [&](const std::string& why, const std::string& python, bool has_clock = false,
                         bool has_input = false) {
    const Log log = read({R"("fn":"srand","do":"pin","requested":"1234","effective":"7","why":")" +
                          why + R"(","at":"/home/me/x.so+0x10")" + python});
    const Summary summary = summarise(log);
    Findings findings;
    if (has_clock)
      findings.add({.finding = Finding::clock_read});
    if (has_input)
      findings.add({.finding = Finding::input_read});
    find_seeds_that_may_change({log, summary, LoadedCode()}, findings);
    for (const VerdictReason& reason : findings.reasons)
      if (reason.finding == Finding::seed_unexplained)
        return reason.names;
    return Names();
  };
  const auto at_line = [&](int line) {
    return R"(,"py":[")" + script + ':' + std::to_string(line) + R"( main"],"user":0)";
  };
  for (const char* why : {"unexplained_seed", "ordered_seed"}) {
    EXPECT_EQ(names(why, ""), Names{"x.so+0x10"}) << why;
    EXPECT_EQ(names(why, R"(,"py":["/home/me/u.py:7 main"],"user":0)"), Names{"u.py:7"}) << why;
  }
  EXPECT_EQ(names("clock_seed", ""), Names());
  // The line has the seed in it.
  EXPECT_EQ(names("unexplained_seed", at_line(1)), Names());
  for (int line = 2; line <= 4; ++line)
    EXPECT_EQ(names("unexplained_seed", at_line(line)), Names{"t.py:" + std::to_string(line)});
  EXPECT_EQ(names("unexplained_seed", at_line(5)), Names()) << "at the line's end";
  // PyTorch's workers; what their init function passes is the user's.
  const std::string loader = "/x/torch/utils/data/worker.py:7 loop";
  EXPECT_EQ(names("unexplained_seed", R"(,"py":[")" + loader + R"(","/u.py:7 main"],"user":1)"),
            Names());
  EXPECT_EQ(names("unexplained_seed", R"(,"py":["/u.py:7 init",")" + loader + R"("],"user":0)"),
            Names{"u.py:7"});
  // A package's, for a line of the user's that reads no clock.
  const std::string package = R"(,"py":["/x/site-packages/a.py:1 f","/u.py:7 main"],"user":1)";
  EXPECT_EQ(names("unexplained_seed", package), Names());
  EXPECT_EQ(names("unexplained_seed", package, true, false), Names{"u.py:7"});
  EXPECT_EQ(names("unexplained_seed", package, false, true), Names{"u.py:7"});
  EXPECT_EQ(
      names("unexplained_seed", R"(,"py":["/u.py:7 g","/x/site-packages/a.py:1 f"],"user":0)"),
      Names{"u.py:7"});
  EXPECT_EQ(names("unexplained_seed", R"(,"py":["/x/site-packages/a.py:1 f"])"), Names());
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
      {"ls notes.txt --tabsize=4 -r", {}},
      {"ls --all -lt", {"ls -t"}},
      {"run=date", {"date"}},
      {"find . | xargs -0 -P4 gzip", {"xargs -P"}},
      {"a & b", {" & "}},
      {"a&", {" & "}},
      {"a && b >&2 2>&1 &>/dev/null", {}},
      {"curl 'http://x/?a=1&b=2'", {}},
      {"eval 'a & b'", {" & "}},
      {"eval 'a &b'", {}},
      {"eval 'a &\nb'", {" & "}},
      {"x=$(a&b)", {" & "}},
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
      {"echo \"don't\" # date", {}},
      {"echo \"a\" `b` # date", {}},
      {"echo \"}\" \")\" \"{\" # date", {}},
      {"x=$(echo {) # date", {}},
      {"cat <<<word # date\n# date\nword", {}},
      // within a substitution no comment is believed
      {"x=$((1 +\n# date\n2))", {"date"}},
      {"x=$( (a)\n# date\n)", {"date"}},
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
  EXPECT_EQ(words_of_shell({"--norc", "job.sh"}, folder), uptime);
  EXPECT_EQ(words_of_shell({"--version"}, folder), Names());
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

/// What is found of pools, and which line made each.
using FoundPools = std::vector<std::pair<Finding, std::string>>;

FoundPools pools_in(const Log& log) {
  Findings findings;
  find_pools({log, Summary(), LoadedCode()}, findings);
  FoundPools found;
  for (const VerdictReason& reason : findings.reasons)
    found.emplace_back(reason.finding, reason.place);
  return found;
}

std::string draw_in(const std::string& pool, const std::string& place = "") {
  return R"("fn":"random","do":"replace","pool":")" + pool + R"(","pool_at":")" + place + '"';
}

TEST_F(LoggedLines, OfPoolsAreFindingsByWhatRaces) {
  using enum Finding;
  const struct {
    const char* kind;
    Finding finding;
    bool needs_two; ///< calls
  } kinds[] = {{"threading.Thread", racing_threads, false},
               {"multiprocessing.Manager", racing_manager, true},
               {"gensim", racing_trainers, false},
               {"joblib", sharing_threads, false},
               {"dask.distributed", racing_workers, true},
               {"loky", racing_workers, false}};
  for (const auto& [kind, finding, needs_two] : kinds) {
    const std::string draw = draw_in(kind, "/a/t.py:7");
    const FoundPools found = {{finding, "t.py:7"}};
    EXPECT_EQ(pools_in(read({draw})), needs_two ? FoundPools() : found) << kind;
    EXPECT_EQ(pools_in(read({draw, draw})), found) << kind;
  }
  // Another record of the same pool says which line made it.
  EXPECT_EQ(pools_in(read({draw_in("a")})), (FoundPools{{racing_workers, ""}}));
  EXPECT_EQ(pools_in(read({draw_in("a"), draw_in("a", "/a/t.py:7")})),
            (FoundPools{{racing_workers, "t.py:7"}}));
  EXPECT_EQ(pools_in(read({draw_in("a"), draw_in("b", "/a/t.py:7")})),
            (FoundPools{{racing_workers, ""}, {racing_workers, "t.py:7"}}));
  EXPECT_EQ(pools_in(read({draw_in("a", "/a/t.py:7"), draw_in("b", "/a/t.py:8")})),
            (FoundPools{{racing_workers, "t.py:7"}, {racing_workers, "t.py:8"}}));
  // One that deals, of the user's and of a package.
  EXPECT_EQ(pools_in(read({draw_in("loky"), dealt_at("/a/t.py:7")})),
            (FoundPools{{tasks_in_turn, "t.py:7"}}));
  EXPECT_EQ(pools_in(read({draw_in("loky"), dealt_at("/a/t.py:7", "packages_tasks_dealt")})),
            FoundPools());
}

TEST_F(LoggedLines, OfQueuesRaceWhereTwoProcessesFillThem) {
  const std::string fills = draw_in("multiprocessing.Queue", "/a/t.py:7");
  EXPECT_EQ(pools_in(read({fills, fills})), FoundPools());
  EXPECT_EQ(pools_in(read({fills}, "tty", "0.1")), (FoundPools{{Finding::racing_queue, "t.py:7"}}));
}

} // namespace
} // namespace detshim
